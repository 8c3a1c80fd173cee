/// Fetch requests: which objects, in which order, and which of their values.

import SteleModel

/// A sort key (NSSortDescriptor).
public struct SortDescriptor: Sendable, Hashable {
    /// The value to sort by.
    public var expression: Expression
    /// Whether the order is ascending.
    public var ascending: Bool
    /// The options `[c]`, `[d]` and `[l]`, as in comparisons.
    public var options: ComparisonOptions

    /// Creates a sort key of a key path, such as `team.name` (`init(key:ascending:)`).
    public init(key: String, ascending: Bool = true, options: ComparisonOptions = []) {
        self.init(.keyPath(key), ascending: ascending, options: options)
    }

    /// Creates a sort key.
    public init(_ expression: Expression, ascending: Bool = true, options: ComparisonOptions = []) {
        self.expression = expression
        self.ascending = ascending
        self.options = options
    }
}

/// A column of a dictionary result (NSExpressionDescription).
public struct ExpressionDescription: Sendable, Hashable {
    /// The column's name in the result.
    public var name: String
    /// The column's value.
    public var expression: Expression

    /// Creates a column.
    public init(name: String, expression: Expression) {
        self.name = name
        self.expression = expression
    }
}

/// The value of `$FETCH_SOURCE` in the predicate of a fetched property.
public struct FetchSource: Sendable, Hashable {
    /// The name of the variable.
    public static let variable = "FETCH_SOURCE"

    /// The index of the entity of the source objects.
    public var entity: Int
    /// The keys of the source objects. An object that matches several sources is returned once for
    /// each.
    public var keys: [Int64]

    /// Creates a source of the objects with those keys.
    public init(entity: Int, keys: [Int64]) {
        self.entity = entity
        self.keys = keys
    }
}

/// A fetch of objects of one entity (NSFetchRequest). Null sorts first in ascending order and last
/// in descending order. The order is always total: the object's key, or the group's keys, follow
/// the sort keys.
public struct FetchRequest: Sendable {
    /// The entity to fetch.
    public var entity: Entity { didSet { isChecked = false } }
    /// Whether objects of subentities match.
    public var includesSubentities = true
    /// Whether the request fits the model, as after `checked(in:)`. Setting the entity, a source, a
    /// predicate, sort keys, columns or groups resets it.
    public package(set) var isChecked = false { didSet { if !isChecked { asked = nil } } }
    /// Whether the rules of what a reader may see are part of the request. Whatever resets
    /// `isChecked` resets this, too, and so does another predicate.
    package var isWoven: Bool { asked != nil }
    /// The request as it was asked, before rules were woven in: its columns, groups and order decide
    /// what is allowed, and errors have its words. Nil for a request without rules.
    package var asked: AskedRequest?
    /// The predicate; nil matches all objects. A store requires the form that `PredicateCheck`
    /// returns; a context checks the request if `isChecked` is false.
    public var predicate: Predicate? {
        didSet {
            asked = nil
            if predicate != nil { isChecked = false }
        }
    }
    /// The value of `$FETCH_SOURCE` in the predicate; nil if the predicate does not use it.
    public var source: FetchSource? { didSet { if source != nil { isChecked = false } } }
    /// The sort keys, the most significant first.
    public var sortDescriptors: [SortDescriptor] = [] {
        didSet { if !sortDescriptors.isEmpty { isChecked = false } }
    }
    /// The maximum number of rows; nil is no limit.
    public var fetchLimit: Int?
    /// The number of rows to skip.
    public var fetchOffset = 0
    /// The position after which the result continues: the sort keys' values of the preceding row,
    /// then its `_id`, its group's keys, or the columns of a distinct row. Nil starts at the first
    /// row.
    public var after: [Value]?
    /// The columns of a dictionary result; empty if the result is objects.
    public var propertiesToFetch: [ExpressionDescription] = [] {
        didSet { if !propertiesToFetch.isEmpty { isChecked = false } }
    }
    /// The expressions that a dictionary result is grouped by.
    public var propertiesToGroupBy: [Expression] = [] {
        didSet { if !propertiesToGroupBy.isEmpty { isChecked = false } }
    }
    /// The condition on groups.
    public var havingPredicate: Predicate? {
        didSet { if havingPredicate != nil { isChecked = false } }
    }
    /// Whether duplicate rows are removed.
    public var returnsDistinctResults = false
    /// Whether unsaved changes of the context are taken into account, for objects, object IDs and
    /// counts. Stores ignore it.
    public var includesPendingChanges = true
    /// Whether registered objects are read again from the store, keeping their unsaved changes.
    public var shouldRefreshRefetchedObjects = false
    /// Key paths of relationships whose destinations a context fetches too, such as `team.league`,
    /// with one query for each relationship.
    public var relationshipKeyPathsForPrefetching: [String] = []

    /// Creates a request for all objects of an entity and its subentities.
    public init(entity: Entity) { self.entity = entity }
}

/// A request before rules are woven in.
package final class AskedRequest: Sendable {
    /// The request.
    package let request: FetchRequest

    /// - Parameter request: a checked request.
    package init(_ request: FetchRequest) { self.request = request }
}

extension FetchRequest {
    /// A checked request for those of its objects that fulfil a checked condition as well.
    package func and(_ condition: Predicate) -> FetchRequest {
        var request = self
        request.predicate = predicate.map { .and([condition, $0]) } ?? condition
        request.isChecked = true
        return request
    }
}

extension Predicate {
    /// The condition on objects of one entity to have one of the keys.
    package static func isOne(of keys: some Sequence<Int64>) -> Predicate {
        let list = keys.map { Expression.constant($0 < 0 ? .key($0) : .int($0)) }
        return .comparison(Comparison(.key("_id"), .in, .aggregate(list)))
    }
}
