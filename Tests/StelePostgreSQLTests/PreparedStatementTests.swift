// What a connection keeps of the statements that it has prepared.

import Foundation
import SteleModel
import SteleSQL
import TestSupport
import Testing

@testable import StelePostgreSQL

@Suite(.enabled(if: PostgreSQLServer.shared != nil)) struct PreparedStatementTests {
    private let connection: Connection

    init() throws {
        let server = try #require(PostgreSQLServer.shared)
        connection = try Connection(server.url(path: UUID().uuidString))
    }

    /// The number of prepared statements, and the bytes of their texts, as the server knows them.
    private func prepared() throws -> (count: Int, bytes: Int) {
        let texts = try connection.texts(
            "SELECT octet_length(statement)::text FROM pg_prepared_statements")
        let sizes = texts.compactMap { Int($0) }
        return (sizes.count, sizes.reduce(0, +))
    }

    /// A query of so many subqueries.
    private func wide(_ count: Int, _ number: Int) -> SQLText {
        let parts = (0..<count).map { "EXISTS (SELECT 1 FROM pg_type x WHERE x.oid::int = \($0))" }
        return SQLText("SELECT \(number) WHERE " + parts.joined(separator: " OR "))
    }

    @Test func theTextsOfStatementsAreBounded() throws {
        let used = SQLText("SELECT 7")
        for number in 0..<60 {
            _ = try connection.rows(wide(500, number), [], [.integer])
            _ = try connection.rows(used, [], [.integer])
            let now = try prepared()
            #expect(now.count >= 2)
            #expect(now.bytes <= Connection.textBytesKept)
        }
        // A very long one is not kept, and drops no other.
        let count = try prepared().count
        let long = "SELECT 8 WHERE '\(String(repeating: "x", count: 300_000))' <> ''"
        #expect(try connection.rows(SQLText(long), [], [.integer]).count == 1)
        #expect(try prepared().count == count)
        let kept = try connection.texts("SELECT statement FROM pg_prepared_statements")
        #expect(kept.contains(used.string))
        #expect(kept.contains(wide(500, 59).string))
    }
}
