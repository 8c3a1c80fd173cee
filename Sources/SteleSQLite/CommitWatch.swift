/// Tells our own commits from another program's.

import CSQLite
import SteleSystem

/// Watches the commit counter in the WAL index, which every commit of any program raises by one.
///
/// The writer, which holds the lock while it looks, knows what the counter was before its commit
/// and will be after it. A reader that sees another number sees another program's commit. The
/// expected number is published before the commit, so that no reader is alarmed in between; a
/// commit of another program cannot take that number, for it would need the lock.
final class CommitWatch: Sendable {
    /// The address of the mapping, which lives as long as the connection that made it; 0 where
    /// there is none, and after `close`.
    private let index: Atomic<UInt>
    /// The counter after our last commit, and what the next one of ours will make of it.
    private let known = Atomic<UInt32>(0)
    private let expected = Atomic<UInt32>(0)
    /// Held while one thread tells of a foreign commit.
    private let telling = Mutex(())

    /// - Parameter connection: one in WAL mode that has read something, and that outlives this.
    init(_ connection: Connection) {
        let mapped = stele_wal_index(connection.handle)
        index = Atomic(UInt(bitPattern: mapped))
        known.store(counter, ordering: .releasing)
        expected.store(counter, ordering: .releasing)
    }

    private var counter: UInt32 {
        UnsafePointer<UInt32>(bitPattern: index.load(ordering: .acquiring))
            .map { stele_wal_change($0) } ?? 0
    }

    /// Looks no more: the connection is about to go. Nothing counts as foreign afterwards.
    func close() {
        index.store(0, ordering: .releasing)
        known.store(0, ordering: .sequentiallyConsistent)
    }

    /// Whether another program has committed since this was last asked or our own last commit;
    /// any thread.
    /// - Parameter tell: tells whoever remembers rows; called before the commit counts as known,
    ///   so that nobody is told that all is well while somebody else is still forgetting.
    func noticesForeignCommit(_ tell: () -> Void) -> Bool {
        guard foreignCommit != nil else { return false }
        return telling.withLock { _ in
            guard let last = foreignCommit else {
                // Another thread has told of it while this one waited.
                return true
            }
            tell()
            // Fails where a commit of ours came meanwhile: the next look tells of it again.
            _ = known.compareExchange(
                expected: last.known, desired: last.now, ordering: .sequentiallyConsistent)
            return true
        }
    }

    /// The counter, where it is neither what our last commit made it nor what the next one will.
    private var foreignCommit: (known: UInt32, now: UInt32)? {
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

    /// Whether the counter is not what our last commit made it; the writer's lock is held.
    func isForeign(since last: UInt32) -> Bool { counter != last }

    /// Tells of another program's commit unless that is done, and counts it as known; the writer's
    /// lock is held.
    ///
    /// Told twice, what was read after the first time would be forgotten for nothing, and no ETag
    /// of it would match any more.
    /// - Returns: the counter.
    func takeForeign(_ tell: () -> Void) -> UInt32 {
        let now = counter
        if known.load(ordering: .sequentiallyConsistent) != now { tell() }
        expected.store(now, ordering: .sequentiallyConsistent)
        known.store(now, ordering: .sequentiallyConsistent)
        return now
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
