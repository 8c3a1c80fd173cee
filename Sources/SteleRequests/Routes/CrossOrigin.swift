/// CORS: pages of other origins that may call the service (Fetch Standard, HTTP-network-or-cache).

import SteleHTTP

/// The origins whose pages may call the service, and the headers that tell their browsers so.
package struct CrossOrigin: Sendable {
    private let origins: Set<String>
    private let allowsAll: Bool

    /// - Parameter origins: such as `https://app.example`; `*` for all.
    package init(_ origins: [String]) {
        self.origins = Set(origins.map { $0.lowercased() })
        allowsAll = origins.contains("*")
    }

    /// Whether the pages of an origin may call the service.
    func allows(_ origin: String) -> Bool { allowsAll || origins.contains(origin.lowercased()) }

    /// Seconds for which a browser keeps the answer to a preflight request.
    private static let seconds = 600
    /// The headers of answers that pages may read.
    private static let exposed =
        "ETag, Link, Location, Total-Count, Preference-Applied, Last-Event-ID, Retry-After, "
        + "Content-Disposition, Content-Range, Accept-Ranges, X-Request-Id, History-Token"

    /// The answer to a preflight request, which comes without a token; nil for other requests.
    func preflight(_ request: Request) -> Response? {
        guard request.method == Method.options.rawValue,
            request.headers.contains("Access-Control-Request-Method"),
            let origin = request.headers["Origin"], allows(origin)
        else { return nil }
        let methods = Method.allCases.map(\.rawValue).joined(separator: ", ")
        var headers: [(name: String, value: String)] = [
            ("Access-Control-Allow-Methods", methods),
            ("Access-Control-Max-Age", String(Self.seconds)),
        ]
        if let asked = request.headers.list("Access-Control-Request-Headers") {
            headers.append(("Access-Control-Allow-Headers", asked))
        }
        return Response(status: 204, headers: headers)
    }

    /// Adds to an answer what lets the page read it.
    package func mark(_ response: inout Response, to request: Request) {
        response.headers.append(("Vary", "Origin"))
        guard let origin = request.headers["Origin"], allows(origin) else { return }
        response.headers += [
            ("Access-Control-Allow-Origin", allowsAll ? "*" : origin),
            ("Access-Control-Expose-Headers", Self.exposed),
        ]
    }
}
