/// Tickets for event streams: a browser's EventSource cannot send a header.

import SteleSystem

/// Tickets that are not used yet. Each opens one event stream, within a minute.
package final class Tickets: Sendable {
    private struct Ticket: Sendable {
        let rights: Rights
        /// On the monotonic clock, in nanoseconds.
        let deadline: UInt64
    }

    /// Seconds for which a ticket can be used.
    package static let seconds = 60
    /// The most tickets at once, so that a client cannot fill the memory with them.
    private static let most = 10_000

    private let open = Mutex<[String: Ticket]>([:])

    package init() {}

    /// Makes a ticket with the rights of its sender.
    /// - Throws: `Problem`, 503, where too many wait to be used.
    package func make(_ rights: Rights) throws(Problem) -> String {
        let now = MonotonicClock.now
        let name = Secret.make()
        let isMade = open.withLock { open in
            if open.count >= Self.most { open = open.filter { $0.value.deadline > now } }
            guard open.count < Self.most else { return false }
            open[name] = Ticket(
                rights: rights, deadline: now + UInt64(Self.seconds) * 1_000_000_000)
            return true
        }
        if isMade { return name }
        throw Problem(
            .busy, "\(Self.most) tickets wait to be used", headers: [("Retry-After", "5")])
    }

    /// Uses a ticket; nil for one that is used, too old or unknown.
    package func take(_ name: String) -> Rights? {
        let now = MonotonicClock.now
        return open.withLock { $0.removeValue(forKey: name) }
            .flatMap { $0.deadline > now && $0.rights.isValid ? $0.rights : nil }
    }
}
