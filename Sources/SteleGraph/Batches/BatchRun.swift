import SteleModel
import StelePersistence
import StelePredicates

/// The work of a batch request: parts of its objects, one after the other, in one transaction.
public struct BatchRun {
    /// The objects of a part.
    private static let objectsPerPart = 1_000

    let context: ManagedObjectContext
    private var coordinator: PersistentStoreCoordinator { context.persistentStoreCoordinator }

    func insert(
        _ entity: Entity, count: Int, _ fill: (ManagedObject, Int) throws -> Void
    ) throws -> BatchResult {
        if entity.isAbstract { throw ContextError.abstractEntity(entity.name) }
        var result = BatchResult()
        if count == 0 { return result }
        try save { save in
            result = BatchResult()
            for start in stride(from: 0, to: count, by: Self.objectsPerPart) {
                var made: [ObjectID] = []
                let saved = try BatchPart(coordinator, save, from: context).save { part in
                    for index in start..<min(count, start + Self.objectsPerPart) {
                        let object = try part.insert(entity)
                        try fill(object, index)
                        made.append(object.objectID)
                    }
                    return try part.saveRequest()
                }
                guard let saved else { continue }
                result.objectIDs += made.map {
                    ObjectID(root: $0.root, key: saved.permanentKeys[$0] ?? $0.key)
                }
            }
        }
        return result
    }

    /// - Parameter deletes: whether the objects are deleted.
    func change(
        _ request: FetchRequest, deletes: Bool,
        _ apply: (ManagedObjectContext, [ManagedObject]) throws -> Void
    ) throws -> BatchResult {
        let root = request.entity.root
        var result = BatchResult()
        try save { save in
            let keys = try keys(of: request, save)
            result.objectIDs = keys.map { ObjectID(root: root, key: $0) }
            let deleted = deletes ? Set(result.objectIDs) : []
            for start in stride(from: 0, to: keys.count, by: Self.objectsPerPart) {
                let some = Array(keys[start..<min(keys.count, start + Self.objectsPerPart)])
                try BatchPart(coordinator, save, from: context, deleting: deleted).save { part in
                    let objects = try part.existingObjects(root: root, keys: some)
                    try apply(part, some.compactMap { objects[$0] })
                    return try part.saveRequest()
                }
            }
        }
        return result
    }

    private func save(_ make: (any PartedSave) throws -> Void) throws {
        _ = try coordinator.store.save(inParts: make)
    }

    /// The keys of the objects that match, in the order of the request.
    private func keys(of request: FetchRequest, _ save: any PartedSave) throws -> [Int64] {
        let reader = try save.reader()
        defer { reader.close() }
        let part = ManagedObjectContext(coordinator, reader: reader)
        defer { part.close() }
        return try part.fetchIDs(request).map(\.key)
    }
}

/// A part of a save in parts, made in a context of its own on the writer's thread.
package struct BatchPart {
    private let coordinator: PersistentStoreCoordinator
    private let save: any PartedSave
    private let author: String?
    private let name: String?
    private let deleted: Set<ObjectID>

    /// - Parameter deleted: the objects that all parts together delete.
    package init(
        _ coordinator: PersistentStoreCoordinator, _ save: any PartedSave, author: String? = nil,
        name: String?, deleting deleted: Set<ObjectID> = []
    ) {
        self.coordinator = coordinator
        self.save = save
        self.author = author
        self.name = name
        self.deleted = deleted
    }

    fileprivate init(
        _ coordinator: PersistentStoreCoordinator, _ save: any PartedSave,
        from context: ManagedObjectContext, deleting deleted: Set<ObjectID> = []
    ) {
        self.init(
            coordinator, save, author: context.transactionAuthor, name: context.name,
            deleting: deleted)
    }

    /// Saves what a closure makes in the context.
    /// - Parameter make: returns the context's save request, or nil to save nothing.
    @discardableResult
    package func save(
        _ make: (ManagedObjectContext) throws -> SaveRequest?
    ) throws -> SaveResult? {
        let reader = try save.reader()
        defer { reader.close() }
        let context = ManagedObjectContext(coordinator, reader: reader, author: author, name: name)
        defer { context.close() }
        context.deletedElsewhere = deleted
        return try make(context).map { try save.save($0) }
    }
}

extension ManagedObjectContext {
    /// Carries out a batch request in the store (`execute(_:)`).
    ///
    /// The context is not needed but for its author and name: its unsaved changes are not part of
    /// it, and its objects show the result once it merges the save, as that of another context
    /// (`automaticallyMergesChangesFromParent`, `refreshAllObjects`).
    /// - Throws: `ValidationErrors` of the first part that has some; `StoreError`; `PredicateError`;
    ///   `ContextError` for keys and destinations that do not exist, for an abstract entity and for
    ///   a context that is closed or on the writer's thread; `TypedObjectError` for a class that
    ///   represents no entity; what a closure of the request throws. Nothing is saved then,
    ///   unless the error is `StoreError.incompleteSave` of several stores.
    @discardableResult
    public func execute(_ request: some BatchRequest) throws -> BatchResult {
        try view.checkOpen()
        // The writer's thread would wait for itself.
        if view.isWriters { throw ContextError.onWriter }
        return try request.run(BatchRun(context: self))
    }
}
