// The pipe between a producer on a thread of its own and a connection that may be slow.

import CMicroHTTPD

/// Why a producer's `write` throws: there is no one to write to any longer.
public enum BodyWriterError: Error, Sendable, Equatable {
    /// The client has gone.
    case clientGone
    /// The client has taken nothing for longer than the stall limit.
    case stalled
    /// The answer has lasted longer than an answer may.
    case tooLong
    /// The server stops.
    case stopping
}

/// What a streaming producer writes to. `write` waits while the client is slow.
public final class BodyWriter: Sendable {
    private enum End { case open, finished, failed }

    private struct State: Sendable {
        var queue = Ring<[UInt8]>()
        var offset = 0
        var queuedBytes = 0
        var end = End.open
        var parked = false
        var closed = false
        var stopping = false
        /// When the client was last known to take something, and how much it had by then.
        var takenAt: UInt64
        var taken: UInt64?
        var connection: Connection?
    }

    private let state: Monitor<State>
    private let capacity: Int
    private let stallNanoseconds: UInt64
    private let deadline: UInt64
    /// Without chunks, for HTTP/1.0, an answer ends where the connection does, and only a reset
    /// tells one that is cut short from a whole one.
    private let isChunked: Bool

    init(
        connection: Connection, isChunked: Bool, capacity: Int, stallLimit: Double,
        longestLife: Double
    ) {
        self.isChunked = isChunked
        state = Monitor(State(takenAt: monotonicNanoseconds(), connection: connection))
        self.capacity = max(capacity, 1)
        stallNanoseconds = UInt64(min(max(stallLimit, 0.001), 1e9) * 1e9)
        deadline = monotonicDeadline(in: longestLife)
    }

    /// Hands the bytes on, waiting until there is room for them; a piece larger than the buffer
    /// waits until the buffer is empty. Throws `BodyWriterError` when nobody will take them.
    public func write(_ bytes: [UInt8]) throws {
        if bytes.isEmpty { return }
        let capacity = capacity
        let isReady: (State) -> Bool = { state in
            state.closed || state.stopping || state.queuedBytes == 0
                || state.queuedBytes + bytes.count <= capacity
        }
        while true {
            let lookAt = monotonicNanoseconds() &+ stallNanoseconds / 8
            let written = try state.withLock(when: isReady, until: min(lookAt, deadline)) {
                state, ready in
                try check(&state)
                guard ready else {
                    try checkProgress(&state)
                    return false
                }
                if state.queuedBytes == 0 { state.takenAt = monotonicNanoseconds() }
                state.queue.append(bytes)
                state.queuedBytes += bytes.count
                Self.wake(&state)
                return true
            }
            if written { return }
        }
    }

    /// Throws when there is no use in producing any more; for producers that think long.
    public func check() throws {
        try state.withLock { try check(&$0) }
    }

    private func check(_ state: inout State) throws {
        if state.stopping { throw BodyWriterError.stopping }
        if state.closed { throw BodyWriterError.clientGone }
        if monotonicNanoseconds() >= deadline { throw BodyWriterError.tooLong }
    }

    /// A client may take for long what the system holds for it, before more is asked for.
    private func checkProgress(_ state: inout State) throws {
        let now = monotonicNanoseconds()
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

// What the thread of the pool and the connection do.
extension BodyWriter {
    /// The producer is done: well, when `whole`; else the connection is broken off.
    func end(whole: Bool) {
        state.withLock { state in
            guard state.end == .open else { return }
            state.end = whole ? .finished : .failed
            if !whole { breakOff(&state) }
            Self.wake(&state)
        }
    }

    /// The server does not wait for this producer any longer.
    func stop() {
        state.withLock { state in
            state.stopping = true
            if state.end == .open { state.end = .failed }
            Self.wake(&state)
        }
        state.broadcast()
    }

    /// A connection that waits for a slow client is not suspended and would not look here: its
    /// socket is still open, for closing it comes after `closed`, which takes this lock.
    private func breakOff(_ state: inout State) {
        _ = state.queue.removeAll()
        state.queuedBytes = 0
        guard !state.parked, !state.closed, let connection = state.connection else { return }
        if isChunked { connection.breakOff() } else { connection.reset() }
    }

    /// Fills libmicrohttpd's buffer, or suspends the connection when there is nothing.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count: Int = state.withLock { state in
            if state.end == .failed {
                if !isChunked { state.connection?.reset() }
                return stele_mhd_end_with_error
            }
            guard state.queuedBytes > 0 else {
                if state.end == .finished { return stele_mhd_end_of_stream }
                guard let connection = state.connection else { return stele_mhd_end_with_error }
                state.parked = true
                connection.suspend()
                return 0
            }
            var written = 0
            while written < buffer.count, let first = state.queue.peek {
                let count = min(buffer.count - written, first.count - state.offset)
                first.withUnsafeBytes { bytes in
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
            state.takenAt = monotonicNanoseconds()
            return written
        }
        if count > 0 { state.signal() }
        return count
    }

    /// The connection has gone, or all has been sent.
    func closed() {
        state.withLock { state in
            state.closed = true
            state.connection = nil
            _ = state.queue.removeAll()
            state.queuedBytes = 0
        }
        state.broadcast()
    }
}

/// A producer and its pipe, as a job of the stream pool.
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
