/// A property list as a tree, with the references that keyed archives are made of.

/// One value of a binary property list.
enum PropertyList: Hashable, Sendable {
    case bool(Bool)
    case integer(Int64)
    case real(Double)
    /// Seconds since 2001-01-01T00:00:00Z.
    case date(Double)
    case data([UInt8])
    case string(String)
    /// A reference into an archive's list of objects.
    case uid(Int)
    case array([PropertyList])
    /// Keys and values in their order; keys are texts.
    case dictionary([Entry])

    /// One key of a dictionary with its value.
    struct Entry: Hashable, Sendable {
        var key: String
        var value: PropertyList
    }

    subscript(key: String) -> PropertyList? {
        guard case .dictionary(let entries) = self else { return nil }
        return entries.first { $0.key == key }?.value
    }

    var array: [PropertyList]? { if case .array(let it) = self { it } else { nil } }
    var string: String? { if case .string(let it) = self { it } else { nil } }
    var uid: Int? { if case .uid(let it) = self { it } else { nil } }
}
