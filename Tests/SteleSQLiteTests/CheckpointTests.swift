// Checkpoints do not stand in the way of saves.

import Foundation
import StelePersistence
import SteleSQL
import Testing

@testable import SteleSQLite

@Suite struct CheckpointTests {
    @Test func aReaderThatStaysDoesNotMakeSavesWaitForTheCheckpoint() throws {
        let folder = try TemporaryFolder()
        let writer = try Connection(path: folder.store, creates: true)
        try writer.run(
            "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = OFF; "
                + "CREATE TABLE t (b); INSERT INTO t VALUES (1); PRAGMA busy_timeout = 1000")
        let reader = try Connection(path: folder.store, creates: false)
        try reader.run("BEGIN")
        #expect(try reader.single("SELECT COUNT(*) FROM t") == .string("1"))
        let checkpointer = Checkpointer()
        checkpointer.follow(writer)
        // More pages than those from which it is asked for.
        try writer.run("INSERT INTO t VALUES (zeroblob(\(4096 * (Limits.checkpointPages + 500))))")
        nonisolated(unsafe) let checkpoints = try Connection(path: folder.store, creates: false)
        let thread = try StoreThread(name: "test") { checkpointer.run(checkpoints) }
        for _ in 0..<40 {
            try writer.run("INSERT INTO t VALUES (1)")
            usleep(30_000)
        }
        checkpointer.close()
        thread.join()
        try reader.run("COMMIT")
    }

    /// The first commit of a WAL that has begun anew may itself be larger than is wanted, and
    /// smaller than what was there before.
    @Test func aLargeFirstCommitIsCopiedOutOfTheLogToo() throws {
        let folder = try TemporaryFolder()
        let writer = try Connection(path: folder.store, creates: true)
        try writer.run(
            "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = OFF; "
                + "CREATE TABLE t (b)")
        let checkpointer = Checkpointer(step: 50)
        checkpointer.follow(writer)
        nonisolated(unsafe) let checkpoints = try Connection(path: folder.store, creates: false)
        let thread = try StoreThread(name: "test") { checkpointer.run(checkpoints) }
        defer {
            checkpointer.close()
            thread.join()
        }
        func log() throws -> Int {
            let file = try FileManager.default.attributesOfItem(atPath: folder.store + "-wal")
            return try #require(file[.size] as? Int)
        }
        for pages in [300, 100, 80, 70] + Array(repeating: 60, count: 30) {
            try writer.run("INSERT INTO t VALUES (zeroblob(\(4096 * pages)))")
            usleep(20_000)
        }
        // The file keeps the length that the log had at most: without checkpoints, 2,350 pages.
        #expect(try log() < 900 * 4096)
    }

    /// Who writes without a gap that is long enough for a checkpoint waits for one in the end.
    @Test func theLogOfOneWhoAlwaysWritesStaysShort() throws {
        let folder = try TemporaryFolder()
        let writer = try Connection(path: folder.store, creates: true)
        try writer.run(
            "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = OFF; "
                + "CREATE TABLE t (b)")
        let checkpointer = Checkpointer(step: 50)
        checkpointer.follow(writer)
        nonisolated(unsafe) let checkpoints = try Connection(path: folder.store, creates: false)
        let thread = try StoreThread(name: "test") { checkpointer.run(checkpoints) }
        defer {
            checkpointer.close()
            thread.join()
        }
        for _ in 0..<40 {
            try writer.run("BEGIN IMMEDIATE; INSERT INTO t VALUES (zeroblob(\(4096 * 100)))")
            // Longer than a checkpoint waits for the lock.
            usleep(UInt32(Limits.restartMilliseconds) * 1_000 * 3 / 2)
            try writer.run("COMMIT")
            checkpointer.makeWay()
        }
        let file = try FileManager.default.attributesOfItem(atPath: folder.store + "-wal")
        // 400 pages and a commit or two; without a pause, 4,000.
        #expect(try #require(file[.size] as? Int) < 1_000 * 4096)
    }

    /// Where a reader keeps the log from beginning anew, it is waited for once for each 400 pages.
    @Test func aReaderThatStaysDoesNotMakeTheWriterWaitForEver() throws {
        let folder = try TemporaryFolder()
        let writer = try Connection(path: folder.store, creates: true)
        try writer.run(
            "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = OFF; "
                + "CREATE TABLE t (b); INSERT INTO t VALUES (1)")
        let reader = try Connection(path: folder.store, creates: false)
        try reader.run("BEGIN")
        #expect(try reader.single("SELECT COUNT(*) FROM t") == .string("1"))
        let checkpointer = Checkpointer(step: 50)
        checkpointer.follow(writer)
        nonisolated(unsafe) let checkpoints = try Connection(path: folder.store, creates: false)
        let thread = try StoreThread(name: "test") { checkpointer.run(checkpoints) }
        for _ in 0..<20 {
            try writer.run("INSERT INTO t VALUES (zeroblob(\(4096 * 100)))")
            checkpointer.makeWay()
        }
        checkpointer.close()
        thread.join()
        // Who comes later does not wait for one that is gone.
        try writer.run("INSERT INTO t VALUES (zeroblob(\(4096 * 1_000)))")
        checkpointer.makeWay()
        try reader.run("COMMIT")
    }

    @Test func whatIsSavedIsCopiedOutOfTheLogMeanwhile() throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore.open(path: folder.store, model: try sample("League"))
        defer { store.close() }
        let team = try #require(store.model.entity(named: "Team"))
        let city = String(repeating: "x", count: 400_000)
        for index in 0..<100 {
            _ = try store.insert(team, ["name": .string("\(index)"), "city": .string(city)])
        }
        // What nobody copies out of the log leaves the file at a few pages.
        let file = try FileManager.default.attributesOfItem(atPath: folder.store)
        #expect(try #require(file[.size] as? Int) > 8_000_000)
    }
}
