// A connection that is lost during a commit: the outcome is asked for, and never guessed.

import Foundation
import SteleModel
import StelePersistence
import StelePostgreSQL
import TestSupport
import Testing

@Suite(.enabled(if: PostgreSQLServer.shared != nil), .timeLimit(.minutes(30)))
struct LostCommitTests {
    private let server: PostgreSQLServer
    private let proxy: CuttingProxy
    private let store: PostgreSQLStore
    private let schema = "lost" + String(UInt32.random(in: 0...(.max)), radix: 16)

    init() throws {
        server = try #require(PostgreSQLServer.shared)
        try server.sql("CREATE SCHEMA \(schema)")
        proxy = try CuttingProxy(to: server.folder)
        store = try PostgreSQLStore.open(
            url: proxy.url(schema: schema), model: try sampleModel("League"))
    }

    private func save(_ name: String) throws -> Int64 {
        let team = try #require(store.model.entity(named: "Team"))
        var request = SaveRequest(readToken: 0)
        request.changes = [
            ObjectChange(
                .insert, entity: team.index, key: -1, values: team.row(["name": .string(name)]))
        ]
        return try store.save(request).token
    }

    /// The names of the stored teams, by another road.
    private func names() throws -> [String] {
        try server.sql("SELECT ZNAME FROM ZTEAM ORDER BY Z_PK", schema: schema)
    }

    @Test func aCommitWhoseAnswerIsLostIsAnswered() throws {
        defer { store.close() }
        #expect(try save("one") == 1)
        proxy.cutNext(.after)
        #expect(try save("two") == 2)
        #expect(store.databaseFigures?.commitsAskedFor == 1)
        #expect(try save("three") == 3)
        #expect(try names() == ["one", "two", "three"])
        proxy.stop()
    }

    @Test func aCommitThatTheServerNeverGotIsAnError() throws {
        defer { store.close() }
        #expect(try save("one") == 1)
        proxy.cutNext(.before)
        #expect(throws: StoreError.self) { try save("two") }
        #expect(store.databaseFigures?.commitsAskedFor == 1)
        #expect(try names() == ["one"])
        #expect(try save("three") == 2)
        #expect(try names() == ["one", "three"])
        proxy.stop()
    }

    @Test func anUnknownOutcomeIsSaidToBeUnknown() throws {
        defer { store.close() }
        #expect(try save("one") == 1)
        proxy.cutNext(.afterForGood)
        #expect { try save("two") } throws: { error in
            guard case StoreError.incompleteSave(let text) = error else { return false }
            return text.contains("may be in the store or not")
        }
        #expect(try names() == ["one", "two"])
        proxy.stop()
    }
}
