// A small checker of JSON against the schemas of an OpenAPI document.

import FoundationEssentials
import SteleJSON
import SteleModel

/// Checks values against schemas of one document.
struct SchemaCheck {
    let document: JSONValue

    /// Keywords that say nothing about which values are valid, or that only documents use.
    private static let annotations: Set<String> = [
        "title", "description", "examples", "default", "discriminator", "readOnly",
        "contentEncoding",
    ]

    /// What is wrong with a value; empty if it is valid. A keyword that is not known is an error,
    /// so that nothing is valid by mistake.
    func failures(_ value: JSONValue, _ schema: JSONValue, at path: String = "") -> [String] {
        guard case .object(let keywords) = schema else { return ["\(path): no schema"] }
        return keywords.flatMap { name, rule in
            failures(value, name, rule, schema, path).map { "\(path): \($0)" }
        }
    }

    /// The schema or other part that a reference names.
    func resolve(_ reference: String) -> JSONValue? {
        guard reference.hasPrefix("#/") else { return nil }
        return reference.dropFirst(2).split(separator: "/").reduce(document as JSONValue?) {
            $0?[String($1)]
        }
    }

    private func failures(
        _ value: JSONValue, _ name: String, _ rule: JSONValue, _ schema: JSONValue, _ path: String
    ) -> [String] {
        if Self.annotations.contains(name) { return [] }
        switch (name, rule) {
        case ("$ref", .string(let reference)):
            guard let target = resolve(reference) else { return ["\(reference) is missing"] }
            return failures(value, target, at: path)
        case ("type", .string(let type)):
            return Self.isOf(type, value) ? [] : ["\(value.compact) is not \(type)"]
        case ("type", .array(let types)):
            let fits = types.contains {
                if case .string(let it) = $0 { Self.isOf(it, value) } else { false }
            }
            return fits ? [] : ["\(value.compact) is none of \(rule.compact)"]
        case ("const", _): return value == rule ? [] : ["\(value.compact) is not \(rule.compact)"]
        case ("enum", .array(let all)):
            return all.contains(value) ? [] : ["\(value.compact) is none of \(rule.compact)"]
        case ("anyOf", .array(let all)):
            let each = all.map { failures(value, $0, at: path) }
            return each.contains([]) ? [] : ["anyOf"] + each.flatMap(\.self)
        case ("oneOf", .array(let all)):
            let each = all.map { failures(value, $0, at: path) }
            return each.filter(\.isEmpty).count == 1 ? [] : ["oneOf"] + each.flatMap(\.self)
        case ("allOf", .array(let all)): return all.flatMap { failures(value, $0, at: path) }
        case ("not", _): return failures(value, rule).isEmpty ? ["not \(rule.compact)"] : []
        case ("properties", .object), ("required", .array), ("additionalProperties", _):
            return members(value, name, rule, schema, path)
        case ("items", _):
            guard case .array(let items) = value else { return [] }
            return items.enumerated().flatMap { failures($1, rule, at: "\(path)/\($0)") }
        case ("minItems", .integer(let least)):
            guard case .array(let items) = value else { return [] }
            return items.count >= least ? [] : ["too few items"]
        case ("maxItems", .integer(let most)):
            guard case .array(let items) = value else { return [] }
            return items.count <= most ? [] : ["too many items"]
        default: return scalar(value, name, rule)
        }
    }

    private func members(
        _ value: JSONValue, _ name: String, _ rule: JSONValue, _ schema: JSONValue, _ path: String
    ) -> [String] {
        guard case .object(let members) = value else { return [] }
        switch (name, rule) {
        case ("properties", .object(let properties)):
            return properties.flatMap { key, inner in
                value[key].map { failures($0, inner, at: "\(path)/\(key)") } ?? []
            }
        case ("required", .array(let keys)):
            return keys.compactMap { key in
                guard case .string(let key) = key, value[key] == nil else { return nil }
                return "\(key) is missing"
            }
        case ("additionalProperties", _):
            let others = members.filter { key, _ in schema["properties"]?[key] == nil }
            if case .bool(let flag) = rule {
                return flag ? [] : others.map { "\($0.0) is unknown" }
            }
            return others.flatMap { failures($0.1, rule, at: "\(path)/\($0.0)") }
        default: return []
        }
    }

    private func scalar(_ value: JSONValue, _ name: String, _ rule: JSONValue) -> [String] {
        let number = Self.number(value)
        let text: String? = if case .string(let it) = value { it } else { nil }
        let fits: Bool
        switch name {
        case "minimum": fits = number.map { $0 >= Self.number(rule) ?? .infinity } ?? true
        case "maximum": fits = number.map { $0 <= Self.number(rule) ?? -.infinity } ?? true
        case "minLength":
            fits =
                text.map { Double($0.unicodeScalars.count) >= Self.number(rule) ?? .infinity }
                ?? true
        case "maxLength":
            fits = text.map { Double($0.unicodeScalars.count) <= Self.number(rule) ?? -1 } ?? true
        case "pattern":
            guard let text, case .string(let pattern) = rule, let regex = try? Regex(pattern) else {
                return text == nil ? [] : ["no pattern"]
            }
            fits = text.contains(regex)
        case "format":
            guard let text else { return [] }
            fits =
                switch rule {
                case "date-time": (try? ISO8601.secondsSinceReferenceDate(text)) != nil
                case "uuid": UUID(uuidString: text) != nil
                default: true
                }
        default: return ["the keyword \(name) is not known"]
        }
        return fits ? [] : ["\(value.compact) breaks \(name) \(rule.compact)"]
    }

    private static func number(_ value: JSONValue) -> Double? {
        switch value {
        case .integer(let it): Double(it)
        case .real(let it): it
        case .raw(let digits): Double(String(decoding: digits, as: UTF8.self))
        default: nil
        }
    }

    private static func isOf(_ type: String, _ value: JSONValue) -> Bool {
        switch (type, value) {
        case ("null", .null), ("boolean", .bool), ("string", .string), ("array", .array),
            ("object", .object), ("integer", .integer):
            true
        case ("integer", .real(let it)): it == it.rounded()
        case ("number", _): number(value) != nil
        default: false
        }
    }
}
