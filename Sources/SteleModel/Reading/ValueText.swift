import FoundationEssentials
internal import SteleJSON

/// Converts defaults and bounds from and to the text of a `contents` file.
package enum ValueText {
    /// YES or NO, and the spellings of other tools.
    static func bool(_ text: String) -> Bool? {
        switch text {
        case "YES", "true", "1": true
        case "NO", "false", "0": false
        default: nil
        }
    }

    /// A finite number in decimal digits. Hexadecimal numbers and `nan` are not accepted.
    static func double(_ text: String) -> Double? {
        let allowed = text.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
                UInt8(ascii: "+"), UInt8(ascii: "e"), UInt8(ascii: "E"):
                true
            default: false
            }
        }
        guard allowed, let value = Double(text), value.isFinite else { return nil }
        return value
    }

    /// An integer. `5.0` is accepted, because editors write it after a change of type.
    static func integer(_ text: String) -> Int64? {
        if let value = Int64(text) { return value }
        guard let value = double(text) else { return nil }
        return Int64(exactly: value)
    }

    /// The text as a value of that type; nil if it is not one. Dates and binary data have no such
    /// text, nor do types that only code can set.
    package static func value(_ text: String, _ type: AttributeType) -> Value? {
        switch type {
        case .integer16, .integer32, .integer64:
            integer(text).flatMap { type.integerRange.contains($0) ? .int($0) : nil }
        case .decimal: DecimalText.parse(text.utf8).map { .decimal($0) }
        case .double: double(text).map { .double($0) }
        case .float:
            double(text).flatMap { value in
                let float = Float(value)
                return float.isFinite ? .double(Double(float)) : nil
            }
        case .string, .uri: .string(text)
        case .boolean: bool(text).map { .bool($0) }
        case .uuid: UUID(uuidString: text).map { .uuid($0) }
        case .undefined, .date, .binary, .transformable, .objectID, .composite: nil
        }
    }

    /// The value's text, in the form that `value(_:_:)` reads; nil if it has none.
    package static func text(_ value: Value, _ type: AttributeType) -> String? {
        switch value {
        case .null, .data, .external, .key: return nil
        case .bool(let it): return it ? "YES" : "NO"
        case .int(let it): return String(it)
        case .double(let it): return type == .float ? Float(it).description : it.description
        case .date(let it): return Int64(exactly: it).map { String($0) } ?? it.description
        case .string(let it): return it
        case .uuid(let it): return it.uuidString
        case .decimal(let it):
            // Xcode writes whole numbers with ".0".
            let digits = DecimalText.text(it)
            let isWhole = digits.utf8.allSatisfy {
                $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") || $0 == UInt8(ascii: "-")
            }
            return isWhole ? digits + ".0" : digits
        }
    }

    /// The value for people to read: dates in ISO 8601, whole numbers without ".0".
    static func readable(_ value: Value, _ type: AttributeType) -> String {
        switch value {
        case .date(let seconds): ISO8601.shown(secondsSinceReferenceDate: seconds)
        case .decimal(let it): DecimalText.text(it)
        case .double(let it) where it == it.rounded() && abs(it) < 1e15: String(Int64(it))
        default: text(value, type) ?? ""
        }
    }
}

extension AttributeType {
    /// The range of an integer type; that of Int64 for other types.
    package var integerRange: ClosedRange<Int64> {
        switch self {
        case .integer16: Int64(Int16.min)...Int64(Int16.max)
        case .integer32: Int64(Int32.min)...Int64(Int32.max)
        default: Int64.min...Int64.max
        }
    }
}
