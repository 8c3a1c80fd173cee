// Reads on a standby of the server.

import Foundation
import SteleGraph
import SteleModel
import StelePersistence
import StelePostgreSQL
import StelePredicates
import SteleSystem
import TestSupport
import Testing

@Suite(.enabled(if: PostgreSQLServer.programs != nil), .serialized, .timeLimit(.minutes(30)))
struct ReplicaTests: Sendable {
    let primary: PostgreSQLServer
    let standby: PostgreSQLServer
    let model: Model
    let path = UUID().uuidString

    init() throws {
        // What is not flushed is not sent to the standby.
        primary = try PostgreSQLServer(["fsync=off"])
        standby = try PostgreSQLServer(standbyOf: primary)
        model = try makeModel([EntityMaker("Person").attribute("name", .string)])
    }

    func end() {
        standby.stop()
        primary.stop()
    }

    /// The URL of the store's schema on the standby, where it cannot be made.
    func replicaURL() throws -> String {
        let url = try primary.url(path: path)
        return url.replacing(primary.folder, with: standby.folder)
    }

    func open() throws -> PostgreSQLStore {
        try PostgreSQLStore.open(
            url: primary.url(path: path), replica: replicaURL(), model: model)
    }

    /// Saves a person, and returns the number of the transaction.
    func save(_ name: String, in store: PostgreSQLStore) throws -> Int64 {
        var request = SaveRequest(readToken: 0)
        request.changes = [
            ObjectChange(
                .insert, entity: 0, key: -1, values: model.entities[0].row(["name": .string(name)]))
        ]
        return try store.save(request).token
    }

    /// Waits until the standby has a transaction.
    func wait(for number: Int64, in store: PostgreSQLStore) throws {
        let end = MonotonicClock.deadline(in: 30)
        while MonotonicClock.now < end {
            if let reader = store.replica?.reader(since: number) { return reader.close() }
            usleep(10_000)
        }
        Issue.record("the standby does not follow")
    }

    func count(_ reader: any StoreReader) throws -> Int {
        defer { reader.close() }
        return try reader.count(FetchRequest(entity: model.entities[0]))
    }

    func newest(_ key: Int64, since number: Int64, in store: PostgreSQLStore) -> Snapshot? {
        let found = Monitor<Snapshot??>(nil)
        store.replica?.newest(ObjectID(root: 0, key: key), since: number) { snapshot in
            found.withLock { $0 = .some(snapshot) }
            found.signal()
        }
        return found.withLock(when: { $0 != nil }) { value, _ in value ?? nil }
    }

    @Test func aReadHasTheTransactionThatItAsksFor() throws {
        defer { end() }
        let store = try open()
        defer { store.close() }
        let first = try save("a", in: store)
        try wait(for: first, in: store)
        #expect(newest(1, since: first, in: store)?.version == 1)
        try standby.pauseReplay()
        let second = try save("b", in: store)
        // It has the first one alone, and says so.
        #expect(store.replica?.reader(since: second) == nil)
        #expect(newest(2, since: second, in: store) == nil)
        let old = try #require(store.replica?.reader(since: first))
        #expect(try old.token == first && count(old) == 1)
        // A context reads the store where the replica is behind.
        let coordinator = PersistentStoreCoordinator(store: store)
        for (number, names) in [(second, 2), (first, 1), (0, 1)] {
            let context = ManagedObjectContext(coordinator, since: number)
            defer { context.close() }
            #expect(try context.count(FetchRequest(entity: model.entities[0])) == names)
            #expect(try context.token() == (names == 2 ? second : first))
        }
        let present = ManagedObjectContext(coordinator)
        defer { present.close() }
        #expect(try present.count(FetchRequest(entity: model.entities[0])) == 2)
        let figures = try #require(store.databaseFigures)
        #expect(figures.replicaReads > 0 && figures.replicaMisses > 0)
        try standby.resumeReplay()
        try wait(for: second, in: store)
        #expect(newest(2, since: second, in: store) != nil)
    }

    /// What an older state has must not get into the cache of the newest one.
    @Test func theRowCacheIsLeftAlone() throws {
        defer { end() }
        let store = try open()
        defer { store.close() }
        let coordinator = PersistentStoreCoordinator(store: store)
        let first = try save("a", in: store)
        try wait(for: first, in: store)
        try standby.pauseReplay()
        let change = ManagedObjectContext(coordinator)
        try change.get(ObjectID(root: 0, key: 1))["name"] = .string("later")
        try change.save()
        change.close()
        func name(since number: Int64?) throws -> Value? {
            let context = ManagedObjectContext(coordinator, since: number)
            defer { context.close() }
            return try context.get(ObjectID(root: 0, key: 1))["name"]
        }
        for _ in 0..<3 {
            #expect(try name(since: first) == .string("a"))
            #expect(try name(since: nil) == .string("later"))
        }
        try standby.resumeReplay()
    }

    @Test func aStandbyThatIsGoneIsNotWaitedFor() throws {
        defer { end() }
        let store = try open()
        defer { store.close() }
        try wait(for: save("a", in: store), in: store)
        standby.stop()
        let begun = MonotonicClock.now
        for _ in 0..<100 { #expect(store.replica?.reader(since: 0) == nil) }
        #expect(MonotonicClock.now - begun < 10_000_000_000)
        #expect(newest(1, since: 0, in: store) == nil)
        #expect(try count(store.reader()) == 1)
        // A program starts without it, too.
        let other = try open()
        #expect(other.replica?.reader(since: 0) == nil)
        other.close()
    }

    /// A view of the standby that was opened before the migration is not taken for one of the new
    /// tables, which it would see empty.
    @Test func aViewOfTheStandbyEndsWithTheMigration() throws {
        defer { end() }
        let store = try open()
        defer { store.close() }
        let first = try save("a", in: store)
        try wait(for: first, in: store)
        let view = try #require(store.replica?.reader(since: first))
        try standby.pauseReplay()
        // The numbers of the entities change, so that the table is written again.
        let new = try makeModel([
            EntityMaker("Animal"),
            EntityMaker("Person").attribute("name", .string).attribute("age", .integer16) {
                $0.defaultValue = .int(3)
            },
        ])
        #expect(
            try PostgreSQLStore.migrate(
                url: primary.url(path: path), from: model, to: new,
                by: try .inferred(from: model, to: new)))
        // What the node has not heard of yet is not wrong, and later it knows.
        try standby.resumeReplay()
        let end = MonotonicClock.deadline(in: 60)
        var seen = Set<Int>()
        while MonotonicClock.now < end {
            guard let found = try? view.count(FetchRequest(entity: model.entities[0])) else {
                break
            }
            seen.insert(found)
            usleep(50_000)
        }
        #expect(MonotonicClock.now < end, "the view does not end")
        #expect(seen.isSubset(of: [1]))
        view.close()
        #expect(store.replica?.reader(since: 0) == nil)
        #expect(throws: StoreError.self) { try store.reader() }
        let next = try PostgreSQLStore.open(
            url: primary.url(path: path), replica: replicaURL(), model: new)
        defer { next.close() }
        try wait(for: first, in: next)
        let reader = try #require(next.replica?.reader(since: first))
        defer { reader.close() }
        #expect(try reader.count(FetchRequest(entity: new.entities[1])) == 1)
    }

    @Test func anotherStoreIsNoReplica() throws {
        defer { end() }
        try open().close()
        let other = try primary.url(path: UUID().uuidString)
        try PostgreSQLStore.open(url: other, model: model).close()
        do {
            try PostgreSQLStore.open(
                url: primary.url(path: path), replica: other, model: model
            ).close()
            Issue.record("opened")
        } catch StoreError.incompatible(let code, let text) {
            #expect(code == 134080 && text.contains("is no standby of the store's server"))
        }
    }
}
