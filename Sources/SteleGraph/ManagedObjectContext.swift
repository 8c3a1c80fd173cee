/// The context: what a user of Core Data knows. Its parts do the work.

import SteleModel
import StelePersistence

/// A context (NSManagedObjectContext): its objects, and their changes since the last save.
///
/// Not Sendable: a context and its objects belong to one thread. `init` makes a request's context,
/// with one view of the store and all its objects until it ends;
/// `PersistentStoreCoordinator.newContext` makes one that is kept, and `init(parent:)` a child.
public final class ManagedObjectContext {
    /// Where it reads and saves (`persistentStoreCoordinator`).
    public let coordinator: PersistentStoreCoordinator
    /// The coordinator's model.
    public let model: Model
    /// The context whose unsaved state it reads, and to which its saves go; nil for a root
    /// (`parent`).
    public let parent: ManagedObjectContext?
    /// The author of its saves (`transactionAuthor`).
    public var author: String?
    /// The name of what saves, for the history: a route's pattern, never an address.
    public var name: String?
    /// What is done where a save meets what others have saved (`mergePolicy`).
    public var mergePolicy = MergePolicy.error
    /// The most objects that unsaved changes may have evaluated in memory for one fetch, where the
    /// store cannot say which are concerned, and for rows of aggregates; nil is without limit. A
    /// child begins with its parent's.
    public var evaluationLimit: Int?
    /// What takes changes back; nil, as at first, where nothing does (`undoManager`).
    public var undoManager: UndoManager? {
        didSet { undoManagerChanged(from: oldValue) }
    }

    /// Whether it follows what is saved beside it: in the store, or by other children of its parent
    /// (`automaticallyMergesChangesFromParent`). It merges at its next operation.
    public var automaticallyMergesChangesFromParent: Bool {
        get { following != nil }
        set {
            if newValue == automaticallyMergesChangesFromParent { return }
            let broadcast = parent == nil ? coordinator.broadcast : nil
            following = newValue ? StoreFollowing(model, broadcast) : nil
        }
    }

    // The parts. Each knows those before it and none behind it.
    let registry: ObjectRegistry
    let changes: ChangeSet
    let view: StoreView
    private(set) lazy var loader = ObjectLoader(
        for: self, registry: registry, changes: changes, view: view)
    // A request that only reads makes none of these.
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

    /// Settles by the merge policy.
    var conflicts: ConflictResolution {
        let conflicts = madeConflicts ?? ConflictResolution(deletion)
        madeConflicts = conflicts
        conflicts.policy = mergePolicy
        return conflicts
    }

    /// Any context; `PersistentStoreCoordinator.newContext` makes one that is kept.
    init(
        _ coordinator: PersistentStoreCoordinator, parent: ManagedObjectContext? = nil,
        author: String?, name: String?, budget: ReadBudget? = nil,
        writerReader: (any StoreReader)? = nil, queryGeneration: QueryGeneration = .current,
        retainsRegisteredObjects: Bool = true
    ) {
        self.coordinator = coordinator
        model = coordinator.model
        self.parent = parent
        self.author = author
        self.name = name
        registry = ObjectRegistry(parent: parent?.registry, retainsAll: retainsRegisteredObjects)
        changes = ChangeSet(plans: coordinator.plans)
        view = StoreView(
            coordinator, parent: parent?.view, budget: budget, writerReader: writerReader,
            generation: queryGeneration)
    }

    /// A request's context: it reads what is committed when it first reads.
    /// - Parameter budget: the limit on the cost of all its reading until a save, for a thread that
    ///   must not wait: what would cost more throws `StoreError.overBudget`. Nil is without limit.
    public convenience init(
        _ coordinator: PersistentStoreCoordinator, author: String? = nil, name: String? = nil,
        budget: ReadBudget? = nil
    ) {
        self.init(coordinator, parent: nil, author: author, name: name, budget: budget)
    }

    /// A context for `PersistentStore.save(making:)`: it reads through the writer's own reader,
    /// which it does not close, and leaves the row cache alone.
    public convenience init(
        _ coordinator: PersistentStoreCoordinator, reader: any StoreReader,
        author: String? = nil, name: String? = nil
    ) {
        self.init(coordinator, author: author, name: name, writerReader: reader)
    }

    /// A child: it reads its parent's unsaved state, and its saves go there.
    public convenience init(parent: ManagedObjectContext) {
        self.init(
            parent.coordinator, parent: parent, author: parent.author, name: parent.name,
            queryGeneration: parent.queryGeneration,
            retainsRegisteredObjects: parent.retainsRegisteredObjects)
        evaluationLimit = parent.evaluationLimit
        parent.children.add(self)
    }

    /// Gives the view back and forgets all objects. Nothing can be read afterwards.
    public func close() {
        view.close()
        following = nil
        observers?.removeAll()
        registry.removeAll()
        forgetChanges()
        if undoManager != nil { replay.forget() }
    }

    // MARK: Changing

    /// Inserts a new object with the entity's defaults and a temporary identity
    /// (`insertNewObject`).
    /// - Throws: `ContextError.abstractEntity`, `.closed`.
    public func insert(_ entity: Entity) throws -> ManagedObject {
        if entity.isAbstract { throw ContextError.abstractEntity(entity.name) }
        try view.checkOpen()
        let plan = plans[entity]
        let object = loader.insert(entity, key: registry.newKey(), values: plan.defaults)
        if plan.isSubclassed { object.awakeFromInsert() }
        return object
    }

    /// Marks an object as deleted; its delete rules are applied by `processPendingChanges`. Nothing
    /// happens to one that is deleted already. A fault is read first.
    /// - Throws: `ContextError.foreignObject`; for a fault `StoreError`.
    public func delete(_ object: ManagedObject) throws {
        guard object.context === self else { throw ContextError.foreignObject }
        try deletion.delete(object)
    }

    /// Merges saves that it follows, applies the delete rules of all objects deleted since it last
    /// ran, and registers changes with the undo manager (`processPendingChanges`).
    ///
    /// Delete rules are applied level by level, with one query a relationship and a level; loops of
    /// cascades end where they began. Deny is judged by `saveRequest`, when all is known.
    /// - Throws: `StoreError`, `ContextError.closed`.
    public func processPendingChanges() throws {
        try mergeNews()
        try madeDeletion?.process()
        registerJournal()
    }

    /// Whether there is anything to save; a change that was taken back is none (`hasChanges`).
    public var hasChanges: Bool {
        hasChangesBesideUpdates || changes.touched.contains(where: changes.isUpdated)
    }

    /// The new objects, in the order of their insertion (`insertedObjects`). Neither here nor in
    /// `updatedObjects` and `deletedObjects` are the results of delete rules that
    /// `processPendingChanges` has not applied yet.
    public var insertedObjects: [ManagedObject] { changes.insertedObjects }

    /// The objects of the store whose values or members have changed, in the order of their first
    /// change; owners of changed to-manys are last, by key (`updatedObjects`).
    /// - Throws: `StoreError`, where the owner of a changed to-many must be read and cannot.
    public func updatedObjects() throws -> [ManagedObject] {
        try relationships.updatedObjects()
    }

    /// The objects of the store that are deleted here, in that order (`deletedObjects`).
    public var deletedObjects: [ManagedObject] { changes.deleted }

    /// Takes the last group of changes back (`undo`).
    /// - Throws: as `UndoManager.undo`.
    public func undo() throws { try undoManager?.undo() }

    /// Does again what was taken back last (`redo`).
    /// - Throws: as `UndoManager.redo`.
    public func redo() throws { try undoManager?.redo() }

    /// Takes all changes back that are not saved: new objects are gone, deleted ones are restored,
    /// values are as they were read; nothing of it can be undone (`rollback`).
    public func rollback() { ContextRefresh(self).rollback() }

    /// Forgets all changes and all objects; nothing of it can be undone (`reset`). Objects that are
    /// still referenced keep their values and belong to no context.
    public func reset() { ContextRefresh(self).reset() }

    // MARK: Saving

    /// Applies delete rules, validates, and saves in one request. Temporary identities become
    /// permanent and the objects are as stored. Where nothing changed there is no transaction.
    ///
    /// What is read next comes from a new view, which sees the save. Where the save meets what
    /// others have saved, `mergePolicy` decides.
    /// - Returns: the store's result; without changes one with the view's token alone.
    /// - Throws: `ValidationErrors`; `StoreError`, of which `.moved` and `.conflicts` ask for
    ///   another try with a new context; `ContextError.onWriter`, `.closed`.
    @discardableResult
    public func save() throws -> SaveResult {
        if view.isWriters { throw ContextError.onWriter }
        return try ContextSave(self).run()
    }

    /// The request that `save` sends, after delete rules and validation; nil when nothing changed.
    /// - Throws: as `save`.
    public func saveRequest() throws -> SaveRequest? { try ContextSave(self).request() }

    /// Takes the result of a `saveRequest` that the caller has saved: by
    /// `PersistentStore.save(making:)`, or by `save` with a completion. Objects and observers are
    /// told of the save. `save` does it by itself.
    public func didSave(_ result: SaveResult) { ContextSave(self).finish(result) }

    /// Makes a child's changes in its parent as `save` does, without validation: for steps on the
    /// way to what will be saved. Nothing happens in a context without a parent.
    /// - Throws: `StoreError.conflicts` for an object that the parent has deleted or lost, before
    ///   anything is changed; `StoreError` where something must be read and cannot.
    public func pushToParent() throws {
        guard let parent else { return }
        try inOneView {
            try processPendingChanges()
            try loader.checkFaults(isSave: false)
            try ChildSave.run(self, in: parent)
        }
    }

    /// Gives new objects the identities that they will have in the store, here and in all contexts
    /// of the family (`obtainPermanentIDs(for:)`). Identities that are never saved are not given
    /// out again.
    /// - Throws: `ContextError.foreignObject`, `.onWriter`; `StoreError`.
    public func obtainPermanentIDs(for objects: [ManagedObject]) throws {
        if view.isWriters { throw ContextError.onWriter }
        try KeyRenaming.obtain(for: objects, in: self)
    }

    /// What the same transaction deletes in other saves than this one: it neither denies a deletion
    /// nor has to be valid.
    package var deletedElsewhere: Set<ObjectID> {
        get { changes.deletedElsewhere }
        set { changes.deletedElsewhere = newValue }
    }

    // MARK: Observers

    /// Tells of what happens in the context, on its thread, until the result is dropped or
    /// cancelled.
    public func observe(
        _ receive: @escaping (ContextNotification) -> Void
    ) -> ContextObservation {
        defer { updateJournaling() }
        return ContextObservation(self, makeObservers().add(receive))
    }

    /// The same as a stream of identities, for other threads. It ends with the context, when its
    /// reader is gone, or after 1,000 events that were not read: a reader that sees it end while
    /// the context lives has missed events, and reads the objects anew from another stream on.
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
