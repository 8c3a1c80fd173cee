import SteleModel
import StelePersistence

/// Rows that a trigger of another program leaves out of a statement by RAISE(IGNORE), which is no
/// error of the database: the statement has changed fewer rows than it should.
extension SQLConnection {
    /// Returns the refusal of a save for a row that a statement has not written.
    /// - Parameter key: the row's Z_PK, where it is known.
    func leftOut(of table: String, key: Int64? = nil) throws(StoreError) -> StoreError {
        let row = key.map { ", Z_PK \($0)" } ?? ""
        let triggers = try triggers(of: table)
        if triggers.isEmpty {
            return .refused("a rule of the store's database leaves a row of \(table) out\(row)")
        }
        return .refused(
            "a trigger of the store's file leaves a row out: \(triggers.joined(separator: ", ")) "
                + "of \(table)\(row)")
    }

    /// The names of a table's triggers, but those of Core Data's derived attributes.
    private func triggers(of table: String) throws(StoreError) -> [String] {
        if dialect.isTyped { return [] }
        let names = SQLText(
            "SELECT name FROM sqlite_master WHERE \(Self.isForeignTrigger) AND tbl_name = ?1 "
                + "COLLATE NOCASE ORDER BY name")
        var found: [String] = []
        for row in try rows(names, [.string(table)], [.text]) {
            if case .string(let name)? = row.first { found.append(name) }
        }
        return found
    }

    /// The tables with such triggers, in upper case.
    fileprivate func tablesWithTriggers() throws(StoreError) -> Set<String> {
        if dialect.isTyped { return [] }
        let tables = SQLText(
            "SELECT DISTINCT upper(tbl_name) FROM sqlite_master WHERE \(Self.isForeignTrigger)")
        var found: Set<String> = []
        for row in try rows(tables, [], [.text]) {
            if case .string(let name)? = row.first { found.insert(name) }
        }
        return found
    }

    private static var isForeignTrigger: String { "type = 'trigger' AND name NOT GLOB 'Z_DA_*'" }
}

extension SQLSaver {
    /// Adds an object's name to the refusal of one of its statements.
    func naming<T>(
        _ entity: Int, _ key: Int64, _ work: () throws(StoreError) -> T
    ) throws(StoreError) -> T {
        do throws(StoreError) {
            return try work()
        } catch .refused(let rule) {
            throw .refused("\(ObjectID.name(schema.model.entities[entity].name, key)): \(rule)")
        }
    }

    /// Checks a statement by the rows that it should have left none of. Such a check costs a
    /// statement, and is for those alone that may well change fewer rows than they name.
    /// - Parameters:
    ///   - table: the table that the statement writes.
    ///   - condition: the condition on the rows that are not as they should be, without `WHERE`.
    /// - Throws: `.refused` where a trigger has left one out.
    func checkNone(
        in table: String, where condition: String, _ bindings: [Value]
    ) throws(StoreError) {
        guard try hasTriggers(table) else { return }
        let sql = statements.text("SELECT 1 FROM \(table) WHERE \(condition) LIMIT 1")
        if try connection.integer(sql, bindings) != nil { throw try connection.leftOut(of: table) }
    }

    private func hasTriggers(_ table: String) throws(StoreError) -> Bool {
        if let known = tablesWithTriggers { return known.contains(table.uppercased()) }
        let found = try connection.tablesWithTriggers()
        tablesWithTriggers = found
        return found.contains(table.uppercased())
    }

    /// Returns the conflict of an update or a deletion that has changed no row.
    /// - Parameter change: as in `conflict(of:)`.
    /// - Throws: `.refused` where the row is as it was read, so that a trigger has left it out.
    func conflict(withoutChange change: ObjectChange) throws(StoreError) -> MergeConflict {
        let conflict = try conflict(of: change)
        guard let before = change.before, conflict.persisted?.version == before.version else {
            return conflict
        }
        throw try connection.leftOut(
            of: schema.table(of: change.entity).name, key: change.key)
    }

    /// Checks the rows of similar changes that one statement has not changed all of.
    /// - Throws: `.refused` where a row is as it was read, so that a trigger has left it out.
    func checkUnchanged(
        _ places: Range<Int>, of operations: SaveOperations, in table: String, keys: Value
    ) throws(StoreError) {
        let sql = statements.text(
            "SELECT Z_PK, \(SQLSchema.version()) FROM \(table) WHERE Z_PK \(inList)")
        var versions: [Int64: Int64] = [:]
        for row in try connection.rows(sql, [keys], [.integer, .integer]) {
            if case .int(let key) = row[0], case .int(let version) = row[1] {
                versions[key] = version
            }
        }
        for place in places {
            let change = operations.asked(place)
            guard let before = change.before, versions[change.key] == before.version else {
                continue
            }
            throw try connection.leftOut(of: table, key: change.key)
        }
    }
}
