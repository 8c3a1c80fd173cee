import SteleModel
import StelePersistence
import StelePredicates

/// An aggregate of a collection.
struct Total {
    let aggregate: Aggregate
    let isDistinct: Bool
    let collection: Expression
}

extension Translation {
    /// Returns the total that an expression is; nil where it is not the total of a collection.
    func total(_ expression: Expression, _ env: Environment) -> Total? {
        switch expression {
        case .keyPath(let base, let path):
            guard let place = path.firstIndex(where: { isSign($0) && !isUnion($0) }),
                let aggregate = Aggregate(sign: path[place])
            else { return nil }
            let keys = Array(path[..<place] + path[(place + 1)...])
            return Total(
                aggregate: aggregate, isDistinct: false,
                collection: keys.isEmpty ? base : .keyPath(base, keys))
        case .function(let name, let arguments):
            guard let aggregate = Aggregate(function: name),
                let (argument, isDistinct) = arguments.first?.withoutDistinct
            else { return nil }
            guard isCollection(argument, env) else { return nil }
            return Total(aggregate: aggregate, isDistinct: isDistinct, collection: argument)
        case .index(let collection, .size):
            return Total(aggregate: .count, isDistinct: false, collection: collection)
        default: return nil
        }
    }

    /// Returns the total as a value of each object.
    func operand(_ total: Total, _ env: Environment) throws(StoreError) -> Operand {
        guard let bag = try bag(total.collection, env) else {
            throw .unsupported("an aggregate of a single value")
        }
        return try operand(total, bag, env)
    }

    private func operand(
        _ total: Total, _ bag: Bag, _ env: Environment
    ) throws(StoreError) -> Operand {
        let made = try made(of: bag, total)
        guard let link = bag.link, link.isShared, bag.element != nil, prefersSet(bag, env),
            let owner = try owner(of: total.collection, env)
        else { return scalar(bag, made) }
        // Many rows share the collection, so it is totalled once per owner and joined.
        let alias = joinTotals("\(made.sql) AS v", of: bag, link, to: owner)
        var operand = made.operand
        // Owners without elements have no row, and others a null for a sum that overflows.
        let isZero = total.aggregate == .count || total.aggregate == .sum
        let zero = Self.zero(of: operand.kind)
        operand.content = .sql(
            isZero ? "CASE WHEN \(alias).k IS NULL THEN \(zero) ELSE \(alias).v END" : "\(alias).v")
        return operand
    }

    /// Joins a derived table with one row per owner of a bag: the owner's key `k`, and totals.
    /// - Returns: the alias of the table.
    func joinTotals(
        _ columns: String, of bag: Bag, _ link: Bag.Link, to scope: Scope
    ) -> String {
        let alias = makeAlias()
        scope.join(
            "(SELECT \(link.column) AS k, \(columns) FROM \(bag.ownSource) "
                + "GROUP BY \(link.column))",
            alias, on: "\(alias).k = \(link.owner)", outer: true)
        return alias
    }

    /// Returns the scope of a collection's owner.
    func owner(
        of collection: Expression, _ env: Environment
    ) throws(StoreError) -> Scope? {
        switch collection {
        case .keyPath(let base, _): try owner(of: base, env)
        case .subquery(let over, _, _): try owner(of: over, env)
        case .evaluatedObject, .variable: try object(collection, env)?.scope
        default: nil
        }
    }

    /// Returns the SQL of a bag's total, and its operand.
    private func made(
        of bag: Bag, _ total: Total
    ) throws(StoreError) -> (sql: String, operand: Operand) {
        let isDistinct = total.isDistinct || bag.isDistinct
        guard total.aggregate == .count else {
            return try made(by: total.aggregate, bag.value, distinct: isDistinct)
        }
        let count = Operand.computed("", .integer, isNullable: false)
        guard isDistinct else { return ("COUNT(*)", count) }
        // Null counts as one value, because values are counted and not rows.
        let value = sql(bag.value)
        let hasNull = schema.dialect.hasNull(value)
        return ("COUNT(DISTINCT \(value)) + COALESCE(\(hasNull), 0)", count)
    }

    // MARK: Comparisons

    /// Returns the comparison of a total with a constant, as a search for owners among the grouped
    /// elements, which are read once. Nil where the comparison is not of this kind.
    func comparedTotal(
        _ it: Comparison, _ env: Environment, holds: Bool
    ) throws(StoreError) -> Condition? {
        var it = it
        if case .constant = it.left {
            it = Comparison(it.right, it.type.mirrored, it.left, options: it.options)
        }
        guard let total = total(it.left, env) else { return nil }
        if let condition = try occupancy(total, it, env, holds: holds) {
            return condition
        }
        // Translated once: translating a nested collection again would take exponential time.
        guard let empty = emptyHolds(total, it),
            let bag = try bag(total.collection, env)
        else { return nil }
        guard let link = bag.link, bag.element != nil, prefersSet(bag, env) else {
            let value = try operand(total, bag, env)
            return try condition(of: value, isFixed: false, it, env, holds: holds)
        }
        if let early = try reached(total, in: bag, it, env, holds: holds) { return early }
        let made = try made(of: bag, total)
        var value = made.operand
        value.content = .sql(made.sql)
        // Owners without elements are in no group. Where the comparison holds for them, the search
        // is for the groups to exclude.
        let wanted = empty == holds ? !holds : holds
        let having = try condition(of: value, isFixed: false, it, env, holds: wanted)
        return Condition(grouped(bag, link, having)).turned(empty != holds)
    }

    /// Returns the condition that the owner is among those whose group meets a condition.
    private func grouped(_ bag: Bag, _ link: Bag.Link, _ having: Condition) -> String {
        // This keeps SQLite from the index on owners: one that finds the elements is better than
        // one that has them grouped.
        let plain = schema.dialect.plain
        let owner = link.isShared ? plain(link.owner) : link.owner
        let column = bag.conditions.isEmpty ? link.column : plain(link.column)
        return "\(owner) IN (SELECT \(link.column) FROM \(bag.ownSource) "
            + "GROUP BY \(column) HAVING \(having.sql))"
    }

    /// The number of elements read to estimate the share that meets the conditions.
    private static let sample = 256
    /// The highest number of elements of one owner that are counted one by one.
    private static let countedOut = 4_096

    /// Returns the condition that a count is at least, or less than, a number. Where many elements
    /// meet the conditions, the elements of each owner are read until there are enough; where few
    /// do, they are grouped.
    ///
    /// Let s be the share of the N elements of O owners that meet the conditions. Grouping reads s
    /// · N elements. Reading per owner takes n / s elements for n matches, so it is faster where s
    /// · s · N > n · O. The share is that of the first elements; N and O are the highest keys.
    private func reached(
        _ total: Total, in bag: Bag, _ it: Comparison, _ env: Environment, holds: Bool
    ) throws(StoreError) -> Condition? {
        guard !schema.dialect.isTyped, total.aggregate == .count, !total.isDistinct,
            !bag.isDistinct, !bag.conditions.isEmpty, let link = bag.link, !link.isShared,
            case .constant(.int(let number)) = it.right,
            number > 0, number < Self.countedOut,
            let owners = try owner(of: total.collection, env)?.table
        else { return nil }
        let isAtLeast: Bool
        let needed: Int64
        switch it.type {
        case .greaterThan: (isAtLeast, needed) = (true, number + 1)
        case .greaterThanOrEqual: (isAtLeast, needed) = (true, number)
        case .lessThan: (isAtLeast, needed) = (false, number)
        case .lessThanOrEqual: (isAtLeast, needed) = (false, number + 1)
        default: return nil
        }
        let bound = bind(.int(needed))
        let filter = Condition.all(bag.conditions).sql
        let set = grouped(bag, link, Condition("COUNT(*) >= \(bound)"))
        let scope = bag.scope
        let share =
            "SELECT COUNT(*) AS s FROM (SELECT \(filter) AS v FROM \(scope.from) "
            + "ORDER BY \(scope.alias).rowid LIMIT \(Self.sample)) WHERE v"
        let isMany =
            "SELECT s * s * (SELECT MAX(rowid) FROM \(scope.table)) > "
            + "\(Self.sample * Self.sample) * \(bound) * (SELECT MAX(Z_PK) FROM \(owners)) "
            + "FROM (\(share))"
        let text =
            "CASE WHEN (\(isMany)) THEN EXISTS (SELECT 1 FROM \(bag.source()) "
            + "LIMIT 1 OFFSET \(bound) - 1) ELSE \(set) END"
        return Condition(text).turned(isAtLeast == holds)
    }

    /// Returns whether the comparison holds for an empty collection; nil where its right side is
    /// not constant.
    private func emptyHolds(_ total: Total, _ it: Comparison) -> Bool? {
        let text = TextComparison(it.options)
        let isZero = total.aggregate == .count || total.aggregate == .sum
        let empty: Value = isZero ? .int(0) : .null
        switch it.right {
        case .constant(let value):
            let order = ValueOrder.order(empty, value, text)
            switch it.type {
            case .equal: return ValueOrder.equal(empty, value, text)
            case .notEqual: return !ValueOrder.equal(empty, value, text)
            case .lessThan: return order.map { $0 < 0 } ?? false
            case .lessThanOrEqual: return order.map { $0 <= 0 } ?? false
            case .greaterThan: return order.map { $0 > 0 } ?? false
            case .greaterThanOrEqual: return order.map { $0 >= 0 } ?? false
            default: return nil
            }
        case .aggregate(let bounds):
            guard it.type == .between, bounds.count == 2, case .constant(let low) = bounds[0],
                case .constant(let high) = bounds[1]
            else { return nil }
            return (ValueOrder.order(empty, low, text).map { $0 >= 0 } ?? false)
                && (ValueOrder.order(empty, high, text).map { $0 <= 0 } ?? false)
        default: return nil
        }
    }

    /// Returns the comparison of a count that asks only for some or no elements, as EXISTS; nil for
    /// others.
    private func occupancy(
        _ total: Total, _ it: Comparison, _ env: Environment, holds: Bool
    ) throws(StoreError) -> Condition? {
        guard total.aggregate == .count, case .constant(.int(let number)) = it.right else {
            return nil
        }
        let isSome: Bool
        switch (it.type, number) {
        case (.greaterThan, 0), (.notEqual, 0), (.greaterThanOrEqual, 1): isSome = true
        case (.equal, 0), (.lessThan, 1), (.lessThanOrEqual, 0): isSome = false
        default: return nil
        }
        guard let bag = try bag(total.collection, env) else { return nil }
        return exists(bag, nil, isLoose: true, env, holds: isSome == holds)
    }
}
