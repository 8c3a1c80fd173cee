import SteleModel

/// The values of an expression for each element of a collection, which no text of the language has:
/// rules that a request is combined with need it. Elements without an object have null.
///
/// It is a function of a SUBQUERY whose condition carries the value, so that its variable is in
/// scope as that of each SUBQUERY.
package struct EachValue {
    /// The objects.
    package let collection: Expression
    /// The variable for an object.
    package let variable: String
    /// The value for an object.
    package let value: Expression

    /// The function's name, which the parser does not know.
    package static let function = "valueForEach:"

    /// - Parameters:
    ///   - value: the value for an object.
    ///   - variable: the variable for an object.
    ///   - collection: the objects.
    package init(of value: Expression, forEach variable: String, in collection: Expression) {
        self.collection = collection
        self.variable = variable
        self.value = value
    }

    /// The values that an expression is; nil for any other expression.
    package init?(_ expression: Expression) {
        guard case .function(Self.function, let arguments) = expression else { return nil }
        self.init(arguments)
    }

    /// The values of the function with those arguments.
    package init?(_ arguments: [Expression]) {
        guard
            case .subquery(let collection, let variable, .comparison(let carrier))? =
                arguments.first
        else { return nil }
        self.init(of: carrier.left, forEach: variable, in: collection)
    }

    /// The values as an expression.
    package var expression: Expression {
        let carrier = Comparison(value, .notEqual, .constant(.null))
        return .function(
            Self.function, [.subquery(collection, variable: variable, .comparison(carrier))])
    }
}
