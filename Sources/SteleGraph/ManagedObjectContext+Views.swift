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

extension ManagedObjectContext {
    /// Sets which state of the store is read from now on (`setQueryGenerationFrom(_:)`). Objects
    /// keep their values; `refreshAllObjects` makes them follow.
    ///
    /// A child reads as its root does. Nothing happens to a context on the writer's thread.
    public func setQueryGeneration(from generation: QueryGeneration) {
        guard parent == nil, writerReader == nil else { return }
        dropView()
        queryGeneration = generation
    }

    /// Its view of the store: opened at first use and kept until a save or `close`, or for this
    /// operation alone (`QueryGeneration`).
    /// - Throws: `StoreError`, `ContextError.closed`; `StoreError.moved` where something was saved
    ///   since it has read from the row cache alone.
    func view() throws -> ReaderView {
        if let openView { return openView }
        try checkOpen()
        if let parent { return try parent.view() }
        let view =
            if let writerReader { try ReaderView.writer(writerReader, coordinator) } else {
                try ReaderView.open(coordinator, budget: budget)
            }
        if let cachedView, cachedView.isUsed, !cachedView.isSame(as: view) {
            view.reader.close()
            throw StoreError.moved("something was saved while this was read")
        }
        openView = view
        readFloor = min(readFloor ?? view.token, view.token)
        return view
    }

    /// Runs one reading on the view, and gives it back where it is this reading's alone.
    func read<Result>(_ body: (ReaderView) throws -> Result) throws -> Result {
        if let parent { return try parent.read(body) }
        let view = try view()
        defer { giveBackView() }
        return try body(view)
    }

    /// Runs readings that belong together: they see one view, also where the context is unpinned.
    public func inOneView<Result>(_ body: () throws -> Result) rethrows -> Result {
        if let parent { return try parent.inOneView(body) }
        openOperations += 1
        defer {
            openOperations -= 1
            giveBackView()
        }
        return try body()
    }

    private func giveBackView() {
        if queryGeneration == .unpinned && openOperations == 0 { dropView() }
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

    /// The reader of its view. Of an unpinned context it is good for no longer than until the
    /// context is used again.
    /// - Throws: `StoreError`, `ContextError.closed`.
    public func reader() throws -> any StoreReader { try view().reader }

    /// The last transaction that the view sees.
    /// - Throws: `StoreError`, `ContextError.closed`.
    public func token() throws -> Int64 {
        if openView == nil, let cachedView, cachedView.isUsed { return cachedView.cache.token }
        return try read { $0.token }
    }

    /// The last transaction that everything this context has read sees: the view's, or that of the
    /// oldest one where it has lived through several.
    func oldestToken() throws -> Int64 {
        let token = try token()
        return min(readFloor ?? token, token)
    }

    /// The cache generation that what the view reads belongs to.
    /// - Throws: `StoreError`, `ContextError.closed`.
    public func cacheGeneration() throws -> String {
        if openView == nil, let cachedView, cachedView.isUsed { return cachedView.generation }
        return try read { $0.generation }
    }

    /// Gives the view back; what is read next comes from a new one.
    func dropView() {
        if let openView, writerReader == nil { openView.reader.close() }
        openView = nil
        cachedView = nil
    }
}
