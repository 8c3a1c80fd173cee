/// A context's view of the store, and what it may do with the row cache.

import SteleModel
import StelePersistence

/// An open reader with its token, and its standing with the row cache.
struct ReaderView {
    let reader: any StoreReader
    let token: Int64
    /// Nil where the cache must not be used: on the writer's thread, where the reader sees what is
    /// not committed.
    let cache: RowCache.View?
    /// The cache generation that what is read belongs to.
    let generation: String

    /// Opens a reader whose view and whose epoch are known to belong together.
    ///
    /// The epoch is read first, then the view opened, then foreign changes are looked for: where
    /// the epoch has not moved by then, no foreign change lies between epoch and view.
    static func open(
        _ coordinator: PersistentStoreCoordinator, budget: ReadBudget?
    ) throws(StoreError) -> ReaderView {
        var attempts = 0
        while true {
            let era = coordinator.cache.era
            let reader = try coordinator.store.reader(budget: budget)
            let token: Int64
            do { token = try reader.token } catch {
                reader.close()
                throw error
            }
            _ = coordinator.store.noticesForeignChange()
            if coordinator.cache.epoch == era.epoch {
                let view = RowCache.View(token: token, epoch: era.epoch)
                return ReaderView(
                    reader: reader, token: token, cache: view, generation: era.generation)
            }
            attempts += 1
            if attempts == 3 {
                // Another program writes without a pause: read past the cache, in a generation of
                // its own, for what is seen may be of either side of the change.
                return ReaderView(
                    reader: reader, token: token, cache: nil,
                    generation: RowCache.drawGeneration())
            }
            reader.close()
        }
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

/// A view that is the row cache's alone: the store as it was after the last commit known when it
/// was made.
struct CachedView {
    let cache: RowCache.View
    let generation: String
    /// Whether anything was read in it.
    var isUsed = false

    /// Nil where another program's commit comes in between: the cache begins anew then.
    ///
    /// The epoch is read first, then the token, then foreign changes are looked for, as for a
    /// reader.
    init?(_ coordinator: PersistentStoreCoordinator) {
        let era = coordinator.cache.era
        let token = coordinator.currentToken
        _ = coordinator.store.noticesForeignChange()
        guard coordinator.cache.epoch == era.epoch else { return nil }
        cache = RowCache.View(token: token, epoch: era.epoch)
        generation = era.generation
    }

    /// Whether a reader sees the very same.
    func isSame(as view: ReaderView) -> Bool {
        view.token == cache.token && view.cache?.epoch == cache.epoch
    }
}
