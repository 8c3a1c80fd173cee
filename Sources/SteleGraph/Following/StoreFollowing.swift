import SteleModel
import StelePersistence

/// Collects the saves of other contexts until a context merges them. They come from the
/// coordinator's broadcast or from the parent.
final class StoreFollowing {
    let inbox: MergeInbox
    private let model: Model
    private var subscription: Subscription?
    /// The tokens of the context's own saves that the broadcast has not delivered yet.
    private var ownSaves: Set<Int64> = []
    private var isMerging = false

    /// Begins to collect saves.
    /// - Parameter broadcast: the source of saves; nil for a child context, which gets them from
    ///   its parent.
    init(_ model: Model, _ broadcast: HistoryBroadcast?) {
        let inbox = MergeInbox()
        self.model = model
        self.inbox = inbox
        // At once: a save that has returned is merged by the next call.
        subscription = broadcast?.subscribe(atOnce: true) {
            inbox.add($0)
        } changedElsewhere: {
            inbox.addAnything()
        }
    }

    deinit { stop() }

    /// Cancels the subscription.
    func stop() { subscription?.cancel() }

    /// Records the context's own save, which is not merged.
    func didSave(_ token: Int64) { ownSaves.insert(token) }

    /// Merges the collected saves.
    /// - Throws: `StoreError`. Saves that were not merged are merged the next time.
    func mergeNews(into context: ManagedObjectContext) throws {
        guard !inbox.isEmpty, !isMerging else { return }
        isMerging = true
        defer { isMerging = false }
        var news = inbox.take()
        news.saves.removeAll { ownSaves.remove($0.number) != nil }
        do {
            if news.isAnything {
                try context.refreshAllObjects()
                ownSaves = []
            }
            var all = ChangedObjectIDs()
            for save in news.saves { all.formUnion(save.changed(in: model)) }
            if all != ChangedObjectIDs() { try ContextRefresh(context).merge(all) }
        } catch {
            inbox.putBack(news)
            throw error
        }
    }
}
