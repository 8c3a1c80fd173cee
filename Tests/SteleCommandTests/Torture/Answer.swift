/// One request over a connection that may be cut off at any moment.

import Foundation

/// An answer of which at least the status has come.
struct Answer {
    let status: Int
    let body: String

    /// The body as JSON; nil where it is none, or was cut off.
    var json: Any? {
        try? JSONSerialization.jsonObject(with: Data(body.utf8), options: .fragmentsAllowed)
    }
}

extension Caller {
    /// Asks over a connection of its own; nil where no answer came: nobody listens, or the server
    /// died before it said anything.
    func ask(
        _ method: String, _ path: String, _ body: String? = nil, headers: [String] = []
    ) -> Answer? {
        guard let descriptor = connected() else { return nil }
        defer { close(descriptor) }
        guard sends(method, path, ["Connection: close"] + headers, body, to: descriptor) else {
            return nil
        }
        var bytes: [UInt8] = []
        while let more = Self.read(descriptor) { bytes += more }
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.hasPrefix("HTTP/1.1 "), let status = Int(text.dropFirst(9).prefix(3)),
            let end = text.range(of: "\r\n\r\n")
        else { return nil }
        let isChunked = text[..<end.lowerBound].contains("Transfer-Encoding: chunked")
        return Answer(
            status: status,
            body: isChunked ? Self.chunkedBody(text).text : String(text[end.upperBound...]))
    }

    /// The body of a chunked answer, and whether its last chunk came.
    static func chunkedBody(_ answer: String) -> (text: String, isWhole: Bool) {
        guard let head = answer.range(of: "\r\n\r\n") else { return ("", false) }
        var rest = Array(answer[head.upperBound...].utf8)[...]
        var body: [UInt8] = []
        while let end = rest.firstIndex(of: 0x0A) {
            let line = String(decoding: rest[..<end], as: UTF8.self)
                .trimmingCharacters(in: .whitespacesAndNewlines)
            guard let size = Int(line, radix: 16) else { break }
            if size == 0 { return (String(decoding: body, as: UTF8.self), true) }
            let start = rest.index(after: end)
            guard rest.endIndex - start >= size else { break }
            body += rest[start..<(start + size)]
            rest = rest[min(start + size + 2, rest.endIndex)...]
        }
        return (String(decoding: body, as: UTF8.self), false)
    }

    /// The history from the oldest save on, as the JSON form has it, with its values.
    func history() throws -> [[String: Any]] {
        var saves: [[String: Any]] = []
        var since = "0"
        while true {
            let answer = ask("GET", "/changes?values=true&limit=1000&since=\(since)")
            guard let answer, let page = answer.json as? [[String: Any]] else {
                throw Torture.Failure("no page after \(since): \(answer?.body.prefix(300) ?? "")")
            }
            for var entry in page {
                since = Torture.text(entry["rest"] ?? entry["transaction"])
                // A save of many changes is on several pages.
                if let last = saves.last, let changes = last["changes"] as? [Any],
                    Torture.text(last["transaction"]) == Torture.text(entry["transaction"])
                {
                    entry["changes"] = changes + (entry["changes"] as? [Any] ?? [])
                    saves.removeLast()
                }
                saves.append(entry)
            }
            if page.isEmpty {
                saves.indices.forEach { saves[$0]["rest"] = nil }
                return saves
            }
        }
    }
}

extension String {
    /// As a parameter's value.
    var percentEncoded: String {
        addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? self
    }
}
