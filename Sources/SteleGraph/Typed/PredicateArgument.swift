import SteleModel
import StelePredicates

/// An argument for a `%@`, `%d` or `%K` placeholder of
/// `ManagedObjectContext.fetch(_:where:_:sort:limit:)` and `fetchRequest(where:_:)`.
public protocol PredicateArgument {
    /// The argument in the form that the predicate parser takes.
    var formatArgument: FormatArgument { get }
}

extension AttributeValue {
    /// The value as a constant.
    public var formatArgument: FormatArgument { .value(attributeValue) }
}

extension FormatArgument: PredicateArgument {
    /// The argument itself.
    public var formatArgument: FormatArgument { self }
}

/// An optional argument. Nil is null.
extension Optional: PredicateArgument where Wrapped: PredicateArgument {
    /// The wrapped argument, or null.
    public var formatArgument: FormatArgument { self?.formatArgument ?? .value(.null) }
}

/// A list, for `IN %@`.
extension Array: PredicateArgument where Element: AttributeValue {
    /// The values as a list.
    public var formatArgument: FormatArgument { .values(map(\.attributeValue)) }
}

/// An object, for `team == %@`.
extension ManagedObject: PredicateArgument {
    /// The key of the object.
    public var formatArgument: FormatArgument { .value(.int(objectID.key)) }
}
