// Parameters: in the path, in the query, and as header fields.

import SteleJSON
import SteleModel
import SteleRequests

extension OpenAPIDocument {
    /// Parameters in a fixed order.
    func ordered(_ parameters: Set<Parameter>) -> [Parameter] {
        Parameter.allCases.filter(parameters.contains)
    }

    /// The parameters of an operation.
    func parameters(_ place: OpenAPIPlace, _ route: Route) -> [JSONValue] {
        let known = Call.parameters(of: route).subtracting(Self.hidden(of: route))
        var all = place.placeholders.map(Self.shared)
        all += ordered(known).map { parameter in
            isRequired(parameter, route)
                ? query(parameter, isRequired: true) : Self.shared(parameter.name)
        }
        if case .template(let template) = route.resource {
            all += template.variables.map { variable($0, of: template) }
        }
        if known.contains(.where) { all.append(Self.shared("variables")) }
        return all
            + OpenAPIRequestHeader.allCases.filter { $0.applies(to: route) }
            .map { Self.shared($0.rawValue) }
    }

    /// The parameters that operations refer to.
    var sharedParameters: [(String, JSONValue)] {
        // An address has the same text for an id of either kind.
        let id: JSONValue = isEditing ? ["type": "string", "minLength": 1] : ref(.id)
        let path: [(String, JSONValue)] = [
            ("id", Self.path("id", "The id of the object.", id)),
            ("member", Self.path("member", "The id of the member.", id)),
            (
                "context",
                Self.path(
                    "context", "The id of the editing context.", ["type": "string", "minLength": 1])
            ),
            (
                "version",
                Self.path(
                    "version", "The name of a version of the model.",
                    ["type": "string", "minLength": 1])
            ),
        ]
        return path
            + Parameter.allCases.filter { !Self.shapes.subtracting([.numbers]).contains($0) }
            .map { ($0.name, query($0, isRequired: $0 == .q)) }
            + [("variables", Self.variables)]
            + OpenAPIRequestHeader.allCases.filter { !isEditing || !$0.isOfStoreAlone }
            .map { ($0.rawValue, $0.json) }
    }

    private static func shared(_ name: String) -> JSONValue {
        .object([("$ref", .string("#/components/parameters/\(name)"))])
    }

    private static func path(
        _ name: String, _ meaning: String, _ schema: JSONValue
    ) -> JSONValue {
        [
            "name": .string(name), "in": "path", "required": true, "description": .string(meaning),
            "schema": schema,
        ]
    }

    /// The parameters that give an answer another form than the schema of its objects.
    private static let shapes: Set<Parameter> = [.select, .groupBy, .having, .distinct, .numbers]

    /// The parameters that are left out: those of the form, but where the answer has any objects,
    /// because a client that is generated of the document cannot read other answers with them. A
    /// query has its parameters in the body; only those of its `Link` are in the address.
    private static func hidden(of route: Route) -> Set<Parameter> {
        switch route.resource {
        case .query: Set(Parameter.allCases).subtracting([.offset, .after])
        case .transactions, .context: []
        default: shapes
        }
    }

    /// Whether a request without the parameter is refused.
    private func isRequired(_ parameter: Parameter, _ route: Route) -> Bool {
        switch (route.resource, route.method) {
        // No one deletes or changes all objects by a forgotten parameter.
        case (.list, .patch), (.list, .delete): parameter == .where
        default: parameter == .before
        }
    }

    private func query(_ parameter: Parameter, isRequired: Bool) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("name", .string(parameter.name)), ("in", "query"),
        ]
        if isRequired { members.append(("required", true)) }
        members.append(("description", .string(parameter.meaning)))
        if case .named = parameter.form {
            members += Self.exploded("^\(parameter.name)\\.[A-Za-z0-9_-]{1,64}$", least: 1)
        } else {
            members.append(("schema", .object(Self.members(of: parameter.form))))
        }
        if let example = parameter.example { members.append(("example", .string(example))) }
        return .object(members)
    }

    /// Parameters whose names the client chooses: the members of an object, each a parameter.
    private static func exploded(_ pattern: String, least: Int64 = 0) -> [(String, JSONValue)] {
        var schema: [(String, JSONValue)] = [
            ("type", "object"), ("propertyNames", ["pattern": .string(pattern)]),
            ("additionalProperties", ["type": "string"]),
        ]
        if least > 0 { schema.append(("minProperties", .integer(least))) }
        return [("style", "form"), ("explode", true), ("schema", .object(schema))]
    }

    private static let variables: JSONValue = .object(
        [
            ("name", "variables"), ("in", "query"),
            ("description", "The value of each $NAME in an expression, as var.NAME."),
        ] + exploded("^var\\.[A-Za-z_][A-Za-z0-9_]*$"))

    /// A variable of a template, with the type of the attribute that it is compared with.
    private func variable(_ name: String, of template: FetchTemplate) -> JSONValue {
        var schema: JSONValue = ["type": "string"]
        switch template.attribute(comparedWith: name, in: model)?.type {
        case .integer16, .integer32, .integer64: schema = ["type": "integer", "format": "int64"]
        case .decimal, .double, .float: schema = ["type": "number"]
        case .boolean: schema = ["type": "boolean"]
        case .date: schema = ["type": "string", "format": "date-time"]
        case .uuid: schema = ["type": "string", "format": "uuid"]
        default: break
        }
        return [
            "name": .string("var.\(name)"), "in": "query", "required": true,
            "description": .string("The value of $\(name)."), "schema": schema,
        ]
    }
}

/// Header fields of requests. Those that OpenAPI describes elsewhere (Accept, Authorization,
/// Content-Type) are not among them.
enum OpenAPIRequestHeader: String, CaseIterable {
    case ifMatch = "If-Match"
    case ifNoneMatch = "If-None-Match"
    case idempotencyKey = "Idempotency-Key"
    case prefer = "Prefer"
    case range = "Range"
    case ifRange = "If-Range"
    case lastEventID = "Last-Event-ID"
    case historyToken = "History-Token"

    private var meaning: String {
        switch self {
        case .ifMatch: "Entity tags; the request is refused if none is the present one."
        case .ifNoneMatch: "Entity tags; a read of one that is present is answered by 304."
        case .idempotencyKey:
            "A key of 1 to 255 bytes; the same write is executed once. If it is sent again after "
                + "its object is deleted, the answer has {_entity, _id, deleted: true} instead."
        case .prefer: "return=minimal gives the answer without a body."
        case .range: "The bytes to give, such as bytes=0-1023."
        case .ifRange: "An entity tag; the range is given only if it is present."
        case .lastEventID: "The id of the last event that was received."
        case .historyToken: "The token of a save that the answer must have; a replica may give it."
        }
    }

    private var example: JSONValue {
        switch self {
        case .ifMatch, .ifNoneMatch, .ifRange: "\"1-5d0c8a\""
        case .idempotencyKey: "7c0f7a52-6a1e-4a3b-9d58-2f6f0f1f7f10"
        case .prefer: "return=minimal"
        case .range: "bytes=0-1023"
        case .lastEventID, .historyToken: "0"
        }
    }

    var json: JSONValue {
        let schema: JSONValue =
            self == .idempotencyKey
            ? ["type": "string", "minLength": 1, "maxLength": 255] : ["type": "string"]
        return [
            "name": .string(rawValue), "in": "header", "description": .string(meaning),
            "schema": schema, "example": example,
        ]
    }

    /// Whether no request to an editing context has the field: a context refuses a key, and its
    /// answers have no tag that a client could send again.
    var isOfStoreAlone: Bool {
        self == .idempotencyKey || self == .ifNoneMatch || self == .ifRange
    }

    /// Whether requests for the route may have the field.
    func applies(to route: Route) -> Bool {
        if route.context != nil, isOfStoreAlone { return false }
        let isWrite = !route.isRead
        switch route.resource {
        case .index, .model, .modelVersions, .modelVersion, .modelChanges, .errorCodes, .openAPI,
            .templates, .page:
            return self == .ifNoneMatch
        case .health, .readiness, .metrics, .backup, .tickets, .rights, .options: return false
        case .metadata: return self == .prefer && isWrite
        case .changes: return self == .lastEventID && !isWrite
        case .live: return self == .lastEventID
        case .contexts: return false
        case .context: return self == .prefer && route.pattern == .contextSave
        case .query: return self == .lastEventID
        case .transactions: return self == .idempotencyKey || self == .prefer
        case .list, .template, .count, .object, .related, .binary, .fetched, .relatedCount, .member:
            break
        }
        switch self {
        case .ifMatch, .ifNoneMatch: return true
        case .idempotencyKey: return isWrite
        case .prefer: return isWrite && route.method != .delete
        case .historyToken: return !isWrite
        case .range, .ifRange:
            if case .binary = route.resource { return !isWrite }
            return false
        case .lastEventID:
            switch route.resource {
            case .list, .template, .fetched: return !isWrite
            case .related(_, let relationship): return relationship.isToMany && !isWrite
            default: return false
            }
        }
    }
}
