/// One value of a property, as every row, predicate and request carries it.

@_exported import struct FoundationEssentials.Decimal
@_exported import struct FoundationEssentials.UUID

/// A property's value.
///
/// The cases are what a store can hold, not what the model calls it: all integer attributes are
/// `int`, `Float` and `Double` both `double`, `URI` is `string`, `Transformable` is the `data` that
/// its transformer made. The attribute's type tells them apart where it matters.
///
/// Two values are equal where stores take them for the same: of the same case, and text by its
/// bytes, where `String` takes composed and decomposed letters for the same.
@frozen
public enum Value: Sendable, Hashable {
    /// No value: SQL's NULL, Core Data's nil.
    case null
    /// A Boolean attribute's value.
    case bool(Bool)
    /// An Integer 16, Integer 32 or Integer 64 attribute's value.
    case int(Int64)
    /// A Double or Float attribute's value; never NaN or infinite when it came through Stele.
    case double(Double)
    /// A Decimal attribute's value, exact to 38 digits.
    case decimal(Decimal)
    /// A String or URI attribute's value.
    case string(String)
    /// A Date attribute's value: seconds since 2001-01-01T00:00:00Z, exactly as stored.
    case date(Double)
    /// A Binary attribute's bytes, or those that a Transformable attribute's transformer made.
    case data([UInt8])
    /// A Binary attribute's bytes where the store keeps them in a file of their own.
    case external(ExternalData)
    /// A UUID attribute's value.
    case uuid(UUID)
    /// A to-one relationship's value: the destination's key within its root entity (Z_PK).
    case key(Int64)

    /// About the memory that it takes beside its own place, in bytes.
    public var bytesBeside: Int {
        switch self {
        case .string(let text) where text.utf8.count > 15: 32 + text.utf8.count
        case .data(let data): 32 + data.count
        default: 0
        }
    }

    /// Whether there is no value.
    @inlinable
    public var isNull: Bool {
        if case .null = self { return true }
        return false
    }
}

extension Value {
    public static func == (a: Value, b: Value) -> Bool {
        switch (a, b) {
        case (.null, .null): true
        case (.bool(let a), .bool(let b)): a == b
        case (.int(let a), .int(let b)), (.key(let a), .key(let b)): a == b
        case (.double(let a), .double(let b)), (.date(let a), .date(let b)): a == b
        case (.decimal(let a), .decimal(let b)): a == b
        case (.string(let a), .string(let b)): a.hasSameBytes(as: b)
        case (.data(let a), .data(let b)): a == b
        case (.external(let a), .external(let b)): a == b
        case (.uuid(let a), .uuid(let b)): a == b
        case (.null, _), (.bool, _), (.int, _), (.double, _), (.decimal, _), (.string, _),
            (.date, _), (.data, _), (.external, _), (.uuid, _), (.key, _):
            false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0 as UInt8)
        case .bool(let it): hasher.combine(it)
        case .int(let it), .key(let it): hasher.combine(it)
        case .double(let it), .date(let it): hasher.combine(it)
        case .decimal(let it): hasher.combine(it)
        case .string(let it): it.hashBytes(into: &hasher)
        case .data(let it): hasher.combine(it)
        case .external(let it): hasher.combine(it)
        case .uuid(let it): hasher.combine(it)
        }
    }

    /// Whether two values are stored alike: zeros are told apart by their sign, which `==` does not
    /// look at and SQLite drops.
    public func isStored(as other: Value) -> Bool {
        switch (self, other) {
        case (.double(let a), .double(let b)), (.date(let a), .date(let b)):
            a.bitPattern == b.bitPattern
        default: self == other
        }
    }
}
