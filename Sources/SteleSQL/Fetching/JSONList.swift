import SteleJSON
import SteleModel
import struct FoundationEssentials.Decimal
import struct FoundationEssentials.UUID

/// A list of values as a JSON array, which `json_each` reads without loss.
enum JSONList {
    /// Returns the array, and whether its elements are `ListLiteral`s; nil where a value is null,
    /// binary, or a text with U+0000, at which SQLite's JSON functions end it. Integers and texts are plain JSON. Other values are literals, because SQLite reads
    /// only 15 digits of a number.
    static func text(_ values: [Value]) -> (String, isWritten: Bool)? {
        let isPlain = values.allSatisfy {
            switch $0 {
            case .int, .key: true
            default: false
            }
        }
        let isText = !isPlain && values.allSatisfy { if case .string = $0 { true } else { false } }
        var writer = ByteWriter(capacity: values.count * 8 + 2)
        writer.byte(UInt8(ascii: "["))
        for (index, value) in values.enumerated() {
            if index > 0 { writer.byte(UInt8(ascii: ",")) }
            switch value {
            case .int(let it) where isPlain, .key(let it) where isPlain: writer.integer(it)
            case .string(let it) where isText:
                if it.utf8.contains(0) { return nil }
                writer.string(it)
            default:
                guard let literal = ListLiteral.text(value) else { return nil }
                writer.string(literal)
            }
        }
        writer.byte(UInt8(ascii: "]"))
        return (String(decoding: writer.bytes, as: UTF8.self), !isPlain && !isText)
    }
}

/// A number or a UUID as a JSON string: `i` and an integer, `d` and the bits of a double, `n` and
/// the digits of a Decimal, `u` and a UUID.
public enum ListLiteral {
    /// Returns the literal of a value; nil for a null, a text and binary data.
    static func text(_ value: Value) -> String? {
        switch value {
        case .int(let it), .key(let it): "i\(it)"
        case .bool(let it): it ? "i1" : "i0"
        case .double(let it), .date(let it): "d\(it.bitPattern)"
        case .decimal(let it): "n\(it)"
        case .uuid(let it): "u\(it.uuidString)"
        case .null, .string, .data, .external: nil
        }
    }

    /// Decodes a literal; nil for any other text.
    public static func value(_ bytes: UnsafeBufferPointer<UInt8>) -> Value? {
        guard let kind = bytes.first else { return nil }
        let text = String(decoding: bytes.dropFirst(), as: UTF8.self)
        switch kind {
        case UInt8(ascii: "i"): return Int64(text).map(Value.int)
        case UInt8(ascii: "d"): return UInt64(text).map { .double(Double(bitPattern: $0)) }
        case UInt8(ascii: "n"): return Decimal(string: text).map(Value.decimal)
        case UInt8(ascii: "u"): return UUID(uuidString: text).map(Value.uuid)
        default: return nil
        }
    }
}
