import SteleModel
import StelePersistence

/// An open reader with its token and its view of the row cache.
struct ReaderView {
    let reader: any StoreReader
    let token: Int64
    /// Nil if the cache must not be used: on the writer's thread, whose reader sees uncommitted
    /// changes, if no epoch matches the reader, and for a reader that does not see all.
    let cache: RowCache.View?
    /// The cache generation of the rows that are read.
    let generation: String

    /// Opens a reader whose view matches the cache's epoch.
    ///
    /// The epoch is read first, then the view is opened, then the store checks for foreign commits.
    /// If the epoch is unchanged, there was no foreign commit between the epoch and the view. A
    /// reader of several nodes' store has checked that itself. A replica does not know the cache's
    /// epochs.
    static func open(
        _ coordinator: PersistentStoreCoordinator, budget: ReadBudget?, since number: Int64?
    ) throws(StoreError) -> ReaderView {
        if let number, budget?.mayWait ?? true,
            let reader = coordinator.store.replica?.reader(since: number)
        {
            return ReaderView(
                reader: reader, token: try reader.token, cache: nil,
                generation: coordinator.cacheGeneration)
        }
        var attempts = 0
        while true {
            try coordinator.store.awaitForeignValues(budget)
            let era = coordinator.cache.era
            let reader = try coordinator.store.reader(budget: budget)
            let token: Int64
            do { token = try reader.token } catch {
                reader.close()
                throw error
            }
            if !coordinator.store.isOfSeveralNodes {
                _ = coordinator.store.noticesForeignChange()
            }
            if coordinator.cache.epoch == era.epoch {
                let view = RowCache.View(token: token, epoch: era.epoch)
                return ReaderView(
                    reader: reader, token: token, cache: view, generation: era.generation)
            }
            attempts += 1
            if coordinator.store.isOfSeveralNodes {
                // The other nodes may commit continuously.
                return ReaderView(
                    reader: reader, token: token, cache: nil, generation: era.generation)
            }
            if attempts == 3 {
                // Another program commits continuously. Read without the cache and with a new
                // generation, because the rows may be from before or after a commit.
                return ReaderView(
                    reader: reader, token: token, cache: nil,
                    generation: RowCache.drawGeneration())
            }
            reader.close()
        }
    }

    /// The same view with what is seen alone.
    func seen(by sight: Sight?) -> ReaderView {
        guard let sight else { return self }
        return ReaderView(
            reader: SightedReader(reader, sight), token: token, cache: nil,
            generation: generation)
    }

    /// The view of a reader on the writer's thread.
    static func writer(
        _ reader: any StoreReader, _ coordinator: PersistentStoreCoordinator
    ) throws(StoreError) -> ReaderView {
        ReaderView(
            reader: reader, token: try reader.token, cache: nil,
            generation: coordinator.cacheGeneration)
    }
}

/// A view of the row cache without a reader: the store as of the last commit known at its creation.
struct CachedView {
    let cache: RowCache.View
    let generation: String
    /// Whether anything was read in the view.
    var isUsed = false

    /// Nil if another program commits during the call, because the cache then begins an epoch, and
    /// for a store of several nodes.
    ///
    /// The epoch is read first, then the token, then the store checks for foreign commits, as for a
    /// reader.
    init?(_ coordinator: PersistentStoreCoordinator) {
        if coordinator.store.isOfSeveralNodes { return nil }
        let era = coordinator.cache.era
        let token = coordinator.currentToken
        _ = coordinator.store.noticesForeignChange()
        guard coordinator.cache.epoch == era.epoch else { return nil }
        cache = RowCache.View(token: token, epoch: era.epoch)
        generation = era.generation
    }

    /// Whether a reader sees the same state.
    func isSame(as view: ReaderView) -> Bool {
        view.token == cache.token && view.cache?.epoch == cache.epoch
    }
}
