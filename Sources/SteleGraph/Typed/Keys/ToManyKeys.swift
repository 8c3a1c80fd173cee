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
    public func contains(_ object: Member) -> Predicate { contains(object.objectID) }

    /// Whether the object with an ID is a member.
    public func contains(_ id: ObjectID) -> Predicate {
        .comparison(
            Comparison(expression, .equal, .constant(id.predicateValue), modifier: .any))
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
        var number = 1
        var inner = condition(ObjectKeys(.variable(Self.variable(number))))
        // A condition within the condition must not have the same variable: it could not name this
        // one's member.
        let taken = Self.mostNumber(in: inner)
        if taken >= number {
            number = taken + 1
            inner = condition(ObjectKeys(.variable(Self.variable(number))))
        }
        let matching = Expression.subquery(
            expression, variable: Self.variable(number), inner)
        return AttributeKey(.keyPath(matching, ["@count"]))
    }

    private static func variable(_ number: Int) -> String { "member\(number)" }

    /// The greatest number of a variable that a condition has for members.
    private static func mostNumber(in condition: Predicate) -> Int {
        var most = 0
        condition.visit { expression in
            guard case .subquery(_, let variable, _) = expression else { return }
            most = Swift.max(most, Int(variable.drop { !$0.isNumber }) ?? 0)
        }
        return most
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
        // What is computed of an attribute is not in a path: its words name no attribute, so that the
        // request is refused.
        guard case .keyPath(.evaluatedObject, let path) = ObjectKeys()[keyPath: key].expression
        else {
            let computed = ObjectKeys<Member>()[keyPath: key].expression.description
            return AttributeKey(expression.appending(function).appending(computed))
        }
        return AttributeKey(path.reduce(expression.appending(function)) { $0.appending($1) })
    }
}
