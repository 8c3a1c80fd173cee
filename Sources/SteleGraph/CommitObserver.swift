import SteleModel
import StelePersistence
import SteleSystem

/// Updates the row cache and publishes to the broadcast at each commit, on the writer's thread.
final class CommitObserver: StoreObserver {
    let cache: RowCache
    private let model: Model
    private let broadcast: HistoryBroadcast
    private let token = Atomic<Int64>(0)

    init(model: Model, cache: RowCache, broadcast: HistoryBroadcast) {
        self.model = model
        self.cache = cache
        self.broadcast = broadcast
    }

    var currentToken: Int64 { token.load(ordering: .acquiring) }

    /// Sets the token of the store when it is opened.
    func start(at number: Int64) { raise(to: number) }

    private func raise(to number: Int64) { token.max(number, ordering: .acquiringAndReleasing) }

    func storeWillCommit(_ saves: [HistoryTransaction]) {
        cache.willCommit(saves, model: model)
    }

    func storeDidCommit(_ saves: [HistoryTransaction]) {
        cache.didCommit(saves, model: model)
        if let last = saves.last { raise(to: last.number) }
        broadcast.publish(saves)
    }

    func storeWillClose(at number: Int64) -> [StoreMark] { cache.marks(upTo: number) }

    func storeDidChangeElsewhere() {
        cache.clear()
        broadcast.publishChangedElsewhere()
    }
}
