// A service whose values are written and read by every road.

import FoundationEssentials
import Logging
import SteleGraph
import SteleHTTP
import SteleJSON
import SteleModel
import StelePersistence
import StelePredicates
import TestSupport
import Testing

@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

/// A service over a store of a kind, with things of the seams' model.
final class SeamStage: GraphFixture {
    let service: Service
    let coordinator: PersistentStoreCoordinator
    /// That of the store's file.
    let folder: TemporaryFolder
    private var (files, isOpen) = (0, true)

    convenience init(_ kind: StoreKind) throws {
        let folder = try TemporaryFolder()
        try self.init(kind.open(SeamModel.model(), at: folder.store), folder)
    }

    /// - Parameter folder: that of the store's file; removed with the stage.
    init(_ store: any PersistentStore, _ folder: TemporaryFolder) throws {
        self.folder = folder
        coordinator = PersistentStoreCoordinator(store: store)
        service = try Service(
            coordinator: coordinator, options: Service.Options(),
            logger: Logger(label: "seams") { _ in SwiftLogNoOpLogHandler() })
        service.changeFeed.start()
    }

    deinit { close() }

    func close() {
        guard isOpen else { return }
        isOpen = false
        service.changeFeed.stop()
        service.liveQueries.stop()
        coordinator.store.close()
    }

    // MARK: HTTP

    struct Answer {
        let status: Int
        let headers: [(name: String, value: String)]
        let text: String

        subscript(name: String) -> String? { headers.first { $0.name == name }?.value }
        /// The problem's code, or its text where it has none.
        var code: String { RawJSON.members(text)["code"] ?? text }
    }

    func ask(
        _ method: String, _ target: String, _ body: String = "",
        _ headers: [(name: String, value: String)] = []
    ) -> Answer {
        let response = respond(method, target, body, headers)
        return Answer(
            status: response.status, headers: response.headers, text: LiveStage.text(response))
    }

    private func respond(
        _ method: String, _ target: String, _ body: String,
        _ headers: [(name: String, value: String)]
    ) -> Response {
        let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
        let request = Request(
            method: method, path: parts[0], query: parts.count > 1 ? parts[1] : nil,
            headers: HTTPHeaders(headers), body: Array(body.utf8))
        return service.answer(request, at: .unhurried).response()
    }

    /// - Throws: where the answer is no success.
    @discardableResult
    func must(_ method: String, _ target: String, _ body: String = "") throws -> Answer {
        let answer = ask(method, target, body)
        try #require(answer.status < 300, "\(method) \(target) \(body): \(answer.text)")
        return answer
    }

    func stream(_ target: String) throws -> Client {
        guard
            case .events(let stream) =
                respond("GET", target, "", [("Accept", "text/event-stream")]).body
        else { throw Stage.NoStream() }
        return Client(stream)
    }

    // MARK: The store

    /// Inserts a thing by the library.
    func insert(_ values: [String: Value]) throws -> Int64 {
        let context = context()
        defer { context.close() }
        let object = try context.insert(try entity("Thing"))
        for (name, value) in values { object[name] = value }
        try context.save()
        return object.objectID.key
    }

    /// Fills the stage with random things, by the library and PATCH.
    func fill(_ count: Int, _ values: inout SeamValues) throws {
        let boxes = try (0..<2).map { _ in try must("POST", "/Box", "{}")["Location"] ?? "" }
        let plain = SeamModel.names.filter { $0 != "json" && $0 != "part" }
        for mark in 0..<count {
            var random: [String: Value] = ["mark": .int(Int64(mark))]
            for name in plain { random[name] = values.value(name) }
            let key = try insert(random)
            let json = values.numbers.one(in: 8) ? "null" : values.json()
            let amount = values.double()
            let box = boxes[mark % 2].split(separator: "/").last ?? ""
            try must(
                "PATCH", "/Thing/\(key)",
                "{\"json\":\(json),\"part\":{\"title\":\"\(mark)\",\"amount\":\"\(amount)\"},"
                    + "\"box\":\(box)}")
        }
    }

    /// The values of all things as the store has them, by key and name. A composite is a text.
    func stored() throws -> [Int64: [String: Value]] {
        let entity = try entity("Thing")
        let all = try read { try $0.fetch(FetchRequest(entity: entity)) }
        return Dictionary(uniqueKeysWithValues: all.map { ($0.key, values(of: $0)) })
    }

    /// Those of the thing with the largest key.
    func newest() throws -> [String: Value]? {
        var request = FetchRequest(entity: try entity("Thing"))
        request.sortDescriptors = [.init(.key("_id"), ascending: false)]
        request.fetchLimit = 1
        let checked = try request.checked(in: model)
        return try read { try $0.fetch(checked) }.first.map { values(of: $0) }
    }

    private func values(of thing: Snapshot) -> [String: Value] {
        var values: [String: Value] = [:]
        for name in SeamModel.names + SeamModel.derived {
            values[name] =
                name == "part"
                ? Self.part(
                    title: thing.value("part.title", in: model),
                    amount: thing.value("part.amount", in: model))
                : thing.value(name, in: model) ?? .null
        }
        return values
    }

    /// A composite as a text.
    static func part(title: Value?, amount: Value?) -> Value {
        .string(exact(title) + exact(amount))
    }

    /// A value bit by bit.
    static func exact(_ value: Value?) -> String {
        switch value {
        case .double(let it)?, .date(let it)?: "\(it) \(String(it.bitPattern, radix: 16))"
        case .string(let it)?: "text \(Array(it.utf8))"
        case .data(let it)?: "\(it.count) bytes \(it.hashValue)"
        case .external(let it)?: it.bytes.map { exact(.data($0)) } ?? "no file"
        case let value?: "\(value)"
        case nil: "-"
        }
    }

    /// Imports a file.
    /// - Throws: `ImportError` for what is refused.
    func load(_ text: String, as ending: String, entity: String? = "Thing") throws {
        files += 1
        let path = try folder.write(text, to: "file\(files).\(ending)")
        var options = ImportOptions()
        options.isAgain = true
        options.givesNewIDs = true
        // The boxes of exported things are not among them.
        options.missing = .null
        let plan = try ImportPlan(
            model: model, files: [(path: path, entity: entity)], keys: [], options: options)
        _ = try Import(coordinator, plan).run()
    }

    /// - Parameter entity: that whose objects are exported; nil for all.
    func export(_ format: DataFormat, of entity: String? = "Thing") throws -> String {
        var bytes: [UInt8] = []
        let plan = try ExportPlan(
            model: model, entities: entity.map { [$0] } ?? [], format: format)
        _ = try Export(coordinator, plan).run {
            bytes += $0
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
