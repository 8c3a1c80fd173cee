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
        try enter()
        defer { leave() }
        guard it.modifier == .direct else { return try quantified(it, env, holds: holds) }
        if let left = try attribute(it, env) {
            return try condition(
                left, false, it.type, it.right, it.options, env, holds: holds)
        }
        if it.type == .contains, isCollection(it.left, env) {
            let element = try operand(it.right, env)
            return try membership(
                element, Reach.isInside(it.right), in: it.left, it.options, env, holds: holds)
        }
        if it.type == .equal || it.type == .notEqual,
            isCollection(it.left, env) || isCollection(it.right, env)
        {
            return try sameLists(it, env, holds: holds)
        }
        if env.groups[it.left] == nil, env.groups[it.right] == nil {
            if let condition = try comparedTotal(it, env, holds: holds) { return condition }
            if let condition = try acrossToOnes(it, env, holds: holds) { return condition }
        }
        let left = try operand(it.left, env)
        return try condition(
            left, Reach.isInside(it.left), it.type, it.right, it.options, env, holds: holds)
    }

    /// An attribute or a to-one of the object itself that is compared with literals, as most are;
    /// nil for anything else.
    private func attribute(_ it: Comparison, _ env: Environment) throws(StoreError) -> Operand? {
        guard !env.isGrouped,
            case .keyPath(.evaluatedObject, let path) = it.left, path.count == 1
        else { return nil }
        switch it.right {
        case .constant: break
        case .aggregate where it.type == .in || it.type == .between: break
        default: return nil
        }
        switch env.object.entity.property(named: path[0]) {
        case .attribute(let attribute)?: return try column(attribute, of: env.object)
        case .relationship(let relationship)? where !relationship.isToMany:
            let position = try toOne(relationship, of: env.object)
            return .column(position.key, .key, isNullable: position.isNullable)
        default: return nil
        }
    }

    /// A comparison whose left side is known already.
    /// - Parameter isFixed: whether the left side is the same for all objects.
    func condition(
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
            return between(left, low, high, options, holds: holds)
        case .like, .matches, .beginsWith, .endsWith, .contains:
            return text(left, type, try operand(right, env), options, holds: holds)
        default:
            return compare(left, type, try operand(right, env), options, holds: holds)
        }
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
        if !Reach.isInside(it.right), !isCollection(it.right, env),
            let condition = try extreme(bag, it, env, holds: holds)
        {
            return condition
        }
        let inner = try condition(
            bag.value, false, it.type, it.right, it.options, env, holds: isAny)
        return exists(
            bag, inner, isLoose: Reach.isInside(it.right), env, holds: isAny == holds)
    }

    /// Lists compared with lists, item by item.
    private func sameLists(
        _ it: Comparison, _ env: Environment, holds: Bool
    ) throws(StoreError) -> Condition {
        guard case .aggregate(let a) = it.left, case .aggregate(let b) = it.right else {
            for case .constant in [it.left, it.right] {
                // One value, such as nil, is no list.
                return .constant((it.type == .notEqual) == holds)
            }
            throw .unsupported("whole collections compared with one another")
        }
        let isSame = (it.type == .equal) == holds
        if a.count != b.count { return .constant(!isSame) }
        var conditions: [Condition] = []
        for (left, right) in zip(a, b) {
            let single = Comparison(left, .equal, right, options: it.options)
            conditions.append(try condition(single, env, holds: isSame))
        }
        return isSame ? .all(conditions) : .any(conditions)
    }

    // MARK: Membership

    /// `x IN collection`; false where x is null.
    private func membership(
        _ element: Operand, _ isFixed: Bool, in collection: Expression,
        _ options: ComparisonOptions, _ env: Environment, holds: Bool
    ) throws(StoreError) -> Condition {
        if element.isNull { return .constant(!holds) }
        let options = options.ofEquality
        if case .aggregate(let items) = collection {
            return try oneOf(element, items, options, env, holds: holds)
        }
        if let bag = try bag(collection, env) {
            return holdsValue(bag, element, options, isFixed: isFixed, env, holds: holds)
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
