/// Values of attributes that keep the rules of the model, as examples.

import SteleJSON
import SteleModel
import StelePredicates

enum OpenAPIExample {
    /// A value as JSON in the form that answers have; nil for null.
    static func json(_ value: Value, _ attribute: Attribute) -> JSONValue? {
        switch value {
        case .null, .external, .key: return nil
        case .bool(let it): return .bool(it)
        case .int(let it): return .integer(it)
        case .double(let it):
            var writer = ByteWriter(capacity: 32)
            if attribute.type == .float { writer.float(Float(it)) } else { writer.double(it) }
            return .raw(writer.take())
        case .decimal(let it): return .raw(Array(DecimalText.text(it).utf8))
        case .string(let it): return .string(it)
        case .date(let it): return ISO8601.text(secondsSinceReferenceDate: it).map { .string($0) }
        case .uuid(let it): return .string(it.uuidString)
        case .data(let it):
            guard attribute.type == .binary else { return nil }
            var writer = ByteWriter(capacity: it.count * 2)
            writer.base64(it)
            return .raw(writer.take())
        }
    }

    /// A valid value of an attribute; nil if none is found.
    static func value(of attribute: Attribute) -> JSONValue? {
        if let value = json(attribute.declaration.defaultValue, attribute) { return value }
        let (least, most) = (attribute.declaration.minimum, attribute.declaration.maximum)
        switch attribute.type {
        case .integer16, .integer32, .integer64, .decimal, .double, .float:
            return json(least, attribute) ?? json(most, attribute) ?? 1
        case .string: return text(attribute).map { .string($0) }
        case .uri: return "https://example.com/"
        case .boolean: return true
        case .date: return json(least, attribute) ?? json(most, attribute) ?? "2024-05-01T09:00:00Z"
        case .binary: return "AAEC"
        case .uuid: return "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
        case .transformable:
            return attribute.isPlainJSON || attribute.valueTransformer != nil ? "text" : nil
        case .composite:
            return .object(
                attribute.elements.filter { !$0.isTransient }.compactMap { element in
                    value(of: element).map { (element.key, $0) }
                })
        case .undefined, .objectID: return nil
        }
    }

    /// A text of a permitted length that matches the model's regular expression.
    private static func text(_ attribute: Attribute) -> String? {
        let declaration = attribute.declaration
        func length(_ bound: Value) -> Int? {
            if case .int(let it) = bound { Int(exactly: it) } else { nil }
        }
        let least = length(declaration.minimum) ?? 0
        let most = length(declaration.maximum) ?? .max
        guard least <= 1000, least <= most else { return nil }
        let name = declaration.name
        let plain =
            (least...most).contains(name.utf16.count)
            ? name : String(repeating: "a", count: max(least, min(1, most)))
        guard let pattern = declaration.regularExpression else { return plain }
        let candidates =
            [plain] + ["a", "A", "1", "0"].map { String(repeating: $0, count: max(least, 1)) }
            + ["a@example.com", "https://example.com/", "2024-05-01", "+41 44 123 45 67"]
        return candidates.first {
            (least...most).contains($0.utf16.count)
                && ((try? PatternMatcher(.standard).matches($0, pattern)) ?? false)
        }
    }
}
