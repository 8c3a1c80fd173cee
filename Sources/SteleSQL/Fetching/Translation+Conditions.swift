/// Predicates as conditions. Three values in SQL, two in the language: each part is written so that
/// it is true exactly where it shall be, and false or NULL elsewhere; NOT is taken to the leaves.

import SteleModel
import StelePersistence
import StelePredicates

extension Translation {
    /// SQL that is true exactly where the predicate holds, or where it does not.
    func condition(
        _ predicate: Predicate, _ env: Environment, holds: Bool
    ) throws(StoreError) -> Condition {
        switch predicate {
        case .constant(let value): return .constant(value == holds)
        case .not(let inner): return try condition(inner, env, holds: !holds)
        case .and(let parts), .or(let parts):
            var isAnd = holds
            if case .or = predicate { isAnd = !holds }
            var conditions: [Condition] = []
            conditions.reserveCapacity(parts.count)
            for part in parts { conditions.append(try condition(part, env, holds: holds)) }
            return isAnd ? .all(conditions) : .any(conditions)
        case .comparison(let it):
            return try condition(it, env, holds: holds)
        }
    }

    private func condition(
        _ it: Comparison, _ env: Environment, holds: Bool
    ) throws(StoreError) -> Condition {
        guard it.modifier == .direct else { return try quantified(it, env, holds: holds) }
        if it.type == .contains, isCollection(it.left, env) {
            let element = try operand(it.right, env)
            return try membership(
                element, Reach.isInside(it.right), in: it.left, it.options, env, holds: holds)
        }
        if case .aggregate = it.left {
            throw .unsupported("a list on the left of a comparison")
        }
        if let condition = try occupancy(it, env, holds: holds) { return condition }
        let left = try operand(it.left, env)
        return try condition(
            left, Reach.isInside(it.left), it.type, it.right, it.options, env, holds: holds)
    }

    /// A comparison whose left side is known already.
    /// - Parameter isFixed: whether the left side is the same for all objects.
    private func condition(
        _ left: Operand, _ isFixed: Bool, _ type: Comparison.Operator, _ right: Expression,
        _ options: ComparisonOptions, _ env: Environment, holds: Bool
    ) throws(StoreError) -> Condition {
        switch type {
        case .in:
            return try membership(left, isFixed, in: right, options, env, holds: holds)
        case .between:
            guard case .aggregate(let bounds) = right, bounds.count == 2 else {
                throw .invalid("BETWEEN takes two bounds")
            }
            let (low, high) = (try operand(bounds[0], env), try operand(bounds[1], env))
            return between(left, low, high, options).turned(holds)
        case .like, .matches, .beginsWith, .endsWith, .contains:
            return text(left, type, try operand(right, env), options, holds: holds)
        default:
            return compare(left, type, try operand(right, env), options, holds: holds)
        }
    }

    /// `@count` compared so that only some or none is asked for: no need to count.
    private func occupancy(
        _ it: Comparison, _ env: Environment, holds: Bool
    ) throws(StoreError) -> Condition? {
        guard case .keyPath(let base, let path) = it.left, path.last == "@count",
            case .constant(.int(let number)) = it.right
        else { return nil }
        let isSome: Bool
        switch (it.type, number) {
        case (.greaterThan, 0), (.notEqual, 0), (.greaterThanOrEqual, 1): isSome = true
        case (.equal, 0), (.lessThan, 1), (.lessThanOrEqual, 0): isSome = false
        default: return nil
        }
        guard let bag = try bag(.keyPath(base, path.dropLast()), env) else { return nil }
        return exists(bag, nil, isLoose: !env.isNarrow, holds: isSome == holds)
    }

    // MARK: ANY and ALL

    /// ANY has an element that meets the condition, ALL has none that fails it.
    private func quantified(
        _ it: Comparison, _ env: Environment, holds: Bool
    ) throws(StoreError) -> Condition {
        let isAny = it.modifier == .any
        if case .aggregate(let items) = it.left {
            var conditions: [Condition] = []
            for item in items {
                let single = Comparison(item, it.type, it.right, options: it.options)
                conditions.append(try condition(single, env, holds: holds))
            }
            return isAny == holds ? .any(conditions) : .all(conditions)
        }
        guard let bag = try bag(it.left, env) else {
            let single = Comparison(it.left, it.type, it.right, options: it.options)
            return try condition(single, env, holds: holds)
        }
        let inner = try condition(
            bag.value, false, it.type, it.right, it.options, env, holds: isAny)
        return exists(
            bag, inner, isLoose: !env.isNarrow && Reach.isInside(it.right), holds: isAny == holds)
    }

    // MARK: Membership

    /// Whether an expression is many values.
    func isCollection(_ expression: Expression, _ env: Environment) -> Bool {
        switch expression {
        case .aggregate, .subquery: return true
        case .keyPath(_, let path) where path.contains(where: { isSign($0) && !isUnion($0) }):
            return false
        case .keyPath(.subquery, _): return true
        case .keyPath(let base, let path):
            guard let start = object(base, env) else { return false }
            return crossesToMany(path, from: start.entity)
        default: return false
        }
    }

    /// `x IN collection`; false where x is null.
    private func membership(
        _ element: Operand, _ isFixed: Bool, in collection: Expression,
        _ options: ComparisonOptions, _ env: Environment, holds: Bool
    ) throws(StoreError) -> Condition {
        if element.isNull { return .constant(!holds) }
        let options = options.ofEquality
        if case .aggregate(let items) = collection {
            return try oneOf(element, items, options, env).turned(holds)
        }
        if let bag = try bag(collection, env) {
            // Null is in no collection, so that this is =, whatever may be null.
            let long = bag.value.isLongDecimal || element.isLongDecimal
            let member = comparable(bag.value, options, long: long)
            let wanted = comparable(element, options, long: long)
            return exists(
                bag, Condition("\(member) = \(wanted)"), isLoose: !env.isNarrow && isFixed,
                holds: holds)
        }
        let whole = try operand(collection, env)
        guard whole.kind == .text || whole.isNull else {
            throw .invalid("IN takes a list, a to-many relationship or text")
        }
        return text(whole, .contains, element, options, holds: holds)
    }

    /// Entities of that name, as numbers; nil where it is not `_entity` that is compared.
    func entityNumber(_ operand: Operand, _ name: Operand) -> (Operand, Operand)? {
        guard case .entityName(let position) = operand.content,
            case .string(let text)? = name.value, let alias = position.scope.row(position.key)
        else { return nil }
        let number = model.entity(named: text).map { Int64(schema.number(of: $0.index)) } ?? 0
        return (
            .column("\(alias).Z_ENT", .integer, isNullable: operand.isNullable),
            .constant(.int(number))
        )
    }
}
