/// What the header fields ask of the answer, apart from what it holds.

import SteleHTTP

/// Preconditions, preferences and encodings of one request.
package struct Terms: Sendable {
    /// What `If-Match` names.
    package enum IfMatch: Sendable {
        case any
        case tags([EntityTags.Tag])
    }

    package let ifMatch: IfMatch?
    /// The tags of `If-None-Match`.
    package let ifNoneMatch: [EntityTags.Tag]
    package let acceptsGzip: Bool
    /// `Prefer: return=minimal` (RFC 7240).
    package let wantsMinimal: Bool
    package let accept: Accept
    /// `Idempotency-Key` of a write.
    package let idempotencyKey: String?

    /// - Parameter isRead: whether the request changes nothing.
    package init(_ headers: HTTPHeaders, isRead: Bool) throws {
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

    /// The key as a client chose it, with or without the quotes of a structured field.
    private static func idempotencyKey(_ field: String) throws -> String {
        let isQuoted = field.utf8.count > 1 && field.hasPrefix("\"") && field.hasSuffix("\"")
        let key = isQuoted ? String(field.dropFirst().dropLast()) : field
        guard (1...255).contains(key.utf8.count) else {
            throw Problem(
                .header, "Idempotency-Key has \(key.utf8.count) bytes, and a key has 1 to 255",
                hint: "a UUID, new for each write, is a good one")
        }
        return key
    }

    private static func ifMatch(_ field: String) throws -> IfMatch {
        let tags = try EntityTags.parse(field, field: "If-Match")
        if tags.contains(where: { $0.opaque == "*" && !$0.isQuoted }) { return .any }
        // If-Match compares strongly (RFC 9110, 13.1.1): a weak tag matches nothing.
        return .tags(tags.filter { !$0.isWeak })
    }

    package static func takesGzip(_ field: String?) -> Bool {
        guard let field else { return false }
        var any = false
        for part in field.lowercased().split(separator: ",") {
            let pieces = part.split(separator: ";").map { $0.filter { $0 != " " } }
            guard let name = pieces.first, name == "gzip" || name == "*" else { continue }
            let refused = pieces.dropFirst().contains {
                $0.hasPrefix("q=0") && Double($0.dropFirst(2)) == 0
            }
            if name == "gzip" { return !refused }
            any = !refused
        }
        return any
    }
}

extension HTTPHeaders {
    /// A field that is a list, which may come in several lines (RFC 9110, 5.3).
    package func list(_ name: String) -> String? {
        let lines = values(named: name)
        return lines.count > 1 ? lines.joined(separator: ", ") : lines.first
    }
}

/// Entity tags (RFC 9110, 8.8.3), read from fields and made for answers.
package enum EntityTags {
    package struct Tag: Sendable {
        /// Without quotes and `;gz`.
        package var opaque: String
        var isWeak: Bool
        package var isQuoted: Bool
        /// Whether it ended in `;gz`, as the gzip variant's does.
        package var isPacked = false
    }

    /// The tags of a list; the ending of the gzip variant is cut off.
    package static func parse(_ text: String, field: String) throws -> [Tag] {
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
                    hint: "send an ETag as it came, with its quotes, or *")
            }
            var opaque = rest[rest.index(after: rest.startIndex)..<end]
            let isPacked = opaque.hasSuffix(";gz")
            if isPacked { opaque = opaque.dropLast(3) }
            tags.append(
                Tag(opaque: String(opaque), isWeak: isWeak, isQuoted: true, isPacked: isPacked))
            rest = rest[rest.index(after: end)...]
        }
    }

    /// The version in a single object's tag: the digits before its first hyphen.
    package static func version(of opaque: String) -> Int64? {
        Int64(opaque.prefix { $0 != "-" })
    }

    /// A plain object's tag: its version and the cache generation.
    package static func plain(version: Int64, generation: String) -> String {
        "\(version)-\(generation)"
    }

    /// An object's tag where the answer holds more than its row.
    package static func object(
        version: Int64, generation: String, token: Int64, hash: UInt64
    ) -> String {
        "\(version)-\(generation)-\(token)-\(String(hash, radix: 36))"
    }

    /// The tag of what a to-one leads to: the destination's, and its key, for another may have the
    /// same version. Without a destination both are 0.
    package static func destination(
        version: Int64, key: Int64, generation: String, token: Int64, hash: UInt64
    ) -> String {
        object(version: version, generation: generation, token: token, hash: hash) + "-\(key)"
    }

    /// Whether a tag is that of a to-one which leads to an object, at a version.
    package static func isDestination(_ opaque: String, version: Int64, key: Int64) -> Bool {
        let parts = opaque.split(separator: "-", omittingEmptySubsequences: false)
        return parts.count == 5 && parts[0] == String(version) && parts[4] == String(key)
    }

    /// Whether a tag is that of a list of what there was after a save.
    package static func isList(_ opaque: String, generation: String, token: Int64) -> Bool {
        opaque.hasPrefix("l\(generation)-\(token)-")
    }

    /// A list's tag. It begins with a letter, so that no version is read from it.
    package static func list(generation: String, token: Int64, hash: UInt64) -> String {
        "l\(generation)-\(token)-\(String(hash, radix: 36))"
    }
}
