/// Arithmetic and functions.

import SteleModel
import StelePersistence
import StelePredicates

#if canImport(FoundationEssentials)
    import struct FoundationEssentials.Date
#else
    import struct Foundation.Date
#endif

extension Translation {
    func function(
        _ name: String, _ arguments: [Expression], _ env: Environment
    ) throws(StoreError) -> Operand {
        if let aggregate = Aggregate(function: name) {
            return try self.aggregate(aggregate, arguments, env)
        }
        guard let function = PredicateFunction(rawValue: name),
            arguments.count == function.arity
        else { throw .invalid("there is no function \(name) of \(arguments.count) values") }
        switch function {
        case .add: return try arithmetic("+", SQLFunctions.decimalAdd, arguments, env)
        case .subtract: return try arithmetic("-", SQLFunctions.decimalSubtract, arguments, env)
        case .multiply: return try arithmetic("*", SQLFunctions.decimalMultiply, arguments, env)
        case .divide: return try arithmetic("/", SQLFunctions.decimalDivide, arguments, env)
        case .modulus: return try modulus(arguments, env)
        case .bitwiseAnd: return try bits("&", arguments, env)
        case .bitwiseOr: return try bits("|", arguments, env)
        case .leftShift: return try bits("<<", arguments, env)
        case .rightShift: return try bits(">>", arguments, env)
        case .squareRoot: return try real("SQRT", arguments, env)
        case .log: return try real("LOG10", arguments, env)
        case .naturalLogarithm: return try real("LN", arguments, env)
        case .absolute: return try rounded("ABS", arguments, env)
        case .floor: return try rounded("FLOOR", arguments, env)
        case .ceiling: return try rounded("CEIL", arguments, env)
        case .truncate: return try rounded("TRUNC", arguments, env)
        case .now: return .constant(.date(Date().timeIntervalSinceReferenceDate))
        case .noIndex:
            var operand = try operand(arguments[0], env)
            if case .sql(let text) = operand.content {
                operand.content = .sql("+\(text)")
                operand.isColumn = false
            }
            return operand
        default: throw .unsupported("the function \(function.shortName)")
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
            return .computed(
                "\(decimal.name)(\(sql(a)), \(sql(b)))", .decimal,
                isNullable: isNullable)
        }
        return .computed("(\(term(a)) \(sign) \(term(b)))", kind, isNullable: isNullable)
    }

    private func modulus(
        _ arguments: [Expression], _ env: Environment
    ) throws(StoreError) -> Operand {
        let (a, b) = (try operand(arguments[0], env), try operand(arguments[1], env))
        switch Self.result(of: "%", a.kind, b.kind) {
        case .integer: return .computed("(\(sql(a)) % \(sql(b)))", .integer)
        case .double: return .computed("MOD(\(sql(a)), \(sql(b)))", .double)
        default: throw .unsupported("the remainder of decimals")
        }
    }

    private func bits(
        _ sign: String, _ arguments: [Expression], _ env: Environment
    ) throws(StoreError) -> Operand {
        let (a, b) = (try operand(arguments[0], env), try operand(arguments[1], env))
        return .computed("(\(sql(a)) \(sign) \(sql(b)))", .integer)
    }

    private func real(
        _ name: String, _ arguments: [Expression], _ env: Environment
    ) throws(StoreError) -> Operand {
        let argument = try operand(arguments[0], env)
        if argument.isLongDecimal { throw .unsupported("\(name) of a Decimal of many digits") }
        return .computed("\(name)(\(sql(argument)))", .double)
    }

    /// Integers stay integers, doubles doubles.
    private func rounded(
        _ name: String, _ arguments: [Expression], _ env: Environment
    ) throws(StoreError) -> Operand {
        let argument = try operand(arguments[0], env)
        switch argument.kind {
        case .integer, .boolean:
            if name != "ABS" { return argument }
            return .computed("ABS(\(sql(argument)))", .integer, isNullable: argument.isNullable)
        case .double, .float:
            return .computed(
                "\(name)(\(sql(argument)))", .double, isNullable: argument.isNullable)
        default: throw .unsupported("\(name) of a Decimal")
        }
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
