// Errors: which statuses an operation can have, and the schema of each.

import SteleHTTP
import SteleJSON
import SteleModel
import SteleRequests

extension OpenAPIDocument {
    /// The statuses of errors. 405 is the answer to methods that are not in the document.
    static let problemStatuses = Set(ErrorCode.all.map(\.status)).subtracting([405]).sorted()

    /// The statuses of the errors that an operation can have, in ascending order.
    func statuses(_ operation: OpenAPIOperation, _ route: Route) -> [Int] {
        // What is checked before the route is known, and what can happen to every request.
        var statuses: Set<Int> = [
            ErrorCode.target.status, ErrorCode.host.status, ErrorCode.targetTooLong.status,
            ErrorCode.headTooLarge.status, ErrorCode.internal.status, ErrorCode.busy.status,
            ErrorCode.rate.status,
        ]
        if needsToken, !route.pattern.isHealthCheck { statuses.insert(ErrorCode.token.status) }
        if operation.hasFormats, route.method != .delete {
            statuses.insert(ErrorCode.notAcceptable.status)
        }
        let isWrite = !route.isRead
        if operation.isData {
            // Also those of the editing context that the route may be below.
            statuses.formUnion(
                [
                    ErrorCode.object, .contextGone, .contextEvaluation, .notBuilt,
                ].map(\.status))
            if route.pattern != .query { statuses.insert(ErrorCode.precondition.status) }
            if isWrite {
                statuses.formUnion([ErrorCode.conflict, .value, .noRoom].map(\.status))
            }
        }
        switch route.resource {
        case .changes: statuses.formUnion([ErrorCode.expiredToken, .entity].map(\.status))
        case .modelVersion: statuses.formUnion([ErrorCode.route, .precondition].map(\.status))
        case .index, .model, .modelVersions, .modelChanges, .errorCodes, .openAPI, .templates:
            statuses.insert(ErrorCode.precondition.status)
        case .live: statuses.formUnion([ErrorCode.entity, .notBuilt].map(\.status))
        case .tickets: statuses.formUnion([ErrorCode.body, .busy].map(\.status))
        case .backup: statuses.formUnion([ErrorCode.body, .backup, .noRoom].map(\.status))
        case .metadata where isWrite:
            statuses.formUnion([ErrorCode.metadata, .noRoom].map(\.status))
        case .binary where !isWrite: statuses.insert(ErrorCode.range.status)
        case .contexts: statuses.insert(ErrorCode.contextLimit.status)
        case .context:
            statuses.formUnion(
                [
                    ErrorCode.contextUnknown, .contextGone, .contextFull, .contextStale, .noRoom,
                ].map(\.status))
            if route.pattern == .childContexts { statuses.insert(ErrorCode.contextLimit.status) }
        default: break
        }
        if operation.body != nil {
            statuses.formUnion([ErrorCode.bodyTooLarge, .mediaType].map(\.status))
        }
        return statuses.sorted()
    }

    /// Two heads of requests are refused by the HTTP library, as HTML.
    private static let html = [ErrorCode.targetTooLong.status, ErrorCode.headTooLarge.status]

    var problemResponses: [(String, JSONValue)] {
        Self.problemStatuses.map { status in
            let titles = Self.codes(status).map { "\($0.title) (\($0.text))" }
            var content: [(String, JSONValue)] = [
                (
                    "application/problem+json",
                    .object([("schema", Self.ref(names.name(problem: status)))])
                )
            ]
            if Self.html.contains(status) {
                content.append(("text/html", ["schema": ["type": "string"]]))
            }
            var members: [(String, JSONValue)] = [
                ("description", .string(titles.joined(separator: ". ") + "."))
            ]
            let headers = OpenAPIHeader.allCases.filter { $0.problems.contains(status) }
            if !headers.isEmpty { members.append(("headers", OpenAPIHeader.json(headers))) }
            members.append(("content", .object(content)))
            return ("Problem\(status)", .object(members))
        }
    }

    /// The kinds of error with a status.
    private static func codes(_ status: Int) -> [ErrorCode] {
        ErrorCode.all.filter { code in
            // If all of several failures are delete rules that deny, they are a conflict.
            code.status == status
                || code.text == ErrorCode.severalFailures.text
                    && status == ErrorCode.deniedDelete.status
        }
    }

    var problemSchemas: [(String, JSONValue)] {
        Self.problemStatuses.map { (names.name(problem: $0), problem($0)) }
    }

    /// A problem (RFC 9457) of a status, with its codes.
    private func problem(_ status: Int) -> JSONValue {
        let codes = Self.codes(status).map(\.json)
        let words = codes.filter { if case .string = $0 { true } else { false } }
        let numbers = codes.filter { if case .string = $0 { false } else { true } }
        let forms = [("string", words), ("integer", numbers)].filter { !$0.1.isEmpty }.map {
            JSONValue.object([("type", .string($0)), ("enum", .array($1))])
        }
        let text: JSONValue = ["type": "string"]
        return [
            "type": "object",
            "properties": .object([
                ("type", ["type": "string", "format": "uri-reference"]), ("title", text),
                ("status", ["type": "integer", "const": .integer(Int64(status))]),
                ("code", forms.count == 1 ? forms[0] : ["oneOf": .array(forms)]), ("name", text),
                ("detail", text), ("hint", text),
                ("errors", ["type": "array", "items": ref(.entry)]),
            ]),
            "required": ["type", "title", "status", "code", "detail"],
        ]
    }

    /// An entry of `errors`.
    static let problemEntry: JSONValue = {
        let text: JSONValue = ["type": "string"]
        return [
            "type": "object",
            "properties": .object([
                ("at", text), ("object", text), ("entity", text), ("key", text),
                ("code", ["type": "integer"]), ("name", text), ("value", [:]), ("type", text),
                ("limit", [:]), ("message", text),
            ]),
        ]
    }()
}

/// Header fields of answers.
enum OpenAPIHeader: String, CaseIterable {
    case eTag = "ETag"
    case location = "Location"
    case link = "Link"
    case totalCount = "Total-Count"
    case preferenceApplied = "Preference-Applied"
    case lastEventID = "Last-Event-ID"
    case acceptRanges = "Accept-Ranges"
    case contentRange = "Content-Range"
    case retryAfter = "Retry-After"
    case authenticate = "WWW-Authenticate"
    case acceptPatch = "Accept-Patch"

    private var meaning: String {
        switch self {
        case .eTag: "The state of what the address shows, for If-Match and If-None-Match."
        case .location: "The address of the new object."
        case .link: "The address of the next page, as <…>; rel=\"next\"."
        case .totalCount: "The number of rows on all pages."
        case .preferenceApplied: "return=minimal, if Prefer asked for it."
        case .lastEventID: "The position that was read."
        case .acceptRanges: "bytes."
        case .contentRange: "The bytes that are given, and the size of the value."
        case .retryAfter: "Seconds after which the request may succeed."
        case .authenticate: "The scheme of the token."
        case .acceptPatch: "The types of bodies that PATCH takes."
        }
    }

    var json: JSONValue {
        let isNumber = self == .totalCount || self == .retryAfter
        return [
            "description": .string(meaning),
            "schema": isNumber ? ["type": "integer", "minimum": 0] : ["type": "string"],
        ]
    }

    /// The statuses of problems that have the field.
    var problems: [Int] {
        switch self {
        case .retryAfter:
            [ErrorCode.busy.status, ErrorCode.contextLimit.status, ErrorCode.keyRunning.status]
        case .authenticate: [ErrorCode.token.status]
        case .acceptPatch: [ErrorCode.mediaType.status]
        case .contentRange: [ErrorCode.range.status]
        default: []
        }
    }

    /// References to header fields, as the member `headers`.
    static func json(_ headers: [OpenAPIHeader]) -> JSONValue {
        .object(
            headers.map {
                ($0.rawValue, .object([("$ref", .string("#/components/headers/\($0.rawValue)"))]))
            })
    }
}
