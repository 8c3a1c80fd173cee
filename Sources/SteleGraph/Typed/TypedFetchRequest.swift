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

    /// A fetch request with a predicate, such as `"goals > %d AND team.name == %@"`, and a sort
    /// order, such as `"-goals,name"`.
    /// - Throws: `PredicateError` if the predicate or the order cannot be parsed.
    public static func fetchRequest(
        where format: String, _ arguments: (any PredicateArgument)?..., sort: String? = nil
    ) throws(PredicateError) -> TypedFetchRequest<Self> {
        try TypedFetchRequest(format, arguments, sort: sort)
    }
}

extension TypedFetchRequest {
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

extension ManagedObjectContext {
    /// The entity that is represented by the class.
    /// - Throws: `TypedObjectError.unregistered`.
    public func entity<T: ManagedObject>(of type: T.Type) throws(TypedObjectError) -> Entity {
        // A parent entity precedes the subentities that share its class.
        guard type != ManagedObject.self,
            let index = persistentStoreCoordinator.plans.firstIndex(where: {
                $0.objectClass == type
            })
        else { throw .unregistered(objectClass: "\(type)", model: model.name) }
        return model.entities[index]
    }

    /// Inserts a new object of the class with the entity's default values (`insertNewObject`).
    /// - Throws: the errors of `insert(_:)`; `TypedObjectError.unregistered`.
    public func insert<T: ManagedObject>(_ type: T.Type) throws -> T {
        try insert(try entity(of: type)).typed()
    }

    /// The matching objects, in the request's order.
    /// - Throws: the errors of `fetch`; `TypedObjectError.unregistered`.
    public func fetch<T>(_ request: TypedFetchRequest<T>) throws -> [T] {
        try fetch(request.request(of: try entity(of: T.self))).map { try $0.typed() }
    }

    /// The IDs of the matching objects, in the request's order.
    /// - Throws: the errors of `fetch(_:)`.
    public func fetchIDs<T>(_ request: TypedFetchRequest<T>) throws -> [ObjectID] {
        try fetchIDs(request.request(of: try entity(of: T.self)))
    }

    /// The number of matching objects.
    /// - Throws: the errors of `fetch(_:)`.
    public func count<T>(_ request: TypedFetchRequest<T>) throws -> Int {
        try count(request.request(of: try entity(of: T.self)))
    }

    /// The matching objects of a class, such as `fetch(Player.self, where: "goals > %d", 9, sort:
    /// "-goals")`.
    /// - Throws: the errors of `fetch(_:)`.
    public func fetch<T: ManagedObject>(
        _ type: T.Type, where format: String? = nil, _ arguments: (any PredicateArgument)?...,
        sort: String? = nil, limit: Int? = nil
    ) throws -> [T] {
        var request = try TypedFetchRequest<T>(format, arguments, sort: sort)
        request.fetchLimit = limit
        return try fetch(request)
    }

    /// The first of the matching objects; nil if none matches.
    /// - Throws: the errors of `fetch(_:)`.
    public func fetchOne<T: ManagedObject>(
        _ type: T.Type, where format: String? = nil, _ arguments: (any PredicateArgument)?...,
        sort: String? = nil
    ) throws -> T? {
        var request = try TypedFetchRequest<T>(format, arguments, sort: sort)
        request.fetchLimit = 1
        return try fetch(request).first
    }

    /// The number of matching objects (`count(for:)`).
    /// - Throws: the errors of `fetch(_:)`.
    public func count(for request: FetchRequest) throws -> Int { try count(request) }

    /// The number of matching objects (`count(for:)`).
    /// - Throws: the errors of `fetch(_:)`.
    public func count<T>(for request: TypedFetchRequest<T>) throws -> Int { try count(request) }

    /// The number of matching objects of a class.
    /// - Throws: the errors of `fetch(_:)`.
    public func count<T: ManagedObject>(
        _ type: T.Type, where format: String? = nil, _ arguments: (any PredicateArgument)?...
    ) throws -> Int {
        try count(TypedFetchRequest<T>(format, arguments, sort: nil))
    }

    /// The object of a class with the ID; nil if it does not exist, is deleted in this context, or is
    /// of another class (`existingObject(with:)`).
    /// - Throws: the errors of `existingObject(with:)`.
    public func existingObject<T: ManagedObject>(_ type: T.Type, with id: ObjectID) throws -> T? {
        try existingObject(with: id) as? T
    }
}
