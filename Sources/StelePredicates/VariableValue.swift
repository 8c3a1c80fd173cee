import SteleModel

/// The value of a variable `$NAME` of a predicate or an expression.
public enum VariableValue: Sendable, Hashable, ExpressibleByStringLiteral {
    /// Text that is read as the type that it is compared with, as that of `var.NAME` in an address:
    /// `5`, `nil`, `2026-01-31`, and for a list `1,2` or `{1, 2}`.
    case written(String)
    /// A value with a type of its own, such as a number of JSON. Text is also read as a date, a
    /// UUID, an object's id, or a number, where it is compared with one.
    case value(Value)
    /// A list of such values.
    case list([Value])

    /// Creates the value of a text that is read as the type that it is compared with.
    public init(stringLiteral text: String) { self = .written(text) }

    /// The text that is read as any type; nil for values with types of their own.
    public var text: String? {
        if case .written(let text) = self { text } else { nil }
    }

    /// A text for each value, which no other has.
    package var key: String {
        switch self {
        case .written(let text): "'" + text
        case .value(let value): Self.key(value)
        case .list(let values): "{" + values.map(Self.key).joined(separator: ", ") + "}"
        }
    }

    /// The literal of a value, with its type where others have the same one: `1` is also true.
    private static func key(_ value: Value) -> String {
        switch value {
        case .bool: "bool " + value.literal
        case .decimal: "decimal " + value.literal
        case .key: "key " + value.literal
        default: value.literal
        }
    }

    /// The bytes of the texts in it.
    package var bytes: Int {
        switch self {
        case .written(let text): text.utf8.count
        case .value(let value): 8 + value.bytesBeside
        case .list(let values): values.reduce(0) { $0 + 8 + $1.bytesBeside }
        }
    }
}
