/// The header fields of a request: preconditions, preferences and encodings.

import SteleHTTP

/// Preconditions, preferences and encodings of a request.
package struct Terms: Sendable {
    package enum IfMatch: Sendable {
        case any
        /// Tags that are compared strongly (RFC 9110, 13.1.1): a weak one matches nothing.
        case tags([EntityTags.Tag])
    }

    package let ifMatch: IfMatch?
    package let ifNoneMatch: [EntityTags.Tag]
    package let acceptsGzip: Bool
    /// `Prefer: return=minimal` (RFC 7240).
    package let wantsMinimal: Bool
    let accept: Accept
    package let idempotencyKey: String?

    /// No conditions and no preferences.
    package static let none = Terms()

    private init() {
        (ifMatch, ifNoneMatch, idempotencyKey) = (nil, [], nil)
        (acceptsGzip, wantsMinimal, accept) = (false, false, Accept(nil))
    }

    /// - Parameter isRead: whether the request changes nothing.
    /// - Throws: `Problem` for a field that cannot be read.
    init(_ headers: HTTPHeaders, isRead: Bool) throws {
        accept = Accept(headers.list("Accept"))
        acceptsGzip = Self.takesGzip(headers.list("Accept-Encoding"))
        wantsMinimal = headers.values(named: "Prefer").contains { field in
            field.lowercased().split(separator: ",").contains {
                $0.filter { $0 != " " && $0 != "\"" } == "return=minimal"
            }
        }
        ifNoneMatch =
            try headers.list("If-None-Match").map {
                try EntityTags.parse($0, field: "If-None-Match")
            } ?? []
        ifMatch = try headers.list("If-Match").map(Self.ifMatch)
        idempotencyKey = isRead ? nil : try headers["Idempotency-Key"].map(Self.idempotencyKey)
    }

    /// The key as the client chose it, without the quotes of a structured field.
    private static func idempotencyKey(_ field: String) throws -> String {
        let isQuoted = field.utf8.count > 1 && field.hasPrefix("\"") && field.hasSuffix("\"")
        let key = isQuoted ? String(field.dropFirst().dropLast()) : field
        guard (1...255).contains(key.utf8.count) else {
            throw Problem(
                .header, "Idempotency-Key must have 1 to 255 bytes, not \(key.utf8.count)",
                hint: "a UUID, new for each write, is a good one")
        }
        return key
    }

    private static func ifMatch(_ field: String) throws -> IfMatch {
        let tags = try EntityTags.parse(field, field: "If-Match")
        if tags.contains(where: { $0.opaque == "*" && !$0.isQuoted }) { return .any }
        return .tags(tags)
    }

    /// Whether `Accept-Encoding` accepts gzip.
    package static func takesGzip(_ field: String?) -> Bool {
        guard let field else { return false }
        var any = false
        for part in field.utf8.split(separator: UInt8(ascii: ",")) {
            let pieces = part.split(separator: UInt8(ascii: ";"))
            // A field may be `;` alone, which has no pieces.
            guard let first = pieces.first else { continue }
            let name = first.filter { $0 != UInt8(ascii: " ") }
            let isGzip = name.elementsEqual("gzip".utf8) { $0 | 0x20 == $1 }
            guard isGzip || name.elementsEqual("*".utf8) else { continue }
            let refused = pieces.dropFirst().contains { piece in
                let weight = String(Substring(piece)).lowercased().filter { $0 != " " }
                return weight.hasPrefix("q=0") && Double(weight.dropFirst(2)) == 0
            }
            if isGzip { return !refused }
            any = !refused
        }
        return any
    }
}

extension HTTPHeaders {
    /// A field that is a list; several lines of it are joined (RFC 9110, 5.3).
    package func list(_ name: String) -> String? {
        let lines = values(named: name)
        return lines.count > 1 ? lines.joined(separator: ", ") : lines.first
    }
}

/// Reads and makes entity tags (RFC 9110, 8.8.3).
package enum EntityTags {
    /// A tag that a client sends.
    package struct Tag: Sendable {
        /// The tag without quotes and `;gz`.
        package var opaque: String
        package var isWeak: Bool
        package var isQuoted: Bool
        /// Whether it ends with `;gz`, as the tag of the gzip variant does.
        package var isPacked = false
    }

    /// Whether `If-Match` has tags, and all are weak.
    package static func areWeak(_ tags: [Tag]) -> Bool {
        !tags.isEmpty && tags.allSatisfy(\.isWeak)
    }

    /// Why weak tags in `If-Match` are refused.
    package static let weakDetail =
        "If-Match has only weak entity tags, which match nothing (RFC 9110, 13.1.1)"
    /// Where weak tags come from, and the way out at the place where they are made.
    package static let weakHint =
        "a proxy that compresses answers makes their tags weak: let it pass on ETag as it is"

    /// The tags of a list, without `;gz`.
    static func parse(_ text: String, field: String) throws -> [Tag] {
        var tags: [Tag] = []
        var rest = Substring(text)
        while true {
            rest = rest.drop { $0 == " " || $0 == "\t" || $0 == "," }
            if rest.isEmpty { return tags }
            if rest.first == "*" {
                tags.append(Tag(opaque: "*", isWeak: false, isQuoted: false))
                rest = rest.dropFirst()
                continue
            }
            let isWeak = rest.hasPrefix("W/")
            if isWeak { rest = rest.dropFirst(2) }
            guard rest.first == "\"", let end = rest.dropFirst().firstIndex(of: "\"") else {
                throw Problem(
                    .header, "\(field) is not a list of entity tags: \(text.prefix(100))",
                    hint: "send an ETag as it was received, with its quotes, or *")
            }
            var opaque = rest[rest.index(after: rest.startIndex)..<end]
            let isPacked = opaque.hasSuffix(";gz")
            if isPacked { opaque = opaque.dropLast(3) }
            tags.append(
                Tag(opaque: String(opaque), isWeak: isWeak, isQuoted: true, isPacked: isPacked))
            rest = rest[rest.index(after: end)...]
        }
    }

    /// The version in the tag of a single object: the number before a hyphen. One that another
    /// program has stored may be negative.
    package static func version(of opaque: String) -> Int64? {
        let digits = opaque.drop { $0 == "-" }.prefix { $0 != "-" }
        return Int64(opaque[..<digits.endIndex])
    }

    /// The tag of a plain object: its version and the cache generation.
    package static func plain(version: Int64, generation: String) -> String {
        "\(version)-\(generation)"
    }

    /// The tag of an object in an answer that holds more than its row.
    package static func object(
        version: Int64, generation: String, token: Int64, hash: UInt64
    ) -> String {
        "\(version)-\(generation)-\(token)-\(String(hash, radix: 36))"
    }

    /// The tag of a to-one relationship. It ends with the key of the destination, because another
    /// one may have the same version; without a destination version and key are 0.
    package static func destination(
        version: Int64, key: Int64, generation: String, token: Int64, hash: UInt64
    ) -> String {
        object(version: version, generation: generation, token: token, hash: hash) + "-\(key)"
    }

    /// Whether a tag is that of a to-one relationship with this destination at this version.
    package static func isDestination(_ opaque: String, version: Int64, key: Int64) -> Bool {
        guard self.version(of: opaque) == version else { return false }
        let parts = opaque.drop { $0 == "-" }.split(
            separator: "-", omittingEmptySubsequences: false)
        return parts.count == 5 && parts[4] == String(key)
    }

    /// Whether a tag is that of a list as it was after a save.
    package static func isList(_ opaque: String, generation: String, token: Int64) -> Bool {
        opaque.hasPrefix("l\(generation)-\(token)-")
    }

    /// The tag of a list. It begins with a letter, so that no version is read from it.
    package static func list(generation: String, token: Int64, hash: UInt64) -> String {
        "l\(generation)-\(token)-\(String(hash, radix: 36))"
    }
}
