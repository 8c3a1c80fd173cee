import CSQLite
import StelePersistence
import SteleSystem

/// The observer of a store's commits, which threads of the store share.
final class Observing: Sendable {
    private let observer = Mutex<(any StoreObserver)?>(nil)

    var current: (any StoreObserver)? {
        get { observer.withLock { $0 } }
        set { observer.withLock { $0 = newValue } }
    }
}

/// Detects commits of other programs by the commit counter in the WAL index, which every commit
/// increments.
///
/// The writer holds the lock while it reads the counter, so it knows the value before and after its
/// own commit. A reader that sees any other value sees another program's commit. The writer
/// publishes the expected value before its commit, so that a reader does not mistake that commit
/// for another program's. Another program cannot reach the expected value meanwhile, because it
/// needs the lock.
final class CommitWatch: Sendable {
    /// The address of the mapped index, which is valid as long as the connection; 0 without a
    /// mapping and after `close`.
    private let index: Atomic<UInt>
    /// The counter after the writer's last commit, and the one expected after its next.
    private let known = Atomic<UInt32>(0)
    private let expected = Atomic<UInt32>(0)
    /// Held while a thread notifies others of a commit of another program.
    private let telling = Mutex(())

    /// - Parameter connection: a connection in WAL mode that has read something and outlives this
    ///   object.
    init(_ connection: Connection) {
        let mapped = stele_wal_index(connection.handle, "main")
        index = Atomic(UInt(bitPattern: mapped))
        known.store(current, ordering: .releasing)
        expected.store(current, ordering: .releasing)
    }

    /// The commit counter.
    var current: UInt32 {
        UnsafePointer<UInt32>(bitPattern: index.load(ordering: .acquiring))
            .map { stele_wal_change($0) } ?? 0
    }

    /// Stops watching, before the connection is closed. No commit counts as another program's then.
    func close() {
        index.store(0, ordering: .releasing)
        known.store(0, ordering: .sequentiallyConsistent)
    }

    /// Returns whether another program has committed since the last call or the writer's last
    /// commit. Any thread may call it.
    /// - Parameter tell: notifies the owners of cached rows. It is called before the commit counts
    ///   as known, so that no thread reports an unchanged store while another is still dropping
    ///   rows.
    func noticesForeignCommit(_ tell: () -> Void) -> Bool {
        guard foreignCommit != nil else { return false }
        return telling.withLock { _ in
            guard let last = foreignCommit else {
                // Another thread has notified them while this one waited.
                return true
            }
            tell()
            // This fails where the writer committed meanwhile; the next call then notifies again.
            _ = known.compareExchange(
                expected: last.known, desired: last.now, ordering: .sequentiallyConsistent)
            return true
        }
    }

    /// The counter, where another program has changed it.
    private var foreignCommit: (known: UInt32, now: UInt32)? {
        while true {
            let last = known.load(ordering: .sequentiallyConsistent)
            let next = expected.load(ordering: .sequentiallyConsistent)
            let now = current
            if now == last || now == next { return nil }
            // Read again where the writer committed between these reads.
            guard last == known.load(ordering: .sequentiallyConsistent),
                next == expected.load(ordering: .sequentiallyConsistent)
            else { continue }
            return (last, now)
        }
    }

    /// Returns whether another program has changed the counter. The caller holds the write lock.
    func isForeign(since last: UInt32) -> Bool { current != last }

    /// Notifies of another program's commit unless that was done, and counts it as known. The
    /// caller holds the write lock. A second notification would drop rows that were read after the
    /// first, and change their ETags.
    /// - Returns: the counter.
    func takeForeign(_ tell: () -> Void) -> UInt32 {
        let now = current
        if known.load(ordering: .sequentiallyConsistent) != now { tell() }
        expected.store(now, ordering: .sequentiallyConsistent)
        known.store(now, ordering: .sequentiallyConsistent)
        return now
    }

    /// Publishes the counter expected after the next commit. The caller holds the write lock.
    func willCommit() { expected.store(current &+ 1, ordering: .sequentiallyConsistent) }

    /// Records the writer's commit and returns the counter after it.
    func didCommit() -> UInt32 {
        let now = expected.load(ordering: .sequentiallyConsistent)
        known.store(now, ordering: .sequentiallyConsistent)
        return now
    }

    /// Records that the writer's commit failed. The lock may have been released.
    func commitFailed() {
        expected.store(
            known.load(ordering: .sequentiallyConsistent), ordering: .sequentiallyConsistent)
    }
}
