import SteleModel
import StelePersistence
import StelePredicates

extension Translation {
    /// Returns the value of an expression for one object, or for a group.
    func operand(_ expression: Expression, _ env: Environment) throws(StoreError) -> Operand {
        if case .constant(let value) = expression { return .constant(value) }
        if env.isGrouped, let group = env.groups[expression] { return group }
        try step()
        let operand = try translated(expression, env)
        if case .sql(let text) = operand.content { try check(text) }
        return operand
    }

    private func translated(
        _ expression: Expression, _ env: Environment
    ) throws(StoreError) -> Operand {
        switch expression {
        case .constant(let value): return .constant(value)
        case .evaluatedObject: return try value([], of: env.object)
        case .variable(let name):
            guard let object = env.variables[name] else { throw .invalid("$\(name) has no value") }
            return try value([], of: object)
        case .keyPath(let base, let path):
            return try keyPath(expression, base: base, path, env)
        case .function(let name, let arguments): return try function(name, arguments, env)
        case .conditional(let predicate, let first, let second):
            return try conditional(predicate, then: first, else: second, env)
        case .aggregate: throw .unsupported("a list as a single value")
        case .subquery: throw .unsupported("SUBQUERY as a single value")
        case .set: throw .unsupported("UNION, INTERSECT or MINUS as a single value")
        case .index(let collection, let place): return try indexed(collection, place, env)
        case .anyKey: throw .unsupported("ANYKEY")
        case .assignment: throw .unsupported("an assignment to a variable")
        }
    }

    private func keyPath(
        _ expression: Expression, base: Expression, _ path: [String], _ env: Environment
    ) throws(StoreError) -> Operand {
        let total = path.contains(where: isSign) ? total(expression, env) : nil
        if env.isGrouped, case .evaluatedObject = base, total == nil {
            throw .invalid(
                "\(path.joined(separator: ".")) must be grouped by or be inside an aggregate")
        }
        if let total { return try operand(total, env) }
        switch try start(base, env) {
        case .object(let start): return try value(path[...], of: start)
        case .null: return .constant(.null)
        case nil:
            if try operand(base, env).isNull { return .constant(.null) }
            throw .unsupported("a key of a value that is not an object")
        }
    }

    private func conditional(
        _ predicate: Predicate, then first: Expression, else second: Expression,
        _ env: Environment
    ) throws(StoreError) -> Operand {
        let condition = try condition(predicate, env, holds: true)
        let (a, b) = (try operand(first, env), try operand(second, env))
        if a.isNull, b.isNull { return .constant(.null) }
        let long = a.isLongDecimal || b.isLongDecimal
        let kind = a.isNull ? b.kind : b.isNull ? a.kind : Self.common(a.kind, b.kind)
        let (first, second) = (try branch(a, as: kind), try branch(b, as: kind))
        var operand = Operand.computed(
            "CASE WHEN \(condition.sql) THEN \(first) ELSE \(second) END", kind,
            isNullable: a.isNullable || b.isNullable)
        operand.isLongDecimal = long || operand.kind == .decimal
        operand.bits = max(a.bits, b.bits)
        operand.isMixed = a.isMixed || b.isMixed
        return operand
    }

    /// Returns the SQL of one of two alternative values.
    private func branch(_ operand: Operand, as kind: ColumnKind) throws(StoreError) -> String {
        guard kind == .decimal else { return try sql(operand, as: kind) }
        if let value = operand.value {
            return try sql(.constant(Self.amongDecimals(value)), as: kind)
        }
        return try amongDecimals(sql(operand, as: kind), operand)
    }

    /// Returns a value in the form in which Decimals are compared with it.
    static func amongDecimals(_ value: Value) -> Value {
        guard case .double(let number) = value else { return value }
        return PredicateCalls.comparable(number).map { .decimal($0) } ?? value
    }

    /// Returns a number's SQL in the form in which Decimals are compared with it. A Double is compared
    /// by all its digits, and SQLite's REAL of a Decimal by its shortest ones.
    func amongDecimals(_ text: String, _ operand: Operand) throws(StoreError) -> String {
        guard operand.mayBeDouble, !schema.dialect.isTyped else { return text }
        return try call(SQLFunctions.exactDecimal, text)
    }

    /// Returns the common kind of two alternative values.
    static func common(_ a: ColumnKind, _ b: ColumnKind) -> ColumnKind {
        if a == b { return a }
        let numbers: [ColumnKind] = [.boolean, .integer, .float, .double, .decimal]
        guard let i = numbers.firstIndex(of: a), let j = numbers.firstIndex(of: b) else {
            return a
        }
        return numbers[max(i, j)] == .float ? .double : numbers[max(i, j)]
    }
}
