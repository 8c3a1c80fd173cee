/// What a change costs a live query of a hundred thousand rows, against running the query.

import Foundation
import SteleGraph
import SteleModel
import SteleModelFiles
import StelePersistence
import StelePredicates
import SteleSystem

/// The engine by itself, and a live query over HTTP: by the processors' time.
enum LiveQueryCosts {
    static let rows = 100_000
    private static let changes = 200
    private static let runs = 5

    static func run(_ folder: String) throws {
        try engine(folder)
        let server = try ServedStore(
            folder + "/served.sqlite", players: rows,
            settings: ["--maximum-limit", String(rows)])
        defer { server.stop() }
        try LiveOverHTTP(server: server, saver: try server.connection()).run()
    }

    // MARK: The engine

    private static func engine(_ folder: String) throws {
        let stage = try GraphStage(
            folder + "/engine.sqlite", ModelFile.read(ServedStore.modelPath).model())
        try stage.insert(rows)
        var request = FetchRequest(entity: stage.player)
        request.predicate = try Predicate(format: "number > 0")
        request.sortDescriptors = [SortDescriptor(.key("name"))]
        let query = try FetchedResultsController(request, coordinator: stage.coordinator).query
        let reader = try stage.store.reader()
        var full: [Double] = []
        var results = try FetchedResults(query, reader)
        for _ in 0..<runs {
            full.append(try seconds { results = try FetchedResults(query, reader) })
        }
        reader.close()
        let saved = ToldSaves()
        let subscription = stage.coordinator.broadcast.subscribe(
            { saved.put($0) }, changedElsewhere: {})
        defer { subscription.cancel() }
        var costs: [Double] = []
        for number in 0..<changes {
            let save = try stage.rename(Int.random(in: 1...rows), number, saved)
            let view = SavesView(after: results.token, [save], open: { try stage.store.reader() })
            var told = 0
            costs.append(try seconds { told = try results.advance(in: view).count })
            guard told == 1, results.count == rows else { throw GraphStage.Missing() }
        }
        FeedCosts.tell(
            "a change that moves one of \(rows) rows, over reading them (the engine; this thread's "
                + "time on the processor)",
            costs.median / full.median, .atMost(0.01),
            "\(FeedCosts.short(costs.median * 1e6)) over \(FeedCosts.short(full.median * 1e6)) µs")
    }

    private static func seconds(_ work: () throws -> Void) rethrows -> Double {
        func now() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        let start = now()
        try work()
        return now() - start
    }
}

/// What a broadcast has told.
private final class ToldSaves: Sendable {
    private let saves = Mutex<[HistoryTransaction]>([])

    func put(_ more: [HistoryTransaction]) { saves.withLock { $0 += more } }

    /// The last one, once there is one.
    func take() throws -> HistoryTransaction {
        for _ in 0..<100_000 {
            let told = saves.withLock { saves in
                defer { saves = [] }
                return saves.last
            }
            if let told { return told }
            usleep(100)
        }
        throw GraphStage.Missing()
    }
}

extension GraphStage {
    /// Gives a player another name, and gives the save as it is told.
    fileprivate func rename(
        _ key: Int, _ number: Int, _ saved: ToldSaves
    ) throws -> HistoryTransaction {
        let context = ManagedObjectContext(coordinator, name: "benchmark")
        defer { context.close() }
        guard let object = try context.object(entity: player, key: Int64(key)) else {
            throw Missing()
        }
        let other = Int.random(in: 0..<LiveQueryCosts.rows)
        object.setValue(.string("Player \(other) \(number)"), for: name)
        try context.save()
        return try saved.take()
    }
}

/// The same over HTTP.
private struct LiveOverHTTP {
    let server: ServedStore
    let saver: PlainConnection
    private static let query = "number%20%3E%200&sort=name"
    private static let saves = 500
    private static let more = 999

    func run() throws {
        let target = "/Player?where=\(Self.query)"
        let reader = try server.connection()
        var full: [Double] = []
        for _ in 0..<5 {
            full.append(
                try processor { try reader.must("GET", "\(target)&limit=\(LiveQueryCosts.rows)") })
        }
        // The feed first: a query is followed for a while after its last listener has left.
        let (fed, manyFed) = try ofOneAndMany("/changes")
        let (live, manyLive) = try ofOneAndMany(target)
        FeedCosts.tell(
            "a save that changes a live query of \(LiveQueryCosts.rows) rows, and telling it, over "
                + "GET of all of them (HTTP; the server's time on the processors)",
            live / full.median, .atMost(0.01),
            "\(FeedCosts.short(live * 1e6)) over \(FeedCosts.short(full.median * 1e6)) µs")
        FeedCosts.tell(
            "what \(Self.more) more streams of the same live query add to a change, over what they "
                + "add to a save where they are streams of the feed",
            (manyLive - live) / (manyFed - fed), .atMost(1.2),
            "\(FeedCosts.short((manyLive - live) * 1e6)) over "
                + "\(FeedCosts.short((manyFed - fed) * 1e6)) µs")
    }

    /// The processors' time of a save with one stream, and with `more` beside it.
    private func ofOneAndMany(_ path: String) throws -> (one: Double, many: Double) {
        let one = Subscribers(port: server.port, path: path, capacity: 1)
        defer { one.close() }
        try one.open(1)
        one.settle()
        let cost = try processorOfSaves(one)
        // They have all up to now, so that none is sent a hundred thousand rows.
        let token = try server.connection().firstLine(of: path, beginning: "id: ")
        let many = Subscribers(
            port: server.port, path: path, capacity: Self.more,
            headers: "Last-Event-ID: \(token)\r\n")
        defer { many.close() }
        try many.open(Self.more)
        many.settle()
        return (cost, try processorOfSaves(many))
    }

    private func save() throws {
        let name = "Player \(Int.random(in: 0..<LiveQueryCosts.rows)) again"
        try saver.must(
            "PATCH", "/Player/\(Int.random(in: 1...LiveQueryCosts.rows))", "{\"name\": \"\(name)\"}"
        )
    }

    /// The processors' time of one save, and of telling it to all who listen.
    private func processorOfSaves(_ listening: Subscribers) throws -> Double {
        var costs: [Double] = []
        for _ in 0..<Self.saves {
            let before = listening.events
            costs.append(
                try processor {
                    try save()
                    try listening.wait(for: before + listening.count)
                    // What the server does behind the last byte is part of it.
                    usleep(2_000)
                })
        }
        return costs.median
    }

    private func processor(_ work: () throws -> Void) throws -> Double {
        let start = try server.processorSeconds()
        try work()
        return try server.processorSeconds() - start
    }
}
