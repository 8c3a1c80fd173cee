/// How long a reader's statement may run.

import CSQLite

/// Interrupts a connection's statement when its time is over. Not Sendable: it belongs to the
/// reader whose thread runs the statement, and SQLite calls it on that thread.
final class Deadline {
    private let connection: OpaquePointer
    private let nanoseconds: UInt64
    private var end: UInt64 = .max

    init(_ connection: OpaquePointer, seconds: Double) {
        self.connection = connection
        nanoseconds = UInt64(seconds * 1e9)
        // Next step: `isOver`, about every 10,000 instructions of SQLite's machine.
        sqlite3_progress_handler(
            connection, 10_000,
            { context in
                guard let context else { return 0 }
                return Unmanaged<Deadline>.fromOpaque(context).takeUnretainedValue().isOver ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit { sqlite3_progress_handler(connection, 0, nil, nil) }

    /// The time begins to run, with each statement anew.
    func start() { end = MonotonicTime.nanoseconds + nanoseconds }

    private var isOver: Bool { MonotonicTime.nanoseconds > end }
}
