/// A request as types: what it asks for, and in which form.

import SteleGraph
import SteleHTTP
import SteleJSON
import SteleModel
import StelePredicates

/// A parsed request.
///
/// It is a class because it goes from thread to thread with its plan and never changes.
package final class Call: Sendable {
    package let request: Request
    package let route: Route
    package let terms: Terms
    let limits: Limits
    package let query: Query
    package let body: JSONDocument?
    package let format: MediaType
    package let numbersAsStrings: Bool
    /// `at`: the place of a new member in an ordered relationship.
    let place: Int?
    /// The side that wins if a write conflicts with what is stored.
    let mergePolicy: MergePolicy
    /// The cache generation, which is a part of every entity tag of the answer.
    package let cacheGeneration: String
    let storeIdentifiers: [String]
    /// The permanent ids of the editing context that is asked; nil for the store.
    let temporaries: TemporaryIDs?

    /// Whether the request is to an editing context.
    var isEditing: Bool { temporaries != nil }

    /// Parses a request for its route.
    /// - Throws: `Problem`, `PredicateError`, `JSONError` for what cannot be read.
    package init(
        _ request: Request, route: Route, limits: Limits, cacheGeneration: String,
        storeIdentifiers: [String], temporaries: TemporaryIDs? = nil
    ) throws {
        self.temporaries = temporaries
        self.request = request
        self.route = route
        self.cacheGeneration = cacheGeneration
        self.storeIdentifiers = storeIdentifiers
        self.limits = limits
        terms = try Terms(request.headers, isRead: route.method.isSafe)
        if temporaries != nil, terms.idempotencyKey != nil {
            throw Problem(
                .header,
                "Idempotency-Key needs a save for the request alone, and a request to an editing "
                    + "context has none", hint: "leave it out")
        }
        body =
            try Self.takesBody(route, request)
            ? try Body.read(request, method: route.method, atMost: limits.valuesPerBody) : nil
        if route.method == .delete {
            // A body may name the object, which is then compared with the address.
            let names = if case .object = route.resource { BodyForm.identity } else { [String]() }
            try BodyMembers.read(body, names)
        }
        if case .query = route.resource, let body {
            query = try Query(request, body: body, limits: limits)
        } else {
            let template =
                if case .template(let it) = route.resource { it.variables } else { [String]() }
            query = try Query(
                request.query, for: Self.parameters(of: route), limits: limits, template: template)
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
                    throw Problem(
                        .parameter, "numbers must be string or number, not \($0.prefix(40))")
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
            "mergePolicy must be one of \(names.joined(separator: ", ")), not \(name.prefix(40))",
            hint: Nearest.hint(to: name, among: names))
    }

    /// The parameters that a route takes, besides `var.NAME`.
    package static func parameters(of route: Route) -> Set<Parameter> {
        let all = storeParameters(of: route)
        // The merge policy of a context is a setting of it, used when it saves.
        return route.context == nil ? all : all.subtracting([.mergePolicy])
    }

    private static func storeParameters(of route: Route) -> Set<Parameter> {
        switch (route.resource, route.method) {
        case (.changes, .delete): Parameter.purge
        case (.changes, _): Parameter.changes
        case (.live, _): Parameter.live
        case (.modelChanges, _): Parameter.modelChanges
        case (.list, .patch): Parameter.writeAll
        case (.list, .delete): Parameter.deleteAll
        case (.transactions, _): Parameter.write
        case (.list, .post), (.object, .put), (.object, .patch): Parameter.write
        case (.related(_, let relationship), .post) where relationship.isOrdered:
            Parameter.write.union([.at])
        case (.related, .post), (.related, .put): Parameter.write
        case (.list, _), (.query, _), (.template, _), (.fetched, _): Parameter.followed
        case (.context, _) where [.contextChanges, .contextSave].contains(route.pattern):
            [.numbers]
        case (.count, _), (.relatedCount, _): Parameter.counting
        case (.object, .get), (.object, .head), (.member, .get), (.member, .head): Parameter.object
        case (.related(_, let relationship), .get), (.related(_, let relationship), .head):
            relationship.isToMany ? Parameter.followed : Parameter.object
        default: []
        }
    }

    /// Whether the answer is a list, which has all formats.
    private static func isList(_ route: Route) -> Bool {
        guard route.isRead else { return false }
        return switch route.resource {
        case .list, .query, .template, .fetched: true
        case .related(_, let relationship): relationship.isToMany
        default: false
        }
    }

    /// Whether the request has a JSON body.
    private static func takesBody(_ route: Route, _ request: Request) throws -> Bool {
        if case .binary = route.resource, !route.isRead {
            try Body.checkIsWhole(request.headers)
        }
        if route.method == .delete { return !request.body.isEmpty }
        switch route.resource {
        case .binary: return false
        case .backup, .tickets:
            guard request.body.isEmpty else {
                throw Problem(
                    .body, "POST \(route.pattern.rawValue) takes no body",
                    hint: route.pattern == .backup
                        ? "the setting backups names the folder of backups" : nil)
            }
            return false
        // Most requests to a context need no body.
        case .contexts, .context: return route.method == .patch || !request.body.isEmpty
        default: return route.method == .post || route.method == .put || route.method == .patch
        }
    }

    private static func format(_ route: Route, _ query: Query, _ terms: Terms) throws -> MediaType {
        switch route.resource {
        case .health, .readiness, .metrics, .backup, .tickets, .options, .live, .openAPI,
            .templates, .rights, .modelVersions, .modelChanges, .page:
            return .json
        case .index: return terms.accept.prefersPage ? .html : .json
        case .changes where route.isRead: return try terms.accept.best(of: [.json, .events])
        case .changes: return .json
        // The type of the bytes is not known, and no Accept refuses them.
        case .binary: return .bytes
        case .model, .modelVersion: return try terms.accept.best(of: [.json, .xml])
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
                    "format must be \(isList ? "json, ndjson or csv" : "json") here, not "
                        + "\(named.prefix(40))", hint: "leave format out, or use format=json")
            }
        }
        // Such an answer has no body, or only a count of deleted objects (RFC 9110, 12.5.1).
        if route.method == .delete || !route.isRead && terms.wantsMinimal { return .json }
        guard isList else {
            do { return try terms.accept.best(of: [.json]) } catch let problem as Problem {
                throw route.isRead && terms.accept.names(.events) ? Self.following(route) : problem
            }
        }
        return try terms.accept.best(of: [.json, .ndjson, .csv, .events])
    }

    /// The error for a live query of what is not a list, with the list to follow instead.
    private static func following(_ route: Route) -> Problem {
        let hint: String? =
            switch route.resource {
            case .object(let it):
                "for one object: GET /\(it.entity.name)?where=_id == \(it.key) as text/event-stream"
            case .count(let entity): "GET /\(entity.name) as text/event-stream"
            default: nil
            }
        return Problem(
            .notAcceptable,
            "Accept names text/event-stream, which only lists, /live and /changes give",
            hint: hint ?? "leave Accept out, or add application/json to it")
    }
}
