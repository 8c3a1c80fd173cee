/// One value of a property, as every row, predicate and request carries it.

#if canImport(FoundationEssentials)
    @_exported import struct FoundationEssentials.Decimal
    @_exported import struct FoundationEssentials.UUID
#else
    @_exported import struct Foundation.Decimal
    @_exported import struct Foundation.UUID
#endif

/// A property's value.
///
/// The cases are what a store can hold, not what the model calls it: all integer attributes are
/// `int`, `Float` and `Double` both `double`, `URI` is `string`, `Transformable` is the `data` that
/// its transformer made. The attribute's type tells them apart where it matters.
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
    /// Whether two values are stored alike. Text is told apart by its bytes, where `==` takes
    /// composed and decomposed letters for the same; zeros by their sign.
    public func isStored(as other: Value) -> Bool {
        switch (self, other) {
        case (.string(let a), .string(let b)): a.hasSameBytes(as: b)
        case (.double(let a), .double(let b)), (.date(let a), .date(let b)):
            a.bitPattern == b.bitPattern
        default: self == other
        }
    }

    /// Whether two values come out of a store alike: as they are stored, but for the sign of zeros,
    /// which SQLite drops.
    public func isRead(as other: Value) -> Bool {
        if case .string = self { return isStored(as: other) }
        return self == other
    }
}

extension String {
    /// Whether the UTF-8 is the same, where `==` asks for the same characters.
    func hasSameBytes(as other: String) -> Bool {
        if utf8.count != other.utf8.count { return false }
        var (a, b) = (self, other)
        return a.withUTF8 { a in b.withUTF8 { b in a.elementsEqual(b) } }
    }
}
