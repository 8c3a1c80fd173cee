import SteleModel
import struct FoundationEssentials.Decimal
import struct FoundationEssentials.UUID

/// A list of values as a JSON array, which `json_each` reads without loss.
enum JSONList {
    /// Returns the array, and whether its elements are `ListLiteral`s; nil where a value is null or
    /// binary. Integers and texts are plain JSON. Other values are literals, because SQLite reads
    /// only 15 digits of a number.
    static func text(_ values: [Value]) -> (String, isWritten: Bool)? {
        var bytes: [UInt8] = [UInt8(ascii: "[")]
        bytes.reserveCapacity(values.count * 8)
        let isPlain = values.allSatisfy {
            switch $0 {
            case .int, .key: true
            default: false
            }
        }
        let isText = !isPlain && values.allSatisfy { if case .string = $0 { true } else { false } }
        for value in values {
            if isPlain || isText {
                switch value {
                case .int(let it), .key(let it): bytes.append(contentsOf: String(it).utf8)
                case .string(let it): write(it, to: &bytes)
                default: return nil
                }
            } else {
                guard ListLiteral.write(value, to: &bytes) else { return nil }
            }
            bytes.append(UInt8(ascii: ","))
        }
        if values.isEmpty { return ("[]", false) }
        bytes[bytes.count - 1] = UInt8(ascii: "]")
        return (String(decoding: bytes, as: UTF8.self), !isPlain && !isText)
    }

    private static func write(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0..<0x20:
                let digits = Array("0123456789abcdef".utf8)
                bytes.append(contentsOf: "\\u00".utf8)
                bytes.append(digits[Int(byte >> 4)])
                bytes.append(digits[Int(byte & 15)])
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}

/// A number or a UUID as a JSON string: `i` and an integer, `d` and the bits of a double, `n` and
/// the digits of a Decimal, `u` and a UUID.
public enum ListLiteral {
    static func write(_ value: Value, to bytes: inout [UInt8]) -> Bool {
        bytes.append(UInt8(ascii: "\""))
        switch value {
        case .int(let it), .key(let it): bytes.append(contentsOf: "i\(it)".utf8)
        case .bool(let it): bytes.append(contentsOf: (it ? "i1" : "i0").utf8)
        case .double(let it), .date(let it): bytes.append(contentsOf: "d\(it.bitPattern)".utf8)
        case .decimal(let it): bytes.append(contentsOf: "n\(it)".utf8)
        case .uuid(let it): bytes.append(contentsOf: "u\(it.uuidString)".utf8)
        case .null, .string, .data, .external: return false
        }
        bytes.append(UInt8(ascii: "\""))
        return true
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
