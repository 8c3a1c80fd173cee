/// What a client is told of an error: problem details (RFC 9457).

import SteleHTTP
import SteleJSON

/// An error as it is answered: `application/problem+json` with one shape everywhere.
package struct Problem: Error, Sendable {
    /// What kind it is; gives code, title and status.
    package var kind: ErrorCode
    /// The status, where it differs from the kind's.
    package var status: Int
    /// A sentence on this very occurrence.
    package var detail: String
    /// The way out, where one is known.
    package var hint: String?
    /// An entry a failure, for validation.
    package var errors: [JSONValue] = []
    /// Members beside the standard ones, such as `position`.
    package var members: [(String, JSONValue)] = []
    /// Header fields that come with the status, such as `Allow`.
    package var headers: [(name: String, value: String)] = []

    /// Where in a body of several objects it is, from the outside in; empty where it is one.
    package private(set) var path: [String] = []

    /// The same with its place in the body, unless it has one already or is of the body itself.
    package func placed(at path: [String]) -> Problem {
        guard self.path.isEmpty, path.count > 1 else { return self }
        var placed = self
        placed.path = path
        placed.errors = errors.map { entry in
            guard case .object(let members) = entry else { return entry }
            return .object([("at", .string(Self.pointer(path)))] + members)
        }
        return placed
    }

    /// The same with the number of the operation that it is of, from 0.
    package func inOperation(_ index: Int) -> Problem {
        var numbered = self
        numbered.detail = "operation \(index): \(detail)"
        numbered.members.insert(("operation", .integer(Int64(index))), at: 0)
        return numbered
    }

    /// The JSON pointer (RFC 6901) of a place.
    package static func pointer(_ path: [String]) -> String {
        path.map { "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1") }.joined()
    }

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

    /// The same with a hint, unless it has one already.
    package func hinting(_ hint: String?) -> Problem {
        guard self.hint == nil else { return self }
        var hinted = self
        hinted.hint = hint
        return hinted
    }

    /// The body's members in their order.
    package func json(basePath: String) -> JSONValue {
        var object: [(String, JSONValue)] = [
            ("type", .string("\(basePath)/docs/errors#\(kind.text)")),
            ("title", .string(kind.title)),
            ("status", .integer(Int64(status))),
        ]
        switch kind.identifier {
        case .number(let number): object.append(("code", .integer(Int64(number))))
        case .word(let word): object.append(("code", .string(word.text)))
        }
        if let name = kind.name { object.append(("name", .string(name))) }
        object.append(("detail", .string(detail)))
        if let hint { object.append(("hint", .string(hint))) }
        object += members
        if !errors.isEmpty { object.append(("errors", .array(errors))) }
        return .object(object)
    }

    /// The answer, with `basePath` before the link to the explanation.
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

    /// What comes with a later version, told plainly, and what is there `instead`: "x is".
    package static func notBuilt(_ what: String, instead: String? = nil) -> Problem {
        Problem(
            .notBuilt, "\(what) is not there yet",
            hint: instead.map { "\($0) there today" }
                ?? "Docs/HTTP.md has the list of what this version does")
    }
}
