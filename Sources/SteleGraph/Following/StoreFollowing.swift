/// A context that follows what is saved beside it.

import SteleModel
import StelePersistence

/// The saves that a context is told of until it merges them: by the coordinator's broadcast, or by
/// its parent.
final class StoreFollowing {
    let inbox: MergeInbox
    private var subscription: Subscription?
    /// The tokens of the context's own saves that the broadcast has not told of yet.
    private var ownSaves: Set<Int64> = []
    private var isMerging = false

    /// - Parameter broadcast: what tells of saves; nil for a child, which its parent tells.
    init(_ model: Model, _ broadcast: HistoryBroadcast?) {
        let inbox = MergeInbox(model)
        self.inbox = inbox
        subscription = broadcast?.subscribe {
            inbox.add($0)
        } changedElsewhere: {
            inbox.addAnything()
        }
    }

    deinit { stop() }

    /// Ends the subscription: no save comes any more.
    func stop() { subscription?.cancel() }

    /// A save of the context itself, which it need not merge.
    func didSave(_ token: Int64) { ownSaves.insert(token) }

    /// Merges what has come.
    /// - Throws: `StoreError`; what was not merged is merged the next time.
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
            for save in news.saves { all.formUnion(save.changed) }
            if all != ChangedObjectIDs() { try ContextRefresh(context).merge(all) }
        } catch {
            inbox.putBack(news)
            throw error
        }
    }
}
