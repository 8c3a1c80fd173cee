/// One client that sends mutated requests, on a thread of its own.

import Foundation
import SteleFuzz
import SteleSystem
import TestSupport

/// What the clients of a run have found.
final class MutationTally: Sendable {
    private struct State {
        var sent = 0
        var statuses: [String: Int] = [:]
        var findings: [String] = []
    }
    private let state = Mutex(State())
    private static let mostFindings = 20

    var sent: Int { state.withLock { $0.sent } }
    var findings: [String] { state.withLock { $0.findings } }
    /// Whether there is no sense in going on.
    var isOver: Bool { state.withLock { $0.findings.count >= Self.mostFindings } }

    func note(sent: Int, _ statuses: [String: Int]) {
        state.withLock { state in
            state.sent += sent
            state.statuses.merge(statuses, uniquingKeysWith: +)
        }
    }

    func find(_ text: String) { state.withLock { $0.findings.append(text) } }

    /// Such as `200: 12, 404: 3`.
    var counts: String {
        state.withLock { state in
            state.statuses.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
                .joined(separator: ", ")
        }
    }
}

/// A request that is answered well as it is, and from which others are made.
struct ValidRequest: Sendable {
    let text: String
    let form: [String]
    let isChunked: Bool
}

/// One client.
struct MutationClient {
    private let server: ServedProgram
    private let tally: MutationTally
    private let folder: String
    private var connection: RawConnection?
    private var numbers = SeededNumbers(seed: 0)
    private var objects = RequestMessage.Objects(items: [], tags: [])
    /// What stands for `$CONTEXT`, `$TOKEN` and `$CURSOR`.
    private var names: [(name: String, value: String)] = []
    private var sent = 0
    private var refreshes = 0
    private var statuses: [String: Int] = [:]

    /// For so many requests the objects and the context are the same.
    private static let requestsEach = 100
    /// Longer than any statement may take.
    private static let longest = 45.0
    /// Seconds for an answer to begin, before the service is told that no more bytes come.
    private static let brief = 0.1
    private static let allowed: Set<Int> = [501, 503, 505, 507]

    init(_ server: ServedProgram, _ tally: MutationTally, folder: String) {
        self.server = server
        self.tally = tally
        self.folder = folder
    }

    /// Sends so many mutations of a request.
    mutating func mutate(_ request: ValidRequest, count: Int, seed: UInt64) {
        numbers = SeededNumbers(seed: seed)
        for index in 0..<count {
            if index % Self.requestsEach == 0 {
                guard refresh() else { return tally.find("the service does not answer") }
            }
            let bytes = mutated(rendered(request))
            sent += 1
            if let finding = attempt(bytes) { report(finding, bytes, seed, index) }
            if tally.isOver { break }
        }
        tally.note(sent: sent, statuses)
        (sent, statuses) = (0, [:])
    }

    /// Whether the request is answered with less than 400.
    mutating func isValid(_ request: ValidRequest) -> Bool {
        if names.isEmpty || numbers.one(in: 20) { _ = refresh() }
        connection = connection ?? RawConnection(port: server.port)
        connection?.send(rendered(request))
        let hasBody = !request.text.hasPrefix("HEAD")
        let reading = connection?.answer(hasBody: hasBody, within: Self.longest)
        guard case .answer(let answer)? = reading else {
            connection = nil
            return false
        }
        if answer.isEventStream || answer.closes { connection = nil }
        return answer.status < 400
    }

    private func rendered(_ request: ValidRequest) -> [UInt8] {
        var text = request.text
        for (name, value) in names where text.contains(name) {
            text = text.replacing(name, with: value)
        }
        return RequestMessage.bytes(
            text, objects, form: request.form, isChunked: request.isChunked)
    }

    // MARK: Objects

    /// Makes the objects that requests are about, and removes those of before.
    private mutating func refresh() -> Bool {
        refreshes += 1
        let own = UInt64.random(in: 0...(.max))
        guard
            let items = ids(
                "POST", "/Item",
                #"[{"name":"Ann","small":7,"price":"-12.5","flag":true,"bytes":"AAH/"},"#
                    + #"{"name":"","small":-3},{"name":"k","born":"2024-05-01"},{"small":1}]"#),
            let tags = ids("POST", "/Tag", #"[{"name":"a\#(own)"},{"name":"b\#(own)"}]"#),
            items.count == 4, tags.count == 2
        else { return false }
        objects.items = items
        objects.tags = tags
        _ = ask("PUT", "/Item/\(items[0])/parts", "[\(items[1]),\(items[2])]")
        _ = ask("PUT", "/Item/\(items[0])/tags", "[\(tags[0]),\(tags[1])]")
        if let context = names.first(where: { $0.name == "$CONTEXT" }) {
            _ = ask("DELETE", "/contexts/\(context.value)")
        }
        let context = ask("POST", "/contexts", "{}")?.field("location") ?? ""
        let next = ask("GET", "/Item?limit=1&sort=-price,name%5Bc%5D,born")?.field("link") ?? ""
        let cursor = next.components(separatedBy: "after=").last ?? ""
        let token = ask("PATCH", "/Item/\(items[3])", #"{"name":"later"}"#)?.field("stele-token")
        names = [
            ("$CONTEXT", context.components(separatedBy: "/").last ?? ""),
            ("$CURSOR", String(cursor.prefix { $0 != ">" && $0 != "&" })),
            ("$TOKEN", token ?? ""),
        ]
        if refreshes % 20 == 0 {
            _ = ask("DELETE", "/Item?where=_id%20%3C%20\(items[0] - 1_000)")
            _ = ask("DELETE", "/Tag?where=_id%20%3C%20\(tags[0] - 500)")
            _ = ask("DELETE", "/changes?before=\(token ?? "")")
        }
        return true
    }

    private mutating func ids(_ method: String, _ path: String, _ body: String) -> [Int]? {
        ask(method, path, body)?.text.matches(of: /"_id":(\d+)/).compactMap { Int($0.1) }
    }

    /// A request of its own, which is no mutation.
    private mutating func ask(_ method: String, _ path: String, _ body: String = "") -> RawAnswer? {
        var head = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n"
        if !body.isEmpty {
            head += "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
        }
        // Once more where the service has closed the connection before.
        for _ in 0..<2 {
            connection = connection ?? RawConnection(port: server.port)
            connection?.send(Array((head + "\r\n" + body).utf8))
            if case .answer(let answer)? = connection?.answer(within: Self.longest, keep: 65_536) {
                if answer.closes { connection = nil }
                return answer
            }
            connection = nil
        }
        return nil
    }

    // MARK: Mutations

    private mutating func mutated(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<1 + numbers.below(4) {
            let place = numbers.below(bytes.count)
            switch numbers.below(6) {
            case 0: bytes[place] ^= 1 << UInt8(numbers.below(8))
            case 1: bytes[place] = UInt8(truncatingIfNeeded: numbers.next())
            case 2:
                let some = Array("\0\t\n\r \"'%&+,-./:;<=>?[]{}09azAZ".utf8) + [0x7F, 0x80, 0xFF]
                bytes.insert(numbers.pick(some, or: 0), at: place)
            case 3: bytes.insert(UInt8(truncatingIfNeeded: numbers.next()), at: place)
            case 4:
                bytes.removeSubrange(place..<min(bytes.count, place + 1 + numbers.below(8)))
                if bytes.isEmpty { bytes = [0x20] }
            default:
                let part = bytes[place..<min(bytes.count, place + 1 + numbers.below(24))]
                bytes.insert(contentsOf: Array(part), at: numbers.below(bytes.count + 1))
            }
        }
        return bytes
    }

    /// Sends it, and judges what comes.
    /// - Returns: what is wrong, in one sentence.
    mutating func attempt(_ bytes: [UInt8]) -> String? {
        let isWhole = Self.isOneRequest(bytes)
        let isNew = connection == nil
        connection = connection ?? RawConnection(port: server.port)
        guard let used = connection else { return "cannot be sent: the port is closed" }
        used.send(bytes)
        let hasBody = !bytes.drop { $0 == 13 || $0 == 10 }.starts(with: "HEAD ".utf8)
        // It may be waiting for more.
        if !isWhole, !used.begins(within: Self.brief) { used.finishSending() }
        var reading = used.answer(hasBody: hasBody, within: Self.longest)
        if case .ended(partly: false) = reading, !isNew {
            // The service had closed it after the request before.
            connection = nil
            return attempt(bytes)
        }
        guard !isWhole else {
            if case .answer(let answer) = reading, !answer.closes, !answer.isEventStream {
                return judge(reading)
            }
            connection = nil
            return judge(reading)
        }
        // Other bytes of it may be a request of their own.
        connection = nil
        used.finishSending()
        var count = 0
        while case .answer(let answer) = reading, count < 10 {
            if let finding = judge(reading) { return finding }
            if answer.isEventStream || answer.closes { return nil }
            count += 1
            reading = used.answer(within: Self.longest)
            if case .ended(partly: false) = reading { return nil }
        }
        // After an answer whose length a client cannot know, what follows is none of ours.
        if count > 0, case .malformed = reading { return nil }
        if count > 0, case .silent = reading {
            return "is answered, and its connection is open \(Int(Self.longest)) s later"
        }
        return judge(reading)
    }

    private mutating func judge(_ reading: RawConnection.Reading) -> String? {
        switch reading {
        case .answer(let answer):
            statuses["\(answer.status)", default: 0] += 1
            guard answer.status >= 500, !Self.allowed.contains(answer.status) else { return nil }
            return "is answered \(answer.status)"
        case .ended(let partly):
            statuses[partly ? "cut off" : "closed", default: 0] += 1
            return server.isRunning ? nil : "ended the service"
        case .silent:
            statuses["silent", default: 0] += 1
            return "is not answered for \(Int(Self.longest)) s"
        case .malformed(let text): return "is answered with what is not HTTP: \(text)"
        }
    }

    /// Whether the bytes are one request with its body for certain, so that there is one answer, and
    /// another request may follow on the connection.
    static func isOneRequest(_ bytes: [UInt8]) -> Bool {
        guard let text = String(validating: bytes, as: UTF8.self) else { return false }
        let scalars = text.unicodeScalars
        guard scalars.allSatisfy({ $0.value >= 0x20 || $0 == "\r" || $0 == "\n" }),
            let end = text.utf8.firstRange(of: "\r\n\r\n".utf8)
        else { return false }
        let head = String(text[..<end.lowerBound]).lowercased()
        let rest = text.utf8.distance(from: end.upperBound, to: text.endIndex)
        let lines = head.components(separatedBy: "\r\n")
        let line = lines[0].components(separatedBy: " ")
        guard line.count == 3, line[2] == "http/1.1", line[0].allSatisfy(\.isLetter),
            line[1].hasPrefix("/") || line[1] == "*",
            !head.contains("transfer-"), !head.contains("close"), !head.contains("expect"),
            !head.contains("upgrade"),
            lines.dropFirst().allSatisfy({
                $0.firstMatch(of: /^[a-z-]+: [^\n]*$/) != nil && !$0.contains("\r")
            })
        else { return false }
        let lengths = lines.filter { $0.hasPrefix("content-length:") }
        guard lengths.count <= 1, head.components(separatedBy: "content-l").count <= 2 else {
            return false
        }
        return lengths.first.map { $0 == "content-length: \(rest)" } ?? (rest == 0)
    }

    private func report(_ finding: String, _ bytes: [UInt8], _ seed: UInt64, _ index: Int) {
        let file = folder + "/mutation-\(seed)-\(index).bytes"
        try? Data(bytes).write(to: URL(fileURLWithPath: file))
        let shown = String(decoding: bytes.prefix(1_500), as: UTF8.self).debugDescription
        tally.find("\(finding), seed \(seed), mutation \(index)\n  \(shown)\n  \(file)")
    }
}
