/// Requests as a client sends them: bytes of HTTP/1.1.

/// What the seeds of `RequestTarget` are over a socket.
package enum RequestMessage {
    /// The model that the requests are about, as JSON.
    package static var model: String { FuzzStore.declaration }

    /// Requests in the form of `RequestText`.
    package static var seeds: [String] { RequestSeeds.reads + RequestSeeds.writes }

    /// Forms in which a client may send the same request.
    package static let forms = [
        [], ["User-Agent: curl/8.5.0", "Accept: */*"], ["Accept-Encoding: gzip, deflate"],
        ["accept: application/json", "connection: keep-alive"],
        ["Accept-Language: de, en;q=0.5", "Cookie: a=b"], ["Prefer: return=minimal"],
        ["X-Long: \(String(repeating: "y", count: 300))"], ["Accept: text/csv;q=0.1, */*"],
    ]

    /// The objects that stand for `Item/1` to `Item/4`, `Tag/1` and `Tag/2`.
    package struct Objects {
        package var items: [Int]
        package var tags: [Int]

        package init(items: [Int], tags: [Int]) {
            self.items = items
            self.tags = tags
        }

        fileprivate func item(_ text: Substring) -> String {
            guard let number = Int(text), items.indices.contains(number - 1) else {
                return String(text)
            }
            return String(items[number - 1])
        }

        fileprivate func tag(_ text: Substring) -> String {
            guard let number = Int(text), tags.indices.contains(number - 1) else {
                return String(text)
            }
            return String(tags[number - 1])
        }
    }

    /// The bytes of a request.
    /// - Parameters:
    ///   - text: one of `seeds`, with its names replaced.
    ///   - form: header fields beyond its own.
    package static func bytes(
        _ text: String, _ objects: Objects, form: [String] = [], isChunked: Bool = false
    ) -> [UInt8] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let end = lines.firstIndex(of: "") ?? lines.endIndex
        let words = (lines.first ?? "").split(separator: " ", maxSplits: 1)
        let target = placed(String(words.count > 1 ? words[1] : "/"), objects)
        let fields = lines[..<end].dropFirst().map(String.init)
        let body = Array(
            placedBody(lines[end...].dropFirst().joined(separator: "\n"), objects).utf8)
        var head = "\(words[0]) \(RequestText.encoded(target[...])) HTTP/1.1\r\nHost: localhost\r\n"
        for field in fields + form { head += field + "\r\n" }
        if !body.isEmpty {
            if !fields.contains(where: { $0.hasPrefix("Content-Type") }) {
                head += "Content-Type: application/json\r\n"
            }
            head +=
                isChunked
                ? "Transfer-Encoding: chunked\r\n" : "Content-Length: \(body.count)\r\n"
        }
        let bytes = Array((head + "\r\n").utf8)
        guard isChunked, !body.isEmpty else { return bytes + body }
        let size = Array("\(String(body.count, radix: 16))\r\n".utf8)
        return bytes + size + body + Array("\r\n0\r\n\r\n".utf8)
    }

    private static func placed(_ target: String, _ objects: Objects) -> String {
        target.replacing(/\/(Item|parts)\/([1-4])/) { "/\($0.1)/\(objects.item($0.2))" }
            .replacing(/\/Tag\/([12])/) { "/Tag/\(objects.tag($0.1))" }
    }

    private static func placedBody(_ body: String, _ objects: Objects) -> String {
        if let numbers = body.wholeMatch(of: /(\[?)([1-4])(?:,([1-4]))?(\]?)/) {
            let second = numbers.3.map { "," + objects.item($0) } ?? ""
            return numbers.1 + objects.item(numbers.2) + second + numbers.4
        }
        return body.replacing(/"(_id|whole)":([1-4])/) { "\"\($0.1)\":\(objects.item($0.2))" }
            .replacing(/"parts":\[([1-4])\]/) { "\"parts\":[\(objects.item($0.1))]" }
            .replacing(/"tags":\[1,2\]/) { _ in
                "\"tags\":[\(objects.tag("1")),\(objects.tag("2"))]"
            }
            .replacing(/("path":"\/parts\/[^"]*","value":)3/) { "\($0.1)\(objects.item("3"))" }
            .replacing(/Item\/1/) { _ in "Item/\(objects.item("1"))" }
    }
}
