import CSQLite
import StelePersistence
import SteleSystem

/// Interrupts a connection's statement at its deadline. Not Sendable: it belongs to a reader, and
/// SQLite calls it on the thread that runs the statement.
final class Deadline {
    private let connection: OpaquePointer
    /// Instructions of SQLite's virtual machine between two checks.
    private let interval: Int
    private let nanoseconds: UInt64
    private var end: UInt64
    /// The rest of the budget; nil where each statement has its own time limit.
    private var steps: Int?
    /// Whether somebody wants the result of a statement that runs for long.
    var isWanted: (@Sendable () -> Bool)?
    /// When that is asked next.
    private var askAt: UInt64 = 0
    private static let askNanoseconds: UInt64 = 50_000_000

    /// Limits the time of each statement.
    init(_ connection: OpaquePointer, nanoseconds: UInt64) {
        self.connection = connection
        interval = 10_000
        self.nanoseconds = nanoseconds
        end = .max
        follow()
    }

    /// Limits the cost of all statements together, from now on.
    init(_ connection: OpaquePointer, budget: ReadBudget) {
        self.connection = connection
        interval = 2_000
        nanoseconds = budget.nanoseconds
        end = MonotonicClock.now &+ budget.nanoseconds
        steps = budget.steps
        follow()
    }

    private func follow() {
        sqlite3_progress_handler(
            connection, Int32(interval),
            { context in
                guard let context else { return 0 }
                return Unmanaged<Deadline>.fromOpaque(context).takeUnretainedValue().isOver()
                    ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit { sqlite3_progress_handler(connection, 0, nil, nil) }

    /// Starts the time of the next statement.
    func start() {
        let now = MonotonicClock.now
        if steps == nil { end = now &+ nanoseconds }
        askAt = now &+ Self.askNanoseconds
    }

    /// Leaves about a third of a millisecond: a statement that was too slow before may be short this
    /// time, and otherwise ends soon.
    func hurry() {
        guard let left = steps else { return }
        steps = min(left, Self.hurriedSteps)
        end = min(end, MonotonicClock.now &+ Self.hurriedNanoseconds)
    }

    private static let hurriedSteps = 10_000
    private static let hurriedNanoseconds: UInt64 = 20_000_000

    private func isOver() -> Bool {
        if let left = steps {
            steps = left - interval
            if left <= interval { return true }
        }
        let now = MonotonicClock.now
        if now > end { return true }
        guard now > askAt, let isWanted else { return false }
        askAt = now &+ Self.askNanoseconds
        return !isWanted()
    }

    /// Whether the budget is used up.
    var isSpent: Bool { steps.map { $0 <= 0 || MonotonicClock.now > end } ?? false }
}
