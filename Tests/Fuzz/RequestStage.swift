/// A service that is asked what nobody would ask.

import Logging
import SteleHTTP
import SteleJSON
import SteleService

/// A service over a store of its own, begun anew after some requests: in turn one in memory and one
/// in SQLite.
final class RequestStage {
    private var store: FuzzStore
    private var service: Service
    private var count = 0
    /// What stands for `$CONTEXT`, `$TOKEN` and `$CURSOR` in a request.
    private var names: [(String, String)] = []
    private static let requestsEach = 200

    init() throws {
        store = try FuzzStore(inMemory: true)
        service = try Self.service(store)
        try begin()
    }

    deinit { end() }

    private static func service(_ store: FuzzStore) throws -> Service {
        try Service(
            coordinator: store.coordinator,
            logger: Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() })
    }

    private func begin() throws {
        service.changeFeed.start()
        func header(_ method: String, _ target: String, _ name: String) throws -> String {
            let response = try answer(RequestText("\(method) \(target)\n").request)
            return response.headers.first { $0.name == name }?.value ?? ""
        }
        let next = try header("GET", "/Item?limit=1&sort=-price,name[c],born", "Link")
        let cursor = next.split(separator: "after=").last?.prefix { $0 != ">" && $0 != "&" }
        names = [
            (
                "$CONTEXT",
                try header("POST", "/contexts", "Location").split(separator: "/").last
                    .map(String.init) ?? ""
            ),
            ("$CURSOR", cursor.map(String.init) ?? ""),
            ("$TOKEN", try header("DELETE", "/Tag/2", "Stele-Token")),
        ]
    }

    private func end() {
        service.liveQueries.stop()
        service.changeFeed.stop()
    }

    /// The cursor of a page of `/Item` by `sort=-price,name[c],born`.
    var cursor: String { names.first { $0.0 == "$CURSOR" }?.1 ?? "" }

    /// Asks, with the names in the text replaced, and judges the answer.
    /// - Throws: `FuzzFinding` for an answer that no request should get.
    func ask(_ text: String) throws {
        count += 1
        if count % Self.requestsEach == 0 {
            end()
            store = try FuzzStore(inMemory: count / Self.requestsEach % 2 == 0)
            service = try Self.service(store)
            try begin()
        }
        var text = text
        for (name, value) in names where text.contains(name) {
            text = text.replacing(name, with: value)
        }
        _ = try answer(RequestText(text).request)
    }

    private func answer(_ request: Request) throws -> Response {
        let response = service.answer(request, at: .brief).response()
        try judge(response, request)
        return response
    }

    private func judge(_ response: Response, _ request: Request) throws {
        let status = response.status
        try require(
            (200...599).contains(status) && status != 500,
            "\(request.method) \(request.path) is answered \(status)")
        for (name, value) in response.headers {
            try require(
                !(name + value).utf8.contains { $0 == 13 || $0 == 10 || $0 == 0 },
                "the field \(name) has a line break")
        }
        let type = response.headers.first { $0.name == "Content-Type" }?.value ?? ""
        if status >= 400 {
            try require(type == "application/problem+json", "\(status) is no problem")
        }
        switch response.body {
        case .bytes(let bytes):
            let isPlain = !response.headers.contains { $0.name == "Content-Encoding" }
            guard type.contains("json"), !type.contains("ndjson"), isPlain else { return }
            if request.method == "HEAD", bytes.isEmpty { return }
            let document: JSONDocument
            do { document = try JSONDocument(bytes) } catch {
                // JSON that this reader does not take, though others do: a Decimal of many digits,
                // and what a client sent with U+0000 in a message.
                if [.numberOutOfRange, .nulCharacter].contains(error.kind) { return }
                throw FuzzFinding("the answer is no JSON: \(error)")
            }
            guard status >= 400 else { return }
            try require(
                document.root["status"]?.integer == Int64(status)
                    && document.root["detail"]?.string?.isEmpty == false
                    && document.root["code"] != nil, "a problem lacks its status, code or detail")
        case .events(let stream): stream.drop()
        case .file(let file, let range):
            try require(range.upperBound <= file.size, "an answer is longer than its file")
        case .none, .stream: break
        }
    }
}

/// A request as text: `METHOD target`, the fields a line each, an empty line, the body.
struct RequestText {
    let request: Request

    init(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let end = lines.firstIndex(of: "") ?? lines.endIndex
        let words = (lines.first ?? "").split(
            separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        let target = Self.encoded(words.count > 1 ? words[1] : "/").split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var fields: [(name: String, value: String)] = [("Host", "localhost")]
        for line in lines[..<end].dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, !parts[0].isEmpty,
                parts[0].utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
                parts[1].utf8.allSatisfy({ $0 != 0 && $0 != 13 })
            else { continue }
            fields.append((String(parts[0]), String(parts[1])))
        }
        request = Request(
            method: String(words[0]), path: target.first.map(String.init) ?? "/",
            query: target.count > 1 ? String(target[1]) : nil, headers: HTTPHeaders(fields),
            body: Array(lines[end...].dropFirst().joined(separator: "\n").utf8))
    }

    /// What no target can have is escaped: spaces, control characters, what is not ASCII.
    static func encoded(_ target: Substring) -> String {
        var bytes: [UInt8] = []
        for byte in target.utf8 {
            if byte > 0x20, byte < 0x7F {
                bytes.append(byte)
            } else {
                bytes += "%\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
