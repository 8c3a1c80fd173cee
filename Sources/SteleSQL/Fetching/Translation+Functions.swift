/// Arithmetic and functions.

import SteleModel
import StelePersistence
import StelePredicates

extension Translation {
    func function(
        _ name: String, _ arguments: [Expression], _ env: Environment
    ) throws(StoreError) -> Operand {
        if let aggregate = Aggregate(function: name) {
            return try self.aggregate(aggregate, arguments, env)
        }
        switch name {
        case "add:to:": return try arithmetic("+", SQLFunctions.decimalAdd, arguments, env)
        case "from:subtract:": return try arithmetic("-", SQLFunctions.decimalSubtract, arguments, env)
        case "multiply:by:": return try arithmetic("*", SQLFunctions.decimalMultiply, arguments, env)
        case "divide:by:": return try arithmetic("/", SQLFunctions.decimalDivide, arguments, env)
        case "noindex:":
            guard let argument = arguments.first else { throw .invalid("noindex takes a value") }
            var operand = try operand(argument, env)
            if case .sql(let text) = operand.content {
                operand.content = .sql("+\(text)")
                operand.isColumn = false
            }
            return operand
        default:
            let short = name.utf8.last == 0x3A ? String(name.dropLast()) : name
            throw .unsupported("the function \(short)")
        }
    }

    private func arithmetic(
        _ sign: String, _ decimal: SQLFunction, _ arguments: [Expression], _ env: Environment
    ) throws(StoreError) -> Operand {
        guard arguments.count == 2 else { throw .invalid("\(sign) takes two values") }
        let (a, b) = (try operand(arguments[0], env), try operand(arguments[1], env))
        if a.isNull || b.isNull { return .constant(.null) }
        let isNullable = a.isNullable || b.isNullable || sign == "/"
        let kind = Self.result(of: sign, a.kind, b.kind)
        if kind == .decimal {
            return .computed("\(decimal.name)(\(sql(a)), \(sql(b)))", .decimal,
                isNullable: isNullable)
        }
        return .computed("(\(term(a)) \(sign) \(term(b)))", kind, isNullable: isNullable)
    }

    /// A date is stored as an integer where it is a whole second, and integers divide as such.
    private func term(_ operand: Operand) -> String {
        let text = sql(operand)
        return operand.kind == .date && operand.isColumn ? "CAST(\(text) AS REAL)" : text
    }

    private static func result(of sign: String, _ a: ColumnKind, _ b: ColumnKind) -> ColumnKind {
        if a == .date || b == .date { return a == b ? .double : .date }
        if a == .double || b == .double || a == .float || b == .float { return .double }
        return a == .decimal || b == .decimal ? .decimal : .integer
    }
}
