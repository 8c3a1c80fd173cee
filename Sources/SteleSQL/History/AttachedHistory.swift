import SteleModel
import StelePersistence

/// The history of a store in a file of its own, which is attached to the store's connections as the
/// database `history`: for a store that another program created without a history.
///
/// SQLite finds a table in the attached file where the store has none of that name. So the
/// statements of the history are the same for both places, except those that make its tables and
/// those of its counters.
///
/// A commit writes the store first and then the history, and the process may end in between. So the
/// store has the number of its last save, in STELE_SAVE, and so has the history, in its
/// Z_PRIMARYKEY. They differ while a commit is half done, and after one that was never finished.
package struct AttachedHistory {
    private let connection: any SQLConnection

    /// - Parameter connection: a connection with the history attached.
    package init(_ connection: any SQLConnection) { self.connection = connection }

    /// The table in the store's file.
    package static let saves = "STELE_SAVE"
    static let savesCreation =
        "CREATE TABLE \(saves) ( Z_PK INTEGER PRIMARY KEY, ZTRANSACTION INTEGER )"
    private static let owner = "STELE_STORE"

    /// The statements that make the tables of the history's file, for the file itself.
    static let creation =
        HistoryTables.creation + [
            "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, "
                + "Z_SUPER INTEGER, Z_MAX INTEGER)",
            "CREATE TABLE \(owner) ( Z_PK INTEGER PRIMARY KEY, ZIDENTIFIER VARCHAR, "
                + "ZLINE VARCHAR )",
        ]

    private static let isMade = SQLText(
        "SELECT COUNT(*) FROM history.sqlite_master WHERE name = '\(owner)'")
    private static let hasSaves = SQLText(
        "SELECT COUNT(*) FROM main.sqlite_master WHERE name = '\(saves)'")
    private static let hasTables = SQLText(
        "SELECT COUNT(*) FROM main.sqlite_master WHERE name IN ('ACHANGE', 'ATRANSACTION')")
    private static let numbers = SQLText(
        "SELECT (SELECT ZTRANSACTION FROM main.\(saves) WHERE Z_PK = 1), "
            + "(SELECT Z_MAX FROM history.Z_PRIMARYKEY "
            + "WHERE Z_ENT = \(HistoryTables.transaction))")
    private static let numbering = SQLText(
        "UPDATE history.Z_PRIMARYKEY SET Z_MAX = ?1 WHERE Z_ENT = \(HistoryTables.transaction)")
    private static let lineReading = SQLText(
        "SELECT ZIDENTIFIER, ZLINE FROM history.\(owner) WHERE Z_PK = 1")
    private static let lineWriting = SQLText(
        "UPDATE history.\(owner) SET ZLINE = ?1 WHERE Z_PK = 1")
    private static let newer = "SELECT Z_PK FROM history.ACHANGE WHERE ZTRANSACTIONID > ?1"
    /// They delete the transactions after a number.
    private static let cutting = [
        SQLText(
            "DELETE FROM history.\(HistoryTables.imagePlaces) WHERE ZIMAGE IN (\(newer)) "
                + "AND ZFAMILY <> \(HistoryTables.markFamily)"),
        SQLText("DELETE FROM history.\(HistoryTables.beforeImages) WHERE Z_PK IN (\(newer))"),
        SQLText("DELETE FROM history.ACHANGE WHERE ZTRANSACTIONID > ?1"),
        SQLText("DELETE FROM history.ATRANSACTION WHERE Z_PK > ?1"),
    ]
    private static let emptying = [
        HistoryTables.imagePlaces, HistoryTables.beforeImages, "ACHANGE", "ATRANSACTION",
    ].map { SQLText("DELETE FROM history.\($0)") }

    /// The numbers of the last save by the store and by the history.
    package struct Numbers: Hashable, Sendable {
        package let store: Int64
        package let history: Int64
    }

    /// Reads both numbers. In a view they are equal where it is of one moment in both files.
    package func numbers() throws(StoreError) -> Numbers {
        let row = try connection.rows(Self.numbers, [], [.integer, .integer]).first ?? []
        guard row.count == 2, case .int(let store) = row[0], case .int(let history) = row[1] else {
            throw .failed("the file of the store's history is incomplete")
        }
        return Numbers(store: store, history: history)
    }

    /// Returns whether both files are of one moment of a line. Neither is changed.
    package func isOf(_ line: HistoryLine) throws(StoreError) -> Bool {
        guard try connection.integer(Self.isMade) == 1 else { return false }
        let (numbers, own) = (try numbers(), try self.line())
        return numbers.store == numbers.history
            && own?.generation(of: numbers.store) == line.generation(of: numbers.store)
    }

    /// Makes what the two files lack, in the open transaction, and makes the history one of the
    /// store's saves.
    /// - Parameters:
    ///   - identifier: the store's NSStoreUUID.
    ///   - line: the store's line.
    package func prepare(
        _ identifier: String, _ line: HistoryLine
    ) throws(StoreError) {
        if try connection.integer(Self.hasSaves) == 0 {
            try connection.execute(SQLText(Self.savesCreation), [])
            try connection.execute(SQLText("INSERT INTO \(Self.saves) VALUES (1, 0)"), [])
        }
        if try connection.integer(Self.isMade) == 0 {
            for statement in Self.creation {
                try connection.execute(SQLText(Self.inHistory(statement)), [])
            }
            for (number, name) in HistoryTables.entities {
                try connection.execute(
                    SQLText("INSERT INTO history.Z_PRIMARYKEY VALUES (?1, ?2, 0, 0)"),
                    [.int(Int64(number)), .string(name)])
            }
            try connection.execute(
                SQLText("INSERT INTO history.\(Self.owner) VALUES (1, ?1, ?2)"),
                [.string(identifier), .string(Self.text(line))])
        }
        let number = try numbers().store
        // The same number may be of another save where a copy of the store went on differently.
        if try self.line()?.generation(of: number) != line.generation(of: number) {
            try restart(at: number)
            try write(line)
        }
        try settle()
    }

    /// Makes the history one of the store's saves where their numbers differ. The caller holds the
    /// write lock.
    ///
    /// Saves that the store does not have, as in a restored copy, are deleted from the history.
    /// Where the history lacks saves, it is emptied: before-images lead from the present state to
    /// older ones only without a gap. Older tokens are then expired.
    /// - Returns: whether something changed.
    /// - Throws: `StoreError.busy` where the store has got a history of its own meanwhile.
    @discardableResult
    package func settle() throws(StoreError) -> Bool {
        guard try connection.integer(Self.hasTables) == 0 else {
            throw .busy(
                "another program has added the tables of a history to the store: open it again")
        }
        let numbers = try numbers()
        if numbers.store == numbers.history { return false }
        if numbers.store > numbers.history {
            try restart(at: numbers.store)
        } else {
            for step in Self.cutting { try connection.execute(step, [.int(numbers.store)]) }
            try connection.execute(Self.numbering, [.int(numbers.store)])
        }
        return true
    }

    /// Empties the history. The next save follows a number.
    private func restart(at number: Int64) throws(StoreError) {
        for step in Self.emptying { try connection.execute(step, []) }
        try connection.execute(Self.numbering, [.int(number)])
    }

    // MARK: The owner

    /// The line that the history has; nil where it is malformed.
    private func line() throws(StoreError) -> HistoryLine? {
        let row = try connection.rows(Self.lineReading, [], [.text, .text]).first ?? []
        guard row.count == 2, case .string(let text) = row[1] else { return nil }
        return HistoryLine(text.split(separator: " ").map(String.init))
    }

    /// Writes the store's line.
    package func write(_ line: HistoryLine) throws(StoreError) {
        try connection.execute(Self.lineWriting, [.string(Self.text(line))])
    }

    private static func text(_ line: HistoryLine) -> String {
        line.texts.joined(separator: " ")
    }

    /// Returns the NSStoreUUID of the store that a history's file belongs to; nil for one that is
    /// not finished.
    /// - Parameters:
    ///   - connection: a connection to the file itself.
    ///   - file: its path, for messages.
    /// - Throws: `StoreError.incompatible` (134020) for another kind of file.
    package static func identifier(
        _ connection: any SQLConnection, _ file: String
    ) throws(StoreError) -> String? {
        let tables = SQLText("SELECT COUNT(*) FROM sqlite_master")
        if try connection.integer(tables) == 0 { return nil }
        let made = SQLText("SELECT COUNT(*) FROM sqlite_master WHERE name = '\(owner)'")
        let reading = SQLText("SELECT ZIDENTIFIER FROM \(owner) WHERE Z_PK = 1")
        guard try connection.integer(made) == 1,
            case .string(let identifier)? = try connection.rows(reading, [], [.text]).first?.first
        else {
            throw .incompatible(code: 134020, "\(file) is not a history of Stele: move it away")
        }
        return identifier
    }

    // MARK: Statements

    /// The statement for the attached file.
    private static func inHistory(_ statement: String) -> String {
        for start in ["CREATE TABLE ", "CREATE INDEX ", "CREATE UNIQUE INDEX "]
        where statement.hasPrefix(start) {
            return start + "history." + statement.dropFirst(start.count)
        }
        return statement
    }
}
