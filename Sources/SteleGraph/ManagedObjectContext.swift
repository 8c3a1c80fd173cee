import SteleModel
import StelePersistence

/// A context: objects and their changes since the last save (NSManagedObjectContext).
///
/// A context is not Sendable. The context and its objects must be used on one thread. `init`
/// creates a context for one request, which keeps one view of the store and all its objects.
/// `PersistentStoreCoordinator.newContext` creates a long-lived context, and `init(parent:)` a
/// child context.
public final class ManagedObjectContext {
    /// The coordinator it reads from and saves to (`persistentStoreCoordinator`).
    public let persistentStoreCoordinator: PersistentStoreCoordinator
    /// The coordinator's model.
    public let model: Model
    /// The parent context, whose unsaved state the context reads and to which it saves; nil for a
    /// root context (`parent`).
    public let parent: ManagedObjectContext?
    /// The author of the context's saves (`transactionAuthor`).
    public var transactionAuthor: String?
    /// The context's name in the history, such as a route's pattern, never an address (`name`).
    public var name: String?
    /// The policy for conflicts between a save and changes saved by other contexts (`mergePolicy`).
    public var mergePolicy = MergePolicy.error
    /// The maximum number of objects evaluated in memory for one fetch with unsaved changes, if the
    /// affected objects are unknown or for rows of aggregates; nil for no limit. A child context
    /// inherits it.
    public var evaluationLimit: Int?
    /// The undo manager; nil by default (`undoManager`).
    public var undoManager: UndoManager? {
        didSet { undoManagerChanged(from: oldValue) }
    }

    /// Whether the context merges saves of other contexts to the store, or of other children to its
    /// parent (`automaticallyMergesChangesFromParent`). It merges at its next operation.
    public var automaticallyMergesChangesFromParent: Bool {
        get { following != nil }
        set {
            if newValue == automaticallyMergesChangesFromParent { return }
            let broadcast = parent == nil ? persistentStoreCoordinator.broadcast : nil
            following = newValue ? StoreFollowing(model, broadcast) : nil
        }
    }

    // The parts, ordered by dependency: each uses only those before it.
    let registry: ObjectRegistry
    let changes: ChangeSet
    let view: StoreView
    private(set) lazy var loader = ObjectLoader(
        for: self, registry: registry, changes: changes, view: view)
    // Created on first use. A request that only reads needs none of these.
    private(set) var madeDeletion: DeletePropagation?
    private(set) var madeConflicts: ConflictResolution?
    private(set) lazy var validation = ObjectValidation(deletion)
    private(set) lazy var replay = UndoReplay(deletion)
    private(set) var following: StoreFollowing?
    private(set) var observers: ContextObservers?
    private(set) var children = ChildContexts()

    var toManys: ToManyRelationships { deletion.relationships.toManys }
    var relationships: RelationshipMaintenance { deletion.relationships }
    var deletion: DeletePropagation {
        if let madeDeletion { return madeDeletion }
        let made = DeletePropagation(RelationshipMaintenance(loader))
        madeDeletion = made
        return made
    }

    /// Resolves conflicts by the merge policy.
    var conflicts: ConflictResolution {
        let conflicts = madeConflicts ?? ConflictResolution(deletion)
        madeConflicts = conflicts
        conflicts.policy = mergePolicy
        return conflicts
    }

    /// Creates a context of any kind.
    init(
        _ coordinator: PersistentStoreCoordinator, parent: ManagedObjectContext? = nil,
        author: String?, name: String?, budget: ReadBudget? = nil, since number: Int64? = nil,
        writerReader: (any StoreReader)? = nil, sight: Sight? = nil,
        isWanted: (@Sendable () -> Bool)? = nil, queryGeneration: QueryGeneration = .current,
        retainsRegisteredObjects: Bool = true
    ) {
        persistentStoreCoordinator = coordinator
        model = coordinator.model
        self.parent = parent
        transactionAuthor = author
        self.name = name
        registry = ObjectRegistry(parent: parent?.registry, retainsAll: retainsRegisteredObjects)
        changes = ChangeSet(plans: coordinator.plans)
        view = StoreView(
            coordinator, parent: parent?.view, budget: budget, since: number,
            writerReader: writerReader, sight: sight, isWanted: isWanted,
            generation: queryGeneration)
    }

    /// Creates a context for one request. It reads the state committed at its first read.
    /// - Parameters:
    ///   - coordinator: the coordinator that the context reads from and saves to.
    ///   - author: the author of the context's saves; nil for none.
    ///   - name: the context's name in the history; nil for none.
    ///   - budget: the limit on the cost of all reads until a save, for a thread that must not
    ///     wait. A read beyond it throws `StoreError.overBudget`. Nil means no limit.
    ///   - number: the number of a transaction of the history. The context may then read an older
    ///     state that has it, from the store's replica (`PersistentStore.replica`), and is only for
    ///     reading. Nil means the newest state.
    ///   - sight: the part of the store that the context reads; nil for everything. With it the
    ///     context is only for reading: a save would take what is left out for what does not exist.
    ///   - isWanted: is asked while a statement runs for long, which ends where the answer is no
    ///     (`StoreError.deadline`). Nil means that nothing is asked.
    public convenience init(
        _ coordinator: PersistentStoreCoordinator, author: String? = nil, name: String? = nil,
        budget: ReadBudget? = nil, since number: Int64? = nil, sight: Sight? = nil,
        isWanted: (@Sendable () -> Bool)? = nil
    ) {
        self.init(
            coordinator, parent: nil, author: author, name: name, budget: budget, since: number,
            sight: sight, isWanted: isWanted)
    }

    /// Creates a context for `PersistentStore.save(making:)`. It reads through the writer's reader,
    /// which it does not close, and does not use the row cache.
    public convenience init(
        _ coordinator: PersistentStoreCoordinator, reader: any StoreReader,
        author: String? = nil, name: String? = nil
    ) {
        self.init(coordinator, author: author, name: name, writerReader: reader)
    }

    /// Creates a child context, which reads its parent's unsaved state and saves to the parent
    /// (`parent`).
    public convenience init(parent: ManagedObjectContext) {
        self.init(
            parent.persistentStoreCoordinator, parent: parent, author: parent.transactionAuthor,
            name: parent.name,
            queryGeneration: parent.queryGeneration,
            retainsRegisteredObjects: parent.retainsRegisteredObjects)
        evaluationLimit = parent.evaluationLimit
        parent.children.add(self)
    }

    /// Closes the view and releases all objects. The context cannot be used afterwards.
    public func close() {
        view.close()
        following = nil
        observers?.removeAll()
        registry.removeAll()
        forgetChanges()
        if undoManager != nil { replay.forget() }
    }

    // MARK: Changing

    /// Inserts a new object with the entity's default values and a temporary ID
    /// (`insertNewObject`).
    /// - Throws: `ContextError.abstractEntity`, `.closed`.
    public func insert(_ entity: Entity) throws -> ManagedObject {
        let origin = try origin(of: entity)
        let object = plans[entity].objectClass.init(origin)
        admit(object)
        return object
    }

    /// What a new object with the entity's default values is made of.
    func origin(of entity: Entity) throws -> ManagedObjectOrigin {
        if entity.isAbstract { throw ContextError.abstractEntity(entity.name) }
        try view.checkOpen()
        return loader.origin(of: entity, key: registry.newKey(), values: plans[entity].defaults)
    }

    /// Registers a new object, and lets it set values of its own.
    func admit(_ object: ManagedObject) {
        loader.admit(object)
        if plans[object.entity].isSubclassed { object.awakeFromInsert() }
    }

    /// Marks an object as deleted (`delete(_:)`). A fault is read first. `processPendingChanges`
    /// applies the delete rules. An object that is already deleted is ignored.
    /// - Throws: `ContextError.foreignObject`; for a fault `StoreError`.
    public func delete(_ object: ManagedObject) throws {
        guard object.context === self else { throw ContextError.foreignObject }
        try deletion.delete(object)
    }

    /// Merges collected saves, applies the delete rules of objects deleted since the last call, and
    /// registers changes with the undo manager (`processPendingChanges`).
    ///
    /// Delete rules are applied level by level, with one query for each relationship and level.
    /// Cycles of cascades end where they began. The rule Deny is checked by `saveRequest`.
    /// - Throws: `StoreError`, `ContextError.closed`.
    public func processPendingChanges() throws {
        try mergeNews()
        try madeDeletion?.process()
        registerJournal()
    }

    /// Whether there are changes to save (`hasChanges`). A change that was reverted does not count.
    public var hasChanges: Bool {
        hasChangesBesideUpdates || changes.touched.contains(where: changes.isUpdated)
    }

    /// The inserted objects, in the order of insertion (`insertedObjects`). `insertedObjects`,
    /// `updatedObjects` and `deletedObjects` do not include the effects of delete rules until
    /// `processPendingChanges` has applied them.
    public var insertedObjects: [ManagedObject] { changes.insertedObjects }

    /// The saved objects whose values or members have changed, in the order of their first change;
    /// owners of changed to-many relationships are last, sorted by key (`updatedObjects`).
    /// - Throws: `StoreError` if the owner of a changed to-many relationship cannot be read.
    public func updatedObjects() throws -> [ManagedObject] {
        try relationships.updatedObjects()
    }

    /// The saved objects that are deleted, in the order of deletion (`deletedObjects`).
    public var deletedObjects: [ManagedObject] { changes.deleted }

    /// Undoes the last group of changes (`undo`).
    /// - Throws: the errors of `UndoManager.undo`.
    public func undo() throws { try undoManager?.undo() }

    /// Redoes the last undone group of changes (`redo`).
    /// - Throws: the errors of `UndoManager.redo`.
    public func redo() throws { try undoManager?.redo() }

    /// Discards all unsaved changes: removes inserted objects, restores deleted ones, and resets
    /// values to those last read (`rollback`). It cannot be undone.
    public func rollback() { ContextRefresh(self).rollback() }

    /// Discards all changes and objects (`reset`). It cannot be undone. Objects that are still
    /// referenced keep their values and belong to no context.
    public func reset() { ContextRefresh(self).reset() }

    // MARK: Saving

    /// Applies delete rules, validates the changes, and saves them in one transaction (`save`).
    /// Temporary IDs become permanent. Without changes there is no transaction.
    ///
    /// The next read uses a new view, which includes the save. Conflicts with changes saved by
    /// other contexts are resolved by `mergePolicy`.
    /// - Returns: the store's result; without changes, a result with only the view's token.
    /// - Throws: `ValidationErrors`; `StoreError`, of which `.moved` and `.conflicts` mean that the
    ///   operation must be repeated in a new context; `ContextError.onWriter`, `.closed`.
    @discardableResult
    public func save() throws -> SaveResult {
        if view.isWriters { throw ContextError.onWriter }
        return try ContextSave(self).run()
    }

    /// Validates all changes as `save` does, and saves nothing. Unique values and the versions of other
    /// saves are known to the store alone, and are not checked.
    /// - Throws: `ValidationErrors`; `StoreError` if what is to be counted cannot be read.
    public func validateChanges() throws { try ContextSave(self).check() }

    /// The request that `save` sends, after delete rules and validation; nil without changes.
    /// - Throws: the errors of `save`.
    public func saveRequest() throws -> SaveRequest? { try ContextSave(self).request() }

    /// The same without validation, for a part of a save that is validated at its end.
    package func unvalidatedSaveRequest() throws -> SaveRequest? {
        try ContextSave(self).request(validates: false)
    }

    /// Applies the result of a `saveRequest` that the caller has saved with
    /// `PersistentStore.save(making:)` or with `save` and a completion. Objects and observers are
    /// notified. `save` calls it itself.
    public func didSave(_ result: SaveResult) { ContextSave(self).finish(result) }

    /// Applies a child's changes to its parent without validation, for intermediate steps before a
    /// save. In a context without a parent it does nothing.
    /// - Throws: `StoreError.conflicts` if the parent has deleted or no longer has an object
    ///   (nothing is changed then); `StoreError` if a read fails.
    public func pushToParent() throws {
        guard let parent else { return }
        try inOneView {
            try processPendingChanges()
            try loader.checkFaults(isSave: false)
            try ChildSave.run(self, in: parent)
        }
    }

    /// Determines the store of a new object whose entity is in several stores (`assign(_:to:)`).
    /// Without it the object goes to the first store that has its entity.
    /// - Parameters:
    ///   - object: an object of this context. One with a permanent ID stays where it is.
    ///   - store: one of the coordinator's `persistentStores`.
    /// - Throws: `ContextError.foreignObject`; `.notInStore` for a store that does not have the
    ///   object's entity, and for an object with a permanent ID in another store.
    public func assign(_ object: ManagedObject, to store: any PersistentStore) throws(ContextError)
    {
        guard loader.owns(object) else { throw .foreignObject }
        let place = try persistentStoreCoordinator.place(of: store, for: object)
        if object.objectID.isTemporaryID { changes.assignedStores[object.objectID] = place }
    }

    /// Gives new objects permanent IDs in this context, its parents and their children
    /// (`obtainPermanentIDs(for:)`). IDs of objects that are never saved are not reused.
    /// - Throws: `ContextError.foreignObject`, `.onWriter`; `StoreError`.
    public func obtainPermanentIDs(for objects: [ManagedObject]) throws {
        if view.isWriters { throw ContextError.onWriter }
        try KeyRenaming.obtain(for: objects, in: self)
    }

    /// The objects that other saves of the same transaction delete. They do not deny a deletion and
    /// are not validated.
    package var deletedElsewhere: Set<ObjectID> {
        get { changes.deletedElsewhere }
        set { changes.deletedElsewhere = newValue }
    }

    // MARK: Observers

    /// Observes the context until the returned observation is cancelled or released. The closure is
    /// called on the context's thread.
    public func observe(
        _ receive: @escaping (ContextNotification) -> Void
    ) -> ContextObservation {
        defer { updateJournaling() }
        return ContextObservation(self, makeObservers().add(receive))
    }

    /// A stream of the context's notifications with object IDs, for other threads. It ends when the
    /// context or the stream's reader is released, or when 1,000 events are pending. A reader whose
    /// stream ends while the context exists has missed events, and must open a new stream and read
    /// the objects again.
    public func events() -> AsyncStream<ContextEvent> {
        defer { updateJournaling() }
        return makeObservers().addStream { [weak self] in self?.removeObserver($0) }
    }

    private func makeObservers() -> ContextObservers {
        let made = observers ?? ContextObservers()
        observers = made
        return made
    }
}

@available(*, unavailable)
extension ManagedObjectContext: Sendable {}
