import SteleModel
import StelePersistence
import StelePredicates

/// The members of a to-many relationship in a predicate or an order.
public struct ToManyKeys<Member: ManagedObject>: Sendable {
    let expression: Expression

    init(_ expression: Expression) { self.expression = expression }

    /// The number of members (`@count`).
    public var count: AttributeKey<Int> { AttributeKey(expression.appending("@count")) }

    /// Whether there are no members.
    public var isEmpty: Predicate { count == 0 }

    /// Whether an object is a member.
    public func contains(_ object: some ObjectReference) -> Predicate {
        .comparison(
            Comparison(expression, .equal, .constant(object.predicateValue), modifier: .any))
    }

    /// Whether a condition holds for one of the members (SUBQUERY).
    public func contains(where condition: (ObjectKeys<Member>) -> Predicate) -> Predicate {
        matching(condition) > 0
    }

    /// Whether a condition holds for all members, as it does where there is none.
    public func allSatisfy(_ condition: (ObjectKeys<Member>) -> Predicate) -> Predicate {
        matching { !condition($0) } == 0
    }

    /// How many members a condition holds for (SUBQUERY with `@count`).
    public func count(where condition: (ObjectKeys<Member>) -> Predicate) -> AttributeKey<Int> {
        matching(condition)
    }

    private func matching(_ condition: (ObjectKeys<Member>) -> Predicate) -> AttributeKey<Int> {
        // A condition within a condition has a variable of its own.
        let variable = "member\(depth + 1)"
        let matching = Expression.subquery(
            expression, variable: variable, condition(ObjectKeys(.variable(variable))))
        return AttributeKey(.keyPath(matching, ["@count"]))
    }

    /// How many conditions on members this is in.
    private var depth: Int {
        guard case .keyPath(.variable(let name), _) = expression else { return 0 }
        return Int(name.drop { !$0.isNumber }) ?? 0
    }

    // MARK: Aggregates

    /// The sum of an attribute of the members (`@sum`).
    public func sum<V>(
        _ key: KeyPath<ObjectKeys<Member>, AttributeKey<V>>
    ) -> AttributeKey<V> { aggregate("@sum", key) }

    /// The least value of an attribute of the members (`@min`).
    public func min<V>(
        _ key: KeyPath<ObjectKeys<Member>, AttributeKey<V>>
    ) -> AttributeKey<V> { aggregate("@min", key) }

    /// The greatest value of an attribute of the members (`@max`).
    public func max<V>(
        _ key: KeyPath<ObjectKeys<Member>, AttributeKey<V>>
    ) -> AttributeKey<V> { aggregate("@max", key) }

    /// The average of an attribute of the members (`@avg`).
    public func average<V>(
        _ key: KeyPath<ObjectKeys<Member>, AttributeKey<V>>
    ) -> AttributeKey<Double> { aggregate("@avg", key) }

    private func aggregate<V, R>(
        _ function: String, _ key: KeyPath<ObjectKeys<Member>, AttributeKey<V>>
    ) -> AttributeKey<R> {
        let path = ObjectKeys<Member>(expression.appending(function))
        return AttributeKey(path[keyPath: key].expression)
    }
}
