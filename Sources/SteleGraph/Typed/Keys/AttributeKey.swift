import SteleModel
import StelePredicates

/// A value that is compared in a predicate and sorted by: an attribute, or what is computed of
/// attributes. `Value` is its Swift type without nil.
public struct AttributeKey<Value: AttributeValue>: Sendable {
    /// The value as an expression of the predicate language (NSExpression).
    public let expression: Expression

    init(_ expression: Expression) { self.expression = expression }

    private static func constant(_ value: Value?) -> Expression {
        .constant(value?.attributeValue ?? .null)
    }

    private func compared(_ type: Comparison.Operator, _ value: Value?) -> Predicate {
        .comparison(Comparison(expression, type, Self.constant(value)))
    }

    private func compared(_ type: Comparison.Operator, _ other: AttributeKey) -> Predicate {
        .comparison(Comparison(expression, type, other.expression))
    }

    // MARK: With a value

    /// Whether the value is equal, or null for nil.
    public static func == (key: AttributeKey, value: Value?) -> Predicate {
        key.compared(.equal, value)
    }

    /// Whether the value differs. Null differs from every value.
    public static func != (key: AttributeKey, value: Value?) -> Predicate {
        key.compared(.notEqual, value)
    }

    /// Whether the value is less. Null is not.
    public static func < (key: AttributeKey, value: Value) -> Predicate {
        key.compared(.lessThan, value)
    }

    /// Whether the value is less or equal. Null is not.
    public static func <= (key: AttributeKey, value: Value) -> Predicate {
        key.compared(.lessThanOrEqual, value)
    }

    /// Whether the value is greater. Null is not.
    public static func > (key: AttributeKey, value: Value) -> Predicate {
        key.compared(.greaterThan, value)
    }

    /// Whether the value is greater or equal. Null is not.
    public static func >= (key: AttributeKey, value: Value) -> Predicate {
        key.compared(.greaterThanOrEqual, value)
    }

    // MARK: With another key

    /// Whether two values of the object are equal, or both null.
    public static func == (key: AttributeKey, other: AttributeKey) -> Predicate {
        key.compared(.equal, other)
    }

    /// Whether two values of the object differ.
    public static func != (key: AttributeKey, other: AttributeKey) -> Predicate {
        key.compared(.notEqual, other)
    }

    /// Whether one value of the object is less than another.
    public static func < (key: AttributeKey, other: AttributeKey) -> Predicate {
        key.compared(.lessThan, other)
    }

    /// Whether one value of the object is less than another, or equal.
    public static func <= (key: AttributeKey, other: AttributeKey) -> Predicate {
        key.compared(.lessThanOrEqual, other)
    }

    /// Whether one value of the object is greater than another.
    public static func > (key: AttributeKey, other: AttributeKey) -> Predicate {
        key.compared(.greaterThan, other)
    }

    /// Whether one value of the object is greater than another, or equal.
    public static func >= (key: AttributeKey, other: AttributeKey) -> Predicate {
        key.compared(.greaterThanOrEqual, other)
    }

    // MARK: Order

    /// The ascending order of the values, null first.
    public var ascending: SortDescriptor { SortDescriptor(expression) }
    /// The descending order of the values, null last.
    public var descending: SortDescriptor { SortDescriptor(expression, ascending: false) }
}

extension SortDescriptor {
    /// Creates a sort key of a class: `SortDescriptor(\Player.Keys.name, options: .caseInsensitive)`.
    public init<T: ManagedObject, V>(
        _ key: KeyPath<ObjectKeys<T>, AttributeKey<V>>, ascending: Bool = true,
        options: ComparisonOptions = []
    ) {
        let expression = ObjectKeys<T>()[keyPath: key].expression
        self.init(expression, ascending: ascending, options: options)
    }
}

// MARK: Text

extension AttributeKey<String> {
    /// Whether the text is equal, by the options (`==[c]`).
    public func isEqual(to text: String, options: ComparisonOptions) -> Predicate {
        compared(.equal, text, options)
    }

    /// Whether the text begins with another (BEGINSWITH).
    public func beginsWith(_ text: String, options: ComparisonOptions = []) -> Predicate {
        compared(.beginsWith, text, options)
    }

    /// Whether the text ends with another (ENDSWITH).
    public func endsWith(_ text: String, options: ComparisonOptions = []) -> Predicate {
        compared(.endsWith, text, options)
    }

    /// Whether another text is part of it (CONTAINS).
    public func contains(_ text: String, options: ComparisonOptions = []) -> Predicate {
        compared(.contains, text, options)
    }

    /// Whether the text fits a pattern with `*` and `?` (LIKE).
    public func isLike(_ pattern: String, options: ComparisonOptions = []) -> Predicate {
        compared(.like, pattern, options)
    }

    /// Whether the whole text fits a regular expression (MATCHES).
    public func matches(_ pattern: String, options: ComparisonOptions = []) -> Predicate {
        compared(.matches, pattern, options)
    }

    /// The text in lower case (`lowercase:`).
    public func lowercased() -> AttributeKey<String> { function(.lowercase) }
    /// The text in upper case (`uppercase:`).
    public func uppercased() -> AttributeKey<String> { function(.uppercase) }
    /// The length in UTF-16 units (`length:`).
    public var length: AttributeKey<Int> { function(.length) }

    private func compared(
        _ type: Comparison.Operator, _ text: String, _ options: ComparisonOptions
    ) -> Predicate {
        .comparison(Comparison(expression, type, .constant(.string(text)), options: options))
    }
}

// MARK: Functions and numbers

extension AttributeKey {
    fileprivate func function<V>(
        _ function: PredicateFunction, _ more: Expression...
    ) -> AttributeKey<V> {
        AttributeKey<V>(.function(function.rawValue, [expression] + more))
    }
}

extension AttributeKey where Value: Numeric {
    /// The sum of two values of the object.
    public static func + (a: AttributeKey, b: AttributeKey) -> AttributeKey {
        a.function(.add, b.expression)
    }

    /// The difference of two values of the object.
    public static func - (a: AttributeKey, b: AttributeKey) -> AttributeKey {
        a.function(.subtract, b.expression)
    }

    /// The product of two values of the object.
    public static func * (a: AttributeKey, b: AttributeKey) -> AttributeKey {
        a.function(.multiply, b.expression)
    }

    /// The quotient of two values of the object.
    public static func / (a: AttributeKey, b: AttributeKey) -> AttributeKey {
        a.function(.divide, b.expression)
    }

    /// The value with a number added.
    public static func + (a: AttributeKey, b: Value) -> AttributeKey {
        a.function(.add, constant(b))
    }

    /// The value with a number subtracted.
    public static func - (a: AttributeKey, b: Value) -> AttributeKey {
        a.function(.subtract, constant(b))
    }

    /// The value times a number.
    public static func * (a: AttributeKey, b: Value) -> AttributeKey {
        a.function(.multiply, constant(b))
    }

    /// The value divided by a number.
    public static func / (a: AttributeKey, b: Value) -> AttributeKey {
        a.function(.divide, constant(b))
    }
}
