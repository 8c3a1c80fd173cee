import SteleModel
import StelePersistence
import StelePredicates

extension Translation {
    /// Returns a condition on a destination that few destinations meet, such as `team.name == "x"`,
    /// as a search for these destinations and then for their owners by the index on the key. Nil
    /// where a join is faster.
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
            let key = path.last, path.count > 2 || !isOwnKey(key)
        else { return nil }
        let owner = try link(first, of: env.object)
        let alias = makeAlias()
        let scope = Scope(
            translator.source(schema.table(of: first.destination).name), alias)
        scope.setRow("\(alias).Z_PK", alias)
        let position = Position(
            scope: scope, key: "\(alias).Z_PK", entity: model.destination(of: first),
            isNullable: false)
        let value = try value(path.dropFirst(), of: position)
        let changed = Comparison(
            left, it.type == .notEqual ? .equal : it.type, right, options: it.options)
        let inner = try condition(of: value, isFixed: false, changed, env, holds: true)
        findsFew = true
        return Condition(
            SQLWords.joined(
                [
                    owner.key, " IN (SELECT ", alias, ".Z_PK FROM ", scope.from, " WHERE ",
                    inner.sql,
                    ")",
                ]))
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

    /// Returns the condition of ANY or ALL with an order comparison against a value of the object,
    /// where many objects share the collection: it depends only on the lowest or highest value. Nil
    /// for other comparisons.
    func extreme(
        _ bag: Bag, _ it: Comparison, _ env: Environment, holds: Bool
    ) throws(StoreError) -> Condition? {
        guard let link = bag.link, link.isShared, prefersSet(bag, env),
            !bag.value.isLongDecimal, hasExtremes(bag.value.kind),
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
        let nulls = isAny ? "" : ", \(schema.dialect.hasNull(value)) AS u"
        let alias = joinTotals(
            "\(takesMost ? "MAX" : "MIN")(\(value)) AS v\(nulls)", of: bag, link, to: scope)
        let most = Operand.computed("\(alias).v", bag.value.kind)
        if isAny { return try compare(most, it.type, with: other, it.options, holds: holds) }
        // ALL is true for an empty collection and false for one with a null.
        let all = try compare(most, it.type, with: other, it.options, holds: true)
        return Condition("\(alias).k IS NULL OR \(alias).u = 0 AND \(all.sql)", .or).turned(holds)
    }

    /// Whether MIN and MAX find the extreme of values of a kind for each comparison.
    private func hasExtremes(_ kind: ColumnKind) -> Bool {
        switch kind {
        case .text: false
        case .uuid, .data, .external, .marked: !schema.dialect.isTyped
        default: true
        }
    }
}
