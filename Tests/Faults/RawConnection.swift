/// A client that sends any bytes, and takes what comes for an answer only if it is one.

import Foundation
import TestSupport

/// An answer, of which the body may be left out.
struct RawAnswer {
    let status: Int
    /// In lower case.
    let head: String
    /// The first bytes of the body, without the frames of chunks.
    var body: [UInt8] = []
    var isEventStream: Bool { head.contains("text/event-stream") }
    var closes: Bool { head.contains("connection: close") }

    func field(_ name: String) -> String? {
        head.components(separatedBy: "\r\n").first { $0.hasPrefix(name + ":") }
            .map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
    }

    var text: String { String(decoding: body, as: UTF8.self) }
}

/// One connection; closed when it is released.
final class RawConnection {
    enum Reading {
        case answer(RawAnswer)
        /// The connection ended before an answer, or within it.
        case ended(partly: Bool)
        /// Nothing came for as long as was waited.
        case silent
        case malformed(String)
    }

    private enum Stop: Error {
        case ended, silent
    }

    private let descriptor: Int32
    private var bytes: [UInt8] = []
    private var place = 0
    private let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    /// Seconds to sleep after each piece that comes, for a slow client.
    var pause = 0.0

    /// Nil where the port is closed.
    /// - Parameter receiveBuffer: bytes that the system takes for a client that does not read.
    init?(port: Int, receiveBuffer: Int32? = nil) {
        descriptor = openSocket(port: port, receiveBuffer: receiveBuffer) ?? -1
        guard descriptor >= 0 else { return nil }
        var on: Int32 = 1
        setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit {
        close(descriptor)
        room.deallocate()
    }

    /// False where the other end has gone.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { all in
            var done = 0
            while done < all.count {
                let count = Glibc.send(
                    descriptor, all.baseAddress.map { $0 + done }, all.count - done,
                    Int32(MSG_NOSIGNAL))
                if count <= 0 { return false }
                done += count
            }
            return true
        }
    }

    /// Says that no more will be sent.
    func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Closing it will break it off.
    func resetWhenClosed() {
        var at = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &at, socklen_t(MemoryLayout<linger>.size))
    }

    // MARK: Reading

    private func fill(_ end: ContinuousClock.Instant) throws(Stop) {
        if place > 0 {
            bytes.removeSubrange(..<place)
            place = 0
        }
        let left = max(0, (end - ContinuousClock.now).milliseconds)
        var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&wanted, 1, Int32(left)) > 0 else { throw .silent }
        let count = recv(descriptor, room.baseAddress, room.count, 0)
        guard count > 0 else { throw .ended }
        bytes.append(contentsOf: room[..<count])
        if pause > 0 { usleep(UInt32(pause * 1e6)) }
    }

    /// Takes so many bytes, of which up to `keep` are kept.
    private func take(
        _ count: Int, _ end: ContinuousClock.Instant, into kept: inout [UInt8], keep: Int
    ) throws(Stop) {
        var left = count
        while left > 0 {
            if place == bytes.count { try fill(end) }
            let part = min(left, bytes.count - place)
            if kept.count < keep {
                kept.append(contentsOf: bytes[place..<place + min(part, keep - kept.count)])
            }
            place += part
            left -= part
        }
    }

    private func line(_ end: ContinuousClock.Instant) throws(Stop) -> String {
        var from = place
        while true {
            if let newline = bytes[from...].firstIndex(of: 0x0A) {
                let line = String(decoding: bytes[place..<newline], as: UTF8.self)
                place = newline + 1
                return line
            }
            from = bytes.count - place
            try fill(end)
        }
    }

    /// Whether an answer begins to come in that time.
    func begins(within seconds: Double) -> Bool {
        let end = ContinuousClock.now + .seconds(seconds)
        do {
            if place == bytes.count { try fill(end) }
            return true
        } catch {
            return error == .ended
        }
    }

    /// The next answer. The body of an event stream is left where it is.
    /// - Parameter keep: how many bytes of the body are wanted.
    func answer(hasBody: Bool = true, within seconds: Double, keep: Int = 0) -> Reading {
        let end = ContinuousClock.now + .seconds(seconds)
        var isBegun = place < bytes.count
        do {
            while true {
                if place == bytes.count { try fill(end) }
                isBegun = true
                while bytes.count - place < 13 { try fill(end) }
                guard bytes[place...].starts(with: "HTTP/1.".utf8),
                    let status = Int(
                        String(decoding: bytes[(place + 9)..<(place + 12)], as: UTF8.self)),
                    (100...599).contains(status)
                else {
                    return .malformed(String(decoding: bytes[place...].prefix(200), as: UTF8.self))
                }
                var head = ""
                while true {
                    let line = try line(end)
                    if line == "\r" { break }
                    head += line.lowercased() + "\n"
                }
                if status < 200 { continue }
                var answer = RawAnswer(status: status, head: head)
                if answer.isEventStream || !hasBody || status == 204 || status == 304 {
                    return .answer(answer)
                }
                if head.contains("transfer-encoding: chunked") {
                    while true {
                        let size = try line(end).trimmingCharacters(in: .whitespacesAndNewlines)
                        guard let count = Int(size, radix: 16) else {
                            return .malformed("a chunk of size \(size)")
                        }
                        try take(count, end, into: &answer.body, keep: keep)
                        _ = try line(end)
                        if count == 0 { break }
                    }
                } else if let length = answer.field("content-length").flatMap({ Int($0) }) {
                    try take(length, end, into: &answer.body, keep: keep)
                } else if answer.closes {
                    while (try? fill(end)) != nil {}
                } else {
                    return .malformed("an answer without a length: \(head)")
                }
                return .answer(answer)
            }
        } catch .silent {
            return .silent
        } catch {
            return .ended(partly: isBegun)
        }
    }

    /// Reads for some seconds, whatever comes.
    /// - Returns: how many bytes came.
    func drain(for seconds: Double) -> Int {
        let end = ContinuousClock.now + .seconds(seconds)
        var count = bytes.count - place
        place = bytes.count
        while (try? fill(end)) != nil {
            count += bytes.count
            place = bytes.count
            if ContinuousClock.now >= end { break }
        }
        return count
    }
}

extension Duration {
    /// Rounded up.
    var milliseconds: Int {
        Int(components.seconds) * 1_000
            + Int((components.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
