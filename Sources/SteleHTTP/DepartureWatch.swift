// Noticing that the client of a suspended event stream has closed its connection.

import CLinux
import Glibc
import SteleSystem

/// One thread that waits for the client of any event stream to close its connection.
///
/// libmicrohttpd does not read from a suspended connection, so its socket is watched here as well:
/// the stream ends at once, and not with the next heartbeat. A thread that waits for sockets is woken
/// by a descriptor (`eventfd`).
///
/// It also returns freed memory to the system, after many departures, after much traffic, and when
/// idle threads have ended: the allocator keeps what many threads have freed in small pieces.
final class DepartureWatch: Sendable {
    private struct State {
        var streams: [UInt64: EventStream] = [:]
        var next: UInt64 = 1
        var isStopping = false
    }

    /// Departures after which freed memory is returned to the system.
    private static let departuresATrim = 256
    /// Bytes of bodies after which it is.
    private static let bytesATrim = 4 << 20
    /// Milliseconds without a departure, and with less than `bytesATrim`, before that is done.
    private static let quiet: Int32 = 500
    /// Times that `quiet` is waited for, under a load that does not end.
    private static let patience = 10

    private let poll: Int32
    private let wakening: Int32
    private let state = Mutex(State())
    /// Bytes of bodies since freed memory was returned.
    private let traffic = Atomic<Int>(0)

    init() {
        poll = epoll_create1(Int32(EPOLL_CLOEXEC))
        wakening = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        var event = epoll_event(events: UInt32(EPOLLIN.rawValue), data: epoll_data_t(u64: 0))
        epoll_ctl(poll, EPOLL_CTL_ADD, wakening, &event)
    }

    deinit {
        close(poll)
        close(wakening)
    }

    /// Watches a stream's socket until `forget`.
    /// - Returns: the number for `forget`; 0 where the socket cannot be watched.
    func watch(_ stream: EventStream, socket: Int32) -> UInt64 {
        let id = state.withLock { state in
            let id = state.next
            state.next += 1
            state.streams[id] = stream
            return id
        }
        let kinds = EPOLLRDHUP.rawValue | EPOLLONESHOT.rawValue
        var event = epoll_event(events: UInt32(kinds), data: epoll_data_t(u64: id))
        guard epoll_ctl(poll, EPOLL_CTL_ADD, socket, &event) == 0 else {
            forget(id)
            return 0
        }
        return id
    }

    /// The stream has ended. Closing its socket ends the watch for it.
    func forget(_ id: UInt64) { state.withLock { _ = $0.streams.removeValue(forKey: id) } }

    /// Drops streams whose clients have gone, until `stop`; on a thread of its own.
    func run() {
        var events = [epoll_event](repeating: epoll_event(), count: 256)
        var (departures, before, waits) = (0, 0, 0)
        while true {
            let now = traffic.load(ordering: .relaxed)
            let isDue = departures >= Self.departuresATrim || now >= Self.bytesATrim
            let count = epoll_wait(poll, &events, Int32(events.count), isDue ? Self.quiet : -1)
            if count == 0 {
                let isQuiet = now - before < Self.bytesATrim
                (before, waits) = (now, waits + 1)
                if isQuiet || waits == Self.patience {
                    malloc_trim(0)
                    (departures, before, waits) = (0, 0, 0)
                    // After a load that has not ended, it is done again when it has.
                    traffic.store(isQuiet ? 0 : Self.bytesATrim, ordering: .relaxed)
                }
            }
            for event in events.prefix(Int(max(count, 0))) {
                if event.data.u64 == 0 {
                    var wakings: UInt64 = 0
                    read(wakening, &wakings, MemoryLayout<UInt64>.size)
                    if state.withLock({ $0.isStopping }) { return }
                    continue
                }
                guard let stream = state.withLock({ $0.streams[event.data.u64] }) else { continue }
                stream.drop()
                departures += 1
            }
        }
    }

    /// Bytes of a body have come in or gone out.
    func note(_ bytes: Int) {
        guard bytes > 0 else { return }
        let sum = traffic.add(bytes, ordering: .relaxed).newValue
        if sum >= Self.bytesATrim, sum - bytes < Self.bytesATrim { wake() }
    }

    /// A thread of a pool ends, and releases the freed blocks that it has kept.
    func noteEndOfThread() { note(Self.bytesATrim) }

    /// Ends `run`.
    func stop() {
        state.withLock { $0.isStopping = true }
        wake()
    }

    private func wake() {
        var one: UInt64 = 1
        write(wakening, &one, MemoryLayout<UInt64>.size)
    }
}
