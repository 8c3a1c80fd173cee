/// The time that a thread may take for a step of a request.
public enum Pace: Sendable {
    /// On the thread of the connection, which carries other connections and must not wait. Reading
    /// has a budget, a save is handed to the writer, and the rest is left to a worker.
    case brief
    /// On a worker, which carries one request and may wait.
    case unhurried

    /// Requires that work is brief at a brief pace.
    /// - Throws: `TooLong`.
    package func allow(_ isBrief: @autoclosure () -> Bool) throws {
        if self == .brief, !isBrief() { throw TooLong() }
    }
}

/// Work that is too long for a brief pace and is left to a worker.
package struct TooLong: Error {
    package init() {}
}
