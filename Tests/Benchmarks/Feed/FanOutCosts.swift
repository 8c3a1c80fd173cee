/// Ten thousand subscribers: their memory, how long a save takes beside them, messages a second.

import Foundation

/// One save to all, over and over, against nginx with nchan.
struct FanOutCosts {
    private static let subscribers = 10_000
    private static let rounds = 3
    private static let seconds = 4.0
    /// Messages that the publisher may be ahead of the subscribers.
    private static let window = 8

    private let server: ServedStore
    private let saver: PlainConnection
    private let saves = Counter()

    private final class Counter { var value = 0 }

    static func run(_ folder: String) throws {
        let server = try ServedStore(folder + "/store.sqlite", players: 100)
        defer { server.stop() }
        let costs = FanOutCosts(server: server, saver: try server.connection())
        // The first ones warm the caches.
        for _ in 0..<500 { try costs.save() }
        let eventBytes = try costs.memoryAndSaves()
        try costs.throughput(folder, eventBytes)
    }

    private func save() throws {
        saves.value += 1
        try saver.must("PATCH", "/Player/1", "{\"goals\": \(100_000 + saves.value)}")
    }

    private func subscribers() -> Subscribers {
        Subscribers(port: server.port, path: "/changes", capacity: Self.subscribers)
    }

    // MARK: Memory, and a save a second

    /// - Returns: the bytes of an event.
    private func memoryAndSaves() throws -> Int {
        let count = Self.subscribers
        var alone = try savesASecond(10)
        let before = try server.anonymousKibibytes()
        let all = subscribers()
        try all.open(count)
        all.settle()
        let idle = try server.anonymousKibibytes()
        let greetings = all.events
        let (bytes, start) = (all.bytes, Monotonic.nanoseconds())
        try save()
        try all.wait(for: greetings + count)
        let reached = Double(Monotonic.nanoseconds() - start) / 1e6
        let eventBytes = (all.bytes - bytes) / count
        let beside = try savesASecond(20) { saved in
            try all.wait(for: greetings + (1 + saved) * count)
        }
        all.settle()
        let told = try server.anonymousKibibytes()
        let extremes = all.extremes
        guard extremes.lowerBound == extremes.upperBound,
            all.events == greetings + 21 * count
        else { throw ServedStore.Failure(text: "not every save reached every one: \(extremes)") }
        all.close()
        usleep(1_000_000)
        alone += try savesASecond(10)
        FeedCosts.tell(
            "anonymous memory a subscriber, of \(count), KiB",
            Double(max(idle, told) - before) / Double(count), .atMost(18),
            "\(FeedCosts.short(Double(idle - before) / Double(count))) before the first save")
        print(
            "each of 21 saves reached all \(count) once; the first was everywhere after "
                + "\(FeedCosts.short(reached)) ms; an event has \(eventBytes) bytes")
        FeedCosts.tell(
            "a save's time beside them at one a second, over one without",
            beside.median / alone.median,
            .atMost(1.2),
            "\(FeedCosts.short(beside.median)) over \(FeedCosts.short(alone.median)) µs")
        return eventBytes
    }

    /// So many saves, one a second, each with how many microseconds its answer took.
    private func savesASecond(_ count: Int, then: (Int) throws -> Void = { _ in }) throws
        -> [Double]
    {
        var times: [Double] = []
        var next = Monotonic.nanoseconds()
        for index in 1...count {
            next += 1_000_000_000
            Monotonic.sleep(until: next)
            let start = Monotonic.nanoseconds()
            try save()
            times.append(Double(Monotonic.nanoseconds() - start) / 1e3)
            try then(index)
        }
        return times
    }

    // MARK: Messages a second

    private func throughput(_ folder: String, _ eventBytes: Int) throws {
        guard let peer = try Nchan.start(folder) else { return print(Nchan.advice) }
        defer { peer.stop() }
        let message = try peer.message(ofEventBytes: eventBytes)
        let publisher = try PlainConnection(port: peer.port)
        for window in [Self.window, 1] {
            var (ratios, ours, theirs): ([Double], [Double], [Double]) = ([], [], [])
            for round in 0..<Self.rounds {
                let stele = {
                    ours.append(try messages(window, subscribers(), save))
                }
                let nchan = {
                    let all = Subscribers(
                        port: peer.port, path: "/subscribe", capacity: Self.subscribers)
                    theirs.append(
                        try messages(window, all) {
                            try publisher.must("POST", "/publish", message)
                        })
                }
                for run in round % 2 == 0 ? [stele, nchan] : [nchan, stele] { try run() }
                ratios.append(ours[round] / theirs[round])
            }
            FeedCosts.tell(
                "messages a second to \(Self.subscribers), over nchan's, the publisher at most "
                    + "\(window) ahead",
                ratios.median, .atLeast(0.9),
                "\(FeedCosts.short(ratios.min() ?? 0)) to \(FeedCosts.short(ratios.max() ?? 0)), "
                    + "\(FeedCosts.short(ours.median)) over \(FeedCosts.short(theirs.median))")
        }
    }

    /// Publishes for some seconds, as fast as the messages arrive.
    private func messages(
        _ window: Int, _ all: Subscribers, _ publish: () throws -> Void
    ) throws -> Double {
        defer { all.close() }
        let count = Self.subscribers
        try all.open(count)
        all.settle()
        let (greetings, start) = (all.events, Monotonic.nanoseconds())
        var sent = 0
        while Double(Monotonic.nanoseconds() - start) < Self.seconds * 1e9 {
            if sent >= window { try all.wait(for: greetings + (sent - window + 1) * count) }
            try publish()
            sent += 1
        }
        try all.wait(for: greetings + sent * count)
        return Double(sent * count) / (Double(Monotonic.nanoseconds() - start) / 1e9)
    }
}
