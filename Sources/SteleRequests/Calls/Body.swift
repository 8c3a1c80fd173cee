/// A request's body as JSON, with its media type checked.

import SteleHTTP
import SteleJSON

package enum Body {
    private static let jsonPatch = "application/json-patch+json"

    /// Whether the body is a JSON Patch (RFC 6902) and no merge patch.
    static func isJSONPatch(_ headers: HTTPHeaders) -> Bool {
        headers["Content-Type"]?.lowercased().hasPrefix(jsonPatch) ?? false
    }

    /// The JSON that a write brings.
    /// - Throws: `Problem`, 415, for another media type; `JSONError` for what is not JSON.
    package static func read(_ request: Request, method: Method) throws -> JSONDocument {
        try checkType(request.headers["Content-Type"], method)
        if request.headers.contains("Content-Encoding") {
            throw encoded
        }
        guard !request.body.isEmpty else {
            throw Problem(
                .emptyBody, "\(method.rawValue) here takes a JSON body, and there is none")
        }
        return try JSONDocument(request.body)
    }

    /// - Throws: `Problem`, for a body that is not a value's bytes as they are.
    package static func checkIsWhole(_ headers: HTTPHeaders) throws {
        if headers.contains("Content-Encoding") { throw encoded }
        guard headers.contains("Content-Range") else { return }
        // RFC 9110, 14.5: it would be taken for the whole.
        throw Problem(
            .header, "a PUT with Content-Range would replace the whole value by a part of it",
            hint: "send the whole value, without Content-Range")
    }

    package static let encoded = Problem(
        .mediaType, "a body with Content-Encoding is not read", hint: "send it plain")

    private static func checkType(_ header: String?, _ method: Method) throws {
        // As nearly everybody writes it.
        guard let header, header != "application/json" else { return }
        let parts = header.lowercased().split(separator: ";").map { $0.filter { $0 != " " } }
        switch parts.first {
        case "application/json": break
        // curl -d says so where nothing is said.
        case "application/x-www-form-urlencoded": break
        case "application/merge-patch+json" where method == .patch: break
        case jsonPatch where method == .patch: break
        default:
            throw Problem(
                .mediaType, "a body of \(header.prefix(100)) is not read here",
                hint: method == .patch
                    ? "send application/json, application/merge-patch+json or \(jsonPatch)"
                    : "send application/json",
                headers: method == .patch
                    ? [
                        (
                            "Accept-Patch",
                            "application/merge-patch+json, application/json, \(jsonPatch)"
                        )
                    ] : [])
        }
        let charset = parts.dropFirst().first { $0.hasPrefix("charset=") }
        guard let charset else { return }
        let name = charset.dropFirst("charset=".count).filter { $0 != "\"" }
        guard name == "utf-8" || name == "us-ascii" else {
            throw Problem(.mediaType, "the body's charset is \(name), and JSON is UTF-8")
        }
    }
}
