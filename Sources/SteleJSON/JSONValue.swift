/// A JSON value as a tree, for small documents: problems, indexes, the model. Rows are written
/// directly to a ``ByteWriter``.
public indirect enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// Written with the shortest digits that read back the same; NaN and the infinities as null.
    case real(Double)
    case string(String)
    case array([JSONValue])
    /// Members in their order. The caller makes sure that no key occurs twice.
    case object([(String, JSONValue)])
    /// JSON that is written as it is.
    case raw([UInt8])

    /// Makes the value of a node; a long number keeps its digits as `raw`.
    public init(_ node: JSONNode) {
        if let digits = node.longNumberText, node.kind == .real {
            self = .raw(Array(digits.utf8))
            return
        }
        switch node.kind {
        case .null: self = .null
        case .bool: self = .bool(node.bool ?? false)
        case .integer: self = .integer(node.integer ?? 0)
        case .real: self = .real(node.real ?? 0)
        case .string: self = .string(node.string ?? "")
        case .array:
            var elements: [JSONValue] = []
            elements.reserveCapacity(node.count)
            node.forEachElement { elements.append(JSONValue($0)) }
            self = .array(elements)
        case .object:
            var members: [(String, JSONValue)] = []
            members.reserveCapacity(node.count)
            node.forEachMember { members.append(($0, JSONValue($1))) }
            self = .object(members)
        }
    }

    /// The member of a name; nil if there is none.
    public subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.0 == key }?.1
    }
}

extension JSONValue: Equatable {
    /// Equal in kind and content; members of objects must also be in the same order.
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.real(let left), .real(let right)): left == right
        case (.string(let left), .string(let right)): left == right
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left.elementsEqual(right, by: ==)
        case (.raw(let left), .raw(let right)): left == right
        default: false
        }
    }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
    ExpressibleByStringInterpolation, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// `nil` is null.
    public init(nilLiteral: ()) { self = .null }
    /// A truth value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// An integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// A real.
    public init(floatLiteral value: Double) { self = .real(value) }
    /// A text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// An array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// An object, its members in the order written.
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self = .object(elements) }
}
