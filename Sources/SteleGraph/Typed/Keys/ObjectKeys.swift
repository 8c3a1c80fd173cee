import SteleModel
import StelePersistence
import StelePredicates

/// The keys of a class's objects, from which predicates and orders are made that the compiler
/// checks: `{ $0.goals > 9 && $0.team.name == "Northgate" }`.
///
/// Generated code extends it by a property for each attribute and relationship of a class. A to-one
/// relationship leads to the keys of its destination.
public struct ObjectKeys<Object: ManagedObject>: Sendable {
    /// The object that the keys are of.
    let expression: Expression

    init(_ expression: Expression) { self.expression = expression }

    /// The keys of the evaluated object.
    public init() { expression = .evaluatedObject }

    // Subscripts with labels cannot hide a property that generated code declares.

    /// The attribute of that name.
    public subscript<V: AttributeValue>(attribute name: String) -> AttributeKey<V> {
        AttributeKey(expression.appending(name))
    }

    /// The keys of a to-one relationship's destination.
    public subscript<D: ManagedObject>(toOne name: String) -> ObjectKeys<D> {
        ObjectKeys<D>(expression.appending(name))
    }

    /// The to-many relationship of that name.
    public subscript<D: ManagedObject>(toMany name: String) -> ToManyKeys<D> {
        ToManyKeys(expression.appending(name))
    }

    /// The composite attribute of that name.
    public subscript<C: CompositeView>(composite name: String) -> CompositeKeys<C> {
        CompositeKeys(expression.appending(name))
    }

    // MARK: Comparisons

    /// Whether it is the object, or whether there is none for nil.
    public static func == (keys: ObjectKeys, object: Object?) -> Predicate {
        keys.compared(.equal, object?.objectID)
    }

    /// Whether it is another object or none, or whether there is one for nil.
    public static func != (keys: ObjectKeys, object: Object?) -> Predicate {
        keys.compared(.notEqual, object?.objectID)
    }

    /// Whether it is the object with the ID. Of an ID the number alone counts, so it must be one of
    /// the relationship's destination.
    public static func == (keys: ObjectKeys, id: ObjectID) -> Predicate {
        keys.compared(.equal, id)
    }

    /// Whether it is another object than that with the ID, or none.
    public static func != (keys: ObjectKeys, id: ObjectID) -> Predicate {
        keys.compared(.notEqual, id)
    }

    private func compared(_ type: Comparison.Operator, _ id: ObjectID?) -> Predicate {
        .comparison(Comparison(expression, type, .constant(id?.predicateValue ?? .null)))
    }
}

/// The keys of a composite attribute's elements. Generated code extends it by a property for each.
public struct CompositeKeys<Composite: CompositeView>: Sendable {
    let expression: Expression

    init(_ expression: Expression) { self.expression = expression }

    /// The element of that name.
    public subscript<V: AttributeValue>(attribute name: String) -> AttributeKey<V> {
        AttributeKey(expression.appending(name))
    }

    /// The composite element of that name.
    public subscript<C: CompositeView>(composite name: String) -> CompositeKeys<C> {
        CompositeKeys<C>(expression.appending(name))
    }
}

extension FetchRequestResult {
    /// The keys of the class: `SortDescriptor(\Player.Keys.name)`.
    public typealias Keys = ObjectKeys<Self>
}

extension Expression {
    /// The key path that leads on by a key.
    func appending(_ key: String) -> Expression {
        guard case .keyPath(let operand, let keys) = self else { return .keyPath(self, [key]) }
        return .keyPath(operand, keys + [key])
    }
}
