/// Tells our own commits from another program's.

import CSQLite
import SteleMutex

/// Watches the commit counter in the WAL index, which every commit of any program raises by one.
///
/// The writer, which holds the lock while it looks, knows what the counter was before its commit
/// and will be after it. A reader that sees another number sees another program's commit. The
/// expected number is published before the commit, so that no reader is alarmed in between; a
/// commit of another program cannot take that number, for it would need the lock.
final class CommitWatch: Sendable {
    /// The mapping lives as long as the connection that made it, which the store keeps to the end.
    private nonisolated(unsafe) let index: UnsafePointer<UInt32>?
    /// The counter after our last commit, and what the next one of ours will make of it.
    private let known = Atomic<UInt32>(0)
    private let expected = Atomic<UInt32>(0)
    private let telling = Mutex<Void>(())

    /// - Parameter connection: one in WAL mode that has read something, and that outlives this.
    init(_ connection: Connection) {
        let mapped = stele_wal_index(connection.handle)
        index = mapped.map { UnsafePointer($0) }
        known.store(counter, ordering: .releasing)
        expected.store(counter, ordering: .releasing)
    }

    private var counter: UInt32 { index.map { stele_wal_change($0) } ?? 0 }

    /// Whether the counter is none that our own commits explain; any thread.
    private var foreign: (last: UInt32, now: UInt32)? {
        while true {
            let last = known.load(ordering: .sequentiallyConsistent)
            let next = expected.load(ordering: .sequentiallyConsistent)
            let now = counter
            if now == last || now == next { return nil }
            // Between the two looks a commit of ours may have come: then look again.
            guard last == known.load(ordering: .sequentiallyConsistent),
                next == expected.load(ordering: .sequentiallyConsistent)
            else { continue }
            return (last, now)
        }
    }

    /// Tells of another program's commit, if one came since the last time; any thread. Who finds
    /// that one is being told waits, so that nobody goes on with what is old.
    /// - Returns: whether one came; it has been told when this returns.
    func noticesForeignCommit(_ tell: () -> Void) -> Bool {
        guard foreign != nil else { return false }
        telling.withLock { _ in
            guard let (last, now) = foreign else { return }
            tell()
            // Only now it is known: a look before this waits for the lock.
            _ = known.compareExchange(
                expected: last, desired: now, ordering: .sequentiallyConsistent)
        }
        return true
    }

    /// As above for the writer, which holds the lock of the file.
    /// - Parameter last: the counter after our last commit; updated to what it is now.
    func noticesForeignCommit(since last: inout UInt32, _ tell: () throws -> Void) rethrows {
        let now = counter
        guard now != last else { return }
        try telling.withLock { _ in
            try tell()
            expected.store(now, ordering: .sequentiallyConsistent)
            known.store(now, ordering: .sequentiallyConsistent)
        }
        last = now
    }

    /// What the counter is now; the writer's lock is held.
    var current: UInt32 { counter }

    /// Publishes what our commit will make of the counter; the writer's lock is held.
    func willCommit() { expected.store(counter &+ 1, ordering: .sequentiallyConsistent) }

    /// Our commit is done.
    /// - Returns: what it made of the counter.
    func didCommit() -> UInt32 {
        let now = expected.load(ordering: .sequentiallyConsistent)
        known.store(now, ordering: .sequentiallyConsistent)
        return now
    }

    /// Our commit did not happen; the lock may be gone already.
    func commitFailed() {
        expected.store(
            known.load(ordering: .sequentiallyConsistent), ordering: .sequentiallyConsistent)
    }
}
