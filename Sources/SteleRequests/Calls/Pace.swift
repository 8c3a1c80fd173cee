/// The time that a thread may take for a step of a request.
public enum Pace: Sendable {
    /// On the thread of the connection, which carries other connections and must not wait. Reading
    /// has a budget, a save is handed to the writer, and the rest is left to a worker.
    case brief
    /// On a worker that reads. Reading has a larger budget, and what takes longer is left to the
    /// few workers for long requests, so that those keep no short request waiting.
    case short
    /// On a worker, which carries one request and may wait.
    case unhurried

    /// Requires that work is brief at a brief pace.
    /// - Throws: `TooLong`.
    package func allow(_ isBrief: @autoclosure () -> Bool) throws {
        if self == .brief, !isBrief() { throw TooLong() }
    }

    /// Requires that the cost of work has a bound, unless the pace is unhurried.
    /// - Throws: `TooLong`.
    package func allow(bounded isBounded: @autoclosure () -> Bool) throws {
        if self != .unhurried, !isBounded() { throw TooLong() }
    }
}

/// Work that is too long for a brief pace and is left to a worker.
package struct TooLong: Error {
    package init() {}
}
