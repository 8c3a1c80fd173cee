// The broadcast: in order, apart from writers, and over when cancelled.

import SteleModel
import StelePersistence
import SteleSystem
import Testing

@testable import SteleGraph

@Suite struct BroadcastTests {
    private final class Heard: Sendable {
        let numbers = Mutex<[Int64]>([])
        let elsewhere = Atomic<Int>(0)
        let threads = Mutex<Set<UInt>>([])

        func wait(for count: Int) async throws -> [Int64] {
            for _ in 0..<2_000 {
                let numbers = numbers.withLock { $0 }
                if numbers.count >= count { return numbers }
                try await Task.sleep(for: .milliseconds(2))
            }
            return numbers.withLock { $0 }
        }
    }

    private func save(_ number: Int64) -> HistoryTransaction {
        HistoryTransaction(
            number: number, timestamp: 0, author: nil, contextName: nil, changes: [])
    }

    private func subscribe(_ heard: Heard, to broadcast: HistoryBroadcast) -> Subscription {
        broadcast.subscribe(
            { saves in
                heard.threads.withLock { _ = $0.insert(SystemThread.current) }
                heard.numbers.withLock { $0 += saves.map(\.number) }
            }, changedElsewhere: { heard.elsewhere.add(1, ordering: .sequentiallyConsistent) })
    }

    @Test func savesAreToldInOrderOnOneThreadOfItsOwn() async throws {
        let (broadcast, heard) = (HistoryBroadcast(), Heard())
        let subscription = subscribe(heard, to: broadcast)
        for number in 1...500 { broadcast.publish([save(Int64(number))]) }
        #expect(try await heard.wait(for: 500) == Array(1...500))
        #expect(heard.threads.withLock { $0.count } == 1)
        #expect(heard.threads.withLock { !$0.contains(SystemThread.current) })
        subscription.cancel()
    }

    @Test func aCommitOfTheStoreIsTold() async throws {
        let (fixture, heard) = (try Fixture.league(), Heard())
        let subscription = subscribe(heard, to: fixture.coordinator.broadcast)
        _ = try fixture.insert("Tag", count: 3)
        _ = try fixture.insert("Tag")
        #expect(try await heard.wait(for: 2) == [1, 2])
        subscription.cancel()
    }

    @Test func aLateSubscriberHearsOnlyLaterSaves() async throws {
        let (broadcast, first, second) = (HistoryBroadcast(), Heard(), Heard())
        let one = subscribe(first, to: broadcast)
        broadcast.publish([save(1)])
        let two = subscribe(second, to: broadcast)
        broadcast.publish([save(2)])
        #expect(try await first.wait(for: 2) == [1, 2])
        #expect(try await second.wait(for: 1) == [2])
        one.cancel()
        two.cancel()
    }

    @Test func afterCancelNothingIsHeard() async throws {
        for _ in 0..<50 {
            let (broadcast, heard) = (HistoryBroadcast(), Heard())
            let subscription = subscribe(heard, to: broadcast)
            for number in 1...50 { broadcast.publish([save(Int64(number))]) }
            subscription.cancel()
            let count = heard.numbers.withLock { $0.count }
            broadcast.publish([save(99)])
            try await Task.sleep(for: .milliseconds(1))
            #expect(heard.numbers.withLock { $0.count } == count)
        }
    }

    @Test func aListenerMayCancelItself() async throws {
        let (broadcast, heard) = (HistoryBroadcast(), Heard())
        let own = Mutex<Subscription?>(nil)
        let subscription = broadcast.subscribe(
            { saves in
                heard.numbers.withLock { $0 += saves.map(\.number) }
                own.withLock { $0 }?.cancel()
            }, changedElsewhere: {})
        own.withLock { $0 = subscription }
        broadcast.publish([save(1)])
        broadcast.publish([save(2)])
        _ = try await heard.wait(for: 1)
        try await Task.sleep(for: .milliseconds(5))
        #expect(heard.numbers.withLock { $0 } == [1])
        // It holds its listener, which holds it.
        own.withLock { $0 = nil }
    }

    @Test func aChangeElsewhereIsToldAndDropsTheCache() async throws {
        let (fixture, heard) = (try Fixture.league(), Heard())
        let id = try fixture.insert("Tag")[0]
        let subscription = subscribe(heard, to: fixture.coordinator.broadcast)
        _ = try fixture.context().get(id)
        #expect(fixture.coordinator.cachedSnapshot(id) != nil)
        let generation = fixture.coordinator.cacheGeneration
        fixture.coordinator.commits.storeDidChangeElsewhere()
        #expect(fixture.coordinator.cachedSnapshot(id) == nil)
        #expect(fixture.coordinator.cacheGeneration != generation)
        for _ in 0..<1_000 where heard.elsewhere.load(ordering: .sequentiallyConsistent) == 0 {
            try await Task.sleep(for: .milliseconds(2))
        }
        #expect(heard.elsewhere.load(ordering: .sequentiallyConsistent) == 1)
        subscription.cancel()
    }
}
