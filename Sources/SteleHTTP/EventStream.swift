// A response without an end: a bounded queue of shared buffers between a feed and a connection.

import CMicroHTTPD
import Glibc
import SteleSystem

/// An event stream (`text/event-stream`): buffers sent to it go out on its connection in order.
/// No method waits: `send` returns false where the client is too slow for the queue.
///
/// To send one event to many streams, call `send` on each with the same buffer. A call costs a
/// lock, and a resume where the connection is suspended; the connections' threads write the bytes.
///
/// While nothing is queued the connection is suspended. A client that closes its connection is
/// noticed at once, one that vanishes at a later `send` (so send a comment now and then).
public final class EventStream: Sendable {
    private enum Phase { case waiting, flowing, parked, closed }
    private enum End { case open, finished, dropped }

    private struct State {
        var queue = ByteQueue()
        /// How far libmicrohttpd's buffer was written to since its pages were released; all of it
        /// at first, because libmicrohttpd clears it.
        var touched = Int.max
        var phase = Phase.waiting
        var end = End.open
        var connection: Connection?
        var onClose: (@Sendable () -> Void)?
        var isAllowed: (@Sendable () -> Bool)?
    }

    // Lock order: a stream's lock, then libmicrohttpd's own. Suspend and resume are called under
    // the stream's lock; else a buffer sent between "the queue is empty" and "suspended" would not
    // resume the connection.
    private let state: Mutex<State>
    private let capacity: Int

    /// A stream that is not on a connection yet.
    /// - Parameters:
    ///   - bytes: how many bytes may wait at most.
    ///   - onClose: as the property of that name.
    public init(capacity bytes: Int, onClose: (@Sendable () -> Void)? = nil) {
        capacity = max(bytes, 1)
        state = Mutex(State(onClose: onClose))
    }

    /// Called once, when the connection is closed or the stream has ended, on the thread that
    /// notices it and without a lock held. A closure that is set later is called at once.
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

    /// Asked before each buffer; where it is false the stream ends, without that buffer. It must not
    /// wait. Nil allows all.
    public var isAllowed: (@Sendable () -> Bool)? {
        get { state.withLock { $0.isAllowed } }
        set { state.withLock { $0.isAllowed = newValue } }
    }

    /// Queues a buffer. Returns false, and queues nothing, where it does not fit or the stream is
    /// finished, dropped or closed. An empty buffer asks whether the stream is open.
    @discardableResult
    public func send(_ buffer: [UInt8]) -> Bool {
        state.withLock { state in
            guard state.phase != .closed, state.end == .open,
                buffer.count <= capacity - state.queue.count
            else { return false }
            if let isAllowed = state.isAllowed, !isAllowed() {
                state.end = .finished
                Self.wake(&state)
                return false
            }
            guard buffer.count > 0 else { return true }
            state.queue.append(buffer)
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

    /// Ends the stream now: queued buffers are discarded, and no last chunk is sent.
    public func drop() {
        state.withLock { state in
            guard state.end != .dropped else { return }
            state.end = .dropped
            state.queue.removeAll()
            if state.phase == .flowing, let connection = state.connection {
                // It may wait for a client that reads nothing. The socket is still open: closing
                // the connection comes after `closed`, which takes this lock.
                connection.breakOff()
            }
            Self.wake(&state)
        }
    }

    /// How many bytes libmicrohttpd has taken.
    var sentBytes: Int { state.withLock { $0.queue.taken } }

    /// How many bytes wait to go out.
    public var queuedBytes: Int { state.withLock { $0.queue.count } }

    /// How many bytes the client's system has acknowledged; 0 where that is not known.
    public var takenBytes: UInt64 { state.withLock { $0.connection?.taken ?? 0 } }

    /// Whether nothing waits and the connection has written all that was sent.
    public var isIdle: Bool { state.withLock { $0.queue.count == 0 && $0.phase == .parked } }

    /// Whether the connection is closed or the stream has ended.
    public var isClosed: Bool { state.withLock { $0.phase == .closed } }

    private static func wake(_ state: inout State) {
        guard state.phase == .parked, let connection = state.connection else { return }
        state.phase = .flowing
        connection.resume()
    }
}

// Calls from the connection's thread.
extension EventStream {
    /// The response is about to go out on this connection. False where the stream has one already
    /// or is closed.
    func attach(to connection: Connection) -> Bool {
        state.withLock { state in
            guard state.phase == .waiting else { return false }
            state.phase = .flowing
            state.connection = connection
            return true
        }
    }

    /// Fills libmicrohttpd's buffer, or suspends the connection where nothing waits.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        nonisolated(unsafe) let buffer = buffer
        return state.withLock { state in
            if state.end == .dropped { return stele_mhd_end_with_error }
            guard state.queue.count > 0 else {
                if state.end == .finished { return stele_mhd_end_of_stream }
                guard let connection = state.connection else { return stele_mhd_end_with_error }
                state.phase = .parked
                Self.release(UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(state.touched)))
                state.touched = 0
                connection.suspend()
                return 0
            }
            let written = state.queue.take(into: buffer)
            state.touched = max(state.touched, written)
            return written
        }
    }

    /// Returns the whole pages of a buffer to the system, which supplies empty ones when they are
    /// used again: thousands of streams wait most of the time, and need no buffer then.
    private static func release(_ buffer: UnsafeMutableRawBufferPointer) {
        guard let start = buffer.baseAddress else { return }
        let first = UInt(bitPattern: start + (pageSize - 1)) & ~UInt(pageSize - 1)
        let end = UInt(bitPattern: start + buffer.count) & ~UInt(pageSize - 1)
        guard end > first else { return }
        madvise(UnsafeMutableRawPointer(bitPattern: first), Int(end - first), MADV_DONTNEED)
    }

    private static let pageSize = max(sysconf(Int32(_SC_PAGESIZE)), 1)

    /// The connection is closed, the stream has ended, or it is never put on a connection.
    func closed() {
        let onClose: (@Sendable () -> Void)? = state.withLock { state in
            guard state.phase != .closed else { return nil }
            state.phase = .closed
            state.connection = nil
            state.queue.removeAll()
            defer { state.onClose = nil }
            return state.onClose
        }
        onClose?()
    }
}
