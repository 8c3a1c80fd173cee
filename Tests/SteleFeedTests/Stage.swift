/// A feed over a history, and clients that read its streams as slowly as a test wants.

import Glibc
import Logging
import SteleJSON
import SteleModel
import StelePersistence
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleHTTP
@testable import SteleRequests
@testable import SteleService

/// A feed that runs until the test is over.
final class Stage {
    let staff: Staff
    let store: HistoryStore
    let feed: ChangeFeed

    init(
        generation: String = "7f3a09c1", store: HistoryStore? = nil, limits: Limits = Limits(),
        _ change: (inout ChangeFeed.Options) -> Void = { _ in }
    ) throws {
        staff = try Staff()
        let history = store ?? HistoryStore(model: staff.model, generation: generation)
        self.store = history
        var options = ChangeFeed.Options()
        options.pollSeconds = 0.02
        // The store's saves are all of one day long ago.
        options.historySeconds = nil
        change(&options)
        feed = ChangeFeed(
            store: history, renderer: SnapshotRenderer(model: staff.model), options: options,
            limits: limits, logger: Logger(label: "feed.tests"),
            currentToken: { history.state.withLock { $0.last } },
            subscribe: { saves, elsewhere in
                history.listeners.withLock { $0.append(saves) }
                history.elsewhere.withLock { $0.append(elsewhere) }
                return {
                    history.listeners.withLock { $0 = [] }
                    history.elsewhere.withLock { $0 = [] }
                }
            })
        feed.start()
    }

    deinit { feed.stop() }

    /// The answer to a stream's request.
    func connect(
        since: String? = nil, lastEventID: String? = nil, entities: [Entity]? = nil,
        values: Bool = false, where text: String? = nil, updated: [String]? = nil,
        changeLimit: Int? = nil, seenBy sight: Sight? = nil
    ) throws -> Client {
        var call = ChangesCall()
        call.sight = sight
        call.since = since
        call.lastEventID = lastEventID
        call.entities = entities
        call.values = values
        call.changeLimit = changeLimit
        call.updated = updated
        call.condition = try text.map {
            try ChangeCondition(
                $0, variables: [], entities: entities ?? [staff.person], model: staff.model)
        }
        call.isStream = true
        let response = feed.stream(call)
        guard case .events(let stream) = response.body, response.status == 200 else {
            throw NoStream()
        }
        return Client(stream)
    }

    struct NoStream: Error {}
}

/// A client of one stream: reads only when it is told to.
final class Client {
    let stream: EventStream
    private(set) var text = ""
    private(set) var events: [ServerEvent] = []
    /// What a browser would send to resume.
    private(set) var lastEventID = ""
    private var rest = ""
    private var bytes: [UInt8] = []

    init(_ stream: EventStream) { self.stream = stream }

    /// Takes what waits, and reads it as a browser does (WHATWG, server-sent events).
    /// - Parameter most: how many bytes are taken at most.
    func read(atMost most: Int = .max) {
        withUnsafeTemporaryAllocation(byteCount: min(most, 1 << 16), alignment: 1) { room in
            var taken = 0
            while taken < most, stream.queuedBytes > 0 {
                let count = stream.read(into: room)
                guard count > 0 else { break }
                bytes += room.prefix(count)
                taken += count
            }
        }
        guard let end = bytes.lastIndex(of: 0x0A) else { return }
        let lines = String(decoding: bytes[...end], as: UTF8.self)
        bytes.removeSubrange(...end)
        text += lines
        rest += lines
        while let blank = rest.range(of: "\n\n") {
            take(rest[..<blank.lowerBound])
            rest.removeSubrange(..<blank.upperBound)
        }
    }

    private func take(_ block: Substring) {
        var event = ServerEvent()
        for line in block.split(separator: "\n", omittingEmptySubsequences: false) {
            let (name, value) = Self.field(line)
            switch name {
            case "id": lastEventID = value
            case "event": event.name = value
            case "data": event.data += event.data.isEmpty ? value : "\n" + value
            default: break
            }
        }
        event.id = lastEventID
        if !event.data.isEmpty { events.append(event) }
    }

    private static func field(_ line: Substring) -> (String, String) {
        guard let colon = line.firstIndex(of: ":") else { return (String(line), "") }
        let value = line[line.index(after: colon)...]
        return (String(line[..<colon]), String(value.first == " " ? value.dropFirst() : value))
    }

    /// Reads until that holds, for ten seconds at most.
    func wait(until holds: (Client) -> Bool) -> Bool {
        for _ in 0..<5_000 {
            read()
            if holds(self) { return true }
            usleep(2_000)
        }
        return false
    }

    /// Reads until there are so many events.
    func wait(for count: Int) -> Bool { wait { $0.events.count >= count } }

    /// The transactions told, parts once each.
    var told: [String] {
        events.filter { $0.name == "save" }.compactMap { event in
            (try? JSONDocument(event.data))?.root["transaction"]?.string
        }
    }

    /// The first event's data.
    func data(_ index: Int) throws -> JSONNode {
        try #require(events.indices.contains(index))
        return try JSONDocument(events[index].data).root
    }
}

struct ServerEvent {
    var id = ""
    var name = ""
    var data = ""
}

extension String {
    func range(of text: String) -> Range<Index>? { firstRange(of: text) }
}

extension Stage {
    /// A page of the JSON form, with its link.
    func page(_ query: String) throws -> (JSONNode, link: String?) {
        let (bytes, link) = try pageBytes(query)
        return (try JSONDocument(bytes).root, link)
    }

    func pageBytes(_ query: String) throws -> ([UInt8], link: String?) {
        let request = Request(
            method: "GET", path: feed.options.basePath + "/changes", query: query)
        let parsed = try Query(query, for: Parameter.changes, limits: Limits())
        let response = try feed.answer(request, parsed, as: .json)
        guard case .bytes(let bytes) = response.body else { throw NoStream() }
        return (bytes, response.headers.first { $0.name == "Link" }?.value)
    }

    /// The tokens of the saves of a page.
    static func transactions(_ node: JSONNode) -> [String] {
        (0..<node.count).compactMap { node[$0]?["transaction"]?.string }
    }

    /// The pages from one on, by their links.
    func pages(_ query: String) throws -> [[String]] {
        var next: String? = query
        var pages: [[String]] = []
        while let query = next {
            let (node, link) = try page(query)
            pages.append(Self.transactions(node))
            next = link.map {
                String($0.dropFirst("</changes?".count).dropLast(">; rel=\"next\"".count))
            }
        }
        return pages
    }
}
