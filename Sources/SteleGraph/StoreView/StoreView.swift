import SteleModel
import StelePersistence

/// The state of the store that a context reads (NSQueryGenerationToken).
public enum QueryGeneration: Sendable, Hashable {
    /// The newest state at each operation. Between operations no view is open. It is intended for
    /// long-lived contexts, because an open view prevents the store from checkpointing its log.
    case unpinned
    /// The state committed at the first read, until the next save, `reset` or `close`.
    case current
}

/// A context's view of the store. It opens a reader at the first read and closes it after an
/// operation or a save, depending on the `QueryGeneration`. A child context uses its parent's view.
final class StoreView {
    private let coordinator: PersistentStoreCoordinator
    private let parent: StoreView?
    /// The reader of the writer's thread, if the context was created with it. It is not closed
    /// here.
    private let writerReader: (any StoreReader)?
    /// The limit on the cost of reading from one view.
    private let budget: ReadBudget?
    /// What is seen of the store; nil for all.
    private let sight: Sight?
    /// A transaction with which the state is new enough, so that a replica may be read; nil where
    /// only the newest state is.
    private let number: Int64?
    /// Whether somebody wants what is read; nil where that is not asked.
    private let isWanted: (@Sendable () -> Bool)?
    private(set) var generation: QueryGeneration
    private var open: ReaderView?
    /// The view of the row cache, if nothing else has been read.
    private var cached: CachedView?
    /// The number of running operations that share one view.
    private var operations = 0
    /// The oldest token from which the context's objects were read.
    private var floor: Int64?
    private var isClosed = false

    init(
        _ coordinator: PersistentStoreCoordinator, parent: StoreView?, budget: ReadBudget?,
        since number: Int64?, writerReader: (any StoreReader)?, sight: Sight?,
        isWanted: (@Sendable () -> Bool)?, generation: QueryGeneration
    ) {
        self.number = number
        self.isWanted = isWanted
        self.coordinator = coordinator
        self.parent = parent
        self.budget = budget
        self.writerReader = writerReader
        self.sight = sight
        self.generation = generation
    }

    deinit { drop() }

    /// Whether the view reads on the writer's thread.
    var isWriters: Bool { writerReader != nil }

    /// Whether the next read may see the newest state.
    var canMoveOn: Bool { parent != nil || operations == 0 || open == nil }

    /// The view for putting rows into the row cache; nil if there is none.
    var openCache: RowCache.View? { open?.cache }

    func checkOpen() throws(ContextError) {
        if isClosed { throw ContextError.closed }
    }

    /// The current view, opened if necessary.
    /// - Throws: `StoreError`, `ContextError.closed`; `StoreError.moved` if there was a save since
    ///   the context read from the row cache alone.
    func current() throws -> ReaderView {
        if let open { return open }
        try checkOpen()
        if let parent { return try parent.current() }
        let view =
            if let writerReader { try ReaderView.writer(writerReader, coordinator) } else {
                try ReaderView.open(coordinator, budget: budget, since: number).seen(by: sight)
            }
        if let cached, cached.isUsed, !cached.isSame(as: view) {
            view.reader.close()
            throw StoreError.moved("another save was committed during the read")
        }
        if let isWanted { view.reader.read(while: isWanted) }
        open = view
        floor = min(floor ?? view.token, view.token)
        return view
    }

    /// Runs one read and closes a view that was opened for it alone.
    func read<Result>(_ body: (ReaderView) throws -> Result) throws -> Result {
        if let parent { return try parent.read(body) }
        let view = try current()
        defer { giveBack() }
        return try body(view)
    }

    /// Runs reads in one view of the store, even if the context is unpinned.
    func inOneView<Result>(_ body: () throws -> Result) rethrows -> Result {
        if let parent { return try parent.inOneView(body) }
        operations += 1
        defer {
            operations -= 1
            giveBack()
        }
        return try body()
    }

    private func giveBack() {
        if generation == .unpinned && operations == 0 { drop() }
    }

    /// An object from the row cache, or from a single read before a reader is open. Nil if a reader
    /// is needed, or if there is no budget, because such a context can afford to open one.
    func cachedSnapshot(_ id: ObjectID) throws -> Snapshot? {
        guard budget != nil, sight == nil, open == nil else { return nil }
        try checkOpen()
        guard var view = cached ?? CachedView(coordinator) else { return nil }
        let found = coordinator.snapshot(id, in: view.cache)
        if found != nil { view.isUsed = true }
        cached = view
        return found
    }

    /// An object as stored now, independent of the view.
    func newestSnapshot(_ id: ObjectID) throws -> Snapshot? {
        let reader = try coordinator.store.reader()
        defer { reader.close() }
        return try reader.snapshot(id)
    }

    /// The token of the last transaction in the view.
    func token() throws -> Int64 {
        if open == nil, let cached, cached.isUsed { return cached.cache.token }
        return try read { $0.token }
    }

    /// Whether something was read from a view since `reset`.
    var hasRead: Bool {
        open != nil || floor != nil || cached?.isUsed == true || parent != nil || isWriters
    }

    /// The token of the oldest view from which the context's objects were read; 0 where nothing
    /// was read, so that saving new objects opens no view.
    func oldestToken() throws -> Int64 {
        guard hasRead else { return 0 }
        let token = try token()
        return min(floor ?? token, token)
    }

    /// The cache generation of the view.
    func cacheGeneration() throws -> String {
        if open == nil, let cached, cached.isUsed { return cached.generation }
        return try read { $0.generation }
    }

    // MARK: Advancing

    /// Sets the query generation. It has no effect in a child context, which uses its root's, and
    /// on the writer's thread, which has only one state.
    func setGeneration(_ generation: QueryGeneration) {
        guard parent == nil, !isWriters else { return }
        drop()
        self.generation = generation
    }

    /// Makes the next read see the newest state. Within an operation the view remains.
    func moveOn() {
        if operations == 0, !isWriters { drop() }
    }

    /// Closes the reader. The next read opens a new view.
    func drop() {
        if let open, !isWriters { open.reader.close() }
        open = nil
        cached = nil
    }

    /// Records that all objects were read in the current view.
    func forgetOlderViews() throws {
        if parent == nil { floor = try current().token }
    }

    /// Records that all objects are as the context's own save left them.
    func raiseFloor(to token: Int64) { floor = token }

    /// Forgets the token of the oldest read, and closes the reader.
    func reset() {
        floor = nil
        drop()
    }

    /// Closes the view permanently.
    func close() {
        drop()
        isClosed = true
    }
}
