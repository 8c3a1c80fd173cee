/// The format that a client asks for (RFC 9110, 12.5.1).

/// A media type of an answer.
package enum MediaType: String, Sendable, CaseIterable {
    case json = "application/json"
    case xml = "application/xml"
    case text = "text/plain"
    case html = "text/html"
    case events = "text/event-stream"
    case ndjson = "application/x-ndjson"
    case csv = "text/csv"
    case bytes = "application/octet-stream"

    fileprivate var main: Substring { rawValue.prefix { $0 != "/" } }
}

/// The parts of an `Accept` header.
struct Accept: Sendable {
    private struct Range: Sendable {
        var type: String
        var quality: Double
    }

    private let ranges: [Range]

    /// Reads the header. Nil and a header that cannot be read accept everything.
    init(_ header: String?) {
        guard let header, header != "*/*" else {
            ranges = []
            return
        }
        ranges = header.split(separator: ",").compactMap { part in
            let pieces = part.split(separator: ";").map {
                $0.drop { $0 == " " || $0 == "\t" }.lowercased()
            }
            guard let first = pieces.first else { return nil }
            var quality = 1.0
            for piece in pieces.dropFirst() where piece.hasPrefix("q=") {
                quality = Double(piece.dropFirst(2).prefix { $0 != " " }) ?? 1
            }
            return Range(type: String(first.prefix { $0 != " " }), quality: quality)
        }
    }

    /// The quality of a type by the most specific range that matches it, and how specific that is:
    /// 3 by name, 2 by main type, 1 by `*/*`.
    private func rank(_ type: MediaType) -> (quality: Double, closeness: Int) {
        if ranges.isEmpty { return (1, 1) }
        var best = (quality: 0.0, closeness: 0)
        for range in ranges {
            let closeness =
                range.type == type.rawValue
                ? 3
                : range.type == "\(type.main)/*" ? 2 : range.type == "*/*" ? 1 : 0
            if closeness > best.closeness { best = (range.quality, closeness) }
        }
        return best
    }

    /// Whether the header names the type itself.
    func names(_ type: MediaType) -> Bool { rank(type).closeness == 3 }

    /// Whether a page is wanted, as browsers do: `text/html` is named, and has a greater weight than
    /// JSON.
    var prefersPage: Bool { names(.html) && (try? best(of: [.json, .html])) == .html }

    /// The best of the offered types, and of equal ones the first.
    /// - Throws: `Problem`, 406, if none is accepted.
    func best(of offers: [MediaType]) throws -> MediaType {
        var chosen: (type: MediaType, quality: Double, closeness: Int)?
        for offer in offers {
            let (quality, closeness) = rank(offer)
            guard quality > 0 else { continue }
            if let best = chosen,
                (best.quality, best.closeness) >= (quality, closeness)
            {
                continue
            }
            chosen = (offer, quality, closeness)
        }
        if let chosen { return chosen.type }
        throw Problem(
            .notAcceptable,
            "Accept names none of \(offers.map(\.rawValue).joined(separator: ", "))",
            hint: "leave Accept out, or add application/json to it")
    }
}
