/// A scratch pad of objects: what is read, what is changed and not saved yet.

import SteleModel
import StelePersistence
import StelePredicates

/// A context (NSManagedObjectContext): its objects, and their changes since the last save.
///
/// Not Sendable: a context and its objects belong to one thread, a request's or whoever keeps it.
/// `init` is a request's context, with one view of the store and all its objects until it ends;
/// `PersistentStoreCoordinator.newContext` makes one for as long as one likes, and
/// `init(parent:)` a child of another.
public final class ManagedObjectContext {
    /// Where it reads and saves (`persistentStoreCoordinator`).
    public let coordinator: PersistentStoreCoordinator
    /// The coordinator's model.
    public let model: Model
    /// The context whose unsaved state it reads, and which its saves go to; nil for a root
    /// (`parent`).
    public let parent: ManagedObjectContext?
    /// Who saves (`transactionAuthor`).
    public var author: String?
    /// What saves, for the history: a route's pattern, never an address.
    public var name: String?
    /// Which state of the store it reads (`queryGenerationToken`).
    public internal(set) var queryGeneration: QueryGeneration
    /// Whether it keeps all objects that it has read; else unchanged ones live as long as somebody
    /// else has them (`retainsRegisteredObjects`).
    public let retainsRegisteredObjects: Bool
    /// What takes changes back; nil where nothing does, as at first (`undoManager`).
    public var undoManager: UndoManager? {
        didSet { undoManagerChanged(from: oldValue) }
    }

    /// Whether it follows what is saved beside it: in the store, or by other children of its parent
    /// (`automaticallyMergesChangesFromParent`). It merges at its next operation.
    public var automaticallyMergesChangesFromParent = false {
        didSet {
            if oldValue != automaticallyMergesChangesFromParent { followingChanged() }
        }
    }

    /// Who wins where a save meets what others have saved (`mergePolicy`).
    public var mergePolicy = MergePolicy.error

    /// The most objects that unsaved changes may have evaluated in memory for one fetch, where the
    /// store cannot say which are concerned, and for rows of aggregates; nil is without end. A child
    /// begins with its parent's.
    public var evaluationLimit: Int?

    /// The reader on the writer's thread that the context was made with.
    let writerReader: (any StoreReader)?
    /// What reading from one view may cost.
    let budget: ReadBudget?
    var openView: ReaderView?
    /// Where it has read from the row cache alone so far: the view that this was.
    var cachedView: CachedView?
    /// How many operations are under way that shall see one view.
    var openOperations = 0
    /// The oldest token of what its objects were read from.
    var readFloor: Int64?
    private var isClosed = false

    /// One object an identity: all, or those with changes where the others are held weakly. Only
    /// `setRegistered` and `unregisterAll` change it.
    private(set) var registered: [ObjectID: ManagedObject] = [:]
    var weaklyRegistered: [ObjectID: WeakObject] = [:]
    /// What is known and changed of to-manys; of new objects only where something is in them.
    var toManys: [ToManyID: ToManyState] = [:]
    /// The ordered to-many whose order is not kept for now (`leavingOrder`).
    var unordered: ToManyID?
    /// New objects in the order of their insertion; those deleted again are still in it.
    var inserted: [ManagedObject] = []
    /// Objects of the store that may have changed, in the order of their first change.
    var touched: [ManagedObject] = []
    /// Objects of the store that are deleted, in that order.
    var deleted: [ManagedObject] = []
    /// Deleted objects whose delete rules have not been applied yet.
    var undecided: [ManagedObject] = []
    /// Deleted objects whose delete rules are applied once more, to what has come to be there.
    var decidedBefore: Set<ObjectID> = []
    /// What deletion has read and relies on.
    var seenByDeletion: [ToManyID: [Int64]] = [:]
    /// Of relationships without an inverse: who led to an object when it was deleted or linked.
    /// The key is the object's, where others have an owner's.
    var ownersSeen: [ToManyID: [Int64]] = [:]
    /// Of to-manys without an inverse: who was given an object here, by the object's key.
    var ownersMade: [ToManyID: Int64] = [:]
    /// What the same transaction deletes in other saves than this one (`PartedSave`): it neither
    /// denies a deletion nor has to be valid.
    public var deletedElsewhere: Set<ObjectID> = []
    private var nextKey: Int64 = -1
    /// Why a fault could not be read, where nobody could be told.
    var faultError: (any Error)?
    /// The first value that was set on a fault which could not be read: nothing is saved without it.
    var lostValue: ContextError?

    /// Whether the model's rules are being applied, so that objects need not apply them again.
    var isValidating = false

    /// Whether changes are written down as they are made: for undo, or for who observes them.
    var isJournaling = false
    /// Whether objects ask that, as they do while anything may be written down.
    var watchesObjects = false
    /// The changes since `processPendingChanges` last ran, in their order.
    var journal: [JournalEntry] = []
    var children: [WeakContext] = []
    var observers: [Int: (ContextNotification) -> Void] = [:]
    var observerCount = 0
    /// What `events` has made, by the observer's number.
    var streams: [Int: AsyncStream<ContextEvent>.Continuation] = [:]
    /// Commits to follow, and what brings them.
    var inbox: MergeInbox?
    var subscription: Subscription?
    var isMerging = false
    /// The tokens of its own saves that the broadcast has not told of yet.
    var ownSaves: Set<Int64> = []

    /// New objects that this save has brought together with others, by the merge policy.
    var replaced: [ObjectID: ObjectID] = [:]

    /// What new objects' keys became, for the undo stack, which knows them by the old ones.
    var renamed = PermanentKeys()

    private init(
        _ coordinator: PersistentStoreCoordinator, parent: ManagedObjectContext? = nil,
        author: String?, name: String?, budget: ReadBudget? = nil,
        writerReader: (any StoreReader)? = nil, queryGeneration: QueryGeneration,
        retainsRegisteredObjects: Bool
    ) {
        self.coordinator = coordinator
        model = coordinator.model
        self.parent = parent
        self.author = author
        self.name = name
        self.budget = budget
        self.writerReader = writerReader
        self.queryGeneration = queryGeneration
        self.retainsRegisteredObjects = retainsRegisteredObjects
    }

    /// A request's context: what it reads is what is committed when it first reads.
    /// - Parameter budget: what all its reading until a save may cost, for a thread that must not
    ///   wait: what would cost more throws `StoreError.overBudget`. Nil for as long as it takes.
    public convenience init(
        _ coordinator: PersistentStoreCoordinator, author: String? = nil, name: String? = nil,
        budget: ReadBudget? = nil
    ) {
        self.init(
            coordinator, author: author, name: name, budget: budget, queryGeneration: .current,
            retainsRegisteredObjects: true)
    }

    /// A context for `PersistentStore.save(making:)`: it reads through the writer's own reader,
    /// which it does not close, and leaves the row cache alone.
    public convenience init(
        _ coordinator: PersistentStoreCoordinator, reader: any StoreReader,
        author: String? = nil, name: String? = nil
    ) {
        self.init(
            coordinator, author: author, name: name, writerReader: reader,
            queryGeneration: .current, retainsRegisteredObjects: true)
    }

    /// A context that is kept; `PersistentStoreCoordinator.newContext` makes it.
    convenience init(
        kept coordinator: PersistentStoreCoordinator, author: String?, name: String?,
        retainsRegisteredObjects: Bool
    ) {
        self.init(
            coordinator, author: author, name: name, queryGeneration: .unpinned,
            retainsRegisteredObjects: retainsRegisteredObjects)
    }

    /// A child: it reads its parent's unsaved state, and its saves go there.
    public convenience init(parent: ManagedObjectContext) {
        self.init(
            parent.coordinator, parent: parent, author: parent.author, name: parent.name,
            queryGeneration: parent.queryGeneration,
            retainsRegisteredObjects: parent.retainsRegisteredObjects)
        evaluationLimit = parent.evaluationLimit
        parent.adopt(self)
    }

    deinit { close() }

    /// Gives the view back and forgets all objects. Nothing can be read afterwards.
    public func close() {
        dropView()
        isClosed = true
        subscription?.cancel()
        subscription = nil
        inbox = nil
        for stream in streams.values { stream.finish() }
        streams = [:]
        removeAllObservers()
        unregisterAll()
        weaklyRegistered = [:]
        renamed = PermanentKeys()
        forgetChanges()
    }

    /// Forgets what is changed and what is known of to-manys.
    func forgetChanges() {
        toManys = [:]
        inserted = []
        touched = []
        deleted = []
        undecided = []
        seenByDeletion = [:]
        ownersSeen = [:]
        ownersMade = [:]
        replaced = [:]
        journal = []
    }

    func noteLostValue(of object: ManagedObject, _ slot: Int) {
        guard object.isFault, object.entity.slots.indices.contains(slot) else { return }
        lostValue =
            lostValue
            ?? .valueLost(
                entity: object.entity.name, key: object.id.key,
                property: object.entity.slots[slot].name)
    }

    func checkOpen() throws {
        if isClosed { throw ContextError.closed }
    }

    /// Whether it reads on the writer's thread, where it cannot save by itself.
    var isWriters: Bool { writerReader != nil }

    func plan(_ entity: Entity) -> EntityPlan { coordinator.plans[entity.index] }

    /// A new object's key, unlike any other in the context's whole family.
    func newKey() -> Int64 {
        if let parent { return parent.newKey() }
        defer { nextKey -= 1 }
        return nextKey
    }

    /// Remembers that an object of the store may have changed.
    func touch(_ object: ManagedObject) {
        object.isTouched = true
        if object.isInserted { return }
        touched.append(object)
        if !retainsRegisteredObjects { setRegistered(object, for: object.id) }
    }

    /// Holds an object under an identity, or nobody where it is nil.
    ///
    /// Who was held may go with that, and an object that goes asks `registered` itself (`forget`):
    /// it must outlive the access that lets go of it, or Swift ends the process.
    func setRegistered(_ object: ManagedObject?, for id: ObjectID) {
        let old =
            if let object { registered.updateValue(object, forKey: id) } else {
                registered.removeValue(forKey: id)
            }
        withExtendedLifetime(old) {}
    }

    /// Holds nobody any longer.
    /// - Returns: who was held, who outlive the access.
    @discardableResult
    func unregisterAll() -> [ObjectID: ManagedObject] {
        let old = registered
        registered = [:]
        return old
    }
}

@available(*, unavailable)
extension ManagedObjectContext: Sendable {}
