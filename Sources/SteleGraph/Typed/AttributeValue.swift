@_exported import enum SteleModel.Value

// Programs need not import Foundation for these.
@_exported import struct FoundationEssentials.Data
@_exported import struct FoundationEssentials.Date
@_exported import struct FoundationEssentials.Decimal
@_exported import struct FoundationEssentials.URL
@_exported import struct FoundationEssentials.UUID

/// A Swift type that represents the values of an attribute type.
public protocol AttributeValue: PredicateValue {
    /// Creates the Swift value; nil for null and for values of another type.
    init?(attributeValue: Value)
    /// The value in the form that a store keeps.
    var attributeValue: Value { get }
}

extension Bool: AttributeValue {
    /// Nil if the value is not a Boolean.
    public init?(attributeValue: Value) {
        guard case .bool(let it) = attributeValue else { return nil }
        self = it
    }

    /// The Boolean value.
    public var attributeValue: Value { .bool(self) }
}

/// The integer types. A value outside a type's range loses its upper bits, as in Core Data.
extension AttributeValue where Self: FixedWidthInteger & SignedInteger {
    /// Nil if the value is not an integer.
    public init?(attributeValue: Value) {
        guard case .int(let it) = attributeValue else { return nil }
        self.init(truncatingIfNeeded: it)
    }

    /// The integer value.
    public var attributeValue: Value { .int(Int64(self)) }
}

extension Int: AttributeValue {}
extension Int16: AttributeValue {}
extension Int32: AttributeValue {}
extension Int64: AttributeValue {}

extension AttributeValue where Self: BinaryFloatingPoint {
    /// Nil if the value is not a Double.
    public init?(attributeValue: Value) {
        guard case .double(let it) = attributeValue else { return nil }
        self.init(it)
    }

    /// The Double value.
    public var attributeValue: Value { .double(Double(self)) }
}

extension Float: AttributeValue {}
extension Double: AttributeValue {}

extension Decimal: AttributeValue {
    /// Nil if the value is not a Decimal.
    public init?(attributeValue: Value) {
        guard case .decimal(let it) = attributeValue else { return nil }
        self = it
    }

    /// The Decimal value.
    public var attributeValue: Value { .decimal(self) }
}

extension String: AttributeValue {
    /// Nil if the value is not a string.
    public init?(attributeValue: Value) {
        guard case .string(let it) = attributeValue else { return nil }
        self = it
    }

    /// The string value.
    public var attributeValue: Value { .string(self) }
}

extension Date: AttributeValue {
    /// Nil if the value is not a date.
    public init?(attributeValue: Value) {
        guard case .date(let seconds) = attributeValue else { return nil }
        self.init(timeIntervalSinceReferenceDate: seconds)
    }

    /// The date value, in seconds since 1 January 2001.
    public var attributeValue: Value { .date(timeIntervalSinceReferenceDate) }
}

extension UUID: AttributeValue {
    /// Nil if the value is not a UUID.
    public init?(attributeValue: Value) {
        guard case .uuid(let it) = attributeValue else { return nil }
        self = it
    }

    /// The UUID value.
    public var attributeValue: Value { .uuid(self) }
}

extension URL: AttributeValue {
    /// Nil if the value is not a string or not a valid URL.
    public init?(attributeValue: Value) {
        guard case .string(let text) = attributeValue else { return nil }
        self.init(string: text)
    }

    /// The URL as a string value.
    public var attributeValue: Value { .string(relativeString) }
}

extension Data: AttributeValue {
    /// Nil if the value is not binary data, or if its external file cannot be read.
    public init?(attributeValue: Value) {
        switch attributeValue {
        case .data(let bytes): self.init(bytes)
        case .external(let file):
            guard let bytes = file.bytes else { return nil }
            self.init(bytes)
        default: return nil
        }
    }

    /// The binary data value.
    public var attributeValue: Value { .data([UInt8](self)) }
}

/// Any value, for attributes of undefined type.
extension Value: AttributeValue {
    /// Nil for null.
    public init?(attributeValue: Value) {
        if attributeValue.isNull { return nil }
        self = attributeValue
    }

    /// The value itself.
    public var attributeValue: Value { self }
}
