import SteleModel

/// The type of an expression's result.
public enum ExpressionType: Sendable, Hashable {
    /// A value; `.undefined` if it can have any type, such as nil. `_id` and `_version` are Integer
    /// 64, `_entity` is String.
    case value(AttributeType)
    /// An object of the entity with that index or of a subentity, or nil.
    case object(Int)
    /// The value of an encrypted attribute. It can only be compared with nil, because equal values
    /// have different bytes.
    case encrypted
    /// A collection: a to-many key path, `{…}` or SUBQUERY.
    indirect case collection(ExpressionType)

    /// Groups of types whose values can be compared.
    package enum Kind {
        case any, number, text, date, uuid, binary, object, opaque, encrypted, collection
    }

    /// The group of the type.
    package var kind: Kind {
        switch self {
        case .collection: return .collection
        case .object: return .object
        case .encrypted: return .encrypted
        case .value(let type):
            switch type {
            case .undefined: return .any
            case .integer16, .integer32, .integer64, .decimal, .double, .float, .boolean:
                return .number
            case .string, .uri: return .text
            case .date: return .date
            case .uuid: return .uuid
            case .binary: return .binary
            case .objectID: return .object
            case .transformable, .composite: return .opaque
            }
        }
    }

    /// The type of an attribute's values.
    package init(of attribute: Attribute) {
        self = attribute.isEncrypted ? .encrypted : .value(attribute.type)
    }

    /// The type of a literal.
    package init(of value: Value) {
        switch value {
        case .null: self = .value(.undefined)
        case .bool: self = .value(.boolean)
        case .int: self = .value(.integer64)
        case .double: self = .value(.double)
        case .decimal: self = .value(.decimal)
        case .string: self = .value(.string)
        case .date: self = .value(.date)
        case .data, .external: self = .value(.binary)
        case .uuid: self = .value(.uuid)
        // That of an unsaved object is compared with `_id`, too, which has an order.
        case .key(let key): self = .value(key < 0 ? .integer64 : .objectID)
        }
    }

    /// The type as a noun for messages.
    package var noun: String {
        switch kind {
        case .any: "nil"
        case .number: self == .value(.boolean) ? "a Boolean" : "a number"
        case .text: "text"
        case .date: "a date"
        case .uuid: "a UUID"
        case .binary: "binary data"
        case .object: "an object"
        case .opaque: "an opaque value"
        case .encrypted: "an encrypted value"
        case .collection: "a collection"
        }
    }
}
