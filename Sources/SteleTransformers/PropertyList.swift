/// A property list as a tree, with the references of keyed archives.

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
    /// Keys and values in their order.
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

    /// The size in bytes of its text or data, or of those in a dictionary.
    var size: Int {
        switch self {
        case .data(let it): it.count
        case .string(let it): it.utf8.count
        case .dictionary(let entries):
            // An NSString or NSData is a dictionary with its text or data.
            entries.reduce(0) { sum, entry in
                switch entry.value {
                case .data(let it): sum + it.count
                case .string(let it): sum + it.utf8.count
                default: sum
                }
            }
        default: 0
        }
    }

    /// A bound on the values made of bytes that may refer to an object many times: a million more
    /// than a list of that size without such references has.
    struct Budget {
        private var left: Int

        /// A budget for a list of so many bytes.
        init(size: Int) { left = 1_000_000 + size / 16 }

        /// Subtracts a value's cost.
        /// - Returns: false where the budget is spent.
        mutating func spend(bytes: Int) -> Bool {
            left -= 1 + bytes / 16
            return left > 0
        }
    }
}
