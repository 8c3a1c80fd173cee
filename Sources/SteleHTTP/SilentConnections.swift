// Who has been accepted and has said nothing yet.

import CLinux
import Glibc

/// A connection that was accepted.
struct Arrival {
    let socket: Int32
    let address: sockaddr_storage
    let length: socklen_t
}

/// The connections that the acceptor keeps until their first bytes come.
///
/// The system could keep them itself (`TCP_DEFER_ACCEPT`), but keeps no more than the backlog so,
/// and whoever waits there at the end is never told that it is the end.
struct SilentConnections: ~Copyable {
    /// What has happened.
    struct Turn {
        /// Who has spoken, or gone, and is not kept any more.
        var arrivals: [Arrival] = []
        /// Who has been silent for too long: to be closed.
        var expired: [Arrival] = []
        /// Whether somebody is to be accepted.
        var isAsked = false
    }

    private let listening: Int32
    /// Nanoseconds for which one is kept; nil for as long as it takes.
    private let patience: UInt64?
    private let poll: Int32
    private var kept: [Int32: (arrival: Arrival, deadline: UInt64?)] = [:]
    /// Deadlines in their order, of those that are kept and of some that have gone.
    private var deadlines: ArraySlice<(socket: Int32, at: UInt64)> = []
    private var events = [epoll_event](repeating: epoll_event(), count: 256)

    /// - Parameters:
    ///   - listening: the socket that is waited for beside them.
    ///   - seconds: how long one may be silent; 0 for ever.
    init(beside listening: Int32, seconds: Int) {
        self.listening = listening
        patience = seconds > 0 ? UInt64(UInt32(clamping: seconds)) * 1_000_000_000 : nil
        poll = epoll_create1(Int32(EPOLL_CLOEXEC))
        watch(listening)
    }

    /// Who is still kept is closed.
    deinit {
        for socket in kept.keys { close(socket) }
        close(poll)
    }

    /// Waits until somebody is to be accepted, speaks, or has been silent for too long.
    mutating func wait() -> Turn {
        var turn = Turn()
        let count = epoll_wait(poll, &events, Int32(events.count), timeout())
        for event in events.prefix(Int(max(count, 0))) {
            if event.data.fd == listening {
                turn.isAsked = true
            } else if let arrival = release(event.data.fd) {
                turn.arrivals.append(arrival)
            }
        }
        let now = monotonicNanoseconds()
        while let first = deadlines.first, first.at <= now {
            deadlines.removeFirst()
            // The number may be another connection's by now.
            guard kept[first.socket]?.deadline == first.at else { continue }
            if let arrival = release(first.socket) { turn.expired.append(arrival) }
        }
        return turn
    }

    /// Keeps one that has said nothing.
    /// - Returns: false where it cannot be watched.
    mutating func keep(_ arrival: Arrival) -> Bool {
        guard watch(arrival.socket) else { return false }
        let deadline = patience.map { monotonicNanoseconds() &+ $0 }
        kept[arrival.socket] = (arrival, deadline)
        if let deadline { deadlines.append((arrival.socket, deadline)) }
        // Most speak at once, and their deadlines are far away.
        if deadlines.count > 2 * kept.count + 1024 {
            deadlines.removeAll { kept[$0.socket]?.deadline != $0.at }
        }
        return true
    }

    private mutating func release(_ socket: Int32) -> Arrival? {
        epoll_ctl(poll, EPOLL_CTL_DEL, socket, nil)
        return kept.removeValue(forKey: socket)?.arrival
    }

    @discardableResult
    private func watch(_ socket: Int32) -> Bool {
        let kinds = EPOLLIN.rawValue | EPOLLRDHUP.rawValue
        var event = epoll_event(events: UInt32(kinds), data: epoll_data_t(fd: socket))
        return epoll_ctl(poll, EPOLL_CTL_ADD, socket, &event) == 0
    }

    /// Milliseconds until the first deadline; -1 where there is none.
    private mutating func timeout() -> Int32 {
        while let first = deadlines.first, kept[first.socket]?.deadline != first.at {
            deadlines.removeFirst()
        }
        guard let first = deadlines.first else { return -1 }
        let now = monotonicNanoseconds()
        return first.at > now ? Int32(clamping: (first.at - now) / 1_000_000 + 1) : 0
    }
}
