// The pipe between a producer on a thread of its own and a connection that may be slow.

import CMicroHTTPD
import SteleSystem

/// Why a producer's `write` throws: its bytes cannot be sent any longer.
public enum BodyWriterError: Error, Sendable, Equatable {
    /// The client has closed the connection.
    case clientGone
    /// The client has taken nothing for longer than the stall limit.
    case stalled
    /// The response has lasted longer than a response may.
    case tooLong
    /// The server is stopping.
    case stopping
}

/// The destination of a streaming producer. `write` waits while the client is slow.
public final class BodyWriter: Sendable {
    private enum End { case open, finished, failed }

    private struct State: Sendable {
        var queue = ByteQueue()
        var end = End.open
        var parked = false
        var closed = false
        var stopping = false
        /// When the client was last known to take bytes, and how many it had taken by then.
        var takenAt: UInt64
        var taken: UInt64?
        var connection: Connection?
    }

    private let state: Monitor<State>
    private let capacity: Int
    private let stallNanoseconds: UInt64
    private static let lookNanoseconds: UInt64 = 1_000_000_000
    private let deadline: UInt64
    /// Without chunks, for HTTP/1.0, the end of the connection is the end of the response, and only
    /// a reset tells the client that the response is cut short.
    private let isChunked: Bool

    init(
        connection: Connection, isChunked: Bool, capacity: Int, stallLimit: Double,
        longestLife: Double
    ) {
        self.isChunked = isChunked
        state = Monitor(State(takenAt: MonotonicClock.now, connection: connection))
        self.capacity = max(capacity, 1)
        stallNanoseconds = UInt64(min(max(stallLimit, 0.001), 1e9) * 1e9)
        deadline = MonotonicClock.deadline(in: longestLife)
    }

    /// Queues the bytes, waiting until there is room for them; a piece larger than the buffer
    /// waits until the buffer is empty.
    /// - Parameters:
    ///   - bytes: the next piece of the body. An empty piece is ignored.
    ///   - check: called from time to time while it waits. An error of it ends the wait.
    /// - Throws: `BodyWriterError` where they cannot be sent, and what `check` throws.
    public func write(_ bytes: [UInt8], checking check: () throws -> Void = {}) throws {
        if bytes.isEmpty { return }
        let capacity = capacity
        let isReady: (State) -> Bool = { state in
            state.closed || state.stopping || state.queue.count == 0
                || state.queue.count + bytes.count <= capacity
        }
        while true {
            let lookAt = MonotonicClock.now &+ min(stallNanoseconds / 8, Self.lookNanoseconds)
            let written = try state.withLock(when: isReady, until: min(lookAt, deadline)) {
                state, ready in
                try self.check(&state)
                guard ready else {
                    try checkProgress(&state)
                    return false
                }
                if state.queue.count == 0 { state.takenAt = MonotonicClock.now }
                state.queue.append(bytes)
                Self.wake(&state)
                return true
            }
            if written { return }
            try check()
        }
    }

    /// Tells a producer that has written nothing for a while whether to go on.
    /// - Throws: `BodyWriterError` where further bytes cannot be sent.
    public func check() throws {
        try state.withLock { try check(&$0) }
    }

    private func check(_ state: inout State) throws {
        if state.stopping { throw BodyWriterError.stopping }
        if state.closed { throw BodyWriterError.clientGone }
        if MonotonicClock.now >= deadline { throw BodyWriterError.tooLong }
    }

    /// A client may be busy for long with what the system holds for it before it asks for more.
    private func checkProgress(_ state: inout State) throws {
        let now = MonotonicClock.now
        let taken = state.connection?.taken
        if taken != state.taken {
            state.taken = taken
            state.takenAt = now
        }
        if now >= state.takenAt &+ stallNanoseconds { throw BodyWriterError.stalled }
    }

    private static func wake(_ state: inout State) {
        guard state.parked, let connection = state.connection else { return }
        state.parked = false
        connection.resume()
    }
}

// Calls from the producer's and the connection's threads.
extension BodyWriter {
    /// The producer has returned. Where the body is not whole the connection is broken off.
    func end(whole: Bool) {
        state.withLock { state in
            guard state.end == .open else { return }
            state.end = whole ? .finished : .failed
            if !whole { breakOff(&state) }
            Self.wake(&state)
        }
    }

    /// How many bytes libmicrohttpd has taken.
    var takenBytes: Int { state.withLock { $0.queue.taken } }

    /// The server no longer waits for the producer.
    func stop() {
        state.withLock { state in
            state.stopping = true
            if state.end == .open { state.end = .failed }
            Self.wake(&state)
        }
        state.broadcast()
    }

    /// A connection that waits for a slow client is not suspended and would not call `read`. Its
    /// socket is still open: closing it comes after `closed`, which takes this lock.
    private func breakOff(_ state: inout State) {
        state.queue.removeAll()
        guard !state.parked, !state.closed, let connection = state.connection else { return }
        if isChunked { connection.breakOff() } else { connection.reset() }
    }

    /// Fills libmicrohttpd's buffer, or suspends the connection where nothing waits.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count: Int = state.withLock { state in
            if state.end == .failed {
                if !isChunked { state.connection?.reset() }
                return stele_mhd_end_with_error
            }
            guard state.queue.count > 0 else {
                if state.end == .finished { return stele_mhd_end_of_stream }
                guard let connection = state.connection else { return stele_mhd_end_with_error }
                state.parked = true
                connection.suspend()
                return 0
            }
            state.takenAt = MonotonicClock.now
            return state.queue.take(into: buffer)
        }
        if count > 0 { state.signal() }
        return count
    }

    /// The connection is closed, or all is sent.
    func closed() {
        state.withLock { state in
            state.closed = true
            state.connection = nil
            state.queue.removeAll()
        }
        state.broadcast()
    }
}

/// A producer and its pipe, as a job of the stream workers.
final class StreamJob: Job {
    private let writer: BodyWriter
    private let producer: @Sendable (BodyWriter) throws -> Void

    init(writer: BodyWriter, producer: @escaping @Sendable (BodyWriter) throws -> Void) {
        self.writer = writer
        self.producer = producer
    }

    func run() {
        do {
            try producer(writer)
            writer.end(whole: true)
        } catch {
            writer.end(whole: false)
        }
    }

    func abandon() { writer.stop() }
}
