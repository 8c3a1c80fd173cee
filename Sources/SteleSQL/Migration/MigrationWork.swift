import StelePersistence
import SteleMigration
import SteleSystem

/// Runs the statements of a migration on one connection, and reports the progress at most ten times
/// a second.
final class MigrationWork {
    let connection: any SQLConnection
    private let report: (MigrationProgress) -> Void
    private var rows: Int64 = 0
    private var total: Int64 = 0
    private var reported = MonotonicClock.now
    private var counts: [String: Int64] = [:]

    private static let nanoseconds: UInt64 = 100_000_000
    /// The number of rows of one statement.
    private static let step = 20_000

    init(_ connection: any SQLConnection, _ report: @escaping (MigrationProgress) -> Void) {
        self.connection = connection
        self.report = report
    }

    /// Runs a statement with Core Data's words for types and orders.
    func create(_ sql: String) throws(StoreError) { try run(connection.dialect.creation(sql)) }

    /// Runs a statement.
    func run(_ sql: String) throws(StoreError) { try connection.execute(SQLText(sql), []) }

    /// Counts the rows of a table of the source, which are written a number of times.
    func expect(_ table: String, times: Int) throws(StoreError) {
        if times == 0 { return }
        if counts[table] == nil { counts[table] = try count("SELECT COUNT(*) FROM \(table)") }
        total += Int64(times) * (counts[table] ?? 0)
    }

    /// Returns the number that a SELECT counts.
    func count(_ sql: String) throws(StoreError) -> Int64 {
        try connection.integer(SQLText(sql)) ?? 0
    }

    /// Records that the rows of a table of the source were written once.
    func note(_ table: String) { advance(counts[table] ?? 0) }

    /// Runs a statement for all rows of a table, some at a time.
    /// - Parameter sql: a statement for the keys from ?1 to ?2.
    func run(forRowsOf table: String, _ sql: String) throws(StoreError) {
        let statement = SQLText(sql)
        let next = SQLText(
            "SELECT MIN(Z_PK), MAX(Z_PK), COUNT(*) FROM "
                + "(SELECT Z_PK FROM \(table) WHERE Z_PK > ?1 ORDER BY Z_PK LIMIT \(Self.step)) s")
        var last = Int64.min
        while true {
            let row = try connection.rows(next, [.int(last)], [.integer, .integer, .integer]).first
            guard let row, case .int(let low) = row[0], case .int(let high) = row[1],
                case .int(let count) = row[2]
            else { return }
            try connection.execute(statement, [.int(low), .int(high)])
            advance(count)
            last = high
        }
    }

    private func advance(_ count: Int64) {
        rows += count
        let now = MonotonicClock.now
        guard now &- reported >= Self.nanoseconds else { return }
        reported = now
        report(MigrationProgress(done: Int(rows), total: Int(max(rows, total))))
    }

    /// Reports the end.
    func finish() { report(MigrationProgress(done: Int(total), total: Int(total))) }
}
