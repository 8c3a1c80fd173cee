// Checkpoints do not stand in the way of saves.

import Foundation
import StelePersistence
import SteleSQL
import SteleSystem
import TestSupport
import Testing

@testable import SteleSQLite

@Suite struct CheckpointTests {
    /// A log with a table, a connection that writes to it, views, and the thread that copies it to
    /// the file.
    private final class House {
        let folder: TemporaryFolder
        let writer: Connection
        let checkpointer: Checkpointer
        let views: ReaderPool
        private var thread: SystemThread?

        init(
            step: Int = Limits.checkpointPages, longest: Int = 1_000_000,
            turn: Double = Limits.turnSeconds
        ) throws {
            folder = try TemporaryFolder()
            writer = try Connection(path: folder.store, creates: true)
            try writer.run(
                "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; "
                    + "PRAGMA synchronous = OFF; PRAGMA busy_timeout = 1000; "
                    + "CREATE TABLE t (b); INSERT INTO t VALUES (1)")
            views = ReaderPool(path: folder.store, isMapped: false)
            checkpointer = Checkpointer(step: step, views: views, longest: longest, turn: turn)
            checkpointer.follow(writer)
        }

        deinit { close() }

        func open() throws -> Connection { try Connection(path: folder.store, creates: false) }

        /// From here on there are checkpoints.
        func start(after first: @escaping @Sendable (Connection) -> Void = { _ in }) throws {
            nonisolated(unsafe) let checkpoints = try open()
            thread = SystemThread(name: "test") { [checkpointer] in
                checkpointer.run(checkpoints, after: first)
            }
        }

        func close() {
            checkpointer.close()
            thread?.join()
            thread = nil
        }

        func write(pages: Int) throws {
            try writer.run("INSERT INTO t VALUES (zeroblob(\(4096 * pages)))")
        }

        /// Whether a commit has restarted the log: the file keeps its length then.
        func writesAtTheStart() throws -> Bool {
            let before = try logPages()
            try write(pages: 1)
            return try before > 100 && logPages() == before
        }

        /// The length that the log had at most, in pages: its file keeps it.
        func logPages() throws -> Int {
            let file = try FileManager.default.attributesOfItem(atPath: folder.store + "-wal")
            return try #require(file[.size] as? Int) / 4096
        }
    }

    /// Someone who reads, and does not end it.
    private func reader(in house: House) throws -> Connection {
        let reader = try house.open()
        try reader.run("BEGIN")
        #expect(try reader.single("SELECT COUNT(*) FROM t") == .string("1"))
        return reader
    }

    @Test(.timeLimit(.minutes(30))) func aReaderThatStaysDoesNotMakeSavesWaitForTheCheckpoint()
        throws
    {
        let house = try House()
        let reader = try reader(in: house)
        // More pages than those from which it is asked for.
        try house.write(pages: Limits.checkpointPages + 500)
        try house.start()
        var waited = Duration.zero
        for _ in 0..<40 {
            waited += try ContinuousClock().measure {
                try house.writer.run("INSERT INTO t VALUES (1)")
            }
            usleep(30_000)
        }
        // One that waits fails after a second, the busy timeout.
        #expect(waited < .seconds(5))
        house.close()
        try reader.run("COMMIT")
    }

    /// The first commit of a WAL that has begun anew may itself be larger than is wanted, and
    /// smaller than what was there before.
    @Test func aLargeFirstCommitIsCopiedOutOfTheLogToo() throws {
        let house = try House(step: 50)
        try house.start()
        for pages in [300, 100, 80, 70] + Array(repeating: 60, count: 30) {
            try house.write(pages: pages)
            usleep(20_000)
        }
        // Without checkpoints, 2,350 pages.
        #expect(try house.logPages() < 900)
    }

    /// Who writes without a gap that is long enough for a checkpoint waits for one in the end.
    @Test func theLogOfOneWhoAlwaysWritesStaysShort() throws {
        let house = try House(step: 50)
        try house.start()
        for _ in 0..<40 {
            try house.writer.run("BEGIN IMMEDIATE")
            try house.write(pages: 100)
            // Longer than a checkpoint waits for the lock.
            usleep(UInt32(Limits.restartMilliseconds) * 1_000 * 3 / 2)
            try house.writer.run("COMMIT")
            house.checkpointer.makeWay()
        }
        // 400 pages and a commit or two; without a pause, 4,000.
        #expect(try house.logPages() < 1_000)
    }

    /// Where a reader keeps the log from beginning anew, it is waited for once for each 400 pages.
    @Test(.timeLimit(.minutes(30))) func aReaderThatStaysDoesNotMakeTheWriterWaitForEver() throws {
        let house = try House(step: 50)
        let reader = try reader(in: house)
        try house.start()
        for _ in 0..<20 {
            try house.write(pages: 100)
            house.checkpointer.makeWay()
        }
        house.close()
        // Who comes later does not wait for one that is gone.
        try house.write(pages: 1_000)
        let waited = ContinuousClock().measure { house.checkpointer.makeWay() }
        #expect(waited < .seconds(1))
        try reader.run("COMMIT")
    }

    /// Other work of the thread, which would not end by itself, ends where the writer would wait
    /// for a checkpoint, and when the store is closed.
    @Test(.timeLimit(.minutes(30)), arguments: [false, true])
    func otherWorkOfTheThreadKeepsNobodyWaiting(writes: Bool) throws {
        let house = try House(step: 50)
        let steps = Mutex<[String]>([])
        try house.start { connection in
            do {
                try connection.run("BEGIN")
                _ = try connection.single("SELECT COUNT(*) FROM t")
                steps.withLock { $0.append("begun") }
                _ = try connection.single(
                    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                        + "SELECT COUNT(*) FROM n")
            } catch { steps.withLock { $0.append("interrupted") } }
            _ = try? connection.run("COMMIT")
        }
        try waitUntil { steps.withLock({ $0 }) == ["begun"] }
        if writes {
            // Fewer pages than those from which the writer waits.
            for _ in 0..<3 {
                try house.write(pages: 100)
                house.checkpointer.makeWay()
            }
            #expect(steps.withLock { $0 } == ["begun"])
            for _ in 0..<30 {
                try house.write(pages: 100)
                house.checkpointer.makeWay()
            }
            #expect(steps.withLock { $0 } == ["begun", "interrupted"])
            #expect(try house.logPages() < 1_000)
        }
        house.close()
        #expect(steps.withLock { $0 } == ["begun", "interrupted"])
    }

    /// A view that is counted, and stays open until it is given back.
    private func view(of house: House) throws -> Connection {
        let connection = try house.views.take(waits: true)
        try connection.run("BEGIN")
        _ = try connection.single("SELECT COUNT(*) FROM t")
        return connection
    }

    /// Waits until long views may begin.
    private func waitForTurn(_ views: ReaderPool) {
        let isReleased = Monitor(false)
        views.whenReleased {
            isReleased.withLock { $0 = true }
            isReleased.broadcast()
        }
        isReleased.withLock(when: { $0 }) { _, _ in }
    }

    @Test("Views that overlap without end do not prevent the restart of the log")
    func overlappingViews() throws {
        let house = try House(step: 50)
        try house.start()
        let isOver = Mutex(false)
        let threads = (0..<3).compactMap { number in
            SystemThread(name: "views") { [views = house.views] in
                usleep(UInt32(number) * 150_000)
                while !isOver.withLock({ $0 }) {
                    waitForTurn(views)
                    guard let connection = try? views.take(waits: true) else { return }
                    _ = try? connection.run("BEGIN")
                    _ = try? connection.single("SELECT COUNT(*) FROM t")
                    usleep(500_000)
                    views.give(connection)
                }
            }
        }
        for _ in 0..<400 {
            try house.write(pages: 50)
            house.checkpointer.makeWay()
            usleep(10_000)
        }
        isOver.withLock { $0 = true }
        for thread in threads { thread.join() }
        // 400 pages, and what is saved while views of half a second end. Of 20,000 in all: views
        // that did not make way kept nearly all of them.
        #expect(try house.logPages() < 5_000)
    }

    @Test("A view that stays does not keep others waiting again and again")
    func viewThatStays() throws {
        let house = try House(step: 50, turn: 0.5)
        try house.start()
        let staying = try view(of: house)
        try house.write(pages: 210)
        try waitUntil { house.views.isHolding }
        waitForTurn(house.views)
        // Each of these asks for a checkpoint.
        var held = 0
        for _ in 0..<100 {
            try house.write(pages: 60)
            usleep(10_000)
            if house.views.isHolding { held += 1 }
        }
        #expect(held == 0)
        #expect(!house.views.mustEnd(staying.view))
        // Without it, the log restarts.
        house.views.give(staying)
        try house.write(pages: 100)
        try waitUntil { try house.writesAtTheStart() }
    }

    @Test("Where the log is too long, a view that stays has to end")
    func logThatIsTooLong() throws {
        let house = try House(step: 50, longest: 300, turn: 0.5)
        try house.start()
        let staying = try view(of: house)
        try house.write(pages: 150)
        usleep(100_000)
        #expect(!house.views.mustEnd(staying.view))
        try house.write(pages: 200)
        try waitUntil { house.views.mustEnd(staying.view) }
        house.views.give(staying)
        let next = try house.views.take(waits: true)
        #expect(!house.views.mustEnd(next.view))
        house.views.give(next)
        try waitUntil { try house.writesAtTheStart() }
    }

    @Test("Closing ends the wait for views")
    func closingWhileViewsAreHeldBack() throws {
        let house = try House(step: 50)
        try house.start()
        let staying = try view(of: house)
        try house.write(pages: 500)
        try waitUntil { house.views.isHolding }
        let waited = ContinuousClock().measure { house.close() }
        #expect(waited < .seconds(3))
        #expect(!house.views.isHolding)
        house.views.give(staying)
    }

    @Test func whatIsSavedIsCopiedOutOfTheLogMeanwhile() throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore.open(path: folder.store, model: try sampleModel("League"))
        defer { store.close() }
        let team = try #require(store.model.entity(named: "Team"))
        let city = String(repeating: "x", count: 400_000)
        for index in 0..<100 {
            _ = try store.insert(team, ["name": .string("\(index)"), "city": .string(city)])
        }
        // Without copying the file stays at a few pages, however long one waits for it.
        func size() throws -> Int {
            let file = try FileManager.default.attributesOfItem(atPath: folder.store)
            return try #require(file[.size] as? Int)
        }
        let end = ContinuousClock.now + .seconds(20)
        while try size() <= 8_000_000, ContinuousClock.now < end { usleep(10_000) }
        #expect(try size() > 8_000_000)
    }
}
