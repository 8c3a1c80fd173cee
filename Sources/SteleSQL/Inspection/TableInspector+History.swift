import SteleModel
import StelePersistence

/// The transactions of the history, in the store or in a file of its own that is attached.
extension TableInspector {
    private static let transactions = SQLText(
        "SELECT COUNT(*), MIN(Z_PK), MAX(Z_PK), MIN(ZTIMESTAMP), MAX(ZTIMESTAMP) "
            + "FROM ATRANSACTION")
    private static let authors = SQLText(
        "SELECT COALESCE(s.ZNAME, t.ZAUTHOR), COUNT(*) FROM ATRANSACTION t "
            + "LEFT JOIN ATRANSACTIONSTRING s ON s.Z_PK = t.ZAUTHORTS "
            + "GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT \(authorLimit)")
    private static let authorsAsTexts = SQLText(
        "SELECT ZAUTHOR, COUNT(*) FROM ATRANSACTION "
            + "GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT \(authorLimit)")
    private static let authorLimit = 10
    private static let lastString = SQLText("SELECT MAX(Z_PK) FROM \(HistoryTables.strings)")

    /// Reads the history, and compares its counters with its tables.
    /// - Parameter isBeside: whether it is attached as the database `history`.
    package mutating func readHistory(isBeside: Bool) {
        guard isBeside || layout.hasHistory else { return }
        attempt("ATRANSACTION") { (inspector) throws(StoreError) in
            var history = StoreInspection.History()
            history.isBeside = isBeside
            let rows = try PrimaryKeyRow.all(inspector.connection, ofHistory: isBeside)
            let highest = Dictionary(
                rows.map { ($0.number, $0.highest) }, uniquingKeysWith: { first, _ in first })
            let row =
                try inspector.connection.rows(
                    Self.transactions, [], [.integer, .integer, .integer, .date, .date]
                ).first ?? []
            if row.count == 5 {
                history.transactions = row[0].integer ?? 0
                if let first = row[1].integer, let last = row[2].integer, first <= last {
                    history.numbers = first...last
                    inspector.check(
                        last, in: "ATRANSACTION", highest, of: HistoryTables.transaction)
                }
                if let first = row[1].integer, first < 1 {
                    inspector.inspection.differences.append(
                        "ATRANSACTION: the smallest Z_PK is \(first): no save has a number below 1, "
                            + "and such rows are left out everywhere")
                }
                if case .date(let first) = row[3], case .date(let last) = row[4], first <= last {
                    history.times = first...last
                }
            }
            inspector.checkRange(rows)
            history.authors = try inspector.readAuthors()
            inspector.inspection.history = history
            let (changes, last) = try inspector.readChanges()
            inspector.inspection.history?.changes = changes
            if !isBeside {
                inspector.count(history.transactions, in: "ATRANSACTION")
                inspector.count(changes, in: "ACHANGE")
            }
            inspector.check(last ?? 0, in: "ACHANGE", highest, of: HistoryTables.change)
            guard isBeside || inspector.layout.has(table: HistoryTables.strings) else { return }
            inspector.check(
                try inspector.connection.integer(Self.lastString) ?? 0, in: HistoryTables.strings,
                highest, of: HistoryTables.transactionString)
        }
    }

    private func readAuthors() throws(StoreError) -> [StoreInspection.Author] {
        // A history in a file of its own was made by Stele.
        let interns = !layout.hasHistory || layout.internsHistoryTexts
        return try connection.rows(
            interns ? Self.authors : Self.authorsAsTexts, [], [.text, .integer]
        ).map { .init(name: $0[0].text, transactions: $0[1].integer ?? 0) }
    }

    /// Reads the table of the changes.
    /// - Returns: the number of rows, and the largest key.
    private mutating func readChanges() throws(StoreError) -> (Int64, Int64?) {
        var scan = RowScan("ACHANGE")
        scan.add(total: "COUNT(*)")
        scan.add(total: "MAX(t.Z_PK)")
        scan.add(
            fault: "NOT EXISTS (SELECT 1 FROM ATRANSACTION a WHERE a.Z_PK = t.ZTRANSACTIONID)",
            in: "ZTRANSACTIONID",
            "the number is of no row of ATRANSACTION: the change is in no transaction")
        let (totals, differences) = try scan.run(connection)
        inspection.differences += differences
        return (totals[0] ?? 0, totals[1])
    }

    private mutating func count(_ rows: Int64, in table: String) {
        for place in inspection.tables.indices where inspection.tables[place].name == table {
            inspection.tables[place].rows = rows
        }
    }

    /// Finds counters that are no numbers of a save.
    private mutating func checkRange(_ rows: [PrimaryKeyRow]) {
        for row in rows
        where row.isOfFramework && !(0...HistoryReader.most).contains(row.highest) {
            inspection.differences.append(
                "Z_PRIMARYKEY.Z_MAX: the row \(row.number) (\(row.name)) has the number "
                    + "\(row.highest), which is out of range: "
                    + (row.highest < 0
                        ? "it counts as the largest Z_PK" : "no save gets a number"))
        }
    }

    /// Compares a counter with the largest key in its table.
    private mutating func check(
        _ last: Int64, in table: String, _ highest: [Int64: Int64], of entity: Int
    ) {
        guard let counter = highest[Int64(entity)], last > counter else { return }
        inspection.differences.append(
            "\(table): the largest Z_PK is \(last), and Z_MAX of the row \(entity) in Z_PRIMARYKEY "
                + "is \(counter): Core Data would give numbers that are in use to its next saves")
    }
}
