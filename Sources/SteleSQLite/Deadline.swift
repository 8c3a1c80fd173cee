/// How long a reader's statements may run.

import CSQLite
import StelePersistence
import SteleSystem

/// Interrupts a connection's statement when its time is over. Not Sendable: it belongs to the
/// reader whose thread runs the statement, and SQLite calls it on that thread.
final class Deadline {
    private let connection: OpaquePointer
    /// Instructions of SQLite's machine between two looks at the clock.
    private let interval: Int
    private let nanoseconds: UInt64
    private var end: UInt64
    /// What is left of a budget; nil where each statement has its own time.
    private var steps: Int?

    /// Each statement may run that long.
    init(_ connection: OpaquePointer, seconds: Double) {
        self.connection = connection
        interval = 10_000
        nanoseconds = UInt64(seconds * 1e9)
        end = .max
        follow()
    }

    /// All statements together may cost so much from now on.
    init(_ connection: OpaquePointer, budget: ReadBudget) {
        self.connection = connection
        interval = 2_000
        nanoseconds = budget.nanoseconds
        end = MonotonicClock.now &+ budget.nanoseconds
        steps = budget.steps
        follow()
    }

    private func follow() {
        // SQLite calls it every `interval` instructions.
        sqlite3_progress_handler(
            connection, Int32(interval),
            { context in
                guard let context else { return 0 }
                return Unmanaged<Deadline>.fromOpaque(context).takeUnretainedValue().isOver()
                    ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit { sqlite3_progress_handler(connection, 0, nil, nil) }

    /// The next statement's time begins to run.
    func start() {
        if steps == nil { end = MonotonicClock.now &+ nanoseconds }
    }

    private func isOver() -> Bool {
        if let left = steps {
            steps = left - interval
            if left <= interval { return true }
        }
        return MonotonicClock.now > end
    }

    /// Whether a budget is used up.
    var isSpent: Bool { steps.map { $0 <= 0 || MonotonicClock.now > end } ?? false }
}
