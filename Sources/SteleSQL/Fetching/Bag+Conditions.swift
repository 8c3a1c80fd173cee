import StelePersistence
import StelePredicates

extension Translation {
    /// Returns whether owners are best found from elements, once for all: not where few owners are
    /// searched, nor within another collection, where each is read once anyway.
    func prefersSet(_ bag: Bag, _ env: Environment) -> Bool {
        guard let link = bag.link, bag.isLoose, !env.isNarrow, !env.isGrouped else { return false }
        return link.isShared || !env.isInner
    }

    /// Returns the condition that a bag has an element that meets a condition, or that it has none.
    /// - Parameter isLoose: whether the condition does not refer to anything outside of the bag.
    func exists(
        _ bag: Bag, _ condition: Condition?, isLoose: Bool, _ env: Environment, holds: Bool
    ) -> Condition {
        let inner = bag.conditions + (condition.map { [$0] } ?? [])
        if isLoose, prefersSet(bag, env), !inner.isEmpty, let link = bag.link {
            let filter = Condition.all(inner).sql
            let set =
                "\(link.owner) IN (SELECT \(link.column) FROM \(bag.scope.from) WHERE \(filter))"
            return Condition(set).turned(holds)
        }
        let source = bag.source(condition.map { [$0] } ?? [])
        return Condition("\(holds ? "" : "NOT ")EXISTS (SELECT 1 FROM \(source))")
    }

    /// Returns the condition that a bag has a value that equals one from outside. Where many owners
    /// share a bag, all pairs of owner and value are collected once.
    func holdsValue(
        _ bag: Bag, equalTo wanted: Operand, _ options: ComparisonOptions, isFixed: Bool,
        _ env: Environment, holds: Bool
    ) throws(StoreError) -> Condition {
        if !bag.value.isComparable(with: wanted) { return .constant(!holds) }
        // Null is in no collection, so = is right also for nullable values.
        var (member, value) = try comparable(bag.value, wanted, options)
        if bag.value.family != wanted.family {
            // Within a row, SQLite would round an integer to the other column's type.
            (member, value) = (schema.dialect.plain(member), schema.dialect.plain(value))
        }
        if !isFixed, let link = bag.link, link.isShared, prefersSet(bag, env) {
            return Condition(
                "(\(link.owner), \(value)) IN (SELECT \(link.column), \(member) "
                    + "FROM \(bag.ownSource))"
            ).turned(holds)
        }
        return exists(
            bag, Condition("\(member) = \(value)"), isLoose: isFixed, env, holds: holds)
    }

    /// Returns a total of a bag as a subselect.
    func scalar(_ bag: Bag, _ total: (sql: String, operand: Operand)) -> Operand {
        var operand = total.operand
        operand.content = .sql("(SELECT \(total.sql) FROM \(bag.source()))")
        return operand
    }
}
