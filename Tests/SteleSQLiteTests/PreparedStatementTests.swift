// What a connection keeps of the statements that it has prepared.

import CSQLite
import SteleModel
import SteleSQL
import TestSupport
import Testing

@testable import SteleSQLite

@Suite struct PreparedStatementTests {
    private let folder: TemporaryFolder
    private let connection: Connection

    init() throws {
        folder = try TemporaryFolder()
        connection = try Connection(path: folder.store, creates: true)
        try connection.run("CREATE TABLE t (a)")
    }

    /// The memory of all statements of the connection, by SQLite itself.
    private var bytes: Int {
        var sum = 0
        var statement = sqlite3_next_stmt(connection.handle, nil)
        while let it = statement {
            sum += Int(sqlite3_stmt_status(it, SQLITE_STMTSTATUS_MEMUSED, 0))
            statement = sqlite3_next_stmt(connection.handle, it)
        }
        return sum
    }

    /// The ends of the texts of all statements of the connection.
    private var kept: Set<Substring> {
        var ends: Set<Substring> = []
        var statement = sqlite3_next_stmt(connection.handle, nil)
        while let it = statement {
            ends.insert(String(cString: sqlite3_sql(it)).suffix(20))
            statement = sqlite3_next_stmt(connection.handle, it)
        }
        return ends
    }

    /// A query of so many subqueries.
    private func wide(_ count: Int, _ number: Int) -> String {
        let parts = (0..<count).map { "EXISTS (SELECT 1 FROM t x WHERE x.a = t.a + \($0))" }
        return "SELECT a FROM t WHERE " + parts.joined(separator: " OR ")
            + " OR t.a + 0 = \(number)"
    }

    @Test func theMemoryOfStatementsIsBounded() throws {
        for number in 0..<60 {
            _ = try connection.rows(SQLText(wide(100, number)), [], [.integer])
            #expect(bytes <= Limits.statementBytesAConnection)
        }
        #expect(kept.contains(wide(100, 59).suffix(20)))
        #expect(!kept.contains(wide(100, 0).suffix(20)))
        #expect(bytes > Limits.statementBytesAConnection / 2)
    }

    @Test func aStatementThatIsTooLargeIsNotKeptAndDropsNoOther() throws {
        let small = "SELECT a FROM t AS u"
        let large = Array(repeating: wide(100, 0), count: 120).joined(separator: " UNION ALL ")
        for _ in 0..<2 {
            _ = try connection.rows(SQLText(small), [], [.integer])
            _ = try connection.rows(SQLText(large), [], [.integer])
            #expect(kept.contains(small[...]))
            #expect(!kept.contains(large.suffix(20)))
        }
    }

    @Test func statementsInUseAreKept() throws {
        let used = ["a", "a + 1"].map { "SELECT \($0) FROM t WHERE a > 0" }
        for number in 0..<60 {
            for sql in used { _ = try connection.rows(SQLText(sql), [], [.integer]) }
            _ = try connection.rows(SQLText(wide(100, number)), [], [.integer])
            for sql in used { #expect(kept.contains(sql.suffix(20))) }
        }
    }
}
