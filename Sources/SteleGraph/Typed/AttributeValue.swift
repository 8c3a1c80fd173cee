/// Swift's own types for the values of attributes, as typed subclasses have them.

@_exported import enum SteleModel.Value

// Generated code has these by importing SteleGraph alone.
@_exported import struct FoundationEssentials.Data
@_exported import struct FoundationEssentials.Date
@_exported import struct FoundationEssentials.Decimal
@_exported import struct FoundationEssentials.URL
@_exported import struct FoundationEssentials.UUID

/// A Swift type that stands for attributes of a kind.
public protocol AttributeValue: PredicateArgument {
    /// Nil for null, and for a value of another kind.
    init?(attributeValue: Value)
    /// The same as a store keeps it.
    var attributeValue: Value { get }
}

extension Bool: AttributeValue {
    /// Nil for what is not a Boolean.
    public init?(attributeValue: Value) {
        guard case .bool(let it) = attributeValue else { return nil }
        self = it
    }

    /// The Boolean.
    public var attributeValue: Value { .bool(self) }
}

/// Integers. What another program wrote beyond a type's range loses its upper bits, as in Core
/// Data.
extension AttributeValue where Self: FixedWidthInteger & SignedInteger {
    /// Nil for what is not an integer.
    public init?(attributeValue: Value) {
        guard case .int(let it) = attributeValue else { return nil }
        self.init(truncatingIfNeeded: it)
    }

    /// The integer.
    public var attributeValue: Value { .int(Int64(self)) }
}

extension Int: AttributeValue {}
extension Int16: AttributeValue {}
extension Int32: AttributeValue {}
extension Int64: AttributeValue {}

extension AttributeValue where Self: BinaryFloatingPoint {
    /// Nil for what is not a Double.
    public init?(attributeValue: Value) {
        guard case .double(let it) = attributeValue else { return nil }
        self.init(it)
    }

    /// The number.
    public var attributeValue: Value { .double(Double(self)) }
}

extension Float: AttributeValue {}
extension Double: AttributeValue {}

extension Decimal: AttributeValue {
    /// Nil for what is not a decimal.
    public init?(attributeValue: Value) {
        guard case .decimal(let it) = attributeValue else { return nil }
        self = it
    }

    /// The decimal.
    public var attributeValue: Value { .decimal(self) }
}

extension String: AttributeValue {
    /// Nil for what is not a text.
    public init?(attributeValue: Value) {
        guard case .string(let it) = attributeValue else { return nil }
        self = it
    }

    /// The text.
    public var attributeValue: Value { .string(self) }
}

extension Date: AttributeValue {
    /// Nil for what is not a date.
    public init?(attributeValue: Value) {
        guard case .date(let seconds) = attributeValue else { return nil }
        self.init(timeIntervalSinceReferenceDate: seconds)
    }

    /// The date, in seconds since 2001.
    public var attributeValue: Value { .date(timeIntervalSinceReferenceDate) }
}

extension UUID: AttributeValue {
    /// Nil for what is not a UUID.
    public init?(attributeValue: Value) {
        guard case .uuid(let it) = attributeValue else { return nil }
        self = it
    }

    /// The UUID.
    public var attributeValue: Value { .uuid(self) }
}

extension URL: AttributeValue {
    /// Nil also for a text that Foundation does not take for a URL.
    public init?(attributeValue: Value) {
        guard case .string(let text) = attributeValue else { return nil }
        self.init(string: text)
    }

    /// The text of the URL.
    public var attributeValue: Value { .string(relativeString) }
}

extension Data: AttributeValue {
    /// Nil for what is not bytes, and where a file of bytes cannot be read.
    public init?(attributeValue: Value) {
        switch attributeValue {
        case .data(let bytes): self.init(bytes)
        case .external(let file):
            guard let bytes = file.bytes else { return nil }
            self.init(bytes)
        default: return nil
        }
    }

    /// The bytes.
    public var attributeValue: Value { .data([UInt8](self)) }
}

/// Any value, for attributes of no type of their own.
extension Value: AttributeValue {
    /// Nil for null.
    public init?(attributeValue: Value) {
        if attributeValue.isNull { return nil }
        self = attributeValue
    }

    /// The value itself.
    public var attributeValue: Value { self }
}
