/// One value made of a collection: as a column, and compared.

import SteleModel
import StelePersistence
import StelePredicates

/// What is made of which collection.
struct Total {
    let aggregate: Aggregate
    let isDistinct: Bool
    let collection: Expression
}

extension Translation {
    /// The total that an expression is, or nil where it is none of a collection.
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
            guard let aggregate = Aggregate(function: name), var argument = arguments.first
            else { return nil }
            var isDistinct = false
            if case .function("distinct:", let inner) = argument, let only = inner.first {
                (argument, isDistinct) = (only, true)
            }
            guard isCollection(argument, env) else { return nil }
            return Total(aggregate: aggregate, isDistinct: isDistinct, collection: argument)
        case .index(let collection, .size):
            return Total(aggregate: .count, isDistinct: false, collection: collection)
        default: return nil
        }
    }

    /// Its value for each object.
    func operand(_ total: Total, _ env: Environment) throws(StoreError) -> Operand {
        guard let bag = try bag(total.collection, env) else {
            throw .unsupported("a total of what is no collection")
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
        // Many rows have the same collection: it is totalled once for each owner, and joined.
        let alias = makeAlias()
        let filter = bag.conditions.isEmpty ? "" : " WHERE \(Condition.all(bag.conditions).sql)"
        owner.join(
            "(SELECT \(link.column) AS k, \(made.sql) AS v FROM \(bag.scope.from)\(filter) "
                + "GROUP BY \(link.column))",
            alias, on: "\(alias).k = \(link.owner)", outer: true)
        var operand = made.operand
        let isZero = !operand.isNullable
        operand.content = .sql(
            isZero ? "COALESCE(\(alias).v, \(Self.zero(of: operand.kind)))" : "\(alias).v")
        return operand
    }

    /// The scope that a collection's owner is in.
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

    /// The SQL of a bag's total, and what it gives.
    private func made(
        of bag: Bag, _ total: Total
    ) throws(StoreError) -> (sql: String, operand: Operand) {
        let isDistinct = total.isDistinct || bag.isDistinct
        guard total.aggregate == .count else {
            return try made(by: total.aggregate, bag.value, distinct: isDistinct)
        }
        let count = Operand.computed("", .integer, isNullable: false)
        guard isDistinct else { return ("COUNT(*)", count) }
        // Null is one of them, for they are the members' values and not rows.
        let value = sql(bag.value)
        return ("COUNT(DISTINCT \(value)) + COALESCE(MAX(\(value) IS NULL), 0)", count)
    }

    // MARK: Compared

    /// A total compared with what is the same for all objects: owners are found from the elements,
    /// which are gone through once. Nil where that is not what it is.
    func comparedTotal(
        _ it: Comparison, _ env: Environment, holds: Bool
    ) throws(StoreError) -> Condition? {
        var (left, right, type) = (it.left, it.right, it.type)
        if case .constant = left {
            (left, right, type) = (it.right, it.left, it.type.mirrored)
        }
        guard let total = total(left, env) else { return nil }
        if let condition = try occupancy(total, type, right, env, holds: holds) {
            return condition
        }
        // Made once: what stands within is as deep as it likes.
        guard let empty = emptyHolds(total, type, right, it.options),
            let bag = try bag(total.collection, env)
        else { return nil }
        guard let link = bag.link, bag.element != nil, prefersSet(bag, env) else {
            let value = try operand(total, bag, env)
            return try compared(value, type, right, it.options, env, holds: holds)
        }
        if let early = try reached(total, type, right, bag, env, holds: holds) { return early }
        let made = try made(of: bag, total)
        var value = made.operand
        value.content = .sql(made.sql)
        // Those without an element are in no group: where they shall be found, all are found but
        // the groups that shall not.
        let wanted = empty == holds ? !holds : holds
        let having = try compared(value, type, right, it.options, env, holds: wanted)
        // A plus: an index that finds the elements is worth more than one that has them grouped.
        return Condition(grouped(bag, link, having)).turned(empty != holds)
    }

    /// That the owner is among those whose group meets a condition.
    private func grouped(_ bag: Bag, _ link: Bag.Link, _ having: Condition) -> String {
        let isFound = !bag.conditions.isEmpty
        let filter = isFound ? " WHERE \(Condition.all(bag.conditions).sql)" : ""
        return "\(link.isShared ? "+" : "")\(link.owner) IN (SELECT \(link.column) "
            + "FROM \(bag.scope.from)\(filter) GROUP BY \(isFound ? "+" : "")\(link.column) "
            + "HAVING \(having.sql))"
    }

    private func compared(
        _ value: Operand, _ type: Comparison.Operator, _ right: Expression,
        _ options: ComparisonOptions, _ env: Environment, holds: Bool
    ) throws(StoreError) -> Condition {
        if case .aggregate(let bounds) = right {
            let (low, high) = (try operand(bounds[0], env), try operand(bounds[1], env))
            return between(value, low, high, options, holds: holds)
        }
        return compare(value, type, try operand(right, env), options, holds: holds)
    }

    /// The most elements that are looked at to find out how many of them meet the conditions.
    private static let sample = 256
    /// The most elements of one owner that are counted one by one.
    private static let countedOut = 4_096

    /// Some elements at least, or fewer: where many elements meet the conditions, each owner is
    /// looked at until it has enough; where few do, they are grouped.
    ///
    /// Of N elements of O owners the share s meets them. Grouping reads s * N; each owner has n of
    /// them after n / s have been read. So the latter is less where s * s * N > n * O. The share is
    /// that of the first elements, N and O are the greatest keys.
    private func reached(
        _ total: Total, _ type: Comparison.Operator, _ right: Expression, _ bag: Bag,
        _ env: Environment, holds: Bool
    ) throws(StoreError) -> Condition? {
        guard total.aggregate == .count, !total.isDistinct, !bag.isDistinct,
            !bag.conditions.isEmpty, let link = bag.link, !link.isShared,
            case .constant(.int(let number)) = right,
            number > 0, number < Self.countedOut,
            let owners = try owner(of: total.collection, env)?.table
        else { return nil }
        let isAtLeast: Bool
        let needed: Int64
        switch type {
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

    /// Whether the comparison holds of nothing; nil where its right side is not fixed.
    private func emptyHolds(
        _ total: Total, _ type: Comparison.Operator, _ right: Expression,
        _ options: ComparisonOptions
    ) -> Bool? {
        let text = TextComparison(options)
        let isZero = total.aggregate == .count || total.aggregate == .sum
        let empty: Value = isZero ? .int(0) : .null
        switch right {
        case .constant(let value):
            let order = ValueOrder.order(empty, value, text)
            switch type {
            case .equal: return ValueOrder.equal(empty, value, text)
            case .notEqual: return !ValueOrder.equal(empty, value, text)
            case .lessThan: return order.map { $0 < 0 } ?? false
            case .lessThanOrEqual: return order.map { $0 <= 0 } ?? false
            case .greaterThan: return order.map { $0 > 0 } ?? false
            case .greaterThanOrEqual: return order.map { $0 >= 0 } ?? false
            default: return nil
            }
        case .aggregate(let bounds):
            guard type == .between, bounds.count == 2, case .constant(let low) = bounds[0],
                case .constant(let high) = bounds[1]
            else { return nil }
            return (ValueOrder.order(empty, low, text).map { $0 >= 0 } ?? false)
                && (ValueOrder.order(empty, high, text).map { $0 <= 0 } ?? false)
        default: return nil
        }
    }

    /// A count compared so that only some or none is asked for: no need to count.
    private func occupancy(
        _ total: Total, _ type: Comparison.Operator, _ right: Expression, _ env: Environment,
        holds: Bool
    ) throws(StoreError) -> Condition? {
        guard total.aggregate == .count, case .constant(.int(let number)) = right else {
            return nil
        }
        let isSome: Bool
        switch (type, number) {
        case (.greaterThan, 0), (.notEqual, 0), (.greaterThanOrEqual, 1): isSome = true
        case (.equal, 0), (.lessThan, 1), (.lessThanOrEqual, 0): isSome = false
        default: return nil
        }
        guard let bag = try bag(total.collection, env) else { return nil }
        return exists(bag, nil, isLoose: true, env, holds: isSome == holds)
    }
}
