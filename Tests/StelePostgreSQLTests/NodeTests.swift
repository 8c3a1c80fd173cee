// Several programs have one store open: here several stores on one database.

import Foundation
import SteleGraph
import SteleModel
import StelePersistence
import StelePostgreSQL
import SteleSystem
import TestSupport
import Testing

/// Notes what a store tells of commits.
final class Witness: StoreObserver {
    let elsewhere = Mutex(0)
    func storeWillCommit(_ saves: [HistoryTransaction]) {}
    func storeDidCommit(_ saves: [HistoryTransaction]) {}
    func storeDidChangeElsewhere() { elsewhere.withLock { $0 += 1 } }
    func storeWillClose(at number: Int64) -> [StoreMark] { [] }
}

@Suite(.enabled(if: PostgreSQLServer.shared != nil), .timeLimit(.minutes(30)))
struct NodeTests: Sendable {
    let server: PostgreSQLServer
    let model: Model
    let path = UUID().uuidString

    init() throws {
        server = try #require(PostgreSQLServer.shared)
        model = try sampleModel("League")
    }

    func node() throws -> PostgreSQLStore {
        try PostgreSQLStore.open(url: server.url(path: path), model: model)
    }

    func team(_ name: String, readToken: Int64 = 0) throws -> SaveRequest {
        let team = try #require(model.entity(named: "Team"))
        var request = SaveRequest(readToken: readToken)
        request.author = name
        request.changes = [
            ObjectChange(
                .insert, entity: team.index, key: -1, values: team.row(["name": .string(name)]))
        ]
        return request
    }

    /// Each answered save is in the history once, under the number that was answered, and whatever
    /// a reader has seen stays before what it sees later: no number turns up below the last one.
    @Test func theNumbersOfAllNodesAreInTheOrderOfTheirCommits() throws {
        let nodes = try (0..<3).map { _ in try node() }
        defer { nodes.forEach { $0.close() } }
        let answered = Mutex<[Int64: String]>([:])
        let failures = Mutex<[String]>([])
        let isDone = Mutex(false)
        let follower = try node()
        defer { follower.close() }
        let seen = Mutex<[Int64]>([])
        let follow: @Sendable () -> Void = {
            var last: Int64 = 0
            while true {
                let isLast = isDone.withLock { $0 }
                do {
                    let reader = try follower.reader()
                    defer { reader.close() }
                    for save in try reader.history(after: last, limit: 1_000, values: false) {
                        seen.withLock { $0.append(save.number) }
                        last = save.number
                    }
                } catch { failures.withLock { $0.append("\(error)") } }
                if isLast { return }
            }
        }
        let following = SystemThread(name: "follow", follow)
        let stage = self
        _ = onThreads(6) { thread in
            for number in 0..<40 {
                let name = "\(thread) \(number)"
                do {
                    let result = try nodes[thread % 3].save(stage.team(name))
                    answered.withLock { $0[result.token] = name }
                } catch { failures.withLock { $0.append("\(error)") } }
            }
        }
        isDone.withLock { $0 = true }
        following?.join()
        #expect(failures.withLock { $0 } == [])
        #expect(answered.withLock { $0.count } == 240)
        #expect(seen.withLock { $0 } == Array(1...240))
        let reader = try follower.reader()
        defer { reader.close() }
        let history = try reader.history(after: 0, limit: 1_000, values: true)
        let names = answered.withLock { $0 }
        #expect(history.map(\.author) == (1...240).map { names[$0] })
        #expect(Set(history.flatMap(\.changes).map(\.key)) == Set(1...240))
    }

    @Test func aCommitIsToldToOtherNodesAndNotToItsOwn() throws {
        let (a, b) = (try node(), try node())
        defer {
            a.close()
            b.close()
        }
        let (own, other) = (Witness(), Witness())
        a.observe(own)
        b.observe(other)
        _ = try a.save(team("one"))
        for _ in 0..<500 where other.elsewhere.withLock({ $0 }) == 0 { usleep(10_000) }
        #expect(other.elsewhere.withLock { $0 } == 1)
        #expect(!a.noticesForeignChange() && own.elsewhere.withLock { $0 } == 0)
        // The other node's writer takes up where this one ended.
        #expect(try b.save(team("two")).token == 2)
        #expect(a.noticesForeignChange() || own.elsewhere.withLock { $0 } == 1)
        #expect(other.elsewhere.withLock { $0 } == 1)
    }

    /// A save that is answered is in each later view of all nodes, and ETags are the same on each.
    @Test func aNodeReadsAtOnceWhatAnotherHasSaved() throws {
        let stores = [try node(), try node()]
        defer { stores.forEach { $0.close() } }
        let nodes = stores.map { PersistentStoreCoordinator(store: $0) }
        let team = try #require(model.entity(named: "Team"))
        _ = try stores[0].save(self.team("0"))
        let id = ObjectID(root: team.root, key: 1)
        for round in 1...60 {
            let (writer, reader) = (nodes[round % 2], nodes[(round + 1) % 2])
            let writing = writer.newContext()
            let object = try #require(try writing.existingObject(with: id))
            try object.setValue(.string("\(round)"), forKey: "name")
            try writing.save()
            let reading = reader.newContext()
            let found = try #require(try reading.existingObject(with: id))
            #expect(try found.value(forKey: "name") == .string("\(round)"))
            #expect(try reader.store.newest(id)?.version == Int64(round + 1))
            #expect(reader.cachedSnapshot(id) == nil)
            #expect(try reading.cacheGeneration() == (try writing.cacheGeneration()))
        }
    }

    /// The saves that a feed reads after a notification come with the view.
    @Test func theHistoryIsReadWithTheView() throws {
        let schema = "s" + String(UInt64.random(in: 0 ... .max), radix: 16)
        try server.sql("CREATE SCHEMA \(schema)")
        let proxy = try CuttingProxy(to: server.folder)
        defer { proxy.stop() }
        let saver = try PostgreSQLStore.open(url: server.url(schema: schema), model: model)
        defer { saver.close() }
        let store = try PostgreSQLStore.open(url: proxy.url(schema: schema), model: model)
        // Its connection asks twice a second.
        for number in 1...6 { _ = try saver.save(team("\(number)")) }
        func texts(_ saves: [HistoryTransaction]) -> [String] { saves.map { "\($0)" } }
        for values in [false, true] {
            for (token, limit) in [(0, 4), (2, 4), (2, 9), (5, 1), (6, 4), (9, 1)] {
                let plain = try store.reader()
                let ahead = try store.reader(forHistoryAfter: Int64(token), limit: limit)
                defer {
                    plain.close()
                    ahead.close()
                }
                let after = Int64(token)
                let expected = try plain.history(after: after, limit: limit, values: values)
                #expect(expected.count == max(0, min(limit, 6 - token)))
                for reader in [ahead, plain] {
                    #expect(
                        texts(try reader.history(after: after, limit: limit, values: values))
                            == texts(expected))
                    #expect(try reader.history(after: 1, limit: 2, values: values).count == 2)
                }
                #expect(try ahead.token == 6 && ahead.oldestTransaction() == 1)
            }
        }
        var fewest = Int.max
        for _ in 0..<20 {
            let before = proxy.messages.withLock { $0 }
            let reader = try store.reader(forHistoryAfter: 2, limit: 4)
            let piece = try reader.history(
                after: HistoryPosition(after: 2), limit: 4, changes: HistoryStretch.mostChanges,
                values: false)
            #expect(piece.saves.count == 4)
            fewest = min(fewest, proxy.messages.withLock { $0 } - before)
            reader.close()
            // The COMMIT is counted with this round.
            usleep(20_000)
        }
        #expect(fewest == 1)
        store.close()
    }

    @Test func aConnectionThatTheServerEndsIsMadeAgain() throws {
        let own = try PostgreSQLServer()
        let store = try PostgreSQLStore.open(url: own.url(schema: "public"), model: model)
        defer { store.close() }
        _ = try store.save(team("one"))
        for round in 2...4 as ClosedRange<Int64> {
            // So many idle connections are lost as well.
            let readers = try (0..<6).map { _ in try store.reader() }
            readers.forEach { $0.close() }
            try own.sql(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    + "WHERE application_name = 'stele'")
            #expect(try store.save(team("more")).token == round)
            let reader = try store.reader()
            #expect(try reader.token == round)
            reader.close()
        }
        own.stop()
        #expect { try store.save(team("none")) } throws: { error in
            guard case StoreError.unavailable(let text) = error else { return false }
            return text.contains("cannot be reached")
        }
    }
}
