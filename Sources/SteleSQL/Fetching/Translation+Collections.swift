/// Collections that are no relationship's members: lists, sets, modes; and one of many by index.

import SteleModel
import StelePersistence
import StelePredicates

extension Translation {
    /// Whether an expression is many values.
    func isCollection(_ expression: Expression, _ env: Environment) -> Bool {
        switch expression {
        case .aggregate, .subquery, .set, .function(PredicateFunction.mode.rawValue, _):
            return true
        case .keyPath(_, let path) where path.contains(where: { isSign($0) && !isUnion($0) }):
            return false
        case .keyPath(let base, let path):
            if isCollection(base, env) { return true }
            guard let entity = elementEntity(base, env) else { return false }
            return crossesToMany(path, from: entity)
        default: return false
        }
    }

    /// Whether a key path from an entity crosses a to-many relationship.
    func crossesToMany(_ path: [String], from entity: Entity) -> Bool {
        var entity = entity
        for key in path where !isSign(key) {
            guard case .relationship(let it)? = entity.property(named: key) else { return false }
            if it.isToMany { return true }
            entity = model.destination(of: it)
        }
        return false
    }

    /// The entity of the object that an expression is, or of a collection's elements.
    func elementEntity(_ expression: Expression, _ env: Environment) -> Entity? {
        switch expression {
        case .evaluatedObject: return env.object.entity
        case .variable(let name): return env.variables[name]?.entity
        case .subquery(let over, _, _), .index(let over, _): return elementEntity(over, env)
        case .set(_, let a, let b), .conditional(_, let a, let b):
            return elementEntity(a, env) ?? elementEntity(b, env)
        case .function(_, let arguments):
            guard arguments.count == 1, let only = arguments.first else { return nil }
            return elementEntity(only, env)
        case .aggregate(let items): return items.first.flatMap { elementEntity($0, env) }
        case .keyPath(let base, let path):
            guard var entity = elementEntity(base, env) else { return nil }
            for key in path where !isUnion(key) {
                guard case .relationship(let it)? = entity.property(named: key) else {
                    return key == "SELF" ? entity : nil
                }
                entity = model.destination(of: it)
            }
            return entity
        default: return nil
        }
    }

    /// The object that an expression stands for, or nil where it is none.
    func object(_ expression: Expression, _ env: Environment) throws(StoreError) -> Position? {
        switch expression {
        case .evaluatedObject: return env.object
        case .variable(let name): return env.variables[name]
        case .keyPath(let base, let path):
            guard var position = try object(base, env) else { return nil }
            for key in path {
                guard case .relationship(let it)? = position.entity.property(named: key),
                    !it.isToMany
                else { return nil }
                position = try toOne(it, of: position)
            }
            return position
        case .index, .conditional:
            guard let entity = elementEntity(expression, env) else { return nil }
            let key = try operand(expression, env)
            if key.isNull { return nil }
            return Position(
                scope: env.innermost ?? env.object.scope, key: sql(key), entity: entity,
                isNullable: true)
        default: return nil
        }
    }

    // MARK: Derived

    /// A list, a set or a mode as a table of its own.
    func derived(
        _ expression: Expression, _ env: Environment, _ ordered: Bool
    ) throws(StoreError) -> Bag {
        table(
            of: try rows(of: expression, env, numbered: ordered), elementEntity(expression, env),
            ordered)
    }

    private func table(
        of rows: (sql: String, value: Operand), _ entity: Entity?, _ ordered: Bool
    ) -> Bag {
        let alias = makeAlias()
        let scope = Scope("(\(rows.sql))", alias)
        var operand = rows.value
        operand.content = .sql("\(alias).v")
        operand.isNullable = true
        let element = entity.map {
            Position(scope: scope, key: "\(alias).v", entity: $0, isNullable: true)
        }
        return Bag(
            link: nil, scope: scope, element: element, isLoose: false,
            order: ordered ? ["\(alias).n"] : [], value: operand)
    }

    /// A SELECT of a collection's values as `v`, and where asked for their places as `n`.
    private func rows(
        of expression: Expression, _ env: Environment, numbered: Bool
    ) throws(StoreError) -> (sql: String, value: Operand) {
        switch expression {
        case .aggregate(let items): return try listed(items, env, numbered: numbered)
        case .set(let operation, let left, let right):
            return try joined(operation, left, right, env, numbered: numbered)
        case .function(PredicateFunction.mode.rawValue, let arguments):
            var argument = arguments.first ?? .aggregate([])
            var value = "v"
            if case .function("distinct:", let inner) = argument, let only = inner.first {
                (argument, value) = (only, "DISTINCT v")
            }
            let (text, operand) = try rows(of: argument, env, numbered: true)
            return (
                "SELECT v, n FROM (SELECT v, MIN(n) AS n, COUNT(\(value)) AS c, "
                    + "MAX(COUNT(\(value))) OVER () AS m FROM (\(text)) WHERE v IS NOT NULL "
                    + "GROUP BY v) WHERE c = m", operand
            )
        default:
            guard let bag = try bag(expression, env, ordered: numbered) else {
                throw .unsupported("a collection of what is none")
            }
            return rows(of: bag, numbered: numbered)
        }
    }

    private func rows(of bag: Bag, numbered: Bool) -> (sql: String, value: Operand) {
        let value = unaffected(bag.value)
        guard numbered else {
            let distinct = bag.isDistinct ? "DISTINCT " : ""
            return ("SELECT \(distinct)\(value) AS v FROM \(bag.source())", bag.value)
        }
        let order = bag.order.isEmpty ? "" : "ORDER BY \(bag.order.joined(separator: ", "))"
        let text = "SELECT \(value) AS v, ROW_NUMBER() OVER (\(order)) AS n FROM \(bag.source())"
        return (
            bag.isDistinct ? "SELECT v, MIN(n) AS n FROM (\(text)) GROUP BY v" : text, bag.value
        )
    }

    private func listed(
        _ items: [Expression], _ env: Environment, numbered: Bool
    ) throws(StoreError) -> (sql: String, value: Operand) {
        var operands: [Operand] = []
        for item in items { operands.append(try operand(item, env)) }
        guard let value = Self.together(operands) else {
            return ("SELECT NULL AS v, 0 AS n WHERE 0", .constant(.null))
        }
        if items.count > Self.longestUnion, let list = boundList(operands, value) {
            let place = numbered ? ", key AS n" : ""
            return ("SELECT \(list.item) AS v\(place) FROM json_each(\(list.text))", value)
        }
        let rows = operands.enumerated().map { index, operand in
            let isFirst = index % Self.longestUnion == 0
            let place = numbered ? ", \(index)\(isFirst ? " AS n" : "")" : ""
            return "SELECT " + asOne(unaffected(operand), operand, of: value)
                + (isFirst ? " AS v" : "") + place
        }
        // VALUES would do as well, but may name nothing of the statement around it.
        let union = " UNION ALL "
        if rows.count <= Self.longestUnion { return (rows.joined(separator: union), value) }
        let parts = stride(from: 0, to: rows.count, by: Self.longestUnion).map { start in
            let part = rows[start..<min(start + Self.longestUnion, rows.count)]
            return "SELECT v\(numbered ? ", n" : "") FROM (\(part.joined(separator: union)))"
        }
        return (parts.joined(separator: union), value)
    }

    /// Literals as one bound text, and what makes a value of an item of it; nil where not all are
    /// literals, or there is a null.
    private func boundList(
        _ operands: [Operand], _ whole: Operand
    ) -> (text: String, item: String)? {
        var values = operands.compactMap(\.value)
        guard values.count == operands.count else { return nil }
        if whole.isLongDecimal, whole.kind == .decimal {
            values = values.map { PredicateCalls.cast($0, to: .decimal) }
        }
        guard let (list, isWritten) = JSONList.text(values) else { return nil }
        let item = isWritten ? "\(SQLFunctions.literal.name)(value)" : "value"
        return (bind(.string(list)), item)
    }

    /// A value without its column's affinity: the first SELECT of several, or the table that is made
    /// of one, would have all their numbers in its column's kind, and round those of 64 bits.
    private func unaffected(_ operand: Operand) -> String {
        operand.isColumn ? "+" + sql(operand) : sql(operand)
    }

    /// What values are that stand in one collection; nil of none.
    private static func together(_ operands: [Operand]) -> Operand? {
        guard let first = operands.first else { return nil }
        let known = operands.first { !$0.isNull } ?? first
        var value = Operand.computed("", known.kind)
        value.isLongDecimal = operands.contains(where: \.isLongDecimal)
        for operand in operands where !operand.isNull {
            value.kind = common(value.kind, operand.kind)
        }
        return value
    }

    /// A value's SQL so that equal ones are told by how they are stored: among Decimals that may
    /// have more digits than a double, all numbers are such.
    private func asOne(_ text: String, _ operand: Operand, of whole: Operand) -> String {
        guard whole.isLongDecimal, whole.kind == .decimal, operand.kind != .decimal,
            !operand.isNull
        else { return text }
        return cast(text, operand.kind, to: .decimal)
    }

    /// Each value once, in the order of the left side and then the right where that matters.
    private func joined(
        _ operation: Expression.SetOperation, _ left: Expression, _ right: Expression,
        _ env: Environment, numbered: Bool
    ) throws(StoreError) -> (sql: String, value: Operand) {
        var (a, x) = try rows(of: left, env, numbered: numbered)
        var (b, y) = try rows(
            of: right, env, numbered: numbered && operation == .union)
        let value = Self.together([x, y]) ?? x
        let (u, v) = (asOne("v", x, of: value), asOne("v", y, of: value))
        let (m, n) = (numbered ? ", n" : "", numbered && operation == .union ? ", n" : "")
        if u != "v" { a = "SELECT \(u) AS v\(m) FROM (\(a))" }
        if v != "v" { b = "SELECT \(v) AS v\(n) FROM (\(b))" }
        guard numbered else {
            let word =
                switch operation {
                case .union: "UNION"
                case .intersect: "INTERSECT"
                case .minus: "EXCEPT"
                }
            return ("SELECT v FROM (\(a)) \(word) SELECT v FROM (\(b))", value)
        }
        if operation == .union {
            return (
                "SELECT v, MIN(n) AS n FROM (SELECT v, n FROM (\(a)) UNION ALL "
                    + "SELECT v, n + 4294967296 FROM (\(b))) GROUP BY v", value
            )
        }
        let alias = makeAlias()
        let word = operation == .minus ? "NOT EXISTS" : "EXISTS"
        return (
            "SELECT \(alias).v AS v, MIN(\(alias).n) AS n FROM (\(a)) \(alias) WHERE \(word) "
                + "(SELECT 1 FROM (\(b)) o WHERE o.v IS \(alias).v) GROUP BY \(alias).v", value
        )
    }

    // MARK: By index

    /// One of a collection by its place; null beyond the end.
    func indexed(
        _ collection: Expression, _ place: Expression.IndexPosition, _ env: Environment
    ) throws(StoreError) -> Operand {
        if case .size = place {
            return try operand(
                Total(aggregate: .count, isDistinct: false, collection: collection), env)
        }
        if case .aggregate(let items) = collection,
            let it = Self.number(of: place, of: items.count)
        {
            // In a group each of them must have one value.
            if env.isGrouped { for item in items { _ = try operand(item, env) } }
            let isInside = it >= 0 && it < Int64(items.count)
            return isInside ? try operand(items[Int(it)], env) : .constant(.null)
        }
        guard var bag = try bag(collection, env, ordered: true), !bag.order.isEmpty else {
            throw .unsupported("an index into what has no order")
        }
        // From the bag that is there: what stands within is as deep as it likes.
        if bag.isDistinct {
            bag = table(of: rows(of: bag, numbered: true), elementEntity(collection, env), true)
        }
        var operand = Operand.computed("", bag.value.kind)
        operand.isLongDecimal = bag.value.isLongDecimal
        if case .at(let expression) = place, !isConstant(expression) {
            // What LIMIT and OFFSET say may name no column.
            let (text, _) = rows(of: bag, numbered: true)
            let number = "CAST(\(sql(try self.operand(expression, env))) AS INTEGER)"
            operand.content = .sql(
                "(SELECT v FROM (SELECT v, ROW_NUMBER() OVER (ORDER BY n) AS p FROM (\(text))) "
                    + "WHERE p = \(number) + 1)")
            return operand
        }
        var end = " LIMIT 1"
        var order = bag.order
        switch place {
        case .last: order = order.map { "\($0) DESC" }
        case .at(.constant(let value)):
            guard let it = PredicateCalls.index(value), it >= 0 else { return .constant(.null) }
            end += " OFFSET \(bind(.int(it)))"
        case .first, .size, .at: break
        }
        operand.content = .sql(
            "(SELECT \(sql(bag.value)) FROM \(bag.source()) "
                + "ORDER BY \(order.joined(separator: ", "))\(end))")
        return operand
    }

    /// The number of a place in a list of so many; nil where that is not the same for all objects.
    private static func number(of place: Expression.IndexPosition, of count: Int) -> Int64? {
        switch place {
        case .first: 0
        case .last: Int64(count) - 1
        case .at(.constant(let value)): PredicateCalls.index(value) ?? -1
        case .at, .size: nil
        }
    }

    private func isConstant(_ expression: Expression) -> Bool {
        if case .constant = expression { true } else { false }
    }

    /// SQLite joins 500 SELECTs at most.
    private static let longestUnion = 200
}
