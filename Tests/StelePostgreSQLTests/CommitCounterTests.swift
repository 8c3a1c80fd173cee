// The count of all nodes' commits, and who has made the last ones.

import Foundation
import SteleModel
import StelePersistence
import SteleSQL
import SteleSystem
import TestSupport
import Testing

@testable import StelePostgreSQL

@Suite(.enabled(if: PostgreSQLServer.shared != nil)) struct CommitCounterTests {
    private let url: String
    private let store: PostgreSQLStore
    private let identity: StoreIdentity

    init() throws {
        url = try #require(PostgreSQLServer.shared).url(path: UUID().uuidString)
        store = try PostgreSQLStore.open(url: url, model: try sampleModel("League"))
        identity = try StoreIdentity(
            store.identifier, of: SQLSchema(model: store.model, dialect: .postgreSQL),
            Connection(url))
    }

    /// Makes an empty commit as a node of its own.
    private func commit(_ counter: CommitCounter, _ connection: Connection) throws -> Int64 {
        try connection.run("BEGIN")
        let next = try counter.lock(connection) + 1
        try counter.raise(to: next, connection, of: identity)
        try connection.run("COMMIT")
        return next
    }

    @Test func aNodeKnowsItsOwnCommitsFromThoseOfOthers() throws {
        defer { store.close() }
        let connection = try Connection(url)
        let (one, other) = (CommitCounter(0), CommitCounter(0))
        let own = try commit(one, connection)
        #expect(try one.hasMade(own, connection) == true)
        #expect(try other.hasMade(own, connection) == false)
        #expect(try one.hasMade(own + 1, connection) == false)
        // The next number is the other node's, whatever this one tried meanwhile.
        let next = try commit(other, connection)
        #expect(try one.hasMade(next, connection) == false)
        #expect(try one.hasMade(own, connection) == true)
        for _ in 0..<64 { _ = try commit(other, connection) }
        #expect(try one.hasMade(own, connection) == nil)
        #expect(!connection.isInTransaction)
    }

    @Test func aCommitOfTheExpectedNumberIsForeignWhereAnotherNodeMadeIt() throws {
        defer { store.close() }
        let connection = try Connection(url)
        let (one, other) = (CommitCounter(0), CommitCounter(0))
        one.willCommit(1)
        _ = try commit(other, connection)
        var told = 0
        #expect(one.notices(try CommitCounter.read(connection)) { told += 1 })
        #expect(!one.notices(try CommitCounter.read(connection)) { told += 1 })
        #expect(told == 1)
        one.willCommit(2)
        _ = try commit(one, connection)
        #expect(!one.notices(try CommitCounter.read(connection)) { told += 1 })
    }

    /// Who asks for the outcome waits for the end of the transaction, which has the lock.
    @Test func theOutcomeIsThatOfTheEnd() throws {
        defer { store.close() }
        nonisolated(unsafe) let writing = try Connection(url)
        let asking = try Connection(url)
        let counter = CommitCounter(0)
        try writing.run("BEGIN")
        let next = try counter.lock(writing) + 1
        try counter.raise(to: next, writing, of: identity)
        try writing.receive()
        let committing = SystemThread(name: "commit") {
            usleep(200_000)
            try? writing.run("COMMIT")
        }
        #expect(try counter.hasMade(next, asking) == true)
        committing?.join()
    }
}
