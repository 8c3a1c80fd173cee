/// A context's view of the store: when it is opened, what it sees, when it is given back.

import SteleModel
import StelePersistence

/// Which state of the store a context reads (NSQueryGenerationToken).
public enum QueryGeneration: Sendable, Hashable {
    /// The newest at each operation, which holds nothing of the store between two. For contexts
    /// that are kept: an open view keeps the store from checkpointing its log.
    case unpinned
    /// What is committed at the first read, until the next save, `reset` or `close`.
    case current
}

/// Opens a reader at the first read and gives it back after an operation or a save
/// (`QueryGeneration`). A child's view is its parent's.
final class StoreView {
    private let coordinator: PersistentStoreCoordinator
    private let parent: StoreView?
    /// The reader of the writer's thread, where the context was made with it. It is not closed
    /// here.
    private let writerReader: (any StoreReader)?
    /// The limit on the cost of reading from one view.
    private let budget: ReadBudget?
    private(set) var generation: QueryGeneration
    private var open: ReaderView?
    /// The view of the row cache, where nothing else has been read so far.
    private var cached: CachedView?
    /// How many operations are running that see one view.
    private var operations = 0
    /// The oldest token of what the objects were read from.
    private var floor: Int64?
    private var isClosed = false

    init(
        _ coordinator: PersistentStoreCoordinator, parent: StoreView?, budget: ReadBudget?,
        writerReader: (any StoreReader)?, generation: QueryGeneration
    ) {
        self.coordinator = coordinator
        self.parent = parent
        self.budget = budget
        self.writerReader = writerReader
        self.generation = generation
    }

    deinit { drop() }

    /// Whether it reads on the writer's thread.
    var isWriters: Bool { writerReader != nil }

    /// Whether the next read may see the newest state.
    var canMoveOn: Bool { parent != nil || operations == 0 || open == nil }

    /// Where rows that were read may be put; nil where there is no view, or not for the cache.
    var openCache: RowCache.View? { open?.cache }

    func checkOpen() throws(ContextError) {
        if isClosed { throw ContextError.closed }
    }

    /// - Throws: `StoreError`, `ContextError.closed`; `StoreError.moved` where something was saved
    ///   since it has read from the row cache alone.
    func current() throws -> ReaderView {
        if let open { return open }
        try checkOpen()
        if let parent { return try parent.current() }
        let view =
            if let writerReader { try ReaderView.writer(writerReader, coordinator) } else {
                try ReaderView.open(coordinator, budget: budget)
            }
        if let cached, cached.isUsed, !cached.isSame(as: view) {
            view.reader.close()
            throw StoreError.moved("something was saved while this was read")
        }
        open = view
        floor = min(floor ?? view.token, view.token)
        return view
    }

    /// Runs one read, and gives the view back where it is of this read alone.
    func read<Result>(_ body: (ReaderView) throws -> Result) throws -> Result {
        if let parent { return try parent.read(body) }
        let view = try current()
        defer { giveBack() }
        return try body(view)
    }

    /// Runs reads that belong together: they see one view, also where the context is unpinned.
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

    /// An object from the row cache, or read by itself, before there is a reader; nil where a
    /// reader is needed, and where there is no budget: such a context may take the time to open
    /// one.
    func cachedSnapshot(_ id: ObjectID) throws -> Snapshot? {
        guard budget != nil, open == nil else { return nil }
        try checkOpen()
        guard var view = cached ?? CachedView(coordinator) else { return nil }
        let found = coordinator.snapshot(id, in: view.cache)
        if found != nil { view.isUsed = true }
        cached = view
        return found
    }

    /// An object as it is stored now, whatever the view sees.
    func newestSnapshot(_ id: ObjectID) throws -> Snapshot? {
        let reader = try coordinator.store.reader()
        defer { reader.close() }
        return try reader.snapshot(id)
    }

    /// The last transaction that the view sees.
    func token() throws -> Int64 {
        if open == nil, let cached, cached.isUsed { return cached.cache.token }
        return try read { $0.token }
    }

    /// The last transaction that all that was read sees: the token of the oldest view.
    func oldestToken() throws -> Int64 {
        let token = try token()
        return min(floor ?? token, token)
    }

    /// The cache generation of what the view reads.
    func cacheGeneration() throws -> String {
        if open == nil, let cached, cached.isUsed { return cached.generation }
        return try read { $0.generation }
    }

    // MARK: Moving on

    /// A child reads as its root does, and on the writer's thread there is one state alone.
    func setGeneration(_ generation: QueryGeneration) {
        guard parent == nil, !isWriters else { return }
        drop()
        self.generation = generation
    }

    /// The next read sees the newest state; within an operation the view stays.
    func moveOn() {
        if operations == 0, !isWriters { drop() }
    }

    /// Gives the view back; what is read next comes from a new one.
    func drop() {
        if let open, !isWriters { open.reader.close() }
        open = nil
        cached = nil
    }

    /// All that the context knows was read in the current view.
    func forgetOlderViews() throws {
        if parent == nil { floor = try current().token }
    }

    /// All that the context knows is as its own save has left it.
    func raiseFloor(to token: Int64) { floor = token }

    /// The context has forgotten all that it has read.
    func reset() {
        floor = nil
        drop()
    }

    /// Gives the view back; nothing can be read afterwards.
    func close() {
        drop()
        isClosed = true
    }
}
