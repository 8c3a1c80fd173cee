/// Fetching objects of a class.

import SteleModel
import StelePersistence
import StelePredicates

/// A search for objects of one class (NSFetchRequest with its result type).
public struct TypedFetchRequest<Result: ManagedObject> {
    /// The condition; nil is all objects. It is checked against the model when it is fetched.
    public var predicate: Predicate?
    /// The keys to sort by; behind them comes the object's own key.
    public var sortDescriptors: [SortDescriptor] = []
    /// Whether objects of subentities match, too.
    public var includesSubentities = true
    /// The most objects to give, or nil for all.
    public var fetchLimit: Int?
    /// Objects to pass over first.
    public var fetchOffset = 0

    /// All objects of the class.
    public init() {}
}

/// What `ManagedObject` and each subclass can say of itself, and `Self` in it is the subclass.
public protocol FetchRequestResult: ManagedObject {}

extension ManagedObject: FetchRequestResult {}

extension FetchRequestResult {
    /// A search for the objects of this class (`fetchRequest()`).
    public static func fetchRequest() -> TypedFetchRequest<Self> { TypedFetchRequest() }

    /// The same with a condition, such as `"goals > %d AND team.name == %@"`, and an order, such
    /// as `"-goals,name"`.
    /// - Throws: `PredicateError` for what cannot be read.
    public static func fetchRequest(
        where format: String, _ arguments: any PredicateArgument..., sort: String? = nil
    ) throws(PredicateError) -> TypedFetchRequest<Self> {
        try TypedFetchRequest(format, arguments, sort: sort)
    }
}

extension TypedFetchRequest {
    init(
        _ format: String?, _ arguments: [any PredicateArgument], sort: String?
    ) throws(PredicateError) {
        if let format {
            predicate = try Predicate(format: format, arguments: arguments.map(\.formatArgument))
        }
        if let sort { sortDescriptors = try SortList(sort).descriptors }
    }

    fileprivate func request(of entity: Entity) -> FetchRequest {
        var request = FetchRequest(entity: entity)
        request.predicate = predicate
        request.sortDescriptors = sortDescriptors
        request.includesSubentities = includesSubentities
        request.fetchLimit = fetchLimit
        request.fetchOffset = fetchOffset
        return request
    }
}

extension ManagedObjectContext {
    /// The entity whose objects are of that class.
    /// - Throws: `TypedObjectError.unregistered`.
    public func entity<T: ManagedObject>(of type: T.Type) throws(TypedObjectError) -> Entity {
        // A parent comes before the subentities that share its class.
        guard type != ManagedObject.self,
            let index = coordinator.plans.firstIndex(where: { $0.objectClass == type })
        else { throw .unregistered(objectClass: "\(type)", model: model.name) }
        return model.entities[index]
    }

    /// A new object of that class with its entity's defaults (`insertNewObject`).
    /// - Throws: as `insert(_:)`; `TypedObjectError.unregistered`.
    public func insert<T: ManagedObject>(_ type: T.Type) throws -> T {
        try insert(try entity(of: type)).typed()
    }

    /// The objects that match, in the request's order.
    /// - Throws: as `fetch`; `TypedObjectError.unregistered`.
    public func fetch<T>(_ request: TypedFetchRequest<T>) throws -> [T] {
        try fetch(request.request(of: try entity(of: T.self))).map { try $0.typed() }
    }

    /// How many match.
    /// - Throws: as `fetch(_:)`.
    public func count<T>(_ request: TypedFetchRequest<T>) throws -> Int {
        try count(request.request(of: try entity(of: T.self)))
    }

    /// The objects of a class that match: `fetch(Player.self, where: "goals > %d", 9, sort:
    /// "-goals")`.
    /// - Throws: as `fetch(_:)`.
    public func fetch<T: ManagedObject>(
        _ type: T.Type, where format: String? = nil, _ arguments: any PredicateArgument...,
        sort: String? = nil, limit: Int? = nil
    ) throws -> [T] {
        var request = try TypedFetchRequest<T>(format, arguments, sort: sort)
        request.fetchLimit = limit
        return try fetch(request)
    }
}
