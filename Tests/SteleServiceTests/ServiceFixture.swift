// A service over a store, and short names for asking it.

import FoundationEssentials
import Glibc
import Logging
import SteleGraph
import SteleHTTP
import SteleJSON
import SteleModel
import StelePersistence
import SteleSQLite
import TestSupport
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

/// An answer, with its body read.
struct Answer {
    let response: Response

    var status: Int { response.status }

    subscript(header: String) -> String? {
        response.headers.first { $0.name.lowercased() == header.lowercased() }?.value
    }

    var bytes: [UInt8] {
        if case .bytes(let bytes) = response.body { bytes } else { [] }
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    var json: JSONValue {
        get throws { JSONValue(try JSONDocument(bytes).root) }
    }

    /// A problem's code as text.
    var code: String {
        switch (try? json)?["code"] {
        case .integer(let number): String(number)
        case .string(let word): word
        default: "-"
        }
    }

    var detail: String {
        if case .string(let text)? = (try? json)?["detail"] { text } else { "" }
    }

    var hint: String {
        if case .string(let text)? = (try? json)?["hint"] { text } else { "" }
    }

    /// The target of the next page's link.
    var next: String? {
        self["Link"].flatMap { $0.wholeMatch(of: /<(.*)>; rel="next"/).map { String($0.1) } }
    }
}

/// A store with the figures of a database.
private final class Figured: ForwardingStore {
    let base: any PersistentStore
    let databaseFigures: DatabaseFigures?

    init(_ base: any PersistentStore, _ figures: DatabaseFigures) {
        self.base = base
        databaseFigures = figures
    }
}

/// A service over an SQLite file of its own, which goes with it.
final class ServiceFixture: Sendable {
    let service: Service
    let coordinator: PersistentStoreCoordinator
    /// The store's file.
    let path: String
    private let folder: TemporaryFolder

    convenience init(
        _ model: Model, inMemory: Bool = false, classes: [String: ManagedObject.Type] = [:],
        figures: DatabaseFigures? = nil,
        _ configure: (inout Service.Options) -> Void = { _ in }
    ) throws {
        let kind: StoreKind = inMemory ? .memory : .sqlite
        try self.init(
            opening: { try kind.open(model, at: $0) }, classes: classes, figures: figures, configure
        )
    }

    /// - Parameter open: opens the store at a path in a folder that goes with the service.
    init(
        opening open: (_ path: String) throws -> any PersistentStore,
        classes: [String: ManagedObject.Type] = [:], figures: DatabaseFigures? = nil,
        _ configure: (inout Service.Options) -> Void = { _ in }
    ) throws {
        folder = try TemporaryFolder()
        path = folder.store
        let store = try open(path)
        coordinator = PersistentStoreCoordinator(
            store: figures.map { Figured(store, $0) } ?? store,
            classes: classes)
        var options = Service.Options()
        configure(&options)
        service = try Service(
            coordinator: coordinator, options: options,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    deinit {
        service.liveQueries.stop()
        coordinator.store.close()
    }

    static func league() throws -> ServiceFixture { try ServiceFixture(TestModels.league()) }

    static func zoo() throws -> ServiceFixture { try ServiceFixture(TestModels.zoo()) }

    /// Asks as a client would: the target as it would stand in the request line.
    func ask(
        _ method: String, _ target: String, _ body: String? = nil,
        _ headers: [(name: String, value: String)] = []
    ) -> Answer {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let request = Request(
            method: method, path: String(parts[0]),
            query: parts.count > 1 ? String(parts[1]) : nil, headers: HTTPHeaders(headers),
            body: Array((body ?? "").utf8))
        return answer(request)
    }

    /// The answer by the way that a server takes, step by step.
    func answer(_ request: Request) -> Answer {
        Answer(response: service.answer(request, at: .brief).response())
    }

    func get(_ target: String, _ headers: [(name: String, value: String)] = []) -> Answer {
        ask("GET", target, nil, headers)
    }

    /// A list's pages, by the links of each to the next.
    /// - Parameter most: more pages than there can be; the test fails there.
    func pages(_ first: String, atMost most: Int = 60) -> [Answer] {
        var pages: [Answer] = []
        var target: String? = first
        while let next = target {
            guard pages.count < most else {
                Issue.record("more than \(most) pages: \(next)")
                break
            }
            let page = get(next)
            pages.append(page)
            guard page.status == 200 else {
                Issue.record("\(next): \(page.status) \(page.text.prefix(300))")
                break
            }
            target = page.next
        }
        return pages
    }

    func post(_ target: String, _ body: String) -> Answer { ask("POST", target, body) }

    func patch(_ target: String, _ body: String) -> Answer { ask("PATCH", target, body) }
}

extension JSONValue {
    struct NoArray: Error {}

    /// The elements of an array.
    /// - Throws: `NoArray`.
    var elements: [JSONValue] {
        get throws {
            guard case .array(let elements) = self else { throw NoArray() }
            return elements
        }
    }
}

extension Service {
    /// The answer of a worker.
    func respond(to request: Request) -> Response {
        answer(request, at: .unhurried).response()
    }
}

/// A parameter's value as it stands in a target.
func encoded(_ text: String) -> String {
    text.utf8.map { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: String(UnicodeScalar(byte))
        default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }
    }.joined()
}
