import SteleModel
import StelePersistence
import StelePredicates

extension ManagedObjectContext {
    // MARK: Objects

    /// Whether the context holds strong references to all registered objects
    /// (`retainsRegisteredObjects`). Otherwise it retains only objects with changes.
    public var retainsRegisteredObjects: Bool { registry.retainsAll }

    /// The registered objects, in no particular order (`registeredObjects`).
    public var registeredObjects: [ManagedObject] { registry.objects }

    /// The registered object with the ID, including faults and deleted objects; nil if it is not
    /// registered (`registeredObject(for:)`). Nothing is read.
    public func registeredObject(for id: ObjectID) -> ManagedObject? { registry[id] }

    /// The object with the ID: the registered object, or one read from the row cache or the store;
    /// nil if it does not exist or is deleted in this context (`existingObject(with:)`).
    /// - Throws: `StoreError`, `ContextError.closed`, `.foreignIdentity`.
    public func existingObject(with id: ObjectID) throws -> ManagedObject? {
        try loader.existingObject(with: id)
    }

    /// The object with the ID (`object(with:)`). If it is not registered and its entity has no
    /// subentities, it is a fault, which need not exist in the store.
    /// - Throws: `StoreError`, `ContextError.closed`, `.foreignIdentity`.
    public func object(with id: ObjectID) throws -> ManagedObject { try loader.object(with: id) }

    /// The existing objects with the keys, by key. One query reads those that are not in the row
    /// cache.
    /// - Throws: `StoreError`, `ContextError.closed`.
    public func existingObjects(root: Int, keys: [Int64]) throws -> [Int64: ManagedObject] {
        try loader.existingObjects(root: root, keys: keys)
    }

    /// The existing object with the key if it is of the entity or a subentity.
    /// - Throws: `StoreError`, `ContextError.closed`.
    public func object(entity: Entity, key: Int64) throws -> ManagedObject? {
        let object = try loader.existingObject(with: ObjectID(root: entity.root, key: key))
        return object.flatMap { entity.isKind($0.entity.index) ? $0 : nil }
    }

    /// Reads the values of faults, with one query for up to 1,000 objects of one root entity.
    /// Objects that are no longer in the store become deleted, with null values.
    /// - Throws: `StoreError`, `ContextError.closed`. Objects read before the error keep their
    ///   values.
    public func fire(_ objects: [ManagedObject]) throws { try loader.fire(objects) }

    /// Prefetches the objects at the end of relationship paths, so that following the relationships
    /// needs no query (`relationshipKeyPathsForPrefetching`). It takes one query for each
    /// relationship of each path.
    ///
    /// To-many relationships then know their members. If the context does not retain registered
    /// objects, the members' rows are in the row cache.
    /// - Parameters:
    ///   - paths: names of relationships separated by dots, such as `team.league`.
    ///   - objects: the objects where the paths begin. Each path must fit the entities of all.
    /// - Throws: `PredicateError` for an invalid path; `StoreError`, `ContextError.closed`.
    public func prefetch(_ paths: [String], for objects: [ManagedObject]) throws {
        try Prefetching(relationships).prefetch(paths, for: objects)
    }

    // MARK: Fetches

    /// The matching objects, in the request's order, with their unsaved values (`fetch(_:)`).
    ///
    /// With `includesPendingChanges`, unsaved changes affect which objects match and their order,
    /// including changes of related objects in the predicate or the sort order. The offset and the
    /// limit apply to the result. Without it, the saved state is used, and the result includes
    /// objects that are deleted in this context.
    /// - Throws: `PredicateError` if the request does not fit the model
    ///   (`FetchRequest.checked(in:)`); `StoreError`, `ContextError.closed`.
    public func fetch(_ request: FetchRequest) throws -> [ManagedObject] {
        try ContextFetch(self, request).objects()
    }

    /// The IDs of the objects that `fetch` returns, in the same order. Without unsaved changes, no
    /// objects are created.
    /// - Throws: the errors of `fetch`.
    public func fetchIDs(_ request: FetchRequest) throws -> [ObjectID] {
        try ContextFetch(self, request).ids()
    }

    /// The number of objects that `fetch` returns, or of rows for a dictionary result
    /// (`count(for:)`). The offset and the limit apply.
    /// - Throws: the errors of `fetch`.
    public func count(_ request: FetchRequest) throws -> Int {
        try ContextFetch(self, request).count()
    }

    /// The rows of a dictionary result, without unsaved changes, as in Core Data.
    /// - Throws: the errors of `fetch`.
    public func rows(_ request: FetchRequest) throws -> [[Value]] {
        try ContextFetch(self, request).storedRows()
    }

    /// The rows of a dictionary result, including unsaved changes. Core Data has no equivalent. If
    /// there are no unsaved changes, the store evaluates the request.
    /// - Throws: the errors of `fetch`; `ContextError.tooManyObjects` beyond `evaluationLimit`.
    public func currentRows(_ request: FetchRequest) throws -> [[Value]] {
        try ContextFetch(self, request).rows()
    }

    /// The position of an object in a request's order, including unsaved changes, as a value for
    /// `FetchRequest.after`. Empty if the object does not exist.
    /// - Throws: the errors of `fetch`.
    public func position(of key: Int64, in request: FetchRequest) throws -> [Value] {
        try ContextFetch(self, request).position(of: key)
    }

    // MARK: Snapshots

    /// The snapshot of an object from the row cache, the store or the parent; nil if it does not
    /// exist.
    /// - Throws: `StoreError`, `ContextError.closed`.
    public func snapshot(_ id: ObjectID) throws -> Snapshot? { try loader.snapshot(id) }

    /// The snapshots of the existing objects with the keys, by key. One query reads those that are
    /// not in the row cache.
    /// - Throws: `StoreError`, `ContextError.closed`.
    public func snapshots(root: Int, keys: [Int64]) throws -> [Int64: Snapshot] {
        try loader.snapshots(root: root, keys: keys)
    }

    /// The snapshots of the objects that match in the store or the parent, in the request's order.
    /// They are not put into the row cache.
    /// - Throws: the errors of `fetch`.
    public func snapshots(_ request: FetchRequest) throws -> [Snapshot] {
        try loader.snapshots(request)
    }

    /// The values of an object of this context as a child context and all fetches see them: a
    /// relationship to an object that is deleted in this context is null. Until a save, the
    /// object itself keeps a link whose delete rule denies the deletion.
    package func currentSnapshot(_ object: ManagedObject) -> Snapshot {
        loader.currentSnapshot(object)
    }

    /// The keys of the members of a to-many relationship in the store or the parent, for each owner
    /// that has members.
    /// - Throws: `StoreError`, `ContextError.closed`.
    public func memberKeys(
        of relationship: Relationship, owners: [Int64]
    ) throws -> [Int64: [Int64]] {
        try loader.memberKeys(of: relationship, owners: owners)
    }

    /// The snapshots of the members of a to-many relationship in the store or the parent.
    /// - Throws: `StoreError`, `ContextError.closed`.
    public func memberSnapshots(
        of relationship: Relationship, owners: [Int64]
    ) throws -> [(owner: Int64, member: Snapshot)] {
        try loader.memberSnapshots(of: relationship, owners: owners)
    }

    // MARK: The view of the store

    /// The query generation that the context reads (`queryGenerationToken`).
    public var queryGeneration: QueryGeneration { view.generation }

    /// Sets the query generation (`setQueryGenerationFrom(_:)`). Objects keep their values until
    /// `refreshAllObjects`.
    ///
    /// A child context reads the generation of its root. A context on the writer's thread is not
    /// affected.
    public func setQueryGeneration(from generation: QueryGeneration) {
        view.setGeneration(generation)
    }

    /// Runs reads in one view of the store, even if the context is unpinned.
    public func inOneView<Result>(_ body: () throws -> Result) rethrows -> Result {
        try view.inOneView(body)
    }

    /// The reader of the context's view. In an unpinned context it is valid until the context is
    /// used again.
    /// - Throws: `StoreError`, `ContextError.closed`.
    public func reader() throws -> any StoreReader { try view.current().reader }

    /// A context that reads the same view and sees less of it; this context for nil. It is valid
    /// until this context is closed or used for a save.
    /// - Throws: `StoreError`, `ContextError.closed`.
    package func seen(by sight: Sight?) throws -> ManagedObjectContext {
        guard let sight else { return self }
        return ManagedObjectContext(
            persistentStoreCoordinator, reader: SightedReader(try reader(), sight))
    }

    /// Whether the objects match a predicate that is checked for an entity, with their unsaved
    /// values (`evaluate(with:)` of NSPredicate).
    /// - Throws: `PredicateError`, `StoreError`.
    package func matches(
        _ predicate: Predicate, of entity: Entity, _ objects: [ManagedObject]
    ) throws -> [Bool] {
        let view = PendingView(self)
        let evaluator = try PredicateEvaluator<PendingObject>(
            predicate, entity: entity, model: model)
        return try objects.map { object in
            let holds = try evaluator.evaluate(PendingObject(view: view, object: object))
            try view.check()
            return holds
        }
    }

    /// The token of the last transaction in the context's view.
    /// - Throws: `StoreError`, `ContextError.closed`.
    public func token() throws -> Int64 { try view.token() }

    /// The cache generation of the context's view.
    /// - Throws: `StoreError`, `ContextError.closed`.
    package func cacheGeneration() throws -> String { try view.cacheGeneration() }

    // MARK: Following the store

    /// Merges a save of another context or program (`mergeChanges(fromContextDidSave:)`). Updated
    /// objects are read again and keep their unsaved changes; deleted objects become deleted. A
    /// pinned context advances to the newest state.
    /// - Throws: `StoreError`.
    public func mergeChanges(fromContextDidSave save: HistoryTransaction) throws {
        try ContextRefresh(self).merge(save.changedObjectIDs(in: model))
    }

    /// Merges a save given by object IDs (`mergeChanges(fromRemoteContextSave:into:)`).
    /// - Throws: `StoreError`; `ContextError.foreignIdentity`.
    public func mergeChanges(fromRemoteContextSave identities: ChangedObjectIDs) throws {
        for id in identities.all { try loader.check(id) }
        try ContextRefresh(self).merge(identities)
    }

    /// Refreshes an object from the store (`refresh(_:mergeChanges:)`).
    ///
    /// Without `mergeChanges` its changes are discarded and it becomes a fault. With it, the object
    /// is read at once and its changes are kept, and the next save does not conflict with what has
    /// been read. The other sides of its relationships are refreshed too. Inserted and deleted
    /// objects are not changed. An object that is no longer in the store becomes deleted.
    /// - Throws: `ContextError.foreignObject`, `StoreError`.
    public func refresh(_ object: ManagedObject, mergeChanges: Bool) throws {
        guard object.context === self else { throw ContextError.foreignObject }
        try mergeNews()
        try inOneView {
            try processPendingChanges()
            try ContextRefresh(self).refresh([object], mergeChanges: mergeChanges)
        }
    }

    /// Refreshes all registered objects and keeps their changes (`refreshAllObjects`). Objects
    /// without changes become faults. A pinned context, or the context of a request, advances to
    /// the newest state.
    /// - Throws: `StoreError`.
    public func refreshAllObjects() throws { try ContextRefresh(self).all() }

    /// Resolves conflicts with saved changes by `mergePolicy`, as a save does, and then refreshes
    /// all objects. It is used after a save failed with `StoreError.moved`. With *objectTrump* and
    /// *overwrite*, objects deleted by other contexts are inserted again if they have changes here.
    /// With *error*, and in a child context, it only refreshes.
    /// - Throws: `StoreError`.
    public func settleAllObjects() throws {
        if mergePolicy == .error || parent != nil { return try refreshAllObjects() }
        view.moveOn()
        // In one view, so that no object is deleted between the two steps.
        try inOneView {
            try processPendingChanges()
            try conflicts.settleAll()
            try refreshAllObjects()
        }
    }

    /// Merges the saves collected since the last merge. Within an operation that has already read,
    /// it does nothing, because the operation's view does not include them.
    func mergeNews() throws {
        if let following, view.canMoveOn { try following.mergeNews(into: self) }
    }

    // MARK: Long-lived parent contexts

    /// Forgets the members that children have read. The next read returns the stored members with
    /// the unsaved changes. For released objects only changes are kept.
    package func forgetReadMembers() { toManys.forgetRead() }

    /// An upper bound of the number of objects with unsaved changes, computed without examining
    /// them. Owners of which only a to-many relationship has changed are not counted.
    package var unsavedObjectCount: Int { changes.count }

    /// The number of objects with unsaved changes after a child's changes are applied. Owners of
    /// which only a to-many relationship has changed are not counted.
    package func unsavedObjectCount(with child: ManagedObjectContext) -> Int {
        changes.changedObjects.count
            + child.changes.changedObjects.filter { !hasChanged($0.objectID) }.count
    }

    /// The approximate memory in bytes that a child's changes take here, besides their values.
    package func weight(of child: ManagedObjectContext) -> ChangeWeight {
        ChangeWeight(of: child, in: self)
    }
}
