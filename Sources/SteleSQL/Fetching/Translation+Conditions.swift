import SteleModel
import StelePersistence
import StelePredicates

/// Translating predicates to conditions. SQL has three truth values and the predicate language two,
/// so each part is written to be true exactly where it must be, and false or NULL elsewhere. NOT is
/// pushed down to the comparisons.
extension Translation {
    /// Returns a condition that is true exactly where the predicate holds, or where it does not.
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
            let condition = try condition(it, env, holds: holds)
            try check(condition.sql)
            return condition
        }
    }

    private func condition(
        _ it: Comparison, _ env: Environment, holds: Bool
    ) throws(StoreError) -> Condition {
        try enter()
        defer { leave() }
        guard it.modifier == .direct else { return try quantified(it, env, holds: holds) }
        if let left = try attribute(it, env) {
            return try condition(of: left, isFixed: false, it, env, holds: holds)
        }
        if it.type == .contains, isCollection(it.left, env) {
            let element = try operand(it.right, env)
            return try membership(
                of: element, isFixed: Reach.isInside(it.right), in: it.left, it.options, env,
                holds: holds)
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
            of: left, isFixed: Reach.isInside(it.left), it, env, holds: holds)
    }

    /// Returns an attribute or a to-one relationship of the object that is compared with literals,
    /// which is the most common comparison; nil for any other.
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

    /// Returns a comparison whose left side is translated already.
    /// - Parameter isFixed: whether the left side is the same for all objects.
    func condition(
        of left: Operand, isFixed: Bool, _ it: Comparison, _ env: Environment, holds: Bool
    ) throws(StoreError) -> Condition {
        let (type, right, options) = (it.type, it.right, it.options)
        switch type {
        case .in:
            return try membership(
                of: left, isFixed: isFixed, in: right, options, env, holds: holds)
        case .between:
            guard case .aggregate(let bounds) = right, bounds.count == 2 else {
                throw .invalid("BETWEEN takes two bounds")
            }
            let (low, high) = (try operand(bounds[0], env), try operand(bounds[1], env))
            return try between(left, from: low, to: high, options, holds: holds)
        case .like, .matches, .beginsWith, .endsWith, .contains:
            return try text(left, type, pattern: try operand(right, env), options, holds: holds)
        default:
            return try compare(left, type, with: try operand(right, env), options, holds: holds)
        }
    }

    // MARK: ANY and ALL

    /// Translates ANY as an element that meets the condition, and ALL as no element that fails it.
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
        let inner = try condition(of: bag.value, isFixed: false, it, env, holds: isAny)
        return exists(
            bag, inner, isLoose: Reach.isInside(it.right), env, holds: isAny == holds)
    }

    /// Compares lists item by item.
    private func sameLists(
        _ it: Comparison, _ env: Environment, holds: Bool
    ) throws(StoreError) -> Condition {
        guard case .aggregate(let a) = it.left, case .aggregate(let b) = it.right else {
            for side in [it.left, it.right] {
                switch side {
                case .constant: break
                case .keyPath: if isCollection(side, env) { continue }
                default: continue
                }
                // A single value, such as nil, never equals a list.
                return .constant((it.type == .notEqual) == holds)
            }
            throw .unsupported("comparing whole collections")
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

    /// Returns the condition `x IN collection`; false where x is null.
    private func membership(
        of element: Operand, isFixed: Bool, in collection: Expression,
        _ options: ComparisonOptions, _ env: Environment, holds: Bool
    ) throws(StoreError) -> Condition {
        if element.isNull { return .constant(!holds) }
        let options = options.ofEquality
        if case .aggregate(let items) = collection {
            return try isOne(element, of: items, options, env, holds: holds)
        }
        if let bag = try bag(collection, env) {
            return try holdsValue(
                bag, equalTo: element, options, isFixed: isFixed, env, holds: holds)
        }
        let whole = try operand(collection, env)
        return try text(whole, .contains, pattern: element, options, holds: holds)
    }

    /// Returns `_entity` and an entity's name as numbers; nil for other operands.
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
