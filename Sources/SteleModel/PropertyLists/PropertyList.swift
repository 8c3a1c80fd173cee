/// A property list as a tree, with the references of keyed archives.

/// A value of a property list, such as a store's metadata.
public enum PropertyList: Hashable, Sendable {
    /// A Boolean.
    case bool(Bool)
    /// An integer of 64 bits.
    case integer(Int64)
    /// An integer beyond `Int64.max`.
    case unsigned(UInt64)
    /// A floating-point number.
    case real(Double)
    /// Seconds since 2001-01-01T00:00:00Z.
    case date(Double)
    /// Bytes.
    case data([UInt8])
    /// A text.
    case string(String)
    /// A reference into an archive's list of objects.
    case uid(Int)
    /// Values in their order.
    case array([PropertyList])
    /// Keys and values in their order.
    case dictionary([Entry])

    /// One key of a dictionary with its value.
    public struct Entry: Hashable, Sendable {
        /// The key.
        public var key: String
        /// The value.
        public var value: PropertyList

        /// Creates an entry.
        public init(key: String, value: PropertyList) {
            self.key = key
            self.value = value
        }
    }

    /// The value of a dictionary's key; nil for other values and unknown keys.
    public subscript(key: String) -> PropertyList? { entries?.first { $0.key == key }?.value }

    /// The keys and values of a dictionary; nil for other values.
    public var entries: [Entry]? { if case .dictionary(let it) = self { it } else { nil } }
    /// The elements of an array; nil for other values.
    public var array: [PropertyList]? { if case .array(let it) = self { it } else { nil } }
    /// The bytes of data; nil for other values.
    public var data: [UInt8]? { if case .data(let it) = self { it } else { nil } }
    /// The text of a string; nil for other values.
    public var string: String? { if case .string(let it) = self { it } else { nil } }
    /// The place that a reference names; nil for other values.
    package var uid: Int? { if case .uid(let it) = self { it } else { nil } }

    /// The size in bytes of its text or data, or of those in a dictionary.
    package var size: Int {
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
    package struct Budget {
        private var left: Int

        /// A budget for a list of so many bytes.
        package init(size: Int) { left = 1_000_000 + size / 16 }

        /// Subtracts the cost of a value with so many bytes of text or data.
        /// - Returns: false where the budget is spent.
        package mutating func spend(bytes: Int) -> Bool { spend(values: 1 + bytes / 16) }

        /// Subtracts the cost of so many values.
        /// - Returns: false where the budget is spent.
        package mutating func spend(values: Int) -> Bool {
            left -= values
            return left > 0
        }
    }
}

extension PropertyList: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    /// A text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// An integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// A floating-point number.
    public init(floatLiteral value: Double) { self = .real(value) }
    /// A Boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Values in their order.
    public init(arrayLiteral elements: PropertyList...) { self = .array(elements) }
    /// Keys and values in their order.
    public init(dictionaryLiteral elements: (String, PropertyList)...) {
        self = .dictionary(elements.map { Entry(key: $0.0, value: $0.1) })
    }
}
