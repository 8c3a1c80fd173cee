// Bytes as an answer, whole or in part.

import SteleHTTP
import SteleRequests

extension Answers {
    func binary(_ content: BinaryContent, _ tag: String?, _ call: Call) -> Response {
        let tag = tag.map { "\"\($0)\"" }
        let type: [Field] = [
            ("Content-Type", MediaType.bytes.rawValue), ("Accept-Ranges", "bytes"),
            // The bytes are a client's: a browser must not run them as a page.
            ("X-Content-Type-Options", "nosniff"), ("Content-Disposition", "attachment"),
        ]
        let headers = type + (tag.map { [("ETag", $0)] } ?? []) + caching
        // Range is defined for GET alone (RFC 9110, 14.2).
        var field = call.route.method == .get ? call.request.headers["Range"] : nil
        // A part is of use only with the rest that the client has (RFC 9110, 13.1.5).
        if let held = call.request.headers["If-Range"], held != tag { field = nil }
        switch ByteRange(field, of: content.count) {
        case .whole:
            return Response(
                status: 200, headers: headers, body: content.body(0..<content.count))
        case .part(let range):
            let place = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(content.count)"
            return Response(
                status: 206, headers: headers + [("Content-Range", place)],
                body: content.body(range))
        case .unsatisfiable:
            return Problem(
                .range, "the value has \(content.count) bytes, and Range asks for others",
                headers: [("Content-Range", "bytes */\(content.count)")]
            ).response(basePath: basePath)
        }
    }
}

extension BinaryContent {
    fileprivate func body(_ range: Range<Int>) -> Response.Body {
        switch self {
        case .bytes(let bytes):
            .bytes(range.count == bytes.count ? bytes : Array(bytes[range]))
        case .file(let file): .file(file, range)
        }
    }
}
