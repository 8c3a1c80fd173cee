import SteleModel
import StelePersistence
import StelePredicates

/// An argument for a `%@`, `%d` or `%K` placeholder of
/// `ManagedObjectContext.fetch(_:where:_:sort:limit:)` and `fetchRequest(where:_:)`.
public protocol PredicateArgument {
    /// The argument in the form that the predicate parser takes.
    var formatArgument: FormatArgument { get }
}

/// An argument that is one value.
public protocol PredicateValue: PredicateArgument {
    /// The value in the form that a predicate has.
    var predicateValue: Value { get }
}

extension PredicateValue {
    /// The value as a constant.
    public var formatArgument: FormatArgument { .value(predicateValue) }
}

extension AttributeValue {
    /// The value itself.
    public var predicateValue: Value { attributeValue }
}

/// An object or its ID, for `team == %@`.
public protocol ObjectReference: PredicateValue {
    /// The ID.
    var referencedID: ObjectID { get }
}

extension ManagedObject: ObjectReference {
    /// The object's ID.
    public var referencedID: ObjectID { objectID }
    /// The key of the object.
    public var predicateValue: Value { .int(objectID.key) }
}

extension ObjectID: ObjectReference {
    /// The ID itself.
    public var referencedID: ObjectID { self }
    /// The key of the object.
    public var predicateValue: Value { .int(key) }
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
extension Array: PredicateArgument where Element: PredicateValue {
    /// The values as a list.
    public var formatArgument: FormatArgument { .values(map(\.predicateValue)) }
}

/// A set, for `IN %@`.
extension Set: PredicateArgument where Element: PredicateValue {
    /// The values as a list.
    public var formatArgument: FormatArgument { .values(map(\.predicateValue)) }
}

extension Predicate {
    /// Parses a predicate with arguments, such as `Predicate(format: "goals > %d", 9)`
    /// (NSPredicate(format:_:)).
    /// - Throws: `PredicateError` as `init(format:arguments:)`.
    public init(
        format: String, _ first: (any PredicateArgument)?, _ more: (any PredicateArgument)?...
    ) throws(PredicateError) {
        try self.init(format: format, arguments: ([first] + more).map(\.formatArgument))
    }

    /// The predicate with values for its variables, by their names without `$`
    /// (`withSubstitutionVariables(_:)`). Variables that are not named stay, and a fetch throws
    /// `PredicateError` for them.
    public func withSubstitutionVariables(
        _ variables: [String: (any PredicateArgument)?]
    ) -> Predicate {
        replacingVariables { name, path in
            guard path.isEmpty, let argument = variables[name] else { return nil }
            return switch argument.formatArgument {
            case .value(let value): .constant(value)
            case .values(let values): .aggregate(values.map { .constant($0) })
            case .keyPath(let path): .keyPath(path)
            }
        }
    }
}

extension (any PredicateArgument)? {
    /// The argument in the form that the predicate parser takes; null for nil.
    var formatArgument: FormatArgument { self?.formatArgument ?? .value(.null) }
}
