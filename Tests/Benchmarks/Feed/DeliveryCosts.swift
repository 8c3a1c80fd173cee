/// How long after a save's answer its event is at the subscribers.

/// A hundred subscribers and a hundred saves a second; between two saves a bare request.
enum DeliveryCosts {
    private static let subscribers = 100
    private static let saves = 1_000
    private static let interval: UInt64 = 10_000_000

    static func run(_ folder: String) throws {
        let server = try ServedStore(folder + "/store.sqlite", players: 100)
        defer { server.stop() }
        let saver = try server.connection()
        let reader = try server.connection()
        func save(_ number: Int) throws {
            try saver.must("PATCH", "/Player/1", "{\"goals\": \(100_000 + number)}")
        }
        let all = Subscribers(port: server.port, path: "/changes", capacity: subscribers)
        defer { all.close() }
        try all.open(subscribers)
        for number in 0..<200 { try save(number) }
        all.settle()
        let before = all.extremes.lowerBound
        all.record()
        var answered: [UInt64] = []
        var trips: [Double] = []
        var next = Monotonic.nanoseconds()
        for number in 0..<saves {
            next += interval
            Monotonic.sleep(until: next)
            try save(1_000 + number)
            answered.append(Monotonic.nanoseconds())
            Monotonic.sleep(until: next + interval / 2)
            let start = Monotonic.nanoseconds()
            try reader.must("GET", "/Player/2")
            trips.append(Double(Monotonic.nanoseconds() - start) / 1e3)
        }
        all.settle()
        let recorded = all.takeRecorded()
        guard recorded.count == saves * subscribers else {
            throw ServedStore.Failure(
                text: "\(recorded.count) events came of \(saves * subscribers)")
        }
        let delays = recorded.map { event, time in
            (Double(time) - Double(answered[event - before])) / 1e3
        }
        FeedCosts.tell(
            "delivery from the save's answer, the median of \(subscribers) subscribers at 100 "
                + "saves a second, over a bare request's round trip",
            delays.median / trips.median, .atMost(2),
            "\(FeedCosts.short(delays.median)) µs (a tenth before \(FeedCosts.short(delays.quantile(0.1))), "
                + "a tenth after \(FeedCosts.short(delays.quantile(0.9)))) over "
                + "\(FeedCosts.short(trips.median)) µs")
    }
}
