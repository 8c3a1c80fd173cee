import SteleModel
import StelePersistence
import StelePredicates

/// A condition on the objects of a class, made of key paths: `\.goals > 9 && \.team.name == "x"`.
///
/// Swift's key paths lead to properties only. A closure over `ObjectKeys` can call functions, too:
/// `{ $0.name.beginsWith("x") }`.
public struct TypedPredicate<Object: ManagedObject>: Sendable {
    /// The condition in the predicate language.
    public let predicate: Predicate

    private init(_ predicate: Predicate) { self.predicate = predicate }

    /// Creates a condition.
    public init(_ condition: (ObjectKeys<Object>) -> Predicate) {
        predicate = condition(ObjectKeys())
    }

    /// Whether both conditions hold.
    public static func && (a: TypedPredicate, b: TypedPredicate) -> TypedPredicate {
        TypedPredicate(a.predicate && b.predicate)
    }

    /// Whether one of the conditions holds.
    public static func || (a: TypedPredicate, b: TypedPredicate) -> TypedPredicate {
        TypedPredicate(a.predicate || b.predicate)
    }

    /// Whether the condition does not hold.
    public static prefix func ! (a: TypedPredicate) -> TypedPredicate {
        TypedPredicate(!a.predicate)
    }
}

/// Whether the value is equal, or null for nil.
public func == <T, V>(path: KeyPath<ObjectKeys<T>, AttributeKey<V>>, value: V?) -> TypedPredicate<T>
{
    TypedPredicate { $0[keyPath: path] == value }
}

/// Whether the value differs. Null differs from every value.
public func != <T, V>(path: KeyPath<ObjectKeys<T>, AttributeKey<V>>, value: V?) -> TypedPredicate<T>
{
    TypedPredicate { $0[keyPath: path] != value }
}

/// Whether the value is less. Null is not.
public func < <T, V>(path: KeyPath<ObjectKeys<T>, AttributeKey<V>>, value: V) -> TypedPredicate<T> {
    TypedPredicate { $0[keyPath: path] < value }
}

/// Whether the value is less or equal. Null is not.
public func <= <T, V>(path: KeyPath<ObjectKeys<T>, AttributeKey<V>>, value: V) -> TypedPredicate<T>
{
    TypedPredicate { $0[keyPath: path] <= value }
}

/// Whether the value is greater. Null is not.
public func > <T, V>(path: KeyPath<ObjectKeys<T>, AttributeKey<V>>, value: V) -> TypedPredicate<T> {
    TypedPredicate { $0[keyPath: path] > value }
}

/// Whether the value is greater or equal. Null is not.
public func >= <T, V>(path: KeyPath<ObjectKeys<T>, AttributeKey<V>>, value: V) -> TypedPredicate<T>
{
    TypedPredicate { $0[keyPath: path] >= value }
}

/// Whether the destination of a to-one relationship is the object, or there is none for nil.
public func == <T, D>(
    path: KeyPath<ObjectKeys<T>, ObjectKeys<D>>, object: D?
) -> TypedPredicate<T> {
    TypedPredicate { $0[keyPath: path] == object }
}

/// Whether the destination of a to-one relationship is another object or there is none, or there is
/// one for nil.
public func != <T, D>(
    path: KeyPath<ObjectKeys<T>, ObjectKeys<D>>, object: D?
) -> TypedPredicate<T> {
    TypedPredicate { $0[keyPath: path] != object }
}

/// Whether the destination of a to-one relationship is the object with the ID.
public func == <T, D>(
    path: KeyPath<ObjectKeys<T>, ObjectKeys<D>>, id: ObjectID
) -> TypedPredicate<T> {
    TypedPredicate { $0[keyPath: path] == id }
}

/// Whether the destination of a to-one relationship is another object than that with the ID, or there
/// is none.
public func != <T, D>(
    path: KeyPath<ObjectKeys<T>, ObjectKeys<D>>, id: ObjectID
) -> TypedPredicate<T> {
    TypedPredicate { $0[keyPath: path] != id }
}
