/// What is asked of a collection: that it has an element, or one value made of its elements.

import StelePersistence
import StelePredicates

extension Translation {
    /// Whether owners are best found from elements, once for all: not where few owners are asked
    /// about, nor where each is looked at once anyway, inside another collection.
    func prefersSet(_ bag: Bag, _ env: Environment) -> Bool {
        guard let link = bag.link, bag.isLoose, !env.isNarrow, !env.isGrouped else { return false }
        return link.isShared || !env.isInner
    }

    /// The condition that a bag has an element that meets one, or that it has none.
    /// - Parameter isLoose: whether `condition` names nothing outside of the bag, either.
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

    /// That the bag has a value equal to one from outside of it. Where many owners share a bag,
    /// all pairs of owner and value are gathered once.
    func holdsValue(
        _ bag: Bag, _ wanted: Operand, _ options: ComparisonOptions, isFixed: Bool,
        _ env: Environment, holds: Bool
    ) -> Condition {
        // Null is in no collection, so that this is =, whatever may be null.
        let long = bag.value.isLongDecimal || wanted.isLongDecimal
        let member = comparable(bag.value, options, long: long)
        let value = comparable(wanted, options, long: long)
        if !isFixed, let link = bag.link, link.isShared, prefersSet(bag, env) {
            let filter =
                bag.conditions.isEmpty ? "" : " WHERE \(Condition.all(bag.conditions).sql)"
            return Condition(
                "(\(link.owner), \(value)) IN (SELECT \(link.column), \(member) "
                    + "FROM \(bag.scope.from)\(filter))"
            ).turned(holds)
        }
        return exists(
            bag, Condition("\(member) = \(value)"), isLoose: isFixed, env, holds: holds)
    }

    /// One value made of a bag's elements, as a subselect.
    func scalar(_ bag: Bag, _ total: (sql: String, operand: Operand)) -> Operand {
        var operand = total.operand
        operand.content = .sql("(SELECT \(total.sql) FROM \(bag.source()))")
        return operand
    }
}
