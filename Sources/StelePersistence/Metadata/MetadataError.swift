import SteleModel

/// The error for a key or value that the metadata of a store cannot have.
public struct MetadataError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The key.
    public let key: String
    /// What is wrong with it.
    public let reason: String

    init(_ key: String, _ reason: String) {
        self.key = key
        self.reason = reason
    }

    /// A sentence with the key.
    public var description: String { "the metadata key \(key.prefix(100)) \(reason)" }

    /// Checks a changed key of a user.
    /// - Parameter value: the new value; nil for a key that is removed.
    /// - Throws: `MetadataError`.
    static func check(_ key: String, _ value: PropertyList?) throws(MetadataError) {
        if StoreMetadata.isReserved(key) {
            throw MetadataError(
                key,
                "belongs to Core Data or Stele and is read-only: keys that begin with NS, "
                    + "_NS or Stele are theirs")
        }
        guard (1...255).contains(key.utf8.count), !key.utf8.contains(0) else {
            throw MetadataError(key, "must have 1 to 255 bytes, and not U+0000")
        }
        if let value { try check(key, value, depth: 1) }
    }

    /// The limit on the nesting of arrays and dictionaries.
    private static let depthLimit = 64

    private static func check(
        _ key: String, _ value: PropertyList, depth: Int
    ) throws(MetadataError) {
        guard depth <= depthLimit else {
            throw MetadataError(key, "is nested more than \(depthLimit) deep")
        }
        switch value {
        case .bool, .integer, .unsigned, .data: break
        case .real(let it), .date(let it):
            if !it.isFinite { throw MetadataError(key, "has a number that is not finite") }
        case .string(let it):
            if it.utf8.contains(0) { throw MetadataError(key, "has U+0000 in a text") }
        case .uid: throw MetadataError(key, "has a reference, which only archives have")
        case .array(let elements):
            for element in elements { try check(key, element, depth: depth + 1) }
        case .dictionary(let entries):
            guard Set(entries.map(\.key)).count == entries.count else {
                throw MetadataError(key, "has a dictionary with a key twice")
            }
            for entry in entries {
                try check(key, .string(entry.key), depth: depth)
                try check(key, entry.value, depth: depth + 1)
            }
        }
    }
}
