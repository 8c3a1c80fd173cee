/// What is asked of a store: which objects, in which order, and what of them.

import SteleModel

/// A key to sort by (NSSortDescriptor).
public struct SortDescriptor: Sendable, Hashable {
    public var expression: Expression
    public var ascending: Bool
    /// `[c]`, `[d]` and `[l]` as in comparisons.
    public var options: ComparisonOptions

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
    public var expression: Expression

    public init(name: String, expression: Expression) {
        self.name = name
        self.expression = expression
    }
}

/// The objects that a fetched property is asked of: `$FETCH_SOURCE` in the request's predicate.
public struct FetchSource: Sendable, Hashable {
    /// The variable's name.
    public static let variable = "FETCH_SOURCE"

    /// The index of their entity.
    public var entity: Int
    /// Their keys. A request of several gives what fits any of them, once for each that it fits.
    public var keys: [Int64]

    public init(entity: Int, keys: [Int64]) {
        self.entity = entity
        self.keys = keys
    }
}

/// A search in one entity (NSFetchRequest). Null sorts first ascending and last descending; the
/// order is always total: after the keys asked for come the group's keys or the object's own.
public struct FetchRequest: Sendable {
    public var entity: Entity { didSet { isChecked = false } }
    public var includesSubentities = true
    /// Whether all of it fits the model, as what `checked(in:)` gives does. Another entity or
    /// source, and what is set for a predicate, an order, columns or groups, makes it false.
    public package(set) var isChecked = false
    /// Nil is all objects. A store takes it as `PredicateCheck` gives it, and a context checks it
    /// unless it is checked already (`isChecked`).
    public var predicate: Predicate? { didSet { if predicate != nil { isChecked = false } } }
    /// What `$FETCH_SOURCE` in the predicate stands for; nil where it does not stand there.
    public var source: FetchSource? { didSet { if source != nil { isChecked = false } } }
    public var sortDescriptors: [SortDescriptor] = [] {
        didSet { if !sortDescriptors.isEmpty { isChecked = false } }
    }
    /// The most rows to give, or nil for all.
    public var fetchLimit: Int?
    /// Rows to pass over first.
    public var fetchOffset = 0
    /// Where to go on: of the row before the sort keys' values, and then what makes the order total:
    /// its `_id`, of a group the group's keys, of a distinct row its columns. Nil is from the start.
    public var after: [Value]?
    /// The columns of a dictionary result; empty for objects.
    public var propertiesToFetch: [ExpressionDescription] = [] {
        didSet { if !propertiesToFetch.isEmpty { isChecked = false } }
    }
    /// What a dictionary result is grouped by.
    public var propertiesToGroupBy: [Expression] = [] {
        didSet { if !propertiesToGroupBy.isEmpty { isChecked = false } }
    }
    /// The condition on groups.
    public var havingPredicate: Predicate? {
        didSet { if havingPredicate != nil { isChecked = false } }
    }
    public var returnsDistinctResults = false
    /// Whether a context's unsaved changes decide what matches, and where it stands; for objects,
    /// identities and counts. A store knows of none.
    public var includesPendingChanges = true
    /// Whether objects that a context has read before are read again, under their changes.
    public var shouldRefreshRefetchedObjects = false
    /// Relationships whose destinations a context reads along, such as `team.league`: one query
    /// for each.
    public var relationshipKeyPathsForPrefetching: [String] = []

    /// All objects of the entity and its subentities.
    public init(entity: Entity) { self.entity = entity }
}
