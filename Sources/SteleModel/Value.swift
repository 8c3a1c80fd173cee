@_exported import struct FoundationEssentials.Decimal
@_exported import struct FoundationEssentials.UUID

/// The value of a property.
///
/// The cases are the representations of a store, not the types of a model: all integer attributes
/// are `int`, Float and Double are `double`, URI is `string`, and Transformable is the `data` that
/// its transformer makes. The attribute's type tells them apart.
///
/// Two values are equal if they have the same case and a store treats them as the same. Text is
/// compared by its UTF-8 bytes.
@frozen
public enum Value: Sendable, Hashable {
    /// No value: NULL in SQL, nil in Core Data.
    case null
    /// The value of a Boolean attribute.
    case bool(Bool)
    /// The value of an Integer 16, Integer 32 or Integer 64 attribute.
    case int(Int64)
    /// The value of a Double or Float attribute. Stele never stores NaN or infinity.
    case double(Double)
    /// The value of a Decimal attribute, exact to 38 digits.
    case decimal(Decimal)
    /// The value of a String or URI attribute.
    case string(String)
    /// The value of a Date attribute: seconds since 2001-01-01T00:00:00Z, exactly as stored.
    case date(Double)
    /// The bytes of a Binary attribute, or those that the transformer of a Transformable attribute
    /// made.
    case data([UInt8])
    /// The bytes of a Binary attribute in a file beside the store.
    case external(ExternalData)
    /// The value of a UUID attribute.
    case uuid(UUID)
    /// The value of a to-one relationship: the destination's key within its root entity (Z_PK).
    case key(Int64)

    /// The approximate size of the memory outside the value itself, in bytes.
    public var bytesBeside: Int {
        switch self {
        case .string(let text) where text.utf8.count > 15: 32 + text.utf8.count
        case .data(let data): 32 + data.count
        default: 0
        }
    }

    /// Whether seconds since 2001 are a date: those 3e18 seconds from then or more, some 95 billion
    /// years, have no text (`ISO8601.secondsLimit`), and neither have the infinities and NaN.
    @inlinable
    public static func isDate(_ seconds: Double) -> Bool { abs(seconds) < 3e18 }

    /// Whether the value is null.
    @inlinable
    public var isNull: Bool {
        if case .null = self { return true }
        return false
    }
}

extension Value {
    /// Whether two values have the same case and a store treats them as the same.
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

    /// Hashes the value, without its case.
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

    /// What stores keep of a zero with a sign, which SQLite drops; nil for any other value.
    package var unsignedZero: Value? {
        switch self {
        case .double(let it) where it == 0 && it.sign == .minus: .double(0)
        case .date(let it) where it == 0 && it.sign == .minus: .date(0)
        default: nil
        }
    }
}
