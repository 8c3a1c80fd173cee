/// A request as types: what is asked, and how the answer shall be.

import SteleGraph
import SteleHTTP
import SteleJSON
import SteleModel
import StelePredicates

/// One request, understood.
///
/// A class, for it goes with its plan from thread to thread and is never changed.
final class Call: Sendable {
    let request: Request
    let route: Route
    let terms: Terms
    let limits: Limits
    let query: Query
    /// What a reading route is asked for; nil for all others. Of a plan that is known, only where
    /// its page begins and ends.
    let list: ListCall?
    /// The shape of what is asked for; nil where no plan is kept of it.
    let shape: PredicateShape?
    /// The plan that was kept of the shape.
    let known: KnownPlan?
    let body: JSONDocument?
    /// The format of the answer.
    let format: MediaType
    let numbersAsStrings: Bool
    /// `at`, for a new member's place in an ordered relationship.
    let place: Int?
    /// Who wins where a write meets what is stored.
    let mergePolicy: MergePolicy
    /// Part of every tag of this answer.
    let cacheGeneration: String

    /// Reads a request for its route.
    /// - Throws: `Problem`, `PredicateError`, `JSONError`: what cannot be understood of it.
    init(
        _ request: Request, route: Route, limits: Limits, cacheGeneration: String,
        plans: PlanCache, visibility: Visibility
    ) throws {
        self.request = request
        self.route = route
        self.cacheGeneration = cacheGeneration
        self.limits = limits
        terms = try Terms(request.headers, isRead: route.method.isSafe)
        body = try Self.takesBody(route, request) ? try Body.read(request, method: route.method) : nil
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
        if Self.readsObjects(route) {
            var template = Set<String>()
            if case .template(let it) = route.resource { template.formUnion(it.variables) }
            shape = PlanCache.shape(route, query, format, visibility)
            known = shape.flatMap { plans.plan(of: $0) }
            list = try ListCall(
                query, limits: limits, isBounded: format == .json, template: template,
                shape: shape, isKnown: known != nil)
        } else {
            (list, shape, known) = (nil, nil, nil)
        }
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
        switch (route.resource, route.method) {
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

    /// Whether the route finds objects by the parameters of a list.
    private static func readsObjects(_ route: Route) -> Bool {
        if case .list = route.resource { return route.method != .post }
        guard route.isRead else { return false }
        return switch route.resource {
        case .list, .count, .query, .template, .object, .related, .fetched, .relatedCount,
            .member:
            true
        default: false
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
        if case .binary = route.resource {
            guard !request.headers.contains("Content-Encoding") else { throw Body.encoded }
            return false
        }
        return route.method == .post || route.method == .put || route.method == .patch
    }

    private static func format(_ route: Route, _ query: Query, _ terms: Terms) throws -> MediaType {
        switch route.resource {
        case .index, .health, .readiness, .options, .changes, .live, .templates: return .json
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
        guard isList else { return try terms.accept.best(of: [.json]) }
        return try terms.accept.best(of: [.json, .ndjson, .csv, .events])
    }

    /// The `Link` to the next page (RFC 8288): this address, with another place to begin.
    func link(to next: NextPage) -> String {
        var address = ByteWriter(capacity: 512)
        address.byte(UInt8(ascii: "<"))
        Self.escape(request.path.utf8, to: &address)
        address.byte(UInt8(ascii: "?"))
        for part in (request.query ?? "").utf8.split(separator: UInt8(ascii: "&")) {
            let name = part.prefix { $0 != UInt8(ascii: "=") }
            if name.elementsEqual(Parameter.after.rawValue.utf8)
                || name.elementsEqual(Parameter.offset.rawValue.utf8)
            {
                continue
            }
            Self.escape(part, to: &address)
            address.byte(UInt8(ascii: "&"))
        }
        switch next {
        case .after(let cursor): address.write("after=\(cursor.text)")
        case .offset(let offset): address.write("offset=\(offset)")
        }
        address.raw(">; rel=\"next\"")
        return String(decoding: address.bytes, as: UTF8.self)
    }

    /// What a client may send in a target and no Link header may hold is percent-encoded.
    private static func escape(
        _ text: some Sequence<UInt8>, to writer: inout ByteWriter
    ) {
        for byte in text {
            switch byte {
            case 0x21, 0x23...0x3B, 0x3D, 0x3F...0x5B, 0x5D, 0x5F, 0x61...0x7A, 0x7E:
                writer.byte(byte)
            default:
                writer.byte(UInt8(ascii: "%"))
                writer.byte(hexDigit(byte >> 4))
                writer.byte(hexDigit(byte & 0xF))
            }
        }
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}
