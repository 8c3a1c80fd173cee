// An answer without an end: a bounded queue of shared buffers between a feed and one connection.

import CMicroHTTPD
import Glibc
import SteleSystem

/// An event stream (`text/event-stream`): what is sent to it goes out on its connection, in order.
/// Nothing here waits: a subscriber too slow for its queue is told to the sender by `send`.
///
/// To send one event to many streams is to call `send` on each with the same buffer: a call costs
/// a lock, and a wake-up of the connection where it sleeps; the bytes are written by the threads
/// of the connections.
///
/// While nothing is queued the connection is suspended. A client that closes is noticed at once; one
/// that vanishes without a word at a later `send` (so send a comment now and then).
public final class EventStream: Sendable {
    private enum Phase { case waiting, flowing, parked, closed }
    private enum End { case open, finished, dropped }

    private struct State {
        var queue = Ring<SharedBuffer>()
        /// How much of the first buffer has gone out.
        var offset = 0
        var queuedBytes = 0
        /// How far into libmicrohttpd's buffer something was written since its pages were given
        /// back; all of it at first, for libmicrohttpd clears it.
        var touched = Int.max
        var phase = Phase.waiting
        var end = End.open
        var connection: Connection?
        var onClose: (@Sendable () -> Void)?
    }

    // Lock order: a stream's lock, then libmicrohttpd's own (suspend and resume are called inside,
    // or a buffer sent between "the queue is empty" and "suspended" would wake nobody).
    private let state: Mutex<State>
    private let capacity: Int

    /// - Parameters:
    ///   - capacity: how many bytes may wait at most.
    ///   - onClose: as the property of that name.
    public init(capacity bytes: Int, onClose: (@Sendable () -> Void)? = nil) {
        capacity = max(bytes, 1)
        var initial = State()
        initial.onClose = onClose
        state = Mutex(initial)
    }

    /// Called once, when the connection has gone or the stream has ended, on whatever thread
    /// notices it and with no lock held. Set after that, it is called at once.
    public var onClose: (@Sendable () -> Void)? {
        get { state.withLock { $0.onClose } }
        set {
            let late = state.withLock { state in
                if state.phase == .closed { return true }
                state.onClose = newValue
                return false
            }
            if late { newValue?() }
        }
    }

    /// Queues a buffer. Returns false, and queues nothing, when it does not fit or the stream has
    /// been finished, dropped or closed. An empty buffer is a plain question.
    @discardableResult
    public func send(_ buffer: SharedBuffer) -> Bool {
        state.withLock { state in
            guard state.phase != .closed, state.end == .open,
                buffer.count <= capacity - state.queuedBytes
            else { return false }
            guard buffer.count > 0 else { return true }
            state.queue.append(buffer)
            state.queuedBytes += buffer.count
            Self.wake(&state)
            return true
        }
    }

    /// Ends the stream with its last chunk once all that is queued has gone out.
    public func finish() {
        state.withLock { state in
            guard state.end == .open else { return }
            state.end = .finished
            Self.wake(&state)
        }
    }

    /// Breaks the stream off now: what is queued is thrown away, and no last chunk is sent.
    public func drop() {
        state.withLock { state in
            guard state.end != .dropped else { return }
            state.end = .dropped
            _ = state.queue.removeAll()
            state.queuedBytes = 0
            if state.phase == .flowing, let connection = state.connection {
                // It may be waiting for a client that reads nothing; the socket is still open, for
                // closing a connection comes after `closed`, which takes this lock.
                connection.breakOff()
            }
            Self.wake(&state)
        }
    }

    /// How many bytes wait to go out.
    public var queuedBytes: Int { state.withLock { $0.queuedBytes } }

    /// How many bytes the client's system has taken of its connection; 0 where that is not known.
    public var takenBytes: UInt64 { state.withLock { $0.connection?.taken ?? 0 } }

    /// Whether nothing waits, and all that was sent has been taken over by the connection.
    public var isIdle: Bool { state.withLock { $0.queuedBytes == 0 && $0.phase == .parked } }

    /// Whether the connection has gone or the stream has ended.
    public var isClosed: Bool { state.withLock { $0.phase == .closed } }

    private static func wake(_ state: inout State) {
        guard state.phase == .parked, let connection = state.connection else { return }
        state.phase = .flowing
        connection.resume()
    }
}

// What the connection does.
extension EventStream {
    /// The answer is about to go out on this connection. False when the stream is on one already,
    /// or was closed.
    func attach(to connection: Connection) -> Bool {
        state.withLock { state in
            guard state.phase == .waiting else { return false }
            state.phase = .flowing
            state.connection = connection
            return true
        }
    }

    /// Fills libmicrohttpd's buffer, or suspends the connection when there is nothing.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        nonisolated(unsafe) let buffer = buffer
        return state.withLock { state in
            if state.end == .dropped { return stele_mhd_end_with_error }
            guard state.queuedBytes > 0 else {
                if state.end == .finished { return stele_mhd_end_of_stream }
                guard let connection = state.connection else { return stele_mhd_end_with_error }
                state.phase = .parked
                state.queue.shrink(to: 16)
                Self.giveBack(UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(state.touched)))
                state.touched = 0
                connection.suspend()
                return 0
            }
            var written = 0
            while written < buffer.count, let first = state.queue.peek {
                let count = min(buffer.count - written, first.count - state.offset)
                first.bytes.withUnsafeBytes { bytes in
                    buffer[written..<written + count]
                        .copyBytes(from: bytes[state.offset..<state.offset + count])
                }
                written += count
                state.offset += count
                if state.offset == first.count {
                    _ = state.queue.popFirst()
                    state.offset = 0
                }
            }
            state.queuedBytes -= written
            state.touched = max(state.touched, written)
            return written
        }
    }

    /// What lies in the buffer while nothing is on its way is of no use to anybody, and thousands of
    /// streams wait most of the time: whole pages of it go back to the system, to come again empty.
    private static func giveBack(_ buffer: UnsafeMutableRawBufferPointer) {
        guard let start = buffer.baseAddress else { return }
        let first = UInt(bitPattern: start + (pageSize - 1)) & ~UInt(pageSize - 1)
        let end = UInt(bitPattern: start + buffer.count) & ~UInt(pageSize - 1)
        guard end > first else { return }
        madvise(UnsafeMutableRawPointer(bitPattern: first), Int(end - first), MADV_DONTNEED)
    }

    private static let pageSize = max(sysconf(Int32(_SC_PAGESIZE)), 1)

    /// The connection has gone, the stream has ended, or it never came to a connection.
    func closed() {
        let onClose: (@Sendable () -> Void)? = state.withLock { state in
            guard state.phase != .closed else { return nil }
            state.phase = .closed
            state.connection = nil
            _ = state.queue.removeAll()
            state.queuedBytes = 0
            defer { state.onClose = nil }
            return state.onClose
        }
        onClose?()
    }
}
