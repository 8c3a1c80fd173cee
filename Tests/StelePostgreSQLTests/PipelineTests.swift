// The writer's pipeline and the reader's view, in which a statement that fails concerns itself
// alone.

import Foundation
import SteleModel
import StelePersistence
import StelePredicates
import SteleSQL
import SteleSystem
import TestSupport
import Testing

@testable import StelePostgreSQL

@Suite(.enabled(if: PostgreSQLServer.shared != nil), .timeLimit(.minutes(30)))
struct PipelineTests: Sendable {
    private let model: Model
    private let url: String
    private let store: PostgreSQLStore

    init() throws {
        let server = try #require(PostgreSQLServer.shared)
        model = try makeModel([
            EntityMaker("Tag").attribute("name", .string).attribute("size", .integer32)
                .unique("name")
        ])
        url = try server.url(path: UUID().uuidString)
        store = try PostgreSQLStore.open(url: url, model: model)
    }

    private func insertion(_ name: String) throws -> SaveRequest {
        let tag = try #require(model.entity(named: "Tag"))
        var request = SaveRequest(readToken: 0)
        request.changes = [
            ObjectChange(
                .insert, entity: tag.index, key: -1, values: tag.row(["name": .string(name)]))
        ]
        return request
    }

    /// A change of the size from the state of a snapshot.
    private func resizing(_ before: Snapshot, to size: Int64, at token: Int64) throws -> SaveRequest
    {
        let tag = try #require(model.entity(named: "Tag"))
        let slot = try #require(tag.attribute(named: "size")?.slot)
        var values = before.values
        values[slot] = .int(size)
        var request = SaveRequest(readToken: token)
        request.changes = [
            ObjectChange(
                .update, entity: tag.index, key: before.key, before: before, values: values,
                changedSlots: [slot])
        ]
        return request
    }

    private func tags() throws -> [Snapshot] {
        let reader = try store.reader()
        defer { reader.close() }
        return try reader.fetch(FetchRequest(entity: try #require(model.entity(named: "Tag"))))
    }

    /// How a save of a batch ended.
    private enum Ending: Hashable { case saved, constraint, conflicts, other(String) }

    /// Saves all requests in one batch: another connection has the lock until all wait.
    private func saveTogether(_ requests: [SaveRequest]) throws -> [Ending] {
        nonisolated(unsafe) let other = try Connection(url, writes: true)
        try other.run("BEGIN")
        _ = try other.query(CommitCounter.locking, [])
        let waiting = Mutex(0)
        let releasing = SystemThread(name: "release") {
            while waiting.withLock({ $0 }) < requests.count { usleep(1_000) }
            usleep(300_000)
            try? other.run("ROLLBACK")
        }
        let endings = onThreads(requests.count) { number -> (Int, Ending) in
            waiting.withLock { $0 += 1 }
            do {
                _ = try store.save(requests[number])
                return (number, .saved)
            } catch StoreError.constraint {
                return (number, .constraint)
            } catch StoreError.conflicts {
                return (number, .conflicts)
            } catch {
                return (number, .other("\(error)"))
            }
        }
        releasing?.join()
        return endings.sorted { $0.0 < $1.0 }.map(\.1)
    }

    private func commits() throws -> Int64 { try CommitCounter.read(Connection(url)).number }

    @Test func aSaveOfABatchFailsAlone() throws {
        defer { store.close() }
        let token = try store.save(insertion("one")).token
        let one = try #require(try tags().first)
        _ = try store.save(resizing(one, to: 1, at: token))
        let before = try commits()
        let endings = try saveTogether([
            insertion("two"), resizing(one, to: 2, at: token), insertion("one"),
            insertion("three"), insertion("four"),
        ])
        #expect(endings == [.saved, .conflicts, .constraint, .saved, .saved])
        #expect(try commits() <= before + 3)
        let names = try tags().map { $0.values[0] }
        #expect(Set(names) == [.string("one"), .string("two"), .string("three"), .string("four")])
        let reader = try store.reader()
        defer { reader.close() }
        let history = try reader.history(after: 0, limit: 100, values: false)
        #expect(history.map(\.number) == [1, 2, 3, 4, 5])
        #expect(history.allSatisfy { $0.changes.count == 1 })
    }

    @Test func manySavesAreOneCommit() throws {
        defer { store.close() }
        let before = try commits()
        let endings = try saveTogether((0..<40).map { try insertion("tag \($0)") })
        #expect(Set(endings) == [.saved])
        // A thread that is late is not in the batch.
        #expect(try commits() <= before + 10)
        #expect(try tags().count == 40)
    }

    @Test func moreStatementsThanAPipelineHolds() throws {
        defer { store.close() }
        _ = try store.save(insertion("one"))
        let connection = try Connection(url, writes: true)
        try connection.run("BEGIN")
        let statement = SQLText("UPDATE ZTAG SET ZSIZE = ?1 WHERE Z_PK = 1")
        for size in 1...5_000 { try connection.send(statement, [.int(Int64(size))]) }
        #expect(try connection.integer(SQLText("SELECT ZSIZE FROM ZTAG")) == 5_000)
        // What follows an error is not run.
        try connection.send(statement, [.int(1)], changing: 1)
        try connection.send(SQLText("UPDATE ZTAG SET Z_PK = ?1 / 0"), [.int(1)])
        #expect(throws: StoreError.self) {
            try connection.send(SQLText("COMMIT"))
            try connection.receive()
        }
        #expect(connection.failedLater && connection.isInTransaction)
        try connection.run("ROLLBACK")
        #expect(try connection.integer(SQLText("SELECT ZSIZE FROM ZTAG")) == nil)
    }

    @Test func aStatementThatFailsLeavesTheViewAsItWas() throws {
        defer { store.close() }
        for name in ["one", "two", "three"] { _ = try store.save(insertion(name)) }
        let reader = try #require(try store.reader() as? PostgreSQLReader)
        defer { reader.close() }
        let tag = try #require(model.entity(named: "Tag"))
        let cursor = try reader.cursor(FetchRequest(entity: tag))
        #expect(try cursor.next(1).count == 1)
        _ = try store.save(insertion("four"))
        let connection = try #require(reader.connection)
        for statement in ["SELECT 1 / 0", "SELECT nothing FROM nowhere"] {
            #expect(throws: StoreError.self) { try connection.query(SQLText(statement), []) }
            #expect(try reader.count(FetchRequest(entity: tag)) == 3)
        }
        // In one message with others as well.
        #expect(throws: StoreError.self) {
            try connection.query(together: [
                (SQLText("SELECT 1"), []), (SQLText("SELECT 1 / 0"), []), (SQLText("SELECT 2"), []),
            ])
        }
        let rows = try connection.query(together: [
            (SQLText("SELECT 1::bigint"), []), (SQLText("SELECT 2::bigint"), []),
        ])
        #expect(rows.map { $0.integer(0, 0) } == [1, 2])
        #expect(try cursor.next(5).count == 2)
        #expect(try reader.token == 3)
    }
}
