import SteleModel

extension AttributeType {
    /// Whether a store keeps the value under this type unchanged. Null is kept; NaN, infinite
    /// numbers and dates without a text are not.
    func holds(_ value: Value) -> Bool {
        switch (value, self) {
        case (.null, _), (_, .undefined): true
        case (.int, .integer16), (.int, .integer32), (.int, .integer64): true
        case (.double(let it), .double), (.double(let it), .float): it.isFinite
        case (.date(let it), .date): Value.isDate(it)
        case (.decimal(let it), .decimal): !it.isNaN
        case (.string, .string), (.string, .uri): true
        case (.bool, .boolean), (.uuid, .uuid), (.key, .objectID): true
        case (.data, .binary), (.external, .binary): true
        case (.data, .transformable), (.external, .transformable): true
        default: false
        }
    }
}

extension Value {
    /// The nearest Float to a Double, which a store keeps as a Double; unchanged beyond its range.
    var asFloat: Value {
        guard case .double(let it) = self, Float(it).isFinite else { return self }
        return .double(Double(Float(it)))
    }

    /// A description of the value's type for error messages.
    var kindName: String {
        switch self {
        case .null: "no value"
        case .bool: "a Boolean"
        case .int: "an integer"
        case .double(let it): it.isFinite ? "a Double" : "\(it)"
        case .decimal: "a Decimal"
        case .string: "text"
        case .date: "a date"
        case .data, .external: "bytes"
        case .uuid: "a UUID"
        case .key: "an object"
        }
    }
}
