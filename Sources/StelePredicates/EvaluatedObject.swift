/// The interface between evaluation and objects.

import SteleModel

/// An object that predicates can be evaluated on: a snapshot with access to related objects.
public protocol EvaluatedObject {
    /// The index of its entity in the model.
    var entityIndex: Int { get }
    /// Its key within its root entity (`_id`).
    var key: Int64 { get }
    /// Its version (`_version`).
    var version: Int64 { get }
    /// The value of an attribute; null if the object's entity does not have it.
    func value(of attribute: Attribute) -> Value
    /// The destination of a to-one relationship; nil if there is none.
    func toOne(_ relationship: Relationship) -> Self?
    /// The destinations of a to-many relationship, in order if it is ordered.
    func toMany(_ relationship: Relationship) -> [Self]
}

/// The result of an expression for an object.
public enum Evaluated<Object: EvaluatedObject> {
    case value(Value)
    case object(Object)
    case collection([Evaluated])

    /// No value, or a to-one relationship without a destination.
    static var null: Evaluated { .value(.null) }

    /// The result as a value: an object is its key, a collection is null.
    public var value: Value {
        switch self {
        case .value(let it): it
        case .object(let it): .key(it.key)
        case .collection: .null
        }
    }

    /// The elements of a collection; any other result is a collection of itself.
    var items: [Evaluated] {
        if case .collection(let it) = self { return it }
        return [self]
    }
}
