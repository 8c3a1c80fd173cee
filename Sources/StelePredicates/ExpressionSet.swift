/// Expressions among which those inside other expressions are looked for.
package struct ExpressionSet: Sendable {
    /// What two equal expressions have in common at first sight.
    private enum Shape: Hashable {
        case path([String])
        case function(String)
        case other(Int)
    }

    private let all: Set<Expression>
    private let shapes: Set<Shape>

    package init(_ expressions: [Expression]) {
        all = Set(expressions)
        shapes = Set(expressions.map(Self.shape))
    }

    /// Whether the expression is one of these. Only one that looks like one of them is compared
    /// with them.
    package func contains(_ expression: Expression) -> Bool {
        shapes.contains(Self.shape(of: expression)) && all.contains(expression)
    }

    private static func shape(of expression: Expression) -> Shape {
        switch expression {
        case .keyPath(_, let path): .path(path)
        case .function(let name, _): .function(name)
        case .constant: .other(0)
        case .evaluatedObject: .other(1)
        case .variable: .other(2)
        case .aggregate(let items): .other(100 + items.count)
        case .subquery: .other(3)
        case .conditional: .other(4)
        case .set: .other(5)
        case .index: .other(6)
        case .anyKey: .other(7)
        case .assignment: .other(8)
        }
    }
}
