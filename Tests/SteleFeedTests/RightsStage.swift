// A service with roles, and readers of its answers and streams.

import FoundationEssentials
import Glibc
import Logging
import SteleGraph
import SteleJSON
import SteleModel
import StelePersistence
import TestSupport
import Testing

@testable import SteleHTTP
@testable import SteleRequests
@testable import SteleService

/// A service with roles and data, whose feed runs.
final class RightsStage {
    let service: Service
    private let store: any PersistentStore
    private let folder: TemporaryFolder

    /// - Parameters:
    ///   - model: a model in the place of that of `RightsModel`.
    ///   - data: its objects, as a transaction.
    init(
        _ kind: StoreKind, rights: String = RightsModel.rights, model: Model? = nil,
        data: String = RightsModel.data,
        logger: Logger = Logger(label: "rights.tests") { _ in SwiftLogNoOpLogHandler() },
        _ change: (inout Service.Options) -> Void = { _ in }
    ) throws {
        folder = try TemporaryFolder()
        store = try kind.open(model ?? RightsModel.model(), at: folder.store)
        var options = Service.Options()
        options.rights = try RightsFile(rights)
        change(&options)
        service = try Service(
            coordinator: PersistentStoreCoordinator(store: store), options: options,
            logger: logger)
        service.changeFeed.start()
        try write("POST", "/transactions", data)
    }

    deinit {
        service.changeFeed.stop()
        service.liveQueries.stop()
        store.close()
    }

    func ask(
        _ who: String, _ method: String, _ target: String, _ body: String = "",
        accept: String = "application/json", _ more: [(name: String, value: String)] = []
    ) -> Response {
        let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
        var headers = [(name: "Accept", value: accept)] + more
        if !who.isEmpty { headers.append(("Authorization", "Bearer token-\(who)")) }
        let request = Request(
            method: method, path: parts[0], query: parts.count > 1 ? parts[1] : nil,
            headers: HTTPHeaders(headers), body: Array(body.utf8))
        return service.answer(request, at: .unhurried).response()
    }

    /// A write of the reader with all rights.
    func write(_ method: String, _ target: String, _ body: String = "") throws {
        let response = ask("root", method, target, body)
        try #require(response.status < 300, "\(method) \(target): \(LiveStage.text(response))")
    }

    /// Imports records in one save, which has so many of them in each part. Objects with a key that
    /// the store has are changed.
    func load(_ records: [String], keys: [String: String], batch: Int) throws {
        let path = try folder.write(records.joined(separator: "\n"), to: "records.ndjson")
        var options = ImportOptions()
        options.onConflict = .update
        var plan = try ImportPlan(
            model: store.model, files: [(path: path, entity: nil)],
            keys: keys.map { (entity: $0.key, attribute: $0.value) }, options: options)
        plan.recordsPerBatch = batch
        try Import(service.coordinator, plan).run()
    }

    /// - Parameter id: the id of the last event of a stream that is resumed; empty for another.
    func stream(_ who: String, _ target: String, resuming id: String = "") throws -> Client {
        let response = ask(
            who, "GET", target, accept: "text/event-stream",
            id.isEmpty ? [] : [("Last-Event-ID", id)])
        guard case .events(let stream) = response.body, response.status == 200 else {
            throw Stage.NoStream()
        }
        return Client(stream)
    }

    /// The number of the last save.
    var place: Int64 {
        get throws {
            let reader = try store.reader()
            defer { reader.close() }
            return try reader.token
        }
    }

    /// The token of the last save.
    var token: String { get throws { "\(store.generation)-\(try place)" } }

    /// The changes after a save that a reader is told, in short: `insert Document 2`.
    func changes(_ who: String, since: String, _ more: String = "") throws -> [String] {
        let response = ask(who, "GET", "/changes?since=\(since)\(more)")
        try #require(response.status == 200, "\(LiveStage.text(response))")
        let saves = JSONValue(try JSONDocument(LiveStage.text(response)).root)
        return Self.short(saves)
    }

    static func short(_ saves: JSONValue) -> [String] {
        guard case .array(let all) = saves else { return ["no list"] }
        return all.flatMap { save -> [String] in
            guard case .array(let changes)? = save["changes"] else { return ["no changes"] }
            return changes.map(short(change:))
        }
    }

    static func short(change: JSONValue) -> String {
        func text(_ name: String) -> String {
            if case .string(let text)? = change[name] { text } else { "?" }
        }
        var told = "\(text("change")) \(text("entity")) \(change["_id"]?.compact ?? "?")"
        if case .array(let names)? = change["updated"] {
            told += " " + names.map { $0.compact.filter { $0 != "\"" } }.joined(separator: ",")
        }
        if let object = change["object"], object["source"] != nil {
            told += " source \(object["source"]?.compact ?? "-")"
        }
        if let before = change["before"] { told += " was \(before.compact)" }
        return told.filter { $0 != "\"" }
    }
}
