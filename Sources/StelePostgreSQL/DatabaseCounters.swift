import StelePersistence
import SteleSystem

/// Counts what happens with the database.
final class DatabaseCounters: Sendable {
    let connections = Atomic<Int>(0)
    let retries = Atomic<Int>(0)
    /// How many threads wait for a connection now.
    let waiting = Atomic<Int>(0)
    let commitsAskedFor = Atomic<Int>(0)
    let evaluated = Atomic<Int>(0)
    let foreignCommits = Atomic<Int>(0)
    let replicaReads = Atomic<Int>(0)
    let replicaMisses = Atomic<Int>(0)
    /// When the number of commits was last read, on the monotonic clock.
    let readAt = Atomic<UInt64>(MonotonicClock.now)

    /// Notes that the number of commits has been read.
    func noteReading() { readAt.store(MonotonicClock.now, ordering: .relaxed) }

    /// Fills in the figures.
    func add(to figures: inout DatabaseFigures) {
        figures.connectionsMade = connections.load(ordering: .relaxed)
        figures.waiting = waiting.load(ordering: .relaxed)
        figures.retries = retries.load(ordering: .relaxed)
        figures.commitsAskedFor = commitsAskedFor.load(ordering: .relaxed)
        figures.evaluated = evaluated.load(ordering: .relaxed)
        figures.foreignCommits = foreignCommits.load(ordering: .relaxed)
        figures.replicaReads = replicaReads.load(ordering: .relaxed)
        figures.replicaMisses = replicaMisses.load(ordering: .relaxed)
        let now = MonotonicClock.now
        figures.lag = Double(now &- min(now, readAt.load(ordering: .relaxed))) / 1e9
    }
}
