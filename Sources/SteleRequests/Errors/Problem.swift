/// Problem details (RFC 9457): the errors that clients see.

import SteleHTTP
import SteleJSON

/// An error as it is answered: `application/problem+json`, always in the same form.
package struct Problem: Error, Sendable {
    /// The kind, which gives code, title and status.
    package var kind: ErrorCode
    /// The status; by default that of the kind.
    package var status: Int
    /// A sentence about this occurrence.
    package var detail: String
    /// How to correct it, if that is known.
    package var hint: String?
    /// The failures of validation, an entry for each.
    package var errors: [JSONValue] = []
    /// Members beside the standard ones, such as `position`.
    package var members: [(String, JSONValue)] = []
    /// Header fields of the answer, such as `Allow`.
    package var headers: [(name: String, value: String)] = []

    /// The place in a body of several objects, from the outside in; empty in a body of one object.
    package private(set) var path: [String] = []

    /// The same problem with its place in the body, unless it has one or is about the whole body.
    package func placed(at path: [String]) -> Problem {
        guard self.path.isEmpty, path.count > 1 else { return self }
        var placed = self
        placed.path = path
        placed.errors = errors.map { entry in
            guard case .object(let members) = entry else { return entry }
            return .object([("at", .string(JSONPointer.text(of: path)))] + members)
        }
        return placed
    }

    /// The same problem with the number of its operation, from 0.
    package func inOperation(_ index: Int) -> Problem {
        var numbered = self
        numbered.detail = "operation \(index): \(detail)"
        numbered.members.insert(("operation", .integer(Int64(index))), at: 0)
        return numbered
    }

    /// - Parameter hint: how to correct the error.
    package init(
        _ kind: ErrorCode, _ detail: String, hint: String? = nil, errors: [JSONValue] = [],
        members: [(String, JSONValue)] = [], headers: [(name: String, value: String)] = []
    ) {
        self.kind = kind
        status = kind.status
        self.detail = detail
        self.hint = hint
        self.errors = errors
        self.members = members
        self.headers = headers
    }

    /// The members of the body, in their order.
    package func json(basePath: String) -> JSONValue {
        var object: [(String, JSONValue)] = [
            ("type", .string("\(basePath)/docs/errors#\(kind.text)")),
            ("title", .string(kind.title)),
            ("status", .integer(Int64(status))),
            ("code", kind.json),
        ]
        if let name = kind.name { object.append(("name", .string(name))) }
        object.append(("detail", .string(detail)))
        if let hint { object.append(("hint", .string(hint))) }
        object += members
        if !errors.isEmpty { object.append(("errors", .array(errors))) }
        return .object(object)
    }

    /// The answer. `basePath` is the prefix of the link to the explanation.
    package func response(basePath: String = "") -> Response {
        var writer = ByteWriter(capacity: 512)
        json(basePath: basePath).write(to: &writer)
        return Response(
            status: status,
            headers: [
                ("Content-Type", "application/problem+json"), ("Cache-Control", "no-store"),
            ] + headers,
            body: .bytes(writer.take()))
    }

    /// The problem of asking for a feature of a later version.
    /// - Parameter hint: what to use instead.
    package static func notBuilt(_ what: String, hint: String? = nil) -> Problem {
        Problem(
            .notBuilt, "\(what) is not implemented yet",
            hint: hint ?? "Docs/HTTP.md lists what this version does")
    }
}
