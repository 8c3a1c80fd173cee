// An editing context and short names for asking it.

import FoundationEssentials
import SteleHTTP
import SteleJSON
import SteleModel
import SteleSystem
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

/// A client with an editing context of its own.
struct Editor {
    let service: ServiceFixture
    let id: String

    /// A new context.
    init(_ service: ServiceFixture, _ body: String = "") throws {
        self.service = service
        let answer = service.ask("POST", "/contexts", body)
        try #require(answer.status == 201, "\(answer.text)")
        id = try #require(JSONDocument(answer.bytes).root["context"]?.string)
    }

    init(_ service: ServiceFixture, id: String) {
        self.service = service
        self.id = id
    }

    /// A child of this context.
    func child() throws -> Editor {
        let answer = ask("POST", "/contexts")
        try #require(answer.status == 201, "\(answer.text)")
        return Editor(
            service, id: try #require(JSONDocument(answer.bytes).root["context"]?.string))
    }

    func ask(
        _ method: String, _ path: String, _ body: String? = nil,
        _ headers: [(name: String, value: String)] = []
    ) -> Answer {
        service.ask(method, "/contexts/\(id)\(path)", body, headers)
    }

    func get(_ path: String) -> Answer { ask("GET", path) }
    func post(_ path: String, _ body: String? = nil) -> Answer { ask("POST", path, body) }
    func patch(_ path: String, _ body: String) -> Answer { ask("PATCH", path, body) }

    /// A list with a predicate.
    func find(_ entity: String, where text: String, _ more: String = "") -> Answer {
        get("/\(entity)?where=\(encoded(text))\(more)")
    }

    /// A member of the context's state.
    func state(_ name: String) throws -> JSONValue? { try get("").json[name] }
}

/// A clock that tests move.
final class TestClock: Sendable {
    private let seconds = Mutex<Double>(800_000_000)

    func advance(by more: Double) { seconds.withLock { $0 += more } }

    var now: @Sendable () -> Double { { self.seconds.withLock { $0 } } }
}
