// Connections that are accepted and have sent nothing yet.

import CLinux
import Glibc
import SteleSystem

/// A connection that was accepted.
struct Arrival {
    let socket: Int32
    let address: sockaddr_storage
    let length: socklen_t

    /// The address as connections are counted by it.
    var client: ClientAddress {
        withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { ClientAddress($0) }
        }
    }
}

/// The connections that the acceptor keeps until their first bytes come.
///
/// The system could keep them itself (`TCP_DEFER_ACCEPT`), but it keeps no more than the backlog,
/// and does not close those that still wait when the server stops.
struct SilentConnections: ~Copyable {
    /// What has happened during a wait.
    struct Turn {
        /// Connections whose first bytes or whose end has come; they are no longer kept.
        var arrivals: [Arrival] = []
        /// Connections that were silent for too long; to be closed.
        var expired: [Arrival] = []
        /// Whether a new connection waits to be accepted.
        var hasNew = false
    }

    private let listening: Int32
    /// Nanoseconds for which a connection is kept; nil is without a limit.
    private let patience: UInt64?
    private let poll: Int32
    private var kept: [Int32: (arrival: Arrival, deadline: UInt64?)] = [:]
    /// Deadlines in their order, of kept connections and of some that are no longer kept.
    private var deadlines: ArraySlice<(socket: Int32, at: UInt64)> = []
    private var events = [epoll_event](repeating: epoll_event(), count: 256)

    /// - Parameters:
    ///   - listening: the listening socket, which is waited for as well.
    ///   - seconds: how long a connection may be silent; 0 is without a limit.
    init(beside listening: Int32, seconds: Int) {
        self.listening = listening
        patience = seconds > 0 ? UInt64(UInt32(clamping: seconds)) * 1_000_000_000 : nil
        poll = epoll_create1(Int32(EPOLL_CLOEXEC))
        watch(listening)
    }

    /// Closes the connections that are still kept.
    deinit {
        for socket in kept.keys { close(socket) }
        close(poll)
    }

    /// Waits for a new connection, for the first bytes of a kept one, or for a deadline, and no
    /// longer than a second.
    mutating func wait() -> Turn {
        var turn = Turn()
        let count = epoll_wait(poll, &events, Int32(events.count), timeout())
        for event in events.prefix(Int(max(count, 0))) {
            if event.data.fd == listening {
                turn.hasNew = true
            } else if let arrival = release(event.data.fd) {
                turn.arrivals.append(arrival)
            }
        }
        let now = MonotonicClock.now
        while let first = deadlines.first, first.at <= now {
            deadlines.removeFirst()
            // The descriptor may belong to another connection by now.
            guard kept[first.socket]?.deadline == first.at else { continue }
            if let arrival = release(first.socket) { turn.expired.append(arrival) }
        }
        return turn
    }

    /// Keeps a connection that has sent nothing.
    /// - Returns: false where it cannot be watched.
    mutating func keep(_ arrival: Arrival) -> Bool {
        guard watch(arrival.socket) else { return false }
        let deadline = patience.map { MonotonicClock.now &+ $0 }
        kept[arrival.socket] = (arrival, deadline)
        if let deadline { deadlines.append((arrival.socket, deadline)) }
        // Most send something at once, long before their deadlines.
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

    /// The longest wait, in milliseconds: its thread has more to do.
    private static let longest: Int32 = 1_000

    /// Milliseconds until the first deadline, or `longest`.
    private mutating func timeout() -> Int32 {
        while let first = deadlines.first, kept[first.socket]?.deadline != first.at {
            deadlines.removeFirst()
        }
        guard let first = deadlines.first else { return Self.longest }
        let now = MonotonicClock.now
        return first.at > now
            ? min(Int32(clamping: (first.at - now) / 1_000_000 + 1), Self.longest) : 0
    }
}
