/// What the in-memory meaning needs to know of an object, and what an expression gives.

import SteleModel

/// An object that predicates can be evaluated on: a snapshot with a way to its neighbours.
public protocol EvaluatedObject {
    /// The index of its concrete entity in the model.
    var entityIndex: Int { get }
    /// Its key within its root entity (`_id`).
    var key: Int64 { get }
    /// Its version (`_version`).
    var version: Int64 { get }
    /// An attribute's value; null where the object's entity has no such attribute.
    func value(of attribute: Attribute) -> Value
    /// A to-one relationship's destination, or nil.
    func toOne(_ relationship: Relationship) -> Self?
    /// A to-many relationship's destinations, in their order where it is ordered.
    func toMany(_ relationship: Relationship) -> [Self]
}

/// What an expression gives for an object.
public enum Evaluated<Object: EvaluatedObject> {
    case value(Value)
    case object(Object)
    case collection([Evaluated])

    /// Nil, or a to-one without a destination.
    static var null: Evaluated { .value(.null) }

    /// The value; an object is its key, a collection is null.
    public var value: Value {
        switch self {
        case .value(let it): it
        case .object(let it): .key(it.key)
        case .collection: .null
        }
    }

    /// What a collection holds; anything else is a collection of itself.
    var items: [Evaluated] {
        if case .collection(let it) = self { return it }
        return [self]
    }
}
