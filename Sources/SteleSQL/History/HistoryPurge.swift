import SteleModel
import StelePersistence

/// Deletes the oldest transactions with their changes, before-images and places, in the writer's
/// transaction.
struct HistoryPurge {
    private let connection: any SQLConnection

    init(_ connection: any SQLConnection) { self.connection = connection }

    private static let last = SQLText(
        "SELECT MAX(Z_PK) FROM (SELECT Z_PK FROM ATRANSACTION WHERE Z_PK < ?1 "
            + "ORDER BY Z_PK LIMIT ?2) t")
    private static let changes = "SELECT Z_PK FROM ACHANGE WHERE ZTRANSACTIONID <= ?1"
    private static let steps = [
        SQLText(
            "DELETE FROM \(HistoryTables.imagePlaces) WHERE (ZFAMILY, ZENTITYPK, ZIMAGE) IN "
                + "(SELECT ZFAMILY, ZENTITYPK, Z_PK FROM \(HistoryTables.beforeImages) "
                + "WHERE Z_PK IN (\(changes)))"),
        SQLText("DELETE FROM \(HistoryTables.beforeImages) WHERE Z_PK IN (\(changes))"),
        SQLText("DELETE FROM ACHANGE WHERE ZTRANSACTIONID <= ?1"),
        SQLText("DELETE FROM ATRANSACTION WHERE Z_PK <= ?1"),
    ]

    /// Deletes up to `limit` transactions before `number`, and returns their number.
    func delete(before number: Int64, limit: Int) throws(StoreError) -> Int {
        guard let last = try connection.integer(Self.last, [.int(number), .int(Int64(limit))])
        else { return 0 }
        var deleted = 0
        for step in Self.steps { deleted = try connection.execute(step, [.int(last)]) }
        return deleted
    }
}

extension HistoryReader {
    private static let youngest = SQLText(
        // The + keeps SQLite from the index on times: the rows to skip are few and at the start.
        "SELECT Z_PK FROM ATRANSACTION WHERE Z_PK > 0 AND +ZTIMESTAMP >= ?1 "
            + "ORDER BY Z_PK LIMIT 1")
    private static let extent = SQLText(
        "SELECT (SELECT MIN(Z_PK) FROM ACHANGE), (SELECT MAX(Z_PK) FROM ACHANGE)")
    private static let transaction = SQLText(
        "SELECT ZTRANSACTIONID FROM ACHANGE WHERE Z_PK >= ?1 ORDER BY Z_PK LIMIT 1")

    /// The approximate size of a change without its before-image, in bytes: its rows and index
    /// entries.
    private static let bytesAChange = 150.0
    /// The number of before-images that the size is estimated from.
    private static let samples: Int64 = 1_000

    /// Returns the first transaction to keep so that none is older than `time` and all together
    /// take about `bytes`; the number after the last one where none is to be kept.
    /// - Throws: as `lastTransaction`.
    public func firstToKeep(
        since time: Double?, bytes: Int?
    ) throws(StoreError) -> Int64 {
        let end = try lastTransaction() + 1
        var first: Int64 = 0
        if let time {
            first = try connection.integer(Self.youngest, [.date(time)]) ?? end
        }
        if let bytes, let number = try firstToKeep(bytes: bytes) { first = max(first, number) }
        return min(first, end)
    }

    /// Returns nil where all transactions fit.
    private func firstToKeep(bytes: Int) throws(StoreError) -> Int64? {
        let row = try connection.rows(Self.extent, [], [.integer, .integer]).first ?? []
        guard row.count == 2, case .int(let first) = row[0], case .int(let last) = row[1],
            first >= 0, last <= HistoryReader.most
        else { return nil }
        let count = last - first + 1
        let step = max(1, count / Self.samples)
        let keys = stride(from: first, through: last, by: Int(step)).map { $0 }
        let sample = SQLText(
            "SELECT SUM(LENGTH(ZVALUES)) FROM \(HistoryTables.beforeImages) "
                + "WHERE Z_PK \(connection.dialect.isOneOf("?1"))")
        let total = try connection.integer(sample, [.string(KeyList.json(keys))]) ?? 0
        let each = Self.bytesAChange + Double(total) / Double(keys.count)
        let room = Int64(min(Double(bytes) / each, Double(Int64.max / 2)))
        guard count > room else { return nil }
        // The transaction at the limit is kept whole, and so is the last one.
        if let kept = try connection.integer(Self.transaction, [.int(last - room + 1)]) {
            return kept
        }
        return try lastTransaction()
    }
}
