/// One line of JSON for each request, on a file descriptor.

import Glibc
import SteleAnswers
import SteleHTTP
import SteleJSON
import SteleSystem

/// Writes a line for each request that has ended.
///
/// Requests never wait for it: lines are collected in memory, and a thread writes them. Where the
/// reader is too slow for the buffer, lines are dropped and counted.
public final class RequestLog: Sendable {
    /// A request that has ended.
    struct Entry {
        var method: String
        /// The pattern of the route; nil for an address that is no route.
        var route: String?
        var status: Int
        /// From the first line of the request to the last byte of the answer.
        var nanoseconds: UInt64
        var ending: Response.Ending
        var requestID: String
        /// The header of the W3C's Trace Context, as it came.
        var traceparent: String?
        /// The name of the sender's token; nil for none.
        var token: String?
        /// The address of the client; empty where it is not known.
        var client = ""
        /// The code of the error; nil for another answer.
        var code: String?
    }

    private struct State {
        var lines: [UInt8] = []
        var dropped = 0
        /// Whether the last written line lacks its end.
        var isCut = false
        var isClosed = false
    }

    private let state = Monitor(State())
    private let descriptor: Int32
    private let capacity: Int
    private let thread = Mutex<SystemThread?>(nil)
    /// Seconds for which the end waits for a reader that has stopped reading.
    private static let patienceSeconds = 1.0
    /// The pause between two writes, which makes one write of many lines.
    private static let pauseMicroseconds: UInt32 = 20_000

    /// A log on a file descriptor, which stays open.
    /// - Parameters:
    ///   - descriptor: the file descriptor.
    ///   - capacity: how many bytes may wait to be written.
    public init(descriptor: Int32, capacity: Int = 4 << 20) {
        self.descriptor = descriptor
        self.capacity = capacity
        let started = SystemThread(name: "request-log") { [self] in run() }
        thread.withLock { $0 = started }
    }

    /// Lines that were dropped since the start.
    var dropped: Int { state.withLock { $0.dropped } }

    /// Writes what is collected, and ends the thread.
    public func close() {
        state.withLock { $0.isClosed = true }
        state.broadcast()
        let running = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        running?.join()
    }

    func write(_ entry: Entry) {
        let line = Self.line(entry)
        let isFirst = state.withLock { state in
            guard !state.isClosed, state.lines.count + line.count <= capacity else {
                state.dropped += 1
                return false
            }
            state.lines += line
            return state.lines.count == line.count
        }
        if isFirst { state.signal() }
    }

    private static func line(_ entry: Entry) -> [UInt8] {
        var writer = ByteWriter(capacity: 256)
        writer.raw("{\"time\":")
        writer.date(secondsSince2001: (ReferenceDate.now * 1_000).rounded(.down) / 1_000)
        writer.raw(",\"method\":")
        writer.string(entry.method)
        writer.raw(",\"route\":")
        if let route = entry.route { writer.string(route) } else { writer.null() }
        writer.raw(",\"status\":")
        writer.integer(Int64(entry.status))
        writer.raw(",\"ms\":")
        ServerTiming.write(nanoseconds: entry.nanoseconds, to: &writer)
        writer.raw(",\"bytes\":")
        writer.integer(Int64(entry.ending.bodyBytes))
        if !entry.ending.isWhole { writer.raw(",\"cut\":true") }
        writer.raw(",\"request\":")
        writer.string(entry.requestID)
        if let traceparent = entry.traceparent {
            writer.raw(",\"traceparent\":")
            writer.string(traceparent)
        }
        if let token = entry.token {
            writer.raw(",\"token\":")
            writer.string(token)
        }
        if !entry.client.isEmpty {
            writer.raw(",\"client\":")
            writer.string(entry.client)
        }
        if let code = entry.code {
            writer.raw(",\"code\":")
            writer.string(code)
        }
        writer.raw("}\n")
        return writer.take()
    }

    private func run() {
        while true {
            let lines = state.withLock(when: { !$0.lines.isEmpty || $0.isClosed }) { state, _ in
                defer { state.lines = [] }
                return state.lines
            }
            if lines.isEmpty { return }
            write(lines)
            if !state.withLock({ $0.isClosed }) { usleep(Self.pauseMicroseconds) }
        }
    }

    /// Writes lines in pieces that a pipe with room takes at once, so that a reader that has stopped
    /// keeps nobody waiting at the end.
    private func write(_ lines: [UInt8]) {
        var position = 0
        while position < lines.count {
            guard waitForRoom() else {
                return drop(lines[position...], after: position > 0 ? lines[position - 1] : nil)
            }
            if state.withLock({ $0.isCut }), Glibc.write(descriptor, "\n", 1) == 1 {
                state.withLock { $0.isCut = false }
            }
            let count = min(lines.count - position, Int(PIPE_BUF))
            let written = lines.withUnsafeBytes { bytes in
                Glibc.write(descriptor, bytes.baseAddress.map { $0 + position }, count)
            }
            if written > 0 {
                position += written
            } else if errno != EINTR, errno != EAGAIN {
                // The reader has gone, or the disk is full: what follows may be written again.
                return drop(lines[position...], after: position > 0 ? lines[position - 1] : nil)
            }
        }
    }

    /// Waits until the descriptor takes a piece, or has failed.
    /// - Returns: false where it does not until a while after the end.
    private func waitForRoom() -> Bool {
        var end: UInt64?
        while true {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            if poll(&waiting, 1, 100) > 0 { return true }
            guard state.withLock({ $0.isClosed }) else { continue }
            let now = MonotonicClock.now
            if now >= end ?? .max { return false }
            if end == nil { end = MonotonicClock.deadline(in: Self.patienceSeconds) }
        }
    }

    private func drop(_ rest: ArraySlice<UInt8>, after last: UInt8?) {
        let count = rest.count { $0 == UInt8(ascii: "\n") }
        state.withLock { state in
            state.dropped += count
            if let last, last != UInt8(ascii: "\n") { state.isCut = true }
        }
    }
}
