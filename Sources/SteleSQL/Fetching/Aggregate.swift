import SteleModel
import StelePersistence
import StelePredicates

/// An aggregate function of the predicate language.
enum Aggregate: String {
    case count, sum, minimum = "min", maximum = "max", average, median, deviation = "stddev"

    /// The aggregate with that name as a function, such as `sum:`.
    init?(function name: String) {
        guard name.utf8.last == UInt8(ascii: ":") else { return nil }
        self.init(rawValue: String(name.dropLast()))
    }

    /// The aggregate with that collection operator.
    init?(sign: String) {
        switch sign {
        case "@avg": self = .average
        case "@count", "@sum", "@min", "@max": self.init(rawValue: String(sign.dropFirst()))
        default: return nil
        }
    }

    /// Whether the aggregate of all rows can be computed from those of its parts.
    var isMadeOfParts: Bool {
        switch self {
        case .count, .sum, .minimum, .maximum, .average: true
        case .median, .deviation: false
        }
    }
}

extension Expression {
    /// The argument of `distinct:`, or the expression itself.
    var withoutDistinct: (expression: Expression, isDistinct: Bool) {
        if case .function("distinct:", let inner) = self, let only = inner.first {
            return (only, true)
        }
        return (self, false)
    }
}

extension Translation {
    /// Returns whether an expression aggregates many objects, rather than the members of one
    /// object's relationship.
    func isOfRows(_ it: Expression, _ env: Environment) -> Bool {
        switch it {
        case .function(let name, let items):
            if Aggregate(function: name) != nil {
                guard let first = items.first else { return true }
                return !isCollection(first.withoutDistinct.expression, env)
            }
            return items.contains { isOfRows($0, env) }
        case .index(let base, .at(let place)): return isOfRows(base, env) || isOfRows(place, env)
        case .keyPath(let base, _), .index(let base, _): return isOfRows(base, env)
        case .aggregate(let items): return items.contains { isOfRows($0, env) }
        case .set(_, let a, let b): return isOfRows(a, env) || isOfRows(b, env)
        case .conditional(let predicate, let a, let b):
            return isOfRows(predicate, env) || isOfRows(a, env) || isOfRows(b, env)
        default: return false
        }
    }

    func isOfRows(_ it: Predicate, _ env: Environment) -> Bool {
        switch it {
        case .constant: false
        case .comparison(let it): isOfRows(it.left, env) || isOfRows(it.right, env)
        case .and(let parts), .or(let parts): parts.contains { isOfRows($0, env) }
        case .not(let part): isOfRows(part, env)
        }
    }

    /// Returns an aggregate of a to-many relationship, or of the rows of a group.
    func aggregate(
        _ aggregate: Aggregate, named name: String, of arguments: [Expression], _ env: Environment
    ) throws(StoreError) -> Operand {
        if let total = total(.function(name, arguments), env) {
            return try operand(total, env)
        }
        guard let first = arguments.first else {
            guard env.isGrouped else { throw .unsupported("count() outside of select or having") }
            let count = env.partials.map { $0.made(.count, "*", .constant(.int(0))) } ?? "COUNT(*)"
            return .computed(count, .integer, isNullable: false)
        }
        let (argument, isDistinct) = first.withoutDistinct
        guard env.isGrouped else {
            throw .unsupported("an aggregate of a single value")
        }
        var inner = env
        inner.isGrouped = false
        inner.partials = nil
        let value = try operand(argument, inner)
        let (text, operand) = try made(by: aggregate, value, distinct: isDistinct)
        var result = operand
        let parts = env.partials
        result.content = .sql(parts.map { $0.made(aggregate, sql(value), value) } ?? text)
        return result
    }

    /// Returns the sum of no values. It has the type of a sum, so that expressions with it have it
    /// too.
    static func zero(of kind: ColumnKind) -> String {
        kind == .double || kind == .float ? "0.0" : "0"
    }

    /// Returns a number that is null where it is not finite, as an overflow is.
    static func finite(_ text: String) -> String {
        "NULLIF(NULLIF(\(text), 9e999), -9e999)"
    }

    /// Returns the SQL of an aggregate of a value, and its operand.
    func made(
        by aggregate: Aggregate, _ value: Operand, distinct: Bool
    ) throws(StoreError) -> (sql: String, operand: Operand) {
        let isOrdered = aggregate == .minimum || aggregate == .maximum
        if aggregate != .count, !isOrdered || value.isLongDecimal { _ = try value.ofKnownType }
        let argument = "\(distinct ? "DISTINCT " : "")\(sql(value))"
        if schema.dialect.isTyped { return try typed(aggregate, value.kind, argument) }
        func give(
            _ text: String, _ kind: ColumnKind, isNullable: Bool = true
        ) -> (sql: String, operand: Operand) {
            var operand = Operand.computed("", kind, isNullable: isNullable)
            operand.isLongDecimal = kind == .decimal && (value.isLongDecimal || isMade)
            // A sum of narrow integers fits into 64 bits.
            let added = aggregate != .sum ? 0 : value.isNarrow ? 64 - value.bits : 64
            operand.bits = min(value.bits + added, Operand.bitLimit)
            operand.isMixed = value.isMixed && aggregate != .count
            return (text, operand)
        }
        let isDecimal = value.kind == .decimal
        let isMade = isDecimal && [.sum, .average, .median].contains(aggregate)
        switch aggregate {
        case .count: return give("COUNT(\(argument))", .integer, isNullable: false)
        case .sum where isDecimal:
            return give(try call(SQLFunctions.decimalSum, argument), .decimal)
        case .sum where value.isWide:
            // SUM fails beyond 64 bits.
            return give(try call(SQLFunctions.sum, argument), .integer, isNullable: false)
        case .sum:
            let kind: ColumnKind = value.kind == .boolean ? .integer : value.kind
            let sum = "COALESCE(SUM(\(argument)), \(Self.zero(of: kind)))"
            if kind == .integer { return give(sum, .integer, isNullable: false) }
            return give(Self.finite(sum), kind == .float ? .double : kind)
        case .average where isDecimal:
            return give(try call(SQLFunctions.decimalAverage, argument), .decimal)
        case .average where value.isWide:
            // AVG rounds a sum beyond 2^53, and then the quotient again.
            return give(try call(SQLFunctions.average, argument), .double)
        case .average:
            let mean = "AVG(\(argument))"
            if value.kind == .integer || value.kind == .boolean { return give(mean, .double) }
            return give(Self.finite(mean), value.kind == .date ? .date : .double)
        case .median where isDecimal:
            return give(try call(SQLFunctions.decimalMedian, argument), .decimal)
        case .median: return give(try call(SQLFunctions.median, argument), .double)
        case .deviation:
            return give(try call(SQLFunctions.standardDeviation, argument), .double)
        case .minimum where value.isLongDecimal:
            return give(try call(SQLFunctions.decimalMinimum, argument), .decimal)
        case .maximum where value.isLongDecimal:
            return give(try call(SQLFunctions.decimalMaximum, argument), .decimal)
        case .minimum: return give("MIN(\(argument))", value.kind)
        case .maximum: return give("MAX(\(argument))", value.kind)
        }
    }
}
