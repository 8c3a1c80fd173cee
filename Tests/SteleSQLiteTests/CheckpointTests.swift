// Checkpoints do not stand in the way of saves.

import Foundation
import StelePersistence
import SteleSQL
import SteleSystem
import TestSupport
import Testing

@testable import SteleSQLite

@Suite struct CheckpointTests {
    /// A log with a table, one who writes to it, and the thread that copies it to the file.
    private final class House {
        let folder: TemporaryFolder
        let writer: Connection
        let checkpointer: Checkpointer
        private var thread: SystemThread?

        init(step: Int = Limits.checkpointPages) throws {
            folder = try TemporaryFolder()
            writer = try Connection(path: folder.store, creates: true)
            try writer.run(
                "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; "
                    + "PRAGMA synchronous = OFF; PRAGMA busy_timeout = 1000; "
                    + "CREATE TABLE t (b); INSERT INTO t VALUES (1)")
            checkpointer = Checkpointer(step: step)
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

    @Test(.timeLimit(.minutes(1))) func aReaderThatStaysDoesNotMakeSavesWaitForTheCheckpoint()
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
    @Test(.timeLimit(.minutes(1))) func aReaderThatStaysDoesNotMakeTheWriterWaitForEver() throws {
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
    @Test(.timeLimit(.minutes(1)), arguments: [false, true])
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
