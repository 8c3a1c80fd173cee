import SteleModel
import StelePersistence
import StelePredicates

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

    /// The number of matching objects (`count(for:)`).
    /// - Throws: the errors of `fetch(_:)`.
    public func count(for request: FetchRequest) throws -> Int { try count(request) }

    /// The number of matching objects (`count(for:)`).
    /// - Throws: the errors of `fetch(_:)`.
    public func count<T>(for request: TypedFetchRequest<T>) throws -> Int { try count(request) }

    /// The object of a class with the ID; nil if it does not exist, is deleted in this context, or is
    /// of another class (`existingObject(with:)`).
    /// - Throws: the errors of `existingObject(with:)`.
    public func existingObject<T: ManagedObject>(_ type: T.Type, with id: ObjectID) throws -> T? {
        try existingObject(with: id) as? T
    }
}

// MARK: By a format string

extension ManagedObjectContext {
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

    /// The number of matching objects of a class.
    /// - Throws: the errors of `fetch(_:)`.
    public func count<T: ManagedObject>(
        _ type: T.Type, where format: String? = nil, _ arguments: (any PredicateArgument)?...
    ) throws -> Int {
        try count(TypedFetchRequest<T>(format, arguments, sort: nil))
    }
}

// MARK: By keys

extension ManagedObjectContext {
    /// The matching objects of a class: `fetch(Player.self) { $0.goals > 9 } sort: {
    /// [$0.goals.descending, $0.name.ascending] }`.
    /// - Throws: the errors of `fetch(_:)`.
    public func fetch<T: ManagedObject>(
        _ type: T.Type, where condition: (ObjectKeys<T>) -> Predicate,
        sort: ((ObjectKeys<T>) -> [SortDescriptor])? = nil, limit: Int? = nil
    ) throws -> [T] {
        try fetch(TypedFetchRequest<T>(condition(ObjectKeys()), sort?(ObjectKeys()) ?? []), limit)
    }

    /// The matching objects of a class: `fetch(Player.self, where: \.goals > 9 && \.team.name ==
    /// "Northgate")`.
    /// - Throws: the errors of `fetch(_:)`.
    public func fetch<T: ManagedObject>(
        _ type: T.Type, where condition: TypedPredicate<T>,
        sort: ((ObjectKeys<T>) -> [SortDescriptor])? = nil, limit: Int? = nil
    ) throws -> [T] {
        try fetch(TypedFetchRequest<T>(condition.predicate, sort?(ObjectKeys()) ?? []), limit)
    }

    /// All objects of a class in an order: `fetch(Player.self, sort: { [$0.name.ascending] })`.
    /// - Throws: the errors of `fetch(_:)`.
    public func fetch<T: ManagedObject>(
        _ type: T.Type, sort: (ObjectKeys<T>) -> [SortDescriptor], limit: Int? = nil
    ) throws -> [T] {
        try fetch(TypedFetchRequest<T>(nil, sort(ObjectKeys())), limit)
    }

    /// The first of the matching objects; nil if none matches.
    /// - Throws: the errors of `fetch(_:)`.
    public func fetchOne<T: ManagedObject>(
        _ type: T.Type, where condition: (ObjectKeys<T>) -> Predicate,
        sort: ((ObjectKeys<T>) -> [SortDescriptor])? = nil
    ) throws -> T? {
        try fetch(type, where: condition, sort: sort, limit: 1).first
    }

    /// The first of the matching objects; nil if none matches.
    /// - Throws: the errors of `fetch(_:)`.
    public func fetchOne<T: ManagedObject>(
        _ type: T.Type, where condition: TypedPredicate<T>,
        sort: ((ObjectKeys<T>) -> [SortDescriptor])? = nil
    ) throws -> T? {
        try fetch(type, where: condition, sort: sort, limit: 1).first
    }

    /// The first object of a class in an order; nil if there is none.
    /// - Throws: the errors of `fetch(_:)`.
    public func fetchOne<T: ManagedObject>(
        _ type: T.Type, sort: (ObjectKeys<T>) -> [SortDescriptor]
    ) throws -> T? {
        try fetch(type, sort: sort, limit: 1).first
    }

    /// The number of matching objects of a class.
    /// - Throws: the errors of `fetch(_:)`.
    public func count<T: ManagedObject>(
        _ type: T.Type, where condition: (ObjectKeys<T>) -> Predicate
    ) throws -> Int {
        try count(TypedFetchRequest<T>(condition(ObjectKeys())))
    }

    /// The number of matching objects of a class.
    /// - Throws: the errors of `fetch(_:)`.
    public func count<T: ManagedObject>(
        _ type: T.Type, where condition: TypedPredicate<T>
    ) throws -> Int {
        try count(TypedFetchRequest<T>(condition.predicate))
    }

    private func fetch<T>(_ request: TypedFetchRequest<T>, _ limit: Int?) throws -> [T] {
        var request = request
        request.fetchLimit = limit
        return try fetch(request)
    }
}
