import SteleModel
import StelePersistence

/// The rows of Z_PRIMARYKEY with the highest numbers of changes and transactions, which another
/// program may have damaged. One below the largest key of its table counts as that key. One above
/// all numbers leaves none for a save, so such a store is not opened for writing.
package enum HistoryCounters {
    private static let tables: [(entity: Int, name: String)] = [
        (HistoryTables.change, "ACHANGE"), (HistoryTables.transaction, "ATRANSACTION"),
    ]
    private static let reading = SQLText(
        "SELECT Z_ENT, Z_MAX FROM Z_PRIMARYKEY "
            + "WHERE Z_ENT IN (\(HistoryTables.change), \(HistoryTables.transaction))")
    private static let writing = SQLText("UPDATE Z_PRIMARYKEY SET Z_MAX = ?1 WHERE Z_ENT = ?2")

    /// Checks that the store's own history has numbers left. Nothing is changed.
    /// - Throws: as `check(_:of:)`; the errors of a statement (`SQLConnection`).
    package static func check(_ connection: any SQLConnection) throws(StoreError) {
        for row in try connection.rows(reading, [], [.integer, .integer]) {
            guard case .int(let entity) = row[0], case .int(let highest) = row[1] else { continue }
            try check(highest, of: Int(entity))
        }
    }

    /// Checks that a counter is not above all numbers.
    /// - Throws: `StoreError.incompatible` (134080).
    static func check(_ highest: Int64, of entity: Int) throws(StoreError) {
        guard highest > HistoryReader.most else { return }
        let table = tables.first { $0.entity == entity }?.name ?? "its table"
        throw .incompatible(
            code: 134080,
            "Z_MAX of the row \(entity) in Z_PRIMARYKEY is \(highest), which is out of range, so no "
                + "save gets a number (stele inspect says what is wrong with the file): set it to "
                + "the largest Z_PK of \(table), or to 0 where there is none, while no program has "
                + "the store open")
    }

    /// Gives the counters below the largest keys of their tables these keys. The caller has begun a
    /// transaction for writing.
    /// - Throws: the errors of a statement (`SQLConnection`).
    package static func mend(_ connection: any SQLConnection) throws(StoreError) {
        for row in try connection.rows(reading, [], [.integer, .integer]) {
            guard case .int(let entity) = row[0], case .int(let highest) = row[1],
                let table = tables.first(where: { $0.entity == Int(entity) })?.name
            else { continue }
            let largest = try largestKey(of: table, connection)
            if highest < largest { try connection.execute(writing, [.int(largest), .int(entity)]) }
        }
    }

    /// Returns the largest number of a transaction in the store's own history; 0 for none, and for
    /// one out of range.
    /// - Throws: the errors of a statement (`SQLConnection`).
    package static func largestTransaction(
        _ connection: any SQLConnection
    ) throws(StoreError) -> Int64 {
        try largestKey(of: "ATRANSACTION", connection)
    }

    private static func largestKey(
        of table: String, _ connection: any SQLConnection
    ) throws(StoreError) -> Int64 {
        let largest = try connection.integer(SQLText("SELECT MAX(Z_PK) FROM \(table)")) ?? 0
        return (0...HistoryReader.most).contains(largest) ? largest : 0
    }
}
