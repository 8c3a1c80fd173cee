/// Reads and writes defaults and bounds in the JSON form of a model.

internal import SteleJSON

import FoundationEssentials

extension ValueText {
    /// Decimals with more digits are written as text, because most JSON parsers round longer
    /// numbers.
    private static let safeDigits = 15

    /// The value of that type that a JSON value represents; nil if there is none.
    static func value(_ node: JSONNode, _ type: AttributeType) -> Value? {
        switch type {
        case .boolean: return node.bool.map { .bool($0) }
        case .string, .uri: return node.string.map { .string($0) }
        case .uuid: return node.string.flatMap { value($0, type) }
        case .binary:
            return node.string.flatMap { Data(base64Encoded: $0) }.map { .data([UInt8]($0)) }
        case .date:
            if let seconds = node.real { return .date(seconds) }
            guard let text = node.string else { return nil }
            return (try? ISO8601.secondsSinceReferenceDate(text)).map { .date($0) }
        case .integer16, .integer32, .integer64, .decimal, .double, .float:
            if type.isInteger, let number = node.wholeNumber { return value(String(number), type) }
            // A Decimal is read from its digits, never through a Double.
            if let text = node.string ?? node.longNumberText { return value(text, type) }
            if let number = node.integer { return value(String(number), type) }
            return node.real.flatMap { value($0.description, type) }
        case .undefined, .transformable, .objectID, .composite: return nil
        }
    }

    /// The value as JSON, in the form that `value(_:_:)` reads; null if it has none.
    static func json(_ value: Value, _ type: AttributeType) -> JSONValue {
        switch value {
        case .null, .external, .key: return .null
        case .bool(let it): return .bool(it)
        case .int(let it): return .integer(it)
        case .double(let it): return .raw(Array((text(value, type) ?? it.description).utf8))
        case .date(let it):
            return ISO8601.text(secondsSinceReferenceDate: it).map { .string($0) } ?? .real(it)
        case .string(let it): return .string(it)
        case .uuid(let it): return .string(it.uuidString)
        case .data(let it): return .string(Data(it).base64EncodedString())
        case .decimal(let it):
            let digits = DecimalText.text(it)
            return digits.utf8.count <= safeDigits ? .raw(Array(digits.utf8)) : .string(digits)
        }
    }
}
