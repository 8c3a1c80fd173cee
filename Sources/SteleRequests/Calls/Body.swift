/// Request bodies: media type and JSON.

import SteleHTTP
import SteleJSON

/// Reads the bodies of requests.
package enum Body {
    private static let jsonPatch = "application/json-patch+json"

    /// Whether the body is a JSON Patch (RFC 6902).
    static func isJSONPatch(_ headers: HTTPHeaders) -> Bool {
        headers["Content-Type"]?.lowercased().hasPrefix(jsonPatch) ?? false
    }

    /// The JSON in the body of a write.
    /// - Throws: `Problem`, 415, for another media type; `JSONError` for text that is not JSON.
    static func read(
        _ request: Request, method: Method, atMost values: Int
    ) throws -> JSONDocument {
        try checkType(request.headers["Content-Type"], method)
        if request.headers.contains("Content-Encoding") { throw encoded }
        guard !request.body.isEmpty else {
            throw Problem(
                .emptyBody, "\(method.rawValue) here needs a JSON body")
        }
        // An object takes three bytes at least with the comma after it.
        if request.body.count * 4 > values, JSONDocument.weight(of: request.body) > values {
            throw Problem(
                .bodyTooLarge,
                "the body holds more than \(values) values, of which an array or object counts as "
                    + "ten", hint: "send the objects in several requests")
        }
        return try JSONDocument(request.body)
    }

    /// Checks that a body is a whole value, byte by byte.
    /// - Throws: `Problem` for a part of a value, or an encoded one.
    package static func checkIsWhole(_ headers: HTTPHeaders) throws {
        if headers.contains("Content-Encoding") { throw encoded }
        guard headers.contains("Content-Range") else { return }
        // It would replace the whole value (RFC 9110, 14.5).
        throw Problem(
            .header, "a PUT with Content-Range would replace the whole value by a part of it",
            hint: "send the whole value, without Content-Range")
    }

    static private let encoded = Problem(
        .mediaType, "a body with Content-Encoding is not supported", hint: "send it unencoded")

    private static func checkType(_ header: String?, _ method: Method) throws {
        // The most frequent form needs no parsing.
        guard let header, header != "application/json" else { return }
        let parts = header.lowercased().split(separator: ";").map { $0.filter { $0 != " " } }
        switch parts.first {
        case "application/json": break
        // curl -d sends this by default.
        case "application/x-www-form-urlencoded": break
        case "application/merge-patch+json" where method == .patch: break
        case jsonPatch where method == .patch: break
        default:
            let patches = "application/merge-patch+json, application/json, \(jsonPatch)"
            throw Problem(
                .mediaType, "a body of type \(header.prefix(100)) is not supported here",
                hint: method == .patch
                    ? "send application/json, application/merge-patch+json or \(jsonPatch)"
                    : "send application/json",
                headers: method == .patch ? [("Accept-Patch", patches)] : [])
        }
        let charset = parts.dropFirst().first { $0.hasPrefix("charset=") }
        guard let charset else { return }
        let name = charset.dropFirst("charset=".count).filter { $0 != "\"" }
        guard name == "utf-8" || name == "us-ascii" else {
            throw Problem(.mediaType, "the charset of the body is \(name), and JSON is UTF-8")
        }
    }
}
