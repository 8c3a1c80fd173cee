/// What a context reads, and how it follows the store.

import SteleModel
import StelePersistence
import StelePredicates

extension ManagedObjectContext {
    // MARK: Objects

    /// Whether it keeps all objects that it has read; else unchanged ones live as long as they are
    /// referenced elsewhere (`retainsRegisteredObjects`).
    public var retainsRegisteredObjects: Bool { registry.retainsAll }

    /// The objects that it knows, in no order (`registeredObjects`).
    public var registeredObjects: [ManagedObject] { registry.objects }

    /// The object of that identity where it is known, faults and deleted ones among them; nothing
    /// is read (`registeredObject(for:)`).
    public func registeredObject(for id: ObjectID) -> ManagedObject? { registry[id] }

    /// The object of that identity: the registered one, else from the row cache or the store; nil
    /// where there is none, or where it is deleted here (`existingObject(with:)`).
    /// - Throws: `StoreError`, `ContextError.closed`, `.foreignIdentity`.
    public func existingObject(with id: ObjectID) throws -> ManagedObject? {
        try loader.existingObject(with: id)
    }

    /// The object of that identity, read or not: a fault where it is not known and its entity has
    /// no subentities (`object(with:)`). A fault need not be in the store; reading it finds out.
    /// - Throws: `StoreError`, `ContextError.closed`, `.foreignIdentity`.
    public func object(with id: ObjectID) throws -> ManagedObject { try loader.object(with: id) }

    /// The objects of those keys that exist, by key; one query for what the row cache lacks.
    /// - Throws: `StoreError`, `ContextError.closed`.
    public func existingObjects(root: Int, keys: [Int64]) throws -> [Int64: ManagedObject] {
        try loader.existingObjects(root: root, keys: keys)
    }

    /// The object of that key, where it is of that entity or a subentity.
    /// - Throws: `StoreError`, `ContextError.closed`.
    public func object(entity: Entity, key: Int64) throws -> ManagedObject? {
        let object = try loader.existingObject(with: ObjectID(root: entity.root, key: key))
        return object.flatMap { entity.isKind($0.entity.index) ? $0 : nil }
    }

    /// Reads the values of those that are faults: one query for a thousand of one family at most.
    /// Those that are not in the store any more are deleted here, with all values null.
    /// - Throws: `StoreError`, `ContextError.closed`; those read before stay read.
    public func fire(_ objects: [ManagedObject]) throws { try loader.fire(objects) }

    /// Reads what relationships lead to, so that following them asks the store nothing: one query
    /// for each relationship of each path (`relationshipKeyPathsForPrefetching`).
    ///
    /// To-many relationships know their members afterwards. The members' rows are in the row cache
    /// where this context does not keep its objects.
    /// - Parameter paths: names of relationships with dots between, such as `team.league`.
    /// - Throws: `PredicateError` for a path that is none; `StoreError`, `ContextError.closed`.
    public func prefetch(_ paths: [String], for objects: [ManagedObject]) throws {
        try Prefetching(relationships).prefetch(paths, for: objects)
    }

    // MARK: Fetches

    /// The objects that match, in the request's order, with their unsaved values (`fetch(_:)`).
    ///
    /// With `includesPendingChanges` unsaved changes decide what matches and where it stands, in
    /// both directions, with limit and offset counted afterwards; those of related objects, too,
    /// where predicate or order lead there. Without it, what is in the store does, and objects that
    /// are deleted here are among them.
    /// - Throws: `PredicateError` for what does not fit the model (`FetchRequest.checked(in:)`),
    ///   `StoreError`, `ContextError.closed`.
    public func fetch(_ request: FetchRequest) throws -> [ManagedObject] {
        try ContextFetch(self, request).objects()
    }

    /// The identities of the objects that `fetch` gives, in its order; no object is made where
    /// nothing is changed here.
    /// - Throws: as `fetch`.
    public func fetchIDs(_ request: FetchRequest) throws -> [ObjectID] {
        try ContextFetch(self, request).ids()
    }

    /// How many `fetch` gives; limit and offset count (`count(for:)`). Of a dictionary result, how
    /// many rows.
    /// - Throws: as `fetch`.
    public func count(_ request: FetchRequest) throws -> Int {
        try ContextFetch(self, request).count()
    }

    /// The rows of a dictionary result: always of what is saved, as in Core Data.
    /// - Throws: as `fetch`.
    public func rows(_ request: FetchRequest) throws -> [[Value]] {
        try ContextFetch(self, request).storedRows()
    }

    /// As `rows`, with unsaved changes counted. Core Data has no such thing. Where nothing has
    /// changed the store is asked.
    /// - Throws: as `fetch`; `ContextError.tooManyObjects` beyond `evaluationLimit`.
    public func currentRows(_ request: FetchRequest) throws -> [[Value]] {
        try ContextFetch(self, request).rows()
    }

    /// Where an object stands in a request's order, unsaved changes counted: what
    /// `FetchRequest.after` goes on behind. Empty where there is no such object.
    /// - Throws: as `fetch`.
    public func position(of key: Int64, in request: FetchRequest) throws -> [Value] {
        try ContextFetch(self, request).position(of: key)
    }

    // MARK: Snapshots, as stored

    /// The object as the store has it, or the parent where there is one; through the row cache.
    /// - Throws: `StoreError`, `ContextError.closed`.
    public func snapshot(_ id: ObjectID) throws -> Snapshot? { try loader.snapshot(id) }

    /// Those of the keys that exist, by key; one query for what the row cache lacks.
    /// - Throws: `StoreError`, `ContextError.closed`.
    public func snapshots(root: Int, keys: [Int64]) throws -> [Int64: Snapshot] {
        try loader.snapshots(root: root, keys: keys)
    }

    /// The objects that match in the store, or in the parent where there is one, in the request's
    /// order. Lists are not kept in the row cache.
    /// - Throws: as `fetch`.
    public func snapshots(_ request: FetchRequest) throws -> [Snapshot] {
        try loader.snapshots(request)
    }

    /// The members of a to-many in the store, or in the parent, for each owner that has any.
    /// - Throws: `StoreError`, `ContextError.closed`.
    public func memberKeys(
        of relationship: Relationship, owners: [Int64]
    ) throws -> [Int64: [Int64]] {
        try loader.memberKeys(of: relationship, owners: owners)
    }

    /// As `memberKeys`, with the members' values.
    /// - Throws: `StoreError`, `ContextError.closed`.
    public func memberSnapshots(
        of relationship: Relationship, owners: [Int64]
    ) throws -> [(owner: Int64, member: Snapshot)] {
        try loader.memberSnapshots(of: relationship, owners: owners)
    }

    // MARK: The view of the store

    /// Which state of the store it reads (`queryGenerationToken`).
    public var queryGeneration: QueryGeneration { view.generation }

    /// Sets which state of the store is read from now on (`setQueryGenerationFrom(_:)`). Objects
    /// keep their values; `refreshAllObjects` makes them follow.
    ///
    /// A child reads as its root does. Nothing happens to a context on the writer's thread.
    public func setQueryGeneration(from generation: QueryGeneration) {
        view.setGeneration(generation)
    }

    /// Runs reads that belong together: they see one view, also where the context is unpinned.
    public func inOneView<Result>(_ body: () throws -> Result) rethrows -> Result {
        try view.inOneView(body)
    }

    /// The reader of its view. Of an unpinned context it is good for no longer than until the
    /// context is used again.
    /// - Throws: `StoreError`, `ContextError.closed`.
    public func reader() throws -> any StoreReader { try view.current().reader }

    /// The last transaction that the view sees.
    /// - Throws: `StoreError`, `ContextError.closed`.
    public func token() throws -> Int64 { try view.token() }

    /// The cache generation that what the view reads belongs to.
    /// - Throws: `StoreError`, `ContextError.closed`.
    package func cacheGeneration() throws -> String { try view.cacheGeneration() }

    // MARK: Following the store

    /// Makes registered objects follow a save that another context, or a program, has made, under
    /// their own changes (`mergeChanges(fromContextDidSave:)`): what was updated is read again,
    /// what was deleted is deleted here. A context that is pinned moves on to the newest state.
    /// - Throws: `StoreError`.
    public func mergeChanges(fromContextDidSave save: HistoryTransaction) throws {
        try ContextRefresh(self).merge(save.changedObjectIDs(in: model))
    }

    /// As `mergeChanges(fromContextDidSave:)`, of identities
    /// (`mergeChanges(fromRemoteContextSave:into:)`).
    /// - Throws: `StoreError`; `ContextError.foreignIdentity`.
    public func mergeChanges(fromRemoteContextSave identities: ChangedObjectIDs) throws {
        for id in identities.all { try loader.check(id) }
        try ContextRefresh(self).merge(identities)
    }

    /// Makes an object follow the store (`refresh(_:mergeChanges:)`).
    ///
    /// Without `mergeChanges` its changes are taken back and it is a fault, read anew when it is
    /// next asked. With it, it is read at once and its changes stay on top of what was read: the
    /// next save is of them, and no conflict with what was saved before now. The other sides of
    /// its relationships follow. New and deleted objects stay as they are; one that is not in the
    /// store any more is deleted here.
    /// - Throws: `ContextError.foreignObject`, `StoreError`.
    public func refresh(_ object: ManagedObject, mergeChanges: Bool) throws {
        guard object.context === self else { throw ContextError.foreignObject }
        try mergeNews()
        try inOneView {
            try processPendingChanges()
            try ContextRefresh(self).refresh([object], mergeChanges: mergeChanges)
        }
    }

    /// As `refresh(_:mergeChanges:)` with all registered objects, their changes kept; those that
    /// have none are faults afterwards (`refreshAllObjects`). A context that is pinned, or a
    /// request's, moves on to the newest state.
    /// - Throws: `StoreError`.
    public func refreshAllObjects() throws { try ContextRefresh(self).all() }

    /// Puts all changes on top of what the store has by now, as `refreshAllObjects`, but settles
    /// first what others have changed or deleted, too, by `mergePolicy`: what a save does after
    /// `StoreError.conflicts`, for one that was refused with `StoreError.moved`. A refresh alone
    /// drops the changes of what others have deleted; by *objectTrump* and *overwrite* that is
    /// there again. By *error* it is the refresh alone, and so it is in a child.
    /// - Throws: `StoreError`.
    public func settleAllObjects() throws {
        if mergePolicy == .error || parent != nil { return try refreshAllObjects() }
        view.moveOn()
        // In one view, so that nothing is deleted between the two.
        try inOneView {
            try processPendingChanges()
            try conflicts.settleAll()
            try refreshAllObjects()
        }
    }

    /// Merges what was saved since it was last asked. Within an operation that has read already it
    /// waits: that view does not see what is new.
    func mergeNews() throws {
        if let following, view.canMoveOn { try following.mergeNews(into: self) }
    }

    // MARK: Contexts that are kept for steps of a child

    /// Ends what children have read of to-manys: the next read is of the members in the store by
    /// then, under what has changed here. Of objects that are released only changes are kept.
    package func forgetReadMembers() { toManys.forgetRead() }

    /// About how many objects have unsaved changes, without looking at each: at least as many as
    /// there are, but for owners of which only a to-many has changed.
    package var unsavedObjectCount: Int { changes.count }

    /// How many objects would have unsaved changes with those of a child made here, owners of which
    /// only a to-many has changed not counted.
    package func unsavedObjectCount(with child: ManagedObjectContext) -> Int {
        changes.changedObjects.count
            + child.changes.changedObjects.filter { !hasChanged($0.id) }.count
    }

    /// About how many bytes a child's changes take here, beside the values that they bring.
    package func weight(of child: ManagedObjectContext) -> ChangeWeight {
        ChangeWeight(of: child, in: self)
    }
}
