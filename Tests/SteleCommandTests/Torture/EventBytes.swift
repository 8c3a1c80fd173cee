/// The bytes of an event stream, as a client has them that may be cut off anywhere.

import Foundation

/// Takes an answer out of its chunks (RFC 9112, 7.1) and the events out of it (WHATWG, "Server-sent
/// events"). Written for these tests and not the program's own reader, which is tested by itself.
struct EventBytes {
    struct Event: Sendable {
        let name: String
        let data: [UInt8]
        /// Whether an `id` stood in it: the last part of a save, or all of it.
        let hasID: Bool
    }

    struct NoStream: Error {
        let text: String
    }

    /// The first and the last `id` that came whole, with the blank line behind it.
    private(set) var firstID: String?
    private(set) var lastID: String?
    /// Whether the last chunk has come: the stream has ended, and was not cut off.
    private(set) var isEnded = false
    private(set) var status: Int?
    private var rest = Data()
    private var body = Data()
    /// Bytes of the chunk that are still to come, with its line's end.
    private var chunk = 0

    private static let newline = Data([0x0A])
    private static let blank = Data([0x0A, 0x0A])

    /// Whether what came last is a part of an event.
    var isWithinAnEvent: Bool { !body.isEmpty }

    /// Takes what came.
    /// - Returns: the events that it completes.
    /// - Throws: `NoStream` for another answer than 200, or what is no chunk.
    mutating func take(_ bytes: [UInt8]) throws -> [Event] {
        rest.append(contentsOf: bytes)
        if status == nil {
            guard let end = rest.range(of: Data("\r\n\r\n".utf8)) else { return [] }
            let head = String(decoding: rest[..<end.lowerBound], as: UTF8.self)
            status = head.split(separator: " ").dropFirst().first.flatMap { Int($0) }
            rest = Data(rest[end.upperBound...])
            guard status == 200, head.contains("Transfer-Encoding: chunked") else {
                throw NoStream(text: head + String(decoding: rest, as: UTF8.self))
            }
        }
        try takeChunks()
        return takeEvents()
    }

    private mutating func takeChunks() throws {
        var place = rest.startIndex
        while place < rest.endIndex {
            if chunk == 0 {
                guard let end = rest.range(of: Self.newline, in: place..<rest.endIndex) else {
                    break
                }
                let line = String(decoding: rest[place..<end.lowerBound], as: UTF8.self)
                guard line.hasSuffix("\r"), let size = Int(line.dropLast(), radix: 16) else {
                    throw NoStream(text: "a chunk of size \(line)")
                }
                place = end.upperBound
                chunk = size + 2
                if size == 0 { isEnded = true }
            }
            let count = min(chunk, rest.endIndex - place)
            let content = max(0, min(count, chunk - 2))
            body.append(rest[place..<place + content])
            place += count
            chunk -= count
        }
        rest = Data(rest[place...])
    }

    private mutating func takeEvents() -> [Event] {
        var events: [Event] = []
        var place = body.startIndex
        while let end = body.range(of: Self.blank, in: place..<body.endIndex) {
            if let event = takeBlock(body[place..<end.upperBound - 1]) { events.append(event) }
            place = end.upperBound
        }
        body = Data(body[place...])
        return events
    }

    private mutating func takeBlock(_ block: Data) -> Event? {
        var name = "message"
        var id: String?
        var data: [UInt8]?
        var place = block.startIndex
        while let end = block.range(of: Self.newline, in: place..<block.endIndex) {
            let line = block[place..<end.lowerBound]
            if line.starts(with: "data: ".utf8) {
                data = (data.map { $0 + [0x0A] } ?? []) + line.dropFirst(6)
            } else if line.starts(with: "id: ".utf8) {
                id = String(decoding: line.dropFirst(4), as: UTF8.self)
            } else if line.starts(with: "event: ".utf8) {
                name = String(decoding: line.dropFirst(7), as: UTF8.self)
            }
            place = end.upperBound
        }
        if let id { lastID = id }
        firstID = firstID ?? id
        return data.map { Event(name: name, data: $0, hasID: id != nil) }
    }
}
