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
        // More pages than those from which readers are waited for.
        try writer.run("INSERT INTO t VALUES (zeroblob(\(4096 * (Limits.restartPages + 500))))")
        nonisolated(unsafe) let checkpoints = try Connection(path: folder.store, creates: false)
        let thread = try StoreThread { checkpointer.run(checkpoints) }
        for _ in 0..<40 {
            try writer.run("INSERT INTO t VALUES (1)")
            usleep(30_000)
        }
        checkpointer.close()
        thread.join()
        try reader.run("COMMIT")
    }
}
