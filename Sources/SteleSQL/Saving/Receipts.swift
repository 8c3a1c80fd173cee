import SteleModel
import StelePersistence

/// The table of receipts, which is created with the first one.
package struct Receipts {
    private let connection: any SQLConnection

    package init(_ connection: any SQLConnection) { self.connection = connection }

    static let table = "STELE_IDEMPOTENCY"
    // Times are read as Doubles: that of a permanent one is beyond all dates.
    private static let receiptsAtOnce = 1_000
    static let creation =
        "CREATE TABLE IF NOT EXISTS \(table) ( Z_PK INTEGER PRIMARY KEY, ZKEY VARCHAR UNIQUE, "
        + "ZFINGERPRINT INTEGER, ZTIMESTAMP TIMESTAMP, ZANSWER BLOB )"
    private static let select = SQLText(
        "SELECT ZFINGERPRINT, ZTIMESTAMP, ZANSWER FROM \(table) WHERE ZKEY = ?1")
    private static let deleteOld = SQLText(
        "DELETE FROM \(table) WHERE ZTIMESTAMP <= ?1 AND (ZKEY = ?2 "
            + "OR Z_PK IN (SELECT Z_PK FROM \(table) ORDER BY Z_PK LIMIT 32))")
    private static let deleteBeyond = SQLText(
        "DELETE FROM \(table) WHERE Z_PK <= (SELECT MAX(Z_PK) FROM \(table)) - ?1 "
            + "AND ZTIMESTAMP < 1e300")
    /// The parts of the INSERT between those of the dialect.
    private static let values =
        "\(table) (Z_PK, ZKEY, ZFINGERPRINT, ZTIMESTAMP, ZANSWER) "
        + "VALUES ((SELECT COALESCE(MAX(Z_PK), 0) + 1 FROM \(table)), ?1, ?2, ?3, ?4)"

    /// Copies the receipts of another store, which may have none. That is not attached, because its
    /// texts may have another encoding.
    package func carryOver(from old: any SQLConnection) throws(StoreError) {
        guard try old.integer(SQLText(old.dialect.tableCount(Self.table))) == 1 else { return }
        try connection.execute(SQLText(Self.creation), [])
        let insert = SQLText("INSERT OR IGNORE INTO \(Self.values)")
        let next = SQLText(
            "SELECT Z_PK, ZKEY, ZFINGERPRINT, ZTIMESTAMP, ZANSWER FROM \(Self.table) "
                + "WHERE Z_PK > ?1 ORDER BY Z_PK LIMIT \(Self.receiptsAtOnce)")
        var last = Int64.min
        while true {
            let rows = try old.rows(
                next, [.int(last)], [.integer, .text, .integer, .double, .data])
            for row in rows { try connection.execute(insert, Array(row.dropFirst())) }
            guard rows.count == Self.receiptsAtOnce, case .int(let key)? = rows.last?[0] else {
                return
            }
            last = key
        }
    }

    /// Returns the receipt under a key, expired or not; nil where there is none.
    package func receipt(_ key: String) throws(StoreError) -> Receipt? {
        guard try connection.integer(SQLText(connection.dialect.tableCount(Self.table))) == 1,
            let row = try connection.rows(
                Self.select, [.string(key)], [.integer, .double, .data]
            ).first, case .int(let fingerprint) = row[0], case .double(let time) = row[1],
            case .data(let answer) = row[2]
        else { return nil }
        return Receipt(key: key, fingerprint: fingerprint, time: time, answer: answer)
    }

    /// Stores a receipt in the open transaction, and deletes some expired ones.
    /// - Throws: `.moved` where another program has stored one under the key.
    func keep(_ receipt: Receipt) throws(StoreError) {
        let dialect = connection.dialect
        try connection.write(SQLText(dialect.creation(Self.creation)), [])
        if !receipt.isPermanent {
            try connection.write(
                Self.deleteOld, [.date(receipt.time - Receipt.lifetime), .string(receipt.key)])
        }
        let isKept = try connection.write(
            SQLText(
                "\(dialect.insertMissing) \(Self.values)\(dialect.insertMissingEnd)"),
            [
                .string(receipt.key), .int(receipt.fingerprint), .date(receipt.time),
                .data(receipt.answer),
            ], changing: 1)
        guard isKept else { throw .moved("the idempotency key is used by another request") }
        try connection.write(Self.deleteBeyond, [.int(Int64(Receipt.most))])
    }
}

extension SQLSaver {
    /// Stores the receipt that a request asks for.
    func keep(
        _ request: ReceiptRequest?, _ result: SaveResult, at time: Double
    ) throws(StoreError) {
        guard let request else { return }
        try Receipts(connection).keep(request.receipt(of: result, at: time))
        hasWrittenBeside = true
    }
}
