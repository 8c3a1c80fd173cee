import CSQLite

/// Rules that another program has added to the store's file, and that need what this connection does
/// not have.
extension SQLiteFailure {
    /// Returns what a trigger, an index or a check says that calls a function of another program's own
    /// connections, or a trigger that writes to a table that is gone, and what does not fit an altered
    /// table; nil for another message. SQLite has no error code for it.
    /// - Parameter statement: the statement, which is prepared with the programs of its triggers.
    static func brokenRule(
        _ message: String, _ statement: String, _ connection: OpaquePointer
    ) -> String? {
        // An index, a view, a trigger or a table with a generated column or a check.
        if statement.hasPrefix("ALTER TABLE "), message.hasPrefix("error in ") {
            return "the store's file refuses it: \(message)"
        }
        guard ["INSERT ", "UPDATE ", "DELETE "].contains(where: { statement.hasPrefix($0) }) else {
            return nil
        }
        if message.hasPrefix(missingFunction) {
            let trigger = trigger(with: message.dropFirst(missingFunction.count), connection)
            return trigger.map { "a trigger of the store's file refuses it: \(message) (\($0))" }
                ?? "the store's file refuses it: \(message)"
        }
        // Only a trigger's table is named with its database.
        guard message.hasPrefix(missingTable) else { return nil }
        return trigger(with: message.dropFirst(missingTable.count), connection).map {
            "a trigger of the store's file refuses it: \(message) (\($0))"
        }
    }

    private static let missingFunction = "no such function: "
    private static let missingTable = "no such table: main."

    /// Returns the name of the first trigger with a word, and its table; nil for none.
    private static func trigger(with word: Substring, _ connection: OpaquePointer) -> String? {
        let sql =
            "SELECT name || ' of ' || tbl_name FROM main.sqlite_master WHERE type = 'trigger' "
            + "AND sql LIKE '%\(word.replacing("'", with: "''"))%' ORDER BY name LIMIT 1"
        var statement: OpaquePointer?
        guard sqlite3_prepare_v3(connection, sql, -1, 0, &statement, nil) == SQLITE_OK else {
            return nil
        }
        defer { sqlite3_finalize(statement) }
        guard sqlite3_step(statement) == SQLITE_ROW, let text = sqlite3_column_text(statement, 0)
        else { return nil }
        return String(cString: text)
    }
}
