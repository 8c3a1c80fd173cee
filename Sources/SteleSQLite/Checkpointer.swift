/// Brings the WAL's pages into the store's file, off the commit's path.

import CSQLite
import Dispatch
import StelePersistence
import SteleSystem

/// A thread that checkpoints when the writer says that the WAL has grown.
///
/// It copies what no reader needs the older pages for, beside the commits, and then the few pages
/// that came meanwhile with the writer's lock held for a moment, so that the next commit starts the
/// WAL anew. Where readers hinder that, it is tried again when the WAL has grown as much again.
/// A writer that never lets go of the lock for so long hinders it, too: so where the WAL has become
/// long, the writer waits for a checkpoint between two commits (`makeWay`).
final class Checkpointer: Sendable {
    private let pages = Atomic<Int>(0)
    /// By how many pages the WAL grows between two checkpoints.
    private let step: Int
    /// The length from which on it is asked for.
    private let threshold: Atomic<Int>
    /// Whether it is asked for and has not been done since.
    private let asked = Atomic<Bool>(false)
    private let closed = Atomic<Bool>(false)
    private let wanted = DispatchSemaphore(value: 0)
    /// The length from which on the writer makes way.
    private let limit: Atomic<Int>
    /// Whether the writer waits, and what it is told by that it may go on.
    private let isAwaited = Atomic<Bool>(false)
    private let made = DispatchSemaphore(value: 0)

    /// - Parameter step: pages by which the WAL grows between two checkpoints.
    init(step: Int = Limits.checkpointPages) {
        self.step = step
        threshold = Atomic(step)
        limit = Atomic(step * Limits.checkpointsMissed)
    }

    /// Is told of the WAL's length after each commit of the connection.
    func follow(_ connection: Connection) {
        // Next step: `walHas`, on the writer's thread, within its COMMIT.
        sqlite3_wal_hook(
            connection.handle,
            { context, _, _, pages in
                guard let context else { return SQLITE_OK }
                Unmanaged<Checkpointer>.fromOpaque(context).takeUnretainedValue().walHas(Int(pages))
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func walHas(_ count: Int) {
        let before = pages.exchange(count, ordering: .relaxed)
        // It has begun anew, perhaps with more pages than are wanted.
        if count < before { threshold.store(step, ordering: .relaxed) }
        if count >= threshold.load(ordering: .relaxed) { ask() }
    }

    /// Waits for a checkpoint where the WAL has become long; on the writer's thread, outside of a
    /// transaction.
    func makeWay() {
        guard pages.load(ordering: .relaxed) >= limit.load(ordering: .relaxed),
            !closed.load(ordering: .acquiring)
        else { return }
        isAwaited.store(true, ordering: .sequentiallyConsistent)
        ask()
        made.wait()
    }

    private func ask() {
        if !asked.exchange(true, ordering: .sequentiallyConsistent) { wanted.signal() }
    }

    func close() {
        closed.store(true, ordering: .releasing)
        wanted.signal()
    }

    /// Checkpoints until it is closed, on the caller's thread.
    func run(_ connection: Connection) {
        // Until it has read something, a connection knows of no WAL, and a checkpoint does nothing.
        _ = try? connection.single("SELECT COUNT(*) FROM sqlite_master")
        // Nobody makes way any more for one that is gone.
        defer { made.signal() }
        while true {
            wanted.wait()
            if closed.load(ordering: .acquiring) { return }
            // Whoever waits from here on may have hindered it before.
            let isAwaited = isAwaited.load(ordering: .sequentiallyConsistent)
            let isDone = checkpoint(connection)
            // Not again with each commit that follows: when it has grown as much once more.
            let length = isDone ? 0 : pages.load(ordering: .relaxed)
            threshold.store(length + step, ordering: .relaxed)
            if isDone || isAwaited {
                limit.store(length + step * Limits.checkpointsMissed, ordering: .relaxed)
            }
            _ = asked.exchange(false, ordering: .sequentiallyConsistent)
            if isDone || isAwaited {
                if self.isAwaited.exchange(false, ordering: .sequentiallyConsistent) {
                    made.signal()
                }
            } else if self.isAwaited.load(ordering: .sequentiallyConsistent) {
                ask()
            }
        }
    }

    /// - Returns: whether the next commit starts the WAL anew. What cannot be copied now stays in it,
    ///   and is asked for again.
    private func checkpoint(_ connection: Connection) -> Bool {
        sqlite3_wal_checkpoint_v2(connection.handle, "main", SQLITE_CHECKPOINT_PASSIVE, nil, nil)
        let before = pages.load(ordering: .relaxed)
        // This holds the writer's lock while it waits for readers: not for long.
        sqlite3_busy_timeout(connection.handle, Limits.restartMilliseconds)
        guard
            sqlite3_wal_checkpoint_v2(
                connection.handle, "main", SQLITE_CHECKPOINT_RESTART, nil, nil) == SQLITE_OK
        else { return false }
        // Unless a commit has begun it anew already.
        _ = pages.compareExchange(expected: before, desired: 0, ordering: .relaxed)
        return true
    }
}
