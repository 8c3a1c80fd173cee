// Who has been accepted and has said nothing yet.

import CLinux
import Glibc

/// A connection that was accepted.
struct Arrival {
    let socket: Int32
    var address: sockaddr_storage
    let length: socklen_t
}

/// The connections that the acceptor keeps until their first bytes come, or not for long.
///
/// The system could keep them itself (`TCP_DEFER_ACCEPT`), but keeps no more than the backlog so,
/// and whoever waits there at the end is never told that it is the end.
struct SilentConnections: ~Copyable {
    /// Nanoseconds for which one is kept.
    private static let patience: UInt64 = 1_000_000_000

    private let listening: Int32
    private let poll: Int32
    private var kept: [Int32: (arrival: Arrival, deadline: UInt64)] = [:]
    /// Deadlines in their order, of those that are kept and of some that have gone.
    private var deadlines: ArraySlice<(socket: Int32, at: UInt64)> = []
    private var events = [epoll_event](repeating: epoll_event(), count: 256)

    /// - Parameter listening: the socket that is waited for beside them.
    init(beside listening: Int32) {
        self.listening = listening
        poll = epoll_create1(Int32(EPOLL_CLOEXEC))
        watch(listening)
    }

    /// Who is still kept is closed.
    deinit {
        for socket in kept.keys { close(socket) }
        close(poll)
    }

    /// Waits until somebody is to be accepted, speaks, or has been silent for long enough.
    /// - Returns: those that are not kept any more, and whether somebody is to be accepted.
    mutating func wait() -> (arrivals: [Arrival], isAsked: Bool) {
        let count = epoll_wait(poll, &events, Int32(events.count), timeout())
        var (arrivals, isAsked): ([Arrival], Bool) = ([], false)
        for event in events.prefix(Int(max(count, 0))) {
            if event.data.fd == listening {
                isAsked = true
            } else if let arrival = release(event.data.fd) {
                arrivals.append(arrival)
            }
        }
        let now = monotonicNanoseconds()
        while let first = deadlines.first, first.at <= now {
            deadlines.removeFirst()
            // The number may be another connection's by now.
            guard kept[first.socket]?.deadline == first.at else { continue }
            if let arrival = release(first.socket) { arrivals.append(arrival) }
        }
        return (arrivals, isAsked)
    }

    /// Keeps one that has said nothing.
    /// - Returns: false where it cannot be watched.
    mutating func keep(_ arrival: Arrival) -> Bool {
        guard watch(arrival.socket) else { return false }
        let deadline = monotonicNanoseconds() &+ Self.patience
        kept[arrival.socket] = (arrival, deadline)
        deadlines.append((arrival.socket, deadline))
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
        return first.at > now ? Int32((first.at - now) / 1_000_000) + 1 : 0
    }
}
