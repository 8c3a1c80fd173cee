import SteleModel
import StelePersistence
import StelePredicates

extension Predicate {
    /// Whether both conditions hold (NSAndPredicateType).
    public static func && (a: Predicate, b: Predicate) -> Predicate {
        if case .and(let conditions) = a { return .and(conditions + [b]) }
        return .and([a, b])
    }

    /// Whether one of the conditions holds (NSOrPredicateType).
    public static func || (a: Predicate, b: Predicate) -> Predicate {
        if case .or(let conditions) = a { return .or(conditions + [b]) }
        return .or([a, b])
    }

    /// Whether the condition does not hold (NSNotPredicateType).
    public static prefix func ! (a: Predicate) -> Predicate { .not(a) }
}

// MARK: Lists and ranges

extension Collection where Element: AttributeValue {
    /// Whether an attribute's value is one of these (IN).
    public func contains(_ key: AttributeKey<Element>) -> Predicate {
        let list = Expression.aggregate(map { .constant($0.attributeValue) })
        return .comparison(Comparison(key.expression, .in, list))
    }
}

extension Collection where Element: ManagedObject {
    /// Whether an object is one of these (IN).
    public func contains(_ keys: ObjectKeys<Element>) -> Predicate {
        map(\.objectID).contains(keys)
    }
}

extension Collection<ObjectID> {
    /// Whether an object's ID is one of these (IN).
    public func contains(_ keys: ObjectKeys<some ManagedObject>) -> Predicate {
        let list = Expression.aggregate(map { .constant($0.predicateValue) })
        return .comparison(Comparison(keys.expression, .in, list))
    }
}

extension ClosedRange where Bound: AttributeValue {
    /// Whether an attribute's value is in the range (BETWEEN).
    public func contains(_ key: AttributeKey<Bound>) -> Predicate {
        let bounds = [lowerBound, upperBound].map { Expression.constant($0.attributeValue) }
        return .comparison(Comparison(key.expression, .between, .aggregate(bounds)))
    }
}

extension Range where Bound: AttributeValue {
    /// Whether an attribute's value is in the range.
    public func contains(_ key: AttributeKey<Bound>) -> Predicate {
        key >= lowerBound && key < upperBound
    }
}
