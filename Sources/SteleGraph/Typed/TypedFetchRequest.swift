import SteleModel
import StelePersistence
import StelePredicates

/// A fetch request for the objects of one class (`NSFetchRequest<ResultType>`).
public struct TypedFetchRequest<Result: ManagedObject>: Sendable {
    /// The predicate; nil matches all objects. It is checked against the model when fetching.
    public var predicate: Predicate?
    /// The sort descriptors. The object's key is always the last sort key.
    public var sortDescriptors: [SortDescriptor] = []
    /// Whether objects of subentities match.
    public var includesSubentities = true
    /// The maximum number of objects; nil means no limit.
    public var fetchLimit: Int?
    /// The number of objects to skip.
    public var fetchOffset = 0
    /// The relationship paths whose objects are read too, such as `team.league`
    /// (`relationshipKeyPathsForPrefetching`).
    public var relationshipKeyPathsForPrefetching: [String] = []

    /// A request for all objects of the class.
    public init() {}
}

/// The protocol of fetched objects (NSFetchRequestResult). In its extensions, `Self` is the
/// subclass of `ManagedObject`.
public protocol FetchRequestResult: ManagedObject {}

extension ManagedObject: FetchRequestResult {}

extension FetchRequestResult {
    /// A fetch request for the objects of the class (`fetchRequest()`).
    public static func fetchRequest() -> TypedFetchRequest<Self> { TypedFetchRequest() }

    /// A fetch request for all objects of the class in an order, such as `"-goals,name"`.
    /// - Throws: `PredicateError` if the order cannot be parsed.
    public static func fetchRequest(sort: String) throws(PredicateError) -> TypedFetchRequest<Self>
    {
        try TypedFetchRequest(nil, [], sort: sort)
    }

    /// A fetch request with a predicate, such as `"goals > %d AND team.name == %@"`, and a sort
    /// order, such as `"-goals,name"`.
    /// - Throws: `PredicateError` if the predicate or the order cannot be parsed.
    public static func fetchRequest(
        where format: String, _ arguments: (any PredicateArgument)?..., sort: String? = nil
    ) throws(PredicateError) -> TypedFetchRequest<Self> {
        try TypedFetchRequest(format, arguments, sort: sort)
    }
}

extension FetchRequestResult {
    /// A fetch request with a condition: `Player.fetchRequest { $0.goals > 9 } sort: {
    /// [$0.goals.descending] }`.
    public static func fetchRequest(
        where condition: (ObjectKeys<Self>) -> Predicate,
        sort: ((ObjectKeys<Self>) -> [SortDescriptor])? = nil
    ) -> TypedFetchRequest<Self> {
        TypedFetchRequest(condition(ObjectKeys()), sort?(ObjectKeys()) ?? [])
    }

    /// A fetch request with a condition of key paths: `Player.fetchRequest(where: \.goals > 9)`.
    public static func fetchRequest(
        where condition: TypedPredicate<Self>,
        sort: ((ObjectKeys<Self>) -> [SortDescriptor])? = nil
    ) -> TypedFetchRequest<Self> {
        TypedFetchRequest(condition.predicate, sort?(ObjectKeys()) ?? [])
    }

    /// A fetch request for all objects of the class in an order: `Player.fetchRequest(sort: {
    /// [$0.name.ascending] })`.
    public static func fetchRequest(
        sort: (ObjectKeys<Self>) -> [SortDescriptor]
    ) -> TypedFetchRequest<Self> {
        TypedFetchRequest(nil, sort(ObjectKeys()))
    }
}

extension TypedFetchRequest {
    init(_ predicate: Predicate?, _ sortDescriptors: [SortDescriptor] = []) {
        self.predicate = predicate
        self.sortDescriptors = sortDescriptors
    }

    init(
        _ format: String?, _ arguments: [(any PredicateArgument)?], sort: String?
    ) throws(PredicateError) {
        if let format {
            predicate = try Predicate(format: format, arguments: arguments.map(\.formatArgument))
        }
        if let sort { sortDescriptors = try SortList(sort).descriptors }
    }

    func request(of entity: Entity) -> FetchRequest {
        var request = FetchRequest(entity: entity)
        request.predicate = predicate
        request.sortDescriptors = sortDescriptors
        request.includesSubentities = includesSubentities
        request.fetchLimit = fetchLimit
        request.fetchOffset = fetchOffset
        request.relationshipKeyPathsForPrefetching = relationshipKeyPathsForPrefetching
        return request
    }
}
