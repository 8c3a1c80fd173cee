/// A minute of 500 saves a second to a thousand subscribers that come and go.

import Foundation
import SteleSystem

/// Whether the server's memory is flat at the end.
enum TurnoverCosts {
    private static let subscribers = 1_000
    private static let seconds = 60
    private static let savers = 4
    private static let savesASecond = 500
    /// Subscribers that leave in a second, and as many that come.
    private static let turnover = 100

    static func run(_ folder: String) throws {
        let server = try ServedStore(folder + "/store.sqlite", players: 1_000)
        defer { server.stop() }
        try fillCaches(server)
        let all = Subscribers(
            port: server.port, path: "/changes", capacity: subscribers + turnover * seconds)
        defer { all.close() }
        try all.open(subscribers)
        let saving = Saving(try (0..<savers).map { _ in try server.connection() })
        saving.start(aSecond: savesASecond / savers)
        defer { _ = try? saving.stop() }
        let start = Monotonic.nanoseconds()
        var memory: [Int] = []
        var left = 0
        for second in 0..<seconds {
            for part in 0..<turnover {
                Monotonic.sleep(
                    until: start + UInt64(second) * 1_000_000_000
                        + UInt64(part) * 1_000_000_000 / UInt64(turnover))
                all.leave(left)
                left += 1
                try all.openOne()
            }
            memory.append(try server.anonymousKibibytes())
        }
        let events = all.events
        let saved = try saving.stop()
        all.settle()
        // Of a few seconds each, for saves in hand make it swing.
        let early = memory[13..<18].map(Double.init).median
        let late = memory[(seconds - 5)...].map(Double.init).median
        FeedCosts.tell(
            "anonymous memory after \(seconds) s of saves to \(subscribers) subscribers that come "
                + "and go, over that after 15 s", late / early, .atMost(1.1),
            "\(FeedCosts.short(late / 1024)) over \(FeedCosts.short(early / 1024)) MiB; "
                + "\(saved / seconds) saves and \(events / seconds) events a second, \(left) left, "
                + "\(all.gone - left) were broken off")
    }

    /// Saves until SQLite's page cache is as full as it gets, for it grows with the history, whoever
    /// listens.
    private static func fillCaches(_ server: ServedStore) throws {
        let saver = try server.connection()
        for number in 0..<200 {
            try saver.must("PATCH", "/Player?where=TRUEPREDICATE", "{\"goals\": \(number)}")
        }
    }

    /// Threads that save at a pace, each on a connection of its own.
    private final class Saving: Sendable {
        private struct Connections: @unchecked Sendable { let all: [PlainConnection] }
        // @unchecked: each is given to one thread and used by no other.
        private let connections: Connections
        private let saved = Atomic<Int>(0)
        private let isOver = Atomic<Bool>(false)
        private let failure = Mutex<(any Error)?>(nil)
        private let group = DispatchGroup()

        init(_ connections: [PlainConnection]) { self.connections = Connections(all: connections) }

        func start(aSecond: Int) {
            for index in connections.all.indices {
                group.enter()
                Thread { [self] in
                    save(index, every: 1_000_000_000 / UInt64(aSecond))
                    group.leave()
                }.start()
            }
        }

        private func save(_ index: Int, every interval: UInt64) {
            var next = Monotonic.nanoseconds()
            var number = 0
            while !isOver.load(ordering: .acquiring) {
                next += interval
                number += 1
                Monotonic.sleep(until: next)
                do {
                    try connections.all[index].must(
                        "PATCH", "/Player/\(index + 1)", "{\"goals\": \(number)}")
                    saved.add(1, ordering: .relaxed)
                } catch {
                    return failure.withLock { $0 = error }
                }
            }
        }

        /// - Returns: how many saves were answered.
        /// - Throws: what ended a thread early.
        func stop() throws -> Int {
            isOver.store(true, ordering: .releasing)
            group.wait()
            if let error = failure.withLock({ $0 }) { throw error }
            return saved.load(ordering: .acquiring)
        }
    }
}
