/// How long a thread may take for a step of a request.
public enum Pace: Sendable {
    /// On the thread that carries the connection, which carries others too and must not wait:
    /// reading has a budget, a save is handed to the writer, and the rest is left for later.
    case brief
    /// On a worker, which carries one request and may wait.
    case unhurried
}

extension Pace {
    /// - Throws: `TooLong` at a brief pace for what is not brief.
    package func allow(_ isBrief: @autoclosure () -> Bool) throws {
        if self == .brief, !isBrief() { throw TooLong() }
    }
}

/// Work that is too long for a brief pace. A worker does it.
package struct TooLong: Error {
    package init() {}
}
