/// The parameters of `GET /changes` as types.

import SteleHTTP
import SteleModel
import StelePersistence
import SteleRequests

/// A call of the change feed.
package struct ChangesCall: Sendable {
    /// `since`: a token, or `0`.
    package var since: String?
    /// The `Last-Event-ID` header. On streams it wins over `since`, because a browser repeats its
    /// first URL; in the JSON form `since` wins, which a `Link` has.
    var lastEventID: String?
    /// `until`: the token of the last save of a JSON page, which ends there; nil for a page that begins
    /// at a token.
    package var until: String?
    /// `entity`, with their subentities; nil for all.
    package var entities: [Entity]?
    /// `where`; nil where every object matches.
    package var condition: ChangeCondition?
    /// `updated`: the keys of which an update must have changed one, ascending; nil for any.
    package var updated: [String]?
    /// `values`: whether changes have objects and old values.
    package var values = false
    /// Whether the model preserves values of the entities after a deletion.
    package var tombstones = false
    /// `limit`: the most transactions of a JSON page; nil where it is not given.
    package var limit: Int?
    /// `changeLimit`: the most changes of a save; nil for all, on as many pages or in as many parts
    /// as they take.
    package var changeLimit: Int?
    /// Whether the response is an event stream.
    package var isStream = false
    /// What is visible to the role; nil for everything.
    package var sight: Sight?

    package init() {}

    /// The token to begin at, and the name of the header or parameter that has it.
    package var start: (token: String, name: String)? {
        let header = lastEventID.map { ($0, "Last-Event-ID") }
        let parameter = since.map { ($0, "since") }
        return isStream ? header ?? parameter : parameter ?? header
    }

    /// The filter of the call.
    package var filter: ChangeFilter {
        let indexes = entities.map { Set($0.flatMap { Array($0.subtree) }).sorted() }
        return ChangeFilter(
            entities: indexes, values: values, updated: updated, condition: condition,
            tombstones: tombstones, changeLimit: changeLimit, sight: sight)
    }

    /// Reads the call.
    /// - Parameters:
    ///   - query: the parameters, all of them in `Parameter.changes`.
    ///   - format: JSON or events.
    /// - Throws: `Problem` that names the parameter.
    package init(
        _ request: Request, _ query: Query, as format: MediaType, model: Model,
        storeIdentifiers: [String], maximumLimit: Int
    ) throws {
        isStream = format == .events
        lastEventID = request.headers["Last-Event-ID"].flatMap { $0.isEmpty ? nil : $0 }
        since = query[.since]
        until = query[.until]
        entities = try query[.entity].map { try Self.entities($0, in: model) }
        condition = try query[.where].map { text in
            guard let entities else {
                throw Problem(
                    .parameter, "where needs the parameter entity, whose properties it names",
                    hint: "entity=\(model.entities.first?.name ?? "NAME")&where=…")
            }
            return try ChangeCondition(
                text, variables: query.variables, entities: entities, model: model,
                storeIdentifiers: storeIdentifiers)
        }
        let told = entities?.flatMap { model.family(of: $0) } ?? model.entities
        tombstones = told.contains(where: \.preservesValues)
        if condition == nil { try ListCall.checkUse(of: query.variables, among: []) }
        updated = try query[.updated].map { try Self.keys($0, of: entities, in: model) }
        values = try query[.values].map { try Self.truth($0, of: "values") } ?? false
        limit = try query[.limit].map { try Self.limit($0, of: "limit", atMost: maximumLimit) }
        changeLimit = try query[.changeLimit].map {
            try Self.limit($0, of: "changeLimit", atMost: Self.highestChangeLimit)
        }
        if until != nil, isStream || since != nil {
            throw Problem(
                .parameter,
                isStream
                    ? "until is for the JSON form; a stream goes on"
                    : "since and until exclude each other: a page begins after a token or ends at one",
                hint: "leave \(isStream ? "until" : "one of them") out")
        }
        if isStream, limit != nil {
            throw Problem(
                .parameter, "limit is for the JSON form; a stream has no end",
                hint: "leave limit out, or ask for application/json")
        }
    }

    /// The highest `changeLimit`.
    package static let highestChangeLimit = 1_000

    private static func entities(_ text: String, in model: Model) throws -> [Entity] {
        let names = text.split(separator: ",", omittingEmptySubsequences: false)
        return try names.map { name in
            let name = String(name)
            guard let entity = model.entity(named: name) else {
                let what =
                    name.isEmpty ? "entity has an empty name" : "the model has no entity \(name)"
                throw Problem(
                    .parameter, what,
                    hint: Nearest.hint(to: name, among: model.entities.map(\.name)))
            }
            return entity
        }
    }

    /// The keys of `updated`; a composite attribute stands for all of its elements.
    private static func keys(
        _ text: String, of entities: [Entity]?, in model: Model
    ) throws -> [String] {
        var known: [String: [String]] = [:]
        for index in Set(entities?.flatMap { Array($0.subtree) } ?? Array(model.entities.indices)) {
            for property in model.entities[index].properties {
                switch property {
                case .fetchedProperty, .transientRelationship: continue
                case .attribute, .relationship: break
                }
                let name = property.name
                known[name] = [name]
                if case .attribute(let it) = property, it.isComposite {
                    known[name] = it.leaves.map(\.name)
                    for leaf in it.leaves { known[leaf.name] = [leaf.name] }
                }
            }
        }
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let keys = try names.flatMap { name in
            guard let keys = known[name] else {
                let what = entities?.map(\.name).joined(separator: " or ") ?? "any entity"
                throw Problem(
                    .parameter,
                    name.isEmpty
                        ? "updated has an empty name"
                        : "updated: \(name.prefix(80)) is not a property of \(what)",
                    hint: Nearest.hint(to: name, among: known.keys.sorted()))
            }
            return keys
        }
        return Set(keys).sorted()
    }

    private static func truth(_ text: String, of name: String) throws -> Bool {
        switch text {
        case "true": true
        case "false": false
        default: throw Problem(.parameter, "\(name) is true or false, not \(text)")
        }
    }

    private static func limit(
        _ text: String, of name: String, atMost maximum: Int
    ) throws -> Int {
        guard let number = Int(text), (1...maximum).contains(number),
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else {
            throw Problem(.parameter, "\(name) is a whole number from 1 to \(maximum), not \(text)")
        }
        return number
    }
}
