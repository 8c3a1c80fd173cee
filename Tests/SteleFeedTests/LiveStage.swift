/// A service with live queries over a store of its own, and listeners that do as told.

import FoundationEssentials
import Glibc
import Logging
import SteleGraph
import SteleJSON
import SteleModel
import StelePersistence
import SteleSQLite
import TestSupport
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleHTTP
@testable import SteleRequests
@testable import SteleService

/// A service that runs until the test is over.
final class LiveStage {
    let staff: Staff
    private(set) var store: any PersistentStore
    private(set) var coordinator: PersistentStoreCoordinator
    private(set) var service: Service
    private let options: Service.Options
    private let folder: TemporaryFolder
    var path: String { folder.store }

    /// - Parameters:
    ///   - given: a store in the place of one of that kind.
    ///   - derivesSizes: as `Staff.init`.
    init(
        _ kind: StoreKind = .memory, over given: (any PersistentStore)? = nil,
        derivesSizes: Bool = false, _ change: (inout Service.Options) -> Void = { _ in }
    ) throws {
        staff = try Staff(derivesSizes: derivesSizes)
        folder = try TemporaryFolder()
        store = try given ?? kind.open(staff.model, at: folder.store)
        coordinator = PersistentStoreCoordinator(store: store)
        var options = Service.Options()
        change(&options)
        self.options = options
        service = try Self.service(coordinator, options)
    }

    private static func service(
        _ coordinator: PersistentStoreCoordinator, _ options: Service.Options
    ) throws -> Service {
        try Service(
            coordinator: coordinator, options: options,
            logger: Logger(label: "live.tests") { _ in SwiftLogNoOpLogHandler() })
    }

    deinit {
        service.liveQueries.stop()
        store.close()
    }

    /// Ends the service, and begins another over the same store.
    func restart() throws {
        service.liveQueries.stop()
        service = try Self.service(coordinator, options)
    }

    /// The same, as another process does, which knows nothing of what was before.
    /// - Parameter between: is done while there is no service.
    func restart(after between: () throws -> Void) throws {
        service.liveQueries.stop()
        try between()
        coordinator = PersistentStoreCoordinator(store: store)
        service = try Self.service(coordinator, options)
    }

    /// Closes a store in a file as well, and opens it again.
    /// - Parameter between: is done while nobody has it open.
    func reopen(after between: () throws -> Void = {}) throws {
        try restart {
            store.close()
            try between()
            store = try SQLiteStore.open(path: path, model: staff.model)
        }
    }

    func ask(
        _ method: String, _ target: String, _ body: String = "",
        _ headers: [(name: String, value: String)] = []
    ) -> Response {
        service.answer(Self.request(method, target, body, headers), at: .unhurried).response()
    }

    private static func request(
        _ method: String, _ target: String, _ body: String,
        _ headers: [(name: String, value: String)]
    ) -> Request {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        return Request(
            method: method, path: String(parts[0]), query: parts.count > 1 ? String(parts[1]) : nil,
            headers: HTTPHeaders(headers), body: Array(body.utf8))
    }

    /// What a live query means, without asking it.
    func plan(_ target: String) throws -> LivePlan {
        var passage = Passage(
            Self.request("GET", target, "", [("Accept", "text/event-stream")]), at: service.store,
            isTimed: false)
        let call = try service.call(service.route(&passage), &passage)
        guard case .live(let parts) = try service.plan(call, at: .unhurried, &passage).action else {
            throw Stage.NoStream()
        }
        return try #require(parts.first).plan
    }

    /// A write that must succeed.
    func write(_ method: String, _ target: String, _ body: String = "") throws {
        let response = ask(method, target, body, [("Content-Type", "application/json")])
        try #require(response.status < 300, "\(method) \(target): \(Self.text(response))")
    }

    /// Changes a store in a file as another program does, without a word in its history.
    func changeElsewhere(_ sql: String) throws {
        try RawDatabase(path).run(sql)
    }

    /// A list as JSON text.
    func list(_ target: String) throws -> JSONValue {
        let response = ask("GET", target)
        try #require(response.status == 200, "\(target): \(Self.text(response))")
        return JSONValue(try JSONDocument(Self.text(response)).root)
    }

    static func text(_ response: Response) -> String {
        if case .bytes(let bytes) = response.body {
            String(decoding: bytes, as: UTF8.self)
        } else {
            ""
        }
    }

    /// A listener of a live query; one that resumes shows what the other did, and comes with its
    /// last id.
    func listen(
        _ target: String, resuming former: Listener? = nil, lastEventID: String? = nil
    ) throws -> Listener {
        var headers = [(name: "Accept", value: "text/event-stream")]
        if let id = lastEventID ?? former?.client.lastEventID {
            headers.append(("Last-Event-ID", id))
        }
        let response = ask("GET", target, "", headers)
        guard case .events(let stream) = response.body, response.status == 200 else {
            throw Stage.NoStream()
        }
        return Listener(Client(stream), former)
    }

    /// The status and the problem of a live query that is refused.
    func refusal(_ target: String) throws -> (status: Int, text: String) {
        let response = ask("GET", target, "", [("Accept", "text/event-stream")])
        return (response.status, Self.text(response))
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

    /// Four people in two teams.
    func people() throws {
        try write("POST", "/Team", #"[{"name":"Reds"},{"name":"Blues"}]"#)
        try write(
            "POST", "/Person",
            #"[{"name":"Ann","salary":10,"team":1},{"name":"Bo","salary":20,"team":1}]"#)
        try write(
            "POST", "/Employee",
            #"[{"name":"Cy","salary":30,"team":2},{"name":"Di","salary":40}]"#)
    }
}

/// A client that shows the rows of live queries: what a page of a browser does.
final class Listener {
    let client: Client
    /// The rows by the query's name, which is empty for a query alone.
    private(set) var rows: [String: [JSONValue]] = [:]
    private(set) var sections: [String: [JSONValue]] = [:]
    /// How many rows were told as updated that look as they did.
    private(set) var idle = 0
    /// The names of the events, in order.
    private(set) var names: [String] = []
    private var taken = 0

    init(_ client: Client, _ former: Listener? = nil) {
        self.client = client
        rows = former?.rows ?? [:]
        sections = former?.sections ?? [:]
    }

    /// The transaction that its last id says it has been told.
    var place: Int64? { client.lastEventID.split(separator: "-").last.flatMap { Int64($0) } }

    /// Applies what has come.
    func read() throws {
        client.read()
        for event in client.events[taken...] {
            taken += 1
            names.append(event.name)
            try show(event)
        }
    }

    /// Shows what an event says.
    func show(_ event: ServerEvent) throws {
        let parts = event.name.split(separator: ".").map(String.init)
        let query = parts.count > 1 ? parts[0] : ""
        let data = JSONValue(try JSONDocument(event.data).root)
        switch parts.last {
        case "snapshot":
            rows[query] = data["rows"].map(items) ?? []
            sections[query] = data["sections"].map(items)?.compactMap { $0["name"] }
        case "change": apply(data, query)
        default: break
        }
    }

    private func apply(_ data: JSONValue, _ query: String) {
        var now = rows[query] ?? []
        let moves = items(data["moves"])
        let gone =
            items(data["deletes"]).map { number($0["index"]) } + moves.map { number($0["from"]) }
        for index in gone.sorted(by: >) {
            guard now.indices.contains(index) else { return lost(data) }
            now.remove(at: index)
        }
        let come =
            items(data["inserts"]).map { (number($0["index"]), $0) }
            + moves.map { (number($0["to"]), $0) }
        for (index, row) in come.sorted(by: { $0.0 < $1.0 }) {
            guard index >= 0, index <= now.count else { return lost(data) }
            now.insert(row, at: index)
        }
        for row in items(data["updates"]) {
            let index = number(row["index"])
            guard now.indices.contains(index) else { return lost(data) }
            if now[index]["object"] == row["object"], now[index]["section"] == row["section"] {
                idle += 1
            }
            now[index] = row
        }
        rows[query] = now
        if let told = data["sections"] {
            for change in items(told["deletes"]).reversed() {
                sections[query]?.remove(at: number(change["index"]))
            }
            for change in items(told["inserts"]) {
                sections[query]?.insert(change["name"] ?? .null, at: number(change["index"]))
            }
        }
    }

    private func lost(_ data: JSONValue) {
        Issue.record("a change of rows that are not there: \(data)")
    }

    private func items(_ value: JSONValue?) -> [JSONValue] {
        if case .array(let items)? = value { items } else { [] }
    }

    private func number(_ value: JSONValue?) -> Int {
        if case .integer(let number)? = value { Int(number) } else { -1 }
    }

    /// The objects that are shown.
    func objects(_ query: String = "") -> JSONValue {
        .array((rows[query] ?? []).map { $0["object"] ?? .null })
    }

    /// Reads until that holds, for ten seconds at most.
    func wait(until holds: () throws -> Bool) throws -> Bool {
        for _ in 0..<5_000 {
            try read()
            if try holds() { return true }
            usleep(2_000)
        }
        return false
    }

    /// Reads until the rows are what the list gives.
    func becomes(_ stage: LiveStage, _ target: String, _ query: String = "") throws -> Bool {
        let wanted = try stage.list(target)
        return try wait { rows[query] != nil && objects(query) == wanted }
    }
}
