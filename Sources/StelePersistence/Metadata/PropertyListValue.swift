import FoundationEssentials

/// A value of a property list.
package enum PropertyListValue: Sendable, Hashable {
    case bool(Bool)
    case integer(Int64)
    /// An integer beyond `Int64.max`.
    case unsigned(UInt64)
    case real(Double)
    case string(String)
    case date(Date)
    case data(Data)
    case array([PropertyListValue])
    case dictionary([String: PropertyListValue])
}

extension PropertyListValue: Codable {
    /// Decodes a value of any type.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        func value<T: Decodable>(_ type: T.Type) -> T? { try? container.decode(type) }
        // The decoder converts between numbers, so a number with a fraction is the last attempt.
        if let it = value(Bool.self) {
            self = .bool(it)
        } else if let it = value(String.self) {
            self = .string(it)
        } else if let it = value(Int64.self) {
            self = .integer(it)
        } else if let it = value(UInt64.self) {
            self = .unsigned(it)
        } else if let it = value(Double.self) {
            self = .real(it)
        } else if let it = value(Date.self) {
            self = .date(it)
        } else if let it = value(Data.self) {
            self = .data(it)
        } else if let it = value([PropertyListValue].self) {
            self = .array(it)
        } else {
            self = .dictionary(try container.decode([String: PropertyListValue].self))
        }
    }

    /// Encodes the value.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .bool(let it): try container.encode(it)
        case .integer(let it): try container.encode(it)
        case .unsigned(let it): try container.encode(it)
        case .real(let it): try container.encode(it)
        case .string(let it): try container.encode(it)
        case .date(let it): try container.encode(it)
        case .data(let it): try container.encode(it)
        case .array(let it): try container.encode(it)
        case .dictionary(let it): try container.encode(it)
        }
    }
}

extension PropertyListValue {
    /// The text; nil for another type.
    var string: String? { if case .string(let it) = self { it } else { nil } }

    /// The texts of an array; nil for another type, or where an element is not a text.
    var strings: [String]? {
        guard case .array(let elements) = self else { return nil }
        let texts = elements.compactMap(\.string)
        return texts.count == elements.count ? texts : nil
    }

    /// The data of a dictionary; nil for another type, or where a value is not data.
    var datas: [String: Data]? {
        guard case .dictionary(let members) = self else { return nil }
        var found: [String: Data] = [:]
        for (key, member) in members {
            guard case .data(let it) = member else { return nil }
            found[key] = it
        }
        return found
    }
}
