// Services whose hidden data alone differ.

import FoundationEssentials
import Logging
import SteleGraph
import SteleHTTP
import SteleModel
import StelePersistence
import TestSupport

@testable import SteleDifferential
@testable import SteleRequests
@testable import SteleService

/// A service over one sample.
final class RightsHost {
    let service: Service
    let store: any PersistentStore
    private let coordinator: PersistentStoreCoordinator
    private let folder: TemporaryFolder

    init(_ kind: StoreKind, _ sample: Sample, rights: String) throws {
        folder = try TemporaryFolder()
        store = try kind.open(sample.model, at: folder.store)
        try sample.write(to: store, together: true)
        coordinator = PersistentStoreCoordinator(store: store)
        var options = Service.Options()
        options.rights = try RightsFile(rights)
        // The tests' program is slow, and streams would end.
        let judging = JudgingLimits(
            nanoseconds: 60_000_000_000, nanosecondsAChange: 0, matchNanoseconds: 200_000_000)
        options.limits.liveJudging = judging
        options.limits.feedJudging = judging
        // So that some writes are saves in parts.
        options.limits.objectsPerPart = 2
        // Queries are forgotten soon, so that a client that comes back is told by the history.
        options.limits.liveIdleSeconds = 0.01
        options.heartbeatSeconds = 0.02
        service = try Service(
            coordinator: coordinator, options: options,
            logger: Logger(label: "rights.check") { _ in SwiftLogNoOpLogHandler() })
        service.changeFeed.start()
    }

    deinit {
        service.changeFeed.stop()
        service.liveQueries.stop()
        store.close()
    }

    /// The number of the last save.
    func token() throws -> Int64 {
        let reader = try store.reader()
        defer { reader.close() }
        return try reader.token
    }

    /// What stands for the random names of the store and of its row cache in questions and answers.
    /// They are drawn at the start of each store, and so differ always.
    private var names: [(name: String, sign: String)] {
        [(store.generation, "{STORE}"), (coordinator.cacheGeneration, "{CACHE}")]
    }

    func response(_ who: String, _ question: RightsQuestion) -> Response {
        let parts = named(question.target).split(separator: "?", maxSplits: 1).map(String.init)
        var headers = [
            (name: "Accept", value: question.accept),
            (name: "Authorization", value: "Bearer token-\(who)"),
        ]
        if let type = question.contentType { headers.append(("Content-Type", type)) }
        headers += question.fields.map { ($0.name, named($0.value)) }
        let request = Request(
            method: question.method, path: parts[0], query: parts.count > 1 ? parts[1] : nil,
            headers: HTTPHeaders(headers), body: Array((question.body ?? "").utf8))
        return service.answer(request, at: .unhurried).response()
    }

    /// Status, fields and body, without the moment of the answer.
    func answer(_ who: String, _ question: RightsQuestion) -> RightsAnswer {
        let response = response(who, question)
        let fields = response.headers.filter { !["Date", "Server-Timing"].contains($0.name) }
            .map { "\($0.name): \(plain($0.value))" }.sorted()
        var body = ""
        switch response.body {
        case .bytes(let bytes): body = String(decoding: bytes, as: UTF8.self)
        case .events(let stream):
            // The first rows of a list that is followed. The ids of events have drawn marks. What
            // follows is compared by `RightsStreams`.
            let client = Client(stream)
            _ = client.wait(for: 1)
            body = client.events.first.map { "\($0.name) \($0.data)" } ?? "no event"
            stream.drop()
        default: break
        }
        return RightsAnswer(status: response.status, fields: fields, body: plain(body))
    }

    /// With the names that were drawn for their signs.
    private func named(_ text: String) -> String {
        names.reduce(text) { $0.replacing($1.sign, with: $1.name) }
    }

    /// With signs for the names that were drawn, and without the times of saves.
    func plain(_ text: String) -> String {
        var plain = text
        for (name, sign) in names { plain = plain.replacing(name, with: sign) }
        var parts = plain.split(separator: "\"at\":\"", omittingEmptySubsequences: false)
        for index in parts.indices.dropFirst() { parts[index] = parts[index].drop { $0 != "\"" } }
        return parts.joined(separator: "\"at\":\"")
    }
}

/// A request, in which `{STORE}` stands for the mark of the store's tokens.
struct RightsQuestion: CustomStringConvertible {
    var method = "GET"
    var target: String
    var body: String?
    var accept = "application/json"
    var contentType: String?
    /// Other header fields, such as `If-Match`.
    var fields: [(name: String, value: String)] = []

    init(_ target: String) { self.target = target }

    init(_ method: String, _ target: String, _ body: String? = nil) {
        self.method = method
        self.target = target
        self.body = body
    }

    var isStream: Bool { accept == "text/event-stream" }

    var description: String {
        let fields = fields.map { " \($0.name): \($0.value)" }.joined()
        return "\(method) \(target.removingPercent) \(body ?? "") (\(accept))\(fields)"
    }
}

struct RightsAnswer: Equatable, CustomStringConvertible {
    let status: Int
    let fields: [String]
    let body: String

    var description: String { "\(status) \(fields.joined(separator: "; "))\n      \(body)" }

    /// The entity tag.
    var tag: String? {
        fields.first { $0.hasPrefix("ETag: ") }.map { String($0.dropFirst("ETag: ".count)) }
    }

    /// The address of the next page.
    var next: String? {
        guard let field = fields.first(where: { $0.hasPrefix("Link: <") && $0.contains("next") })
        else { return nil }
        return String(field.dropFirst("Link: <".count).prefix { $0 != ">" })
    }
}

extension String {
    fileprivate var removingPercent: String {
        var bytes: [UInt8] = []
        var rest = utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let code = UInt8(String(rest.prefix(2)) ?? "", radix: 16)
            {
                bytes.append(code)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// As the value of a query parameter.
    var encoded: String {
        var text = ""
        for byte in utf8 {
            let scalar = Unicode.Scalar(byte)
            if byte < 128,
                scalar.properties.isAlphabetic || "0123456789._~-".contains(Character(scalar))
            {
                text.unicodeScalars.append(scalar)
            } else {
                text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return text
    }
}
