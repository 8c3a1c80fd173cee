// Predicates as trees in one line, which tell apart whatever differs.

import SteleModel
import StelePredicates

/// Writes predicates and expressions with every operator in front of what it works on.
///
/// `a.b` is a key path, `(. x a b)` one that starts from the value of x, `"x"` text, `1` an
/// integer, `1.5d` a Decimal, `1.5f` a Double, `date:0.0` and `uuid:…` constants of these kinds.
/// Functions have Foundation's names, options follow the operator: `(any ==[cd] a.b "x")`.
enum PredicateTree {
    static func text(_ predicate: Predicate) -> String {
        switch predicate {
        case .constant(let value): value ? "TRUE" : "FALSE"
        case .comparison(let it):
            node([modifier(it.modifier), it.type.sign + letters(it.options)], [it.left, it.right])
        case .and(let parts): "(and \(parts.map(text).joined(separator: " ")))"
        case .or(let parts): "(or \(parts.map(text).joined(separator: " ")))"
        case .not(let inner): "(not \(text(inner)))"
        }
    }

    static func text(_ expression: Expression) -> String {
        switch expression {
        case .constant(let value): return text(value)
        case .evaluatedObject: return "SELF"
        case .variable(let name): return "$" + name
        case .keyPath(.evaluatedObject, let path):
            let isWord = ["SELF", "nil", "TRUE", "FALSE", "ANYKEY"].contains(path.first)
            return (isWord ? "#" : "") + path.joined(separator: ".")
        case .keyPath(let operand, let path):
            return "(. \(text(operand)) \(path.joined(separator: " ")))"
        case .function(let name, let arguments): return node([name], arguments)
        case .aggregate(let items): return "{\(items.map(text).joined(separator: " "))}"
        case .subquery(let collection, let variable, let predicate):
            return "(subquery \(text(collection)) $\(variable) \(text(predicate)))"
        case .conditional(let predicate, let yes, let no):
            return "(ternary \(text(predicate)) \(text(yes)) \(text(no)))"
        case .set(let operation, let left, let right):
            return node([operation.sign.lowercased()], [left, right])
        case .index(let collection, let position):
            return "([] \(text(collection)) \(text(position)))"
        case .anyKey: return "ANYKEY"
        case .assignment(let name, let value): return "(:= $\(name) \(text(value)))"
        }
    }

    private static func node(_ head: [String], _ operands: [Expression]) -> String {
        let parts = head.filter { !$0.isEmpty } + operands.map(text)
        return "(\(parts.joined(separator: " ")))"
    }

    private static func modifier(_ modifier: Comparison.Modifier) -> String {
        switch modifier {
        case .direct: ""
        case .any: "any"
        case .all: "all"
        }
    }

    private static func letters(_ options: ComparisonOptions) -> String {
        let known: [(ComparisonOptions, String)] = [
            (.caseInsensitive, "c"), (.diacriticInsensitive, "d"), (.normalized, "n"),
            (.localeSensitive, "l"),
        ]
        let letters = known.filter { options.contains($0.0) }.map(\.1).joined()
        return letters.isEmpty ? "" : "[\(letters)]"
    }

    private static func text(_ position: Expression.IndexPosition) -> String {
        switch position {
        case .first: "FIRST"
        case .last: "LAST"
        case .size: "SIZE"
        case .at(let index): text(index)
        }
    }

    private static func text(_ value: Value) -> String {
        switch value {
        case .null: return "nil"
        case .bool(let it): return "bool:\(it)"
        case .int(let it): return String(it)
        case .key(let it): return "key:\(it)"
        case .double(let it): return "\(it)f"
        case .decimal(let it): return "\(it)d"
        case .date(let it): return "date:\(it)"
        case .uuid(let it): return "uuid:\(it.uuidString.lowercased())"
        case .data(let it): return "data:\(it)"
        case .external(let it): return "external:\(it.identifier)"
        case .string(let it):
            let scalars = it.unicodeScalars.map { scalar in
                switch scalar {
                case " "..."~", "\u{A1}"..."\u{AC}", "\u{AE}"...: String(scalar)
                default: "<U+\(String(scalar.value, radix: 16, uppercase: true))>"
                }
            }
            return "\"\(scalars.joined())\""
        }
    }
}
