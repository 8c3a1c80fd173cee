/// Conditions across to-one relationships, and across to-manys that many objects share.

import SteleModel
import StelePersistence
import StelePredicates

extension Translation {
    /// What only few of the destinations meet, such as `team.name == "x"`: these are found first,
    /// and their owners by the key's index. Nil where a join serves better.
    func acrossToOnes(
        _ it: Comparison, _ env: Environment, holds: Bool
    ) throws(StoreError) -> Condition? {
        var (left, right) = (it.left, it.right)
        if it.type == .equal || it.type == .notEqual, case .constant = left {
            (left, right) = (right, left)
        }
        guard case .keyPath(.evaluatedObject, let path) = left, path.count > 1,
            !path.contains(where: isSign), !env.isGrouped, !env.isNarrow,
            isSelective(it.type, right, holds: holds),
            case .relationship(let first)? = env.object.entity.property(named: path[0]),
            !first.isToMany, !crossesToMany(path, from: env.object.entity),
            let key = path.last, path.count > 2 || !isOwnKey(key),
            let table = schema.table(of: first.destination)
        else { return nil }
        let owner = try link(first, of: env.object)
        let alias = makeAlias()
        let scope = Scope(table.name, alias)
        scope.setRow("\(alias).Z_PK", alias)
        let position = Position(
            scope: scope, key: "\(alias).Z_PK", entity: model.destination(of: first),
            isNullable: false)
        let value = try value(path.dropFirst(), of: position)
        let type = it.type == .notEqual ? .equal : it.type
        let inner = try condition(value, false, type, right, it.options, env, holds: true)
        findsFew = true
        return Condition(
            SQLWords.joined(
                SQLWords.joined(owner.key, " IN (SELECT ", alias), ".Z_PK FROM ", scope.from,
                " WHERE ", inner.sql, ")"))
    }

    private func isOwnKey(_ key: String) -> Bool { key == "_id" || key == "SELF" }

    private func isSelective(
        _ type: Comparison.Operator, _ right: Expression, holds: Bool
    ) -> Bool {
        func isLiteral(_ it: Expression) -> Bool {
            if case .constant = it { true } else { false }
        }
        switch (type, right) {
        case (.equal, .constant(let value)): return holds && !value.isNull
        case (.notEqual, .constant(let value)): return !holds && !value.isNull
        case (.in, .aggregate(let items)):
            return holds && items.allSatisfy(isLiteral)
        case (.beginsWith, .constant), (.endsWith, .constant), (.like, .constant),
            (.contains, .constant), (.matches, .constant):
            return holds
        default: return false
        }
    }

    /// ANY and ALL by order against a value of the object, where many objects share the
    /// collection: only its least or greatest value matters. Nil where that is not so.
    func extreme(
        _ bag: Bag, _ it: Comparison, _ env: Environment, holds: Bool
    ) throws(StoreError) -> Condition? {
        guard let link = bag.link, link.isShared, prefersSet(bag, env),
            !bag.value.isLongDecimal, bag.value.kind != .text,
            let scope = try owner(of: it.left, env)
        else { return nil }
        let isAny = it.modifier == .any
        let takesMost: Bool
        switch it.type {
        case .greaterThan, .greaterThanOrEqual: takesMost = isAny
        case .lessThan, .lessThanOrEqual: takesMost = !isAny
        default: return nil
        }
        let other = try operand(it.right, env)
        let value = sql(bag.value)
        let alias = makeAlias()
        let filter = bag.conditions.isEmpty ? "" : " WHERE \(Condition.all(bag.conditions).sql)"
        let nulls = isAny ? "" : ", MAX(\(value) IS NULL) AS u"
        scope.join(
            "(SELECT \(link.column) AS k, \(takesMost ? "MAX" : "MIN")(\(value)) AS v\(nulls) "
                + "FROM \(bag.scope.from)\(filter) GROUP BY \(link.column))",
            alias, on: "\(alias).k = \(link.owner)", outer: true)
        let most = Operand.computed("\(alias).v", bag.value.kind)
        if isAny { return compare(most, it.type, other, it.options, holds: holds) }
        // Of none it is true, and a null in it fails.
        let all = compare(most, it.type, other, it.options, holds: true)
        return Condition("\(alias).k IS NULL OR \(alias).u = 0 AND \(all.sql)", .or).turned(holds)
    }
}
