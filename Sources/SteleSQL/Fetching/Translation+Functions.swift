import SteleModel
import StelePersistence
import StelePredicates

extension Translation {
    func function(
        _ name: String, _ arguments: [Expression], _ env: Environment
    ) throws(StoreError) -> Operand {
        try enter()
        defer { leave() }
        if let aggregate = Aggregate(function: name) {
            return try self.aggregate(aggregate, named: name, of: arguments, env)
        }
        guard let function = PredicateFunction(rawValue: name),
            arguments.count == function.arity
        else { throw .invalid("there is no function \(name) with \(arguments.count) arguments") }
        switch function {
        case .add: return try arithmetic(function, sign: "+", arguments, env)
        case .subtract: return try arithmetic(function, sign: "-", arguments, env)
        case .multiply: return try arithmetic(function, sign: "*", arguments, env)
        case .divide: return try arithmetic(function, sign: "/", arguments, env)
        case .bitwiseAnd: return try bits(function, sign: "&", arguments, env)
        case .bitwiseOr: return try bits(function, sign: "|", arguments, env)
        case .leftShift: return try bits(function, sign: "<<", arguments, env)
        case .rightShift: return try bits(function, sign: ">>", arguments, env)
        case .now: return .constant(.date(now))
        case .random:
            if schema.dialect.isTyped { throw .unsupported("random() in this database") }
            return .computed("(RANDOM() & 2147483647)", .integer, isNullable: false)
        case .randomBelow:
            let bound = try operand(arguments[0], env).ofKnownType
            return .computed(
                try call(SQLFunctions.randomBelow, String(bound.kind.rawValue), sql(bound)),
                .integer)
        case .noIndex:
            var operand = try operand(arguments[0], env)
            if case .sql(let text) = operand.content {
                operand.content = .sql(schema.dialect.plain(text))
                operand.isColumn = false
            }
            return operand
        case .distance: return try distance(arguments, env)
        case .cast: return try cast(arguments, env)
        default: return try call(function, arguments, env)
        }
    }

    private func arithmetic(
        _ function: PredicateFunction, sign: String, _ arguments: [Expression],
        _ env: Environment
    ) throws(StoreError) -> Operand {
        var (a, b) = (try operand(arguments[0], env), try operand(arguments[1], env))
        if sign == "*", a.isMixed, a.kind != .decimal, case .double(1)? = b.value {
            // A check has made it a Double.
            return .computed(real(sql(a)), .double, isNullable: a.isNullable)
        }
        (a, b) = (try a.ofKnownType, try b.ofKnownType)
        if a.isNull || b.isNull { return .constant(.null) }
        let isNullable = a.isNullable || b.isNullable || sign == "/"
        let kind = Self.result(of: sign, a.kind, b.kind)
        if kind == .decimal {
            return .computed(
                try call(Self.decimal(function), sql(a), sql(b)), .decimal, isNullable: true)
        }
        if !schema.dialect.isTyped, a.isLongDecimal || b.isLongDecimal {
            return try call(function, a, b)
        }
        if schema.dialect.isTyped { return try typedArithmetic(a, sign, b, kind) }
        let chain = chained(a, sign, b)
        let bits = sign == "*" ? a.bits + b.bits : max(a.bits, b.bits) + 1
        let isFinite = kind == .integer && bits < Operand.bitLimit
        if kind == .date { return .computed(try date(chain.text), .date) }
        // A result that is not finite is null, also after further operators.
        var operand: Operand =
            isFinite
            ? .computed("(\(chain.text))", kind, isNullable: isNullable)
            : .computed(Self.finite("(\(chain.text))"), kind, isNullable: true)
        operand.bits = min(bits, Operand.bitLimit)
        operand.chain = chain
        return operand
    }

    private static func decimal(_ function: PredicateFunction) -> SQLFunction {
        switch function {
        case .add: SQLFunctions.decimalAdd
        case .subtract: SQLFunctions.decimalSubtract
        case .multiply: SQLFunctions.decimalMultiply
        default: SQLFunctions.decimalDivide
        }
    }

    private func bits(
        _ function: PredicateFunction, sign: String, _ arguments: [Expression],
        _ env: Environment
    ) throws(StoreError) -> Operand {
        let a = try operand(arguments[0], env).ofKnownType
        let b = try operand(arguments[1], env).ofKnownType
        if schema.dialect.isTyped || a.kind == .decimal || b.kind == .decimal {
            return try call(function, a, b)
        }
        let chain = chained(a, sign, b)
        var operand = Operand.computed("(\(chain.text))", .integer)
        operand.chain = chain
        return operand
    }

    /// Chains operators of the same precedence from left to right, without parentheses.
    private func chained(_ a: Operand, _ sign: String, _ b: Operand) -> Operand.Chain {
        let precedence =
            switch sign {
            case "*", "/": 3
            case "+", "-": 2
            default: 1
            }
        let left = a.chain.flatMap { $0.precedence == precedence ? $0.text : nil } ?? term(a)
        return Operand.Chain(text: "\(left) \(sign) \(term(b))", precedence: precedence)
    }

    /// Returns the SQL of an operator's argument. A date with whole seconds is stored as an
    /// integer, and must not be divided as one.
    private func term(_ operand: Operand) -> String {
        let text = sql(operand)
        return operand.kind == .date && operand.value == nil ? real(text) : text
    }

    static func result(of sign: String, _ a: ColumnKind, _ b: ColumnKind) -> ColumnKind {
        if a == .date || b == .date { return a == b ? .double : .date }
        if a == .double || b == .double || a == .float || b == .float { return .double }
        return a == .decimal || b == .decimal ? .decimal : .integer
    }
}
