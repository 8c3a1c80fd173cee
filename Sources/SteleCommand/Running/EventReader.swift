/// Reading server-sent events (WHATWG, "Server-sent events") from the bytes of an HTTP response.

/// Parses a response: its head, its chunks (RFC 9112, 7.1), and the events in them.
struct EventReader {
    /// One event.
    struct Event: Equatable {
        /// The last `id` of the stream; empty where there was none.
        var id = ""
        var name = "message"
        var data = ""
    }

    /// The status; nil until the head has come.
    private(set) var status: Int?
    /// Whether the head's content type is that of an event stream.
    private(set) var isStream = false
    /// The `id` to resume with: the last one whose event, or block without an event, has come
    /// whole. An `id` stands before its event's data, which may be cut off.
    private(set) var lastID: String
    /// Milliseconds to wait before reconnecting (`retry`).
    private(set) var retry = 2_000
    private var bytes: [UInt8] = []
    private var isChunked = false
    /// How many bytes of the chunk are still to come, with its line end.
    private var chunk = 0
    private var line: [UInt8] = []
    private var event = Event()
    private var lines: [String] = []
    /// The last `id` field, of a block that may be cut off.
    private var id: String

    /// The longest line or chunk of a service.
    private static let longest = 64 << 20

    /// - Parameter lastID: the last `id` of the stream before this one.
    init(lastID: String = "") {
        self.lastID = lastID
        id = lastID
    }

    /// Parses the next bytes.
    /// - Returns: the events that they complete.
    /// - Throws: `Failure` for bytes that are not HTTP.
    mutating func take(_ more: [UInt8]) throws -> [Event] {
        bytes += more
        if status == nil, try !readHead() { return [] }
        var events: [Event] = []
        while let piece = try nextPiece() {
            for byte in piece { take(byte, &events) }
        }
        return events
    }

    /// Parses the head once it has come whole.
    private mutating func readHead() throws -> Bool {
        let blank = Array("\r\n\r\n".utf8)
        guard let end = bytes.firstRange(of: blank) else {
            guard bytes.count < 64 << 10 else {
                throw Failure("the head of the service's response has no end")
            }
            return false
        }
        let fields = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
            .split(separator: "\r\n")
        bytes.removeSubrange(..<end.upperBound)
        let words = fields.first?.split(separator: " ") ?? []
        guard words.count > 1, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else {
            throw Failure("the response is not HTTP")
        }
        self.status = status
        let plain = fields.map { $0.lowercased().filter { $0 != " " } }
        isChunked = plain.contains("transfer-encoding:chunked")
        isStream = plain.contains { $0.hasPrefix("content-type:text/event-stream") }
        return true
    }

    /// The next bytes of the body without the chunks' framing; nil where none have come.
    private mutating func nextPiece() throws -> [UInt8]? {
        guard isChunked else {
            defer { bytes = [] }
            return bytes.isEmpty ? nil : bytes
        }
        if chunk == 0 {
            guard let end = bytes.firstRange(of: [0x0D, 0x0A]) else { return nil }
            let size = String(
                decoding: bytes[..<end.lowerBound].prefix { $0 != 0x3B }, as: UTF8.self)
            guard let count = Int(size, radix: 16), count >= 0, count < Self.longest else {
                throw Failure("the service's response has a chunk without a size")
            }
            bytes.removeSubrange(..<end.upperBound)
            if count == 0 { return nil }
            chunk = count + 2
        }
        guard !bytes.isEmpty else { return nil }
        // The last two bytes of a chunk are a line end.
        let content = max(0, min(chunk - 2, bytes.count))
        let piece = Array(bytes.prefix(content))
        let taken = min(chunk, bytes.count)
        bytes.removeFirst(taken)
        chunk -= taken
        return piece
    }

    private mutating func take(_ byte: UInt8, _ events: inout [Event]) {
        guard byte == 0x0A else {
            if line.count < Self.longest { line.append(byte) }
            return
        }
        if line.last == 0x0D { line.removeLast() }
        let text = String(decoding: line, as: UTF8.self)
        line.removeAll(keepingCapacity: true)
        guard text.isEmpty else { return field(text) }
        lastID = id
        if !lines.isEmpty {
            event.data = lines.joined(separator: "\n")
            event.id = lastID
            events.append(event)
        }
        event = Event()
        lines = []
    }

    private mutating func field(_ line: String) {
        guard let colon = line.firstIndex(of: ":") else { return }
        let value = line[line.index(after: colon)...]
        let text = String(value.first == " " ? value.dropFirst() : value)
        switch line[..<colon] {
        case "id": id = text
        case "event": event.name = text
        case "data": lines.append(text)
        case "retry": if let number = Int(text), (1...600_000).contains(number) { retry = number }
        default: break
        }
    }

    /// The received part of a body that is not a stream.
    var rest: String { String(decoding: line, as: UTF8.self) }
}
