/// A request as types: what is asked, and how the answer shall be.

import SteleGraph
import SteleHTTP
import SteleJSON
import SteleModel
import StelePredicates

/// One request, understood.
///
/// A class, for it goes with its plan from thread to thread and is never changed.
package final class Call: Sendable {
    package let request: Request
    package let route: Route
    package let terms: Terms
    package let limits: Limits
    package let query: Query
    package let body: JSONDocument?
    /// The format of the answer.
    package let format: MediaType
    package let numbersAsStrings: Bool
    /// `at`, for a new member's place in an ordered relationship.
    package let place: Int?
    /// Who wins where a write meets what is stored.
    package let mergePolicy: MergePolicy
    /// Part of every tag of this answer.
    package let cacheGeneration: String
    /// The store that is asked.
    package let storeIdentifier: String
    /// What temporary ids have become in the editing context that is asked; nil for the store.
    package let temporaries: TemporaryIDs?

    /// Whether an editing context is asked.
    package var isEditing: Bool { temporaries != nil }

    /// Reads a request for its route.
    /// - Throws: `Problem`, `PredicateError`, `JSONError`: what cannot be understood of it.
    package init(
        _ request: Request, route: Route, limits: Limits, cacheGeneration: String,
        storeIdentifier: String, temporaries: TemporaryIDs? = nil
    ) throws {
        self.temporaries = temporaries
        self.request = request
        self.route = route
        self.cacheGeneration = cacheGeneration
        self.storeIdentifier = storeIdentifier
        self.limits = limits
        terms = try Terms(request.headers, isRead: route.method.isSafe)
        if temporaries != nil, terms.idempotencyKey != nil {
            throw Problem(
                .header,
                "Idempotency-Key is kept with a save of one request's own, and an editing "
                    + "context has no such", hint: "leave it out")
        }
        body =
            try Self.takesBody(route, request) ? try Body.read(request, method: route.method) : nil
        if route.method == .delete {
            // What names the object is compared with it; a body says nothing else here.
            let names = if case .object = route.resource { BodyForm.identity } else { [String]() }
            try BodyMembers.read(body, names) { _, _ in }
        }
        if case .query = route.resource, let body {
            query = try Query(request, body: body, limits: limits)
        } else {
            query = try Query(request.query, for: Self.parameters(of: route), limits: limits)
        }
        format = try Self.format(route, query, terms)
        if query[.sectionBy] != nil, format != .events {
            throw Problem(
                .parameter, "sectionBy is for live queries, and this answer is a list",
                hint: "send Accept: text/event-stream, or sort by the section's key path")
        }
        numbersAsStrings =
            try query[.numbers].map {
                guard $0 == "string" || $0 == "number" else {
                    throw Problem(.parameter, "numbers is string or number, not \($0.prefix(40))")
                }
                return $0 == "string"
            } ?? false
        place = try query[.at].map { try ListCall.number($0, .at, 0...Int(Int32.max)) }
        mergePolicy = try query[.mergePolicy].map(Self.mergePolicy) ?? .error
    }

    private static func mergePolicy(_ name: String) throws -> MergePolicy {
        if let policy = MergePolicy(rawValue: name) { return policy }
        let names = MergePolicy.allCases.map(\.rawValue)
        throw Problem(
            .parameter,
            "mergePolicy is \(names.joined(separator: ", ")), not \(name.prefix(40))",
            hint: Nearest.hint(to: name, among: names))
    }

    /// The parameters that a route takes.
    static func parameters(of route: Route) -> Set<Parameter> {
        let all = storeParameters(of: route)
        // Who wins is said to the context, which meets others at its save.
        return route.context == nil ? all : all.subtracting([.mergePolicy])
    }

    private static func storeParameters(of route: Route) -> Set<Parameter> {
        switch (route.resource, route.method) {
        case (.changes, .delete): Parameter.purge
        case (.changes, _): Parameter.changes
        case (.live, _): Parameter.live
        case (.list, .patch): Parameter.writeAll
        case (.list, .delete): Parameter.deleteAll
        case (.transactions, _): Parameter.write
        case (.list, .post), (.object, .put), (.object, .patch): Parameter.write
        case (.related(_, _, let relationship), .post) where relationship.isOrdered:
            Parameter.write.union([.at])
        case (.related, .post), (.related, .put): Parameter.write
        case (.list, _), (.query, _), (.template, _): Parameter.followed
        case (.fetched, _): Parameter.list
        case (.count, _), (.relatedCount, _): Parameter.counting
        case (.object, .get), (.object, .head), (.member, .get), (.member, .head): Parameter.object
        case (.related(_, _, let relationship), .get), (.related(_, _, let relationship), .head):
            relationship.isToMany ? Parameter.list : Parameter.object
        default: []
        }
    }

    /// Whether the answer is a list, which has all formats.
    private static func isList(_ route: Route) -> Bool {
        guard route.isRead else { return false }
        return switch route.resource {
        case .list, .query, .template, .fetched: true
        case .related(_, _, let relationship): relationship.isToMany
        default: false
        }
    }

    /// Whether the body is JSON.
    private static func takesBody(_ route: Route, _ request: Request) throws -> Bool {
        if case .binary = route.resource, !route.isRead {
            try Body.checkIsWhole(request.headers)
        }
        if route.method == .delete { return !request.body.isEmpty }
        switch route.resource {
        case .binary: return false
        // Most of what a context is told needs no words.
        case .contexts, .context: return route.method == .patch || !request.body.isEmpty
        default: return route.method == .post || route.method == .put || route.method == .patch
        }
    }

    private static func format(_ route: Route, _ query: Query, _ terms: Terms) throws -> MediaType {
        switch route.resource {
        case .index, .health, .readiness, .options, .live, .templates: return .json
        case .changes: return route.isRead ? try changesFormat(terms.accept) : .json
        // Of a kind that nobody has told Stele, so that no Accept can refuse it.
        case .binary: return .bytes
        case .model: return try terms.accept.best(of: [.json, .xml])
        case .errorCodes: return try terms.accept.best(of: [.json, .text])
        default: break
        }
        let isList = isList(route)
        if let named = query[.format] {
            switch named {
            case "json": return .json
            case "ndjson" where isList: return .ndjson
            case "csv" where isList: return .csv
            default:
                throw Problem(
                    .parameter,
                    "format is \(isList ? "json, ndjson or csv" : "json") here, not "
                        + "\(named.prefix(40))", hint: "leave format out, or say format=json")
            }
        }
        guard isList else {
            do { return try terms.accept.best(of: [.json]) } catch let problem as Problem {
                throw route.isRead && terms.accept.names(.events) ? Self.following(route) : problem
            }
        }
        let type = try terms.accept.best(of: [.json, .ndjson, .csv, .events])
        if type == .events, route.context != nil {
            // What is unsaved has no history that could be followed.
            throw Problem.notBuilt(
                "a live query in an editing context (Accept: text/event-stream)",
                instead: "the same list outside of the context, which follows what is saved, is")
        }
        return type
    }

    /// The form that is asked for: JSON, unless `Accept` names `text/event-stream` and gives JSON no
    /// greater weight (RFC 9110, 12.4.2).
    /// - Throws: `Problem`, 406, where neither is accepted.
    static func changesFormat(_ accept: Accept) throws -> MediaType {
        let offers: [MediaType] = [.json, .events]
        return try accept.best(of: accept.names(.events) ? offers.reversed() : offers)
    }

    /// What can be followed, for who asks to follow something else.
    private static func following(_ route: Route) -> Problem {
        let hint: String? =
            switch route.resource {
            case .object(let entity, let key):
                "for one object: GET /\(entity.name)?where=_id == \(key) as text/event-stream"
            case .count(let entity): "GET /\(entity.name) as text/event-stream"
            default: nil
            }
        return Problem(
            .notAcceptable,
            "Accept names text/event-stream, and only lists, /live and /changes are given as that",
            hint: hint ?? "leave Accept out, or add application/json to it")
    }
}
