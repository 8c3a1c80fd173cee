/// A scratch pad of objects: what is read is one view of the store, what is changed is one save.

import SteleModel
import StelePersistence
import StelePredicates

/// A context (NSManagedObjectContext) with one view of the store and its changed objects.
///
/// Not Sendable: a context and its objects belong to one request, and with it to one thread.
public final class ManagedObjectContext {
    /// Where it reads and saves (`persistentStoreCoordinator`).
    public let coordinator: PersistentStoreCoordinator
    /// The coordinator's model.
    public let model: Model
    /// Who saves (`transactionAuthor`).
    public var author: String?
    /// What saves, for the history: a route's pattern, never an address.
    public var name: String?

    /// Who wins where a save meets what others have saved (`mergePolicy`).
    public var mergePolicy = MergePolicy.error

    /// The reader on the writer's thread that the context was made with.
    private let writerReader: (any StoreReader)?
    /// What reading from one view may cost.
    private let budget: ReadBudget?
    private var openView: ReaderView?
    /// Where it has read from the row cache alone so far: the view that this was.
    private var cachedView: CachedView?
    private var isClosed = false

    /// One object an identity.
    var registered: [ObjectID: ManagedObject] = [:]
    /// What is known and changed of to-manys; of new objects only where something is in them.
    var toManys: [ToManyID: ToManyState] = [:]
    /// New objects in the order of their insertion; those deleted again are still in it.
    var inserted: [ManagedObject] = []
    /// Objects of the store that may have changed, in the order of their first change.
    var touched: [ManagedObject] = []
    /// Objects of the store that are deleted, in that order.
    var deleted: [ManagedObject] = []
    /// Deleted objects whose delete rules have not been applied yet.
    var undecided: [ManagedObject] = []
    /// What deletion has read and relies on.
    var seenByDeletion: [ToManyID: [Int64]] = [:]
    /// Of relationships without an inverse: who led to an object when it was deleted or linked.
    /// The key is the object's, where others have an owner's.
    var ownersSeen: [ToManyID: [Int64]] = [:]
    /// Of to-manys without an inverse: who was given an object here, by the object's key.
    var ownersMade: [ToManyID: Int64] = [:]
    var nextKey: Int64 = -1
    /// What the same transaction deletes in other saves than this one (`PartedSave`): it neither
    /// denies a deletion nor has to be valid.
    public var deletedElsewhere: Set<ObjectID> = []

    /// A context that reads what is committed when it first reads.
    /// - Parameter budget: what all its reading until a save may cost, for a thread that must not
    ///   wait: what would cost more throws `StoreError.overBudget`. Nil for as long as it takes.
    public init(
        _ coordinator: PersistentStoreCoordinator, author: String? = nil, name: String? = nil,
        budget: ReadBudget? = nil
    ) {
        self.coordinator = coordinator
        model = coordinator.model
        self.author = author
        self.name = name
        self.budget = budget
        writerReader = nil
    }

    /// A context for `PersistentStore.save(making:)`: it reads through the writer's own reader,
    /// which it does not close, and leaves the row cache alone.
    public init(
        _ coordinator: PersistentStoreCoordinator, reader: any StoreReader,
        author: String? = nil, name: String? = nil
    ) {
        self.coordinator = coordinator
        model = coordinator.model
        self.author = author
        self.name = name
        budget = nil
        writerReader = reader
    }

    deinit { close() }

    /// Its view of the store: opened at first use and kept until a save or `close`.
    /// - Throws: `StoreError`, `ContextError.closed`; `StoreError.moved` where something was saved
    ///   since it has read from the row cache alone.
    func view() throws -> ReaderView {
        if let openView { return openView }
        try checkOpen()
        let view =
            if let writerReader { try ReaderView.writer(writerReader, coordinator) } else {
                try ReaderView.open(coordinator, budget: budget)
            }
        if let cachedView, cachedView.isUsed, !cachedView.isSame(as: view) {
            view.reader.close()
            throw StoreError.moved("something was saved while this was read")
        }
        openView = view
        return view
    }

    /// An object from the row cache or read by itself, before there is a reader; nil where it takes
    /// one, and for a context that is given the time to open one.
    func cachedAlone(_ id: ObjectID) throws -> Snapshot? {
        guard budget != nil, openView == nil else { return nil }
        try checkOpen()
        guard var view = cachedView ?? CachedView(coordinator) else { return nil }
        let found = coordinator.snapshot(id, in: view.cache)
        if found != nil { view.isUsed = true }
        cachedView = view
        return found
    }

    /// The reader of that view.
    /// - Throws: `StoreError`, `ContextError.closed`.
    public func reader() throws -> any StoreReader { try view().reader }

    /// The last transaction that the view sees.
    /// - Throws: `StoreError`, `ContextError.closed`.
    public func token() throws -> Int64 {
        if openView == nil, let cachedView, cachedView.isUsed { return cachedView.cache.token }
        return try view().token
    }

    /// The cache generation that what the view reads belongs to.
    /// - Throws: `StoreError`, `ContextError.closed`.
    public func cacheGeneration() throws -> String {
        if openView == nil, let cachedView, cachedView.isUsed { return cachedView.generation }
        return try view().generation
    }

    /// Gives the view back; what is read next comes from a new one.
    func dropView() {
        if let openView, writerReader == nil { openView.reader.close() }
        openView = nil
        cachedView = nil
    }

    /// Gives the view back and forgets all objects. Nothing can be read afterwards.
    public func close() {
        dropView()
        isClosed = true
        registered = [:]
        toManys = [:]
        inserted = []
        touched = []
        deleted = []
        undecided = []
        seenByDeletion = [:]
        ownersSeen = [:]
        ownersMade = [:]
    }

    func checkOpen() throws {
        if isClosed { throw ContextError.closed }
    }

    /// Whether it reads on the writer's thread, where it cannot save by itself.
    var isWriters: Bool { writerReader != nil }

    func plan(_ entity: Entity) -> EntityPlan { coordinator.plans[entity.index] }

    /// Remembers that an object of the store may have changed.
    func touch(_ object: ManagedObject) {
        object.isTouched = true
        if !object.isInserted { touched.append(object) }
    }
}

@available(*, unavailable)
extension ManagedObjectContext: Sendable {}
