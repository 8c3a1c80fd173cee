/// Saves that a context has not merged yet.

import SteleModel
import StelePersistence
import SteleSystem

/// Saves that a context has not followed yet; filled on the broadcast's thread, or by its parent.
final class MergeInbox: Sendable {
    /// The most changes that are kept for a context that does nothing; beyond, it reads again all
    /// that it has.
    static let most = 10_000

    struct News: Sendable {
        /// By the transaction's number; 0 for one of a parent.
        var saves: [(number: Int64, changed: ChangedObjectIDs)] = []
        /// How many changes those are of.
        var count = 0
        /// Too much to tell, or another program has changed the store and nothing says what.
        var isAnything = false

        mutating func add(_ number: Int64, _ count: Int, _ changed: () -> ChangedObjectIDs) {
            if isAnything { return }
            self.count += count
            if self.count > MergeInbox.most {
                self = News(isAnything: true)
            } else {
                saves.append((number, changed()))
            }
        }
    }

    private let model: Model
    private let news = Mutex(News())
    private let isFilled = Atomic<Bool>(false)

    init(_ model: Model) { self.model = model }

    var isEmpty: Bool { !isFilled.load(ordering: .acquiring) }

    private func fill(_ work: (inout News) -> Void) {
        news.withLock { news in
            work(&news)
            isFilled.store(true, ordering: .releasing)
        }
    }

    func add(_ saves: [HistoryTransaction]) {
        fill { news in
            for save in saves {
                news.add(save.number, save.changes.count) { save.changedObjectIDs(in: model) }
            }
        }
    }

    /// A save of the parent.
    func add(_ changed: ChangedObjectIDs) { fill { $0.add(0, changed.all.count) { changed } } }

    func addAnything() { fill { $0 = News(isAnything: true) } }

    func take() -> News {
        news.withLock { news in
            defer { news = News() }
            isFilled.store(false, ordering: .releasing)
            return news
        }
    }

    /// What could not be merged is to be merged yet, before all that has come meanwhile.
    func putBack(_ older: News) {
        fill { news in
            let newer = news
            news = older
            if newer.isAnything { news = newer }
            for save in newer.saves {
                news.add(save.number, save.changed.all.count) { save.changed }
            }
        }
    }
}

extension HistoryTransaction {
    /// The identities of what it changed.
    public func changedObjectIDs(in model: Model) -> ChangedObjectIDs {
        var found = ChangedObjectIDs()
        for change in changes where model.entities.indices.contains(change.entity) {
            let id = ObjectID(root: model.entities[change.entity].root, key: change.key)
            switch change.kind {
            case .insert: found.inserted.insert(id)
            case .update: found.updated.insert(id)
            case .delete: found.deleted.insert(id)
            }
        }
        return found
    }
}

extension ChangedObjectIDs {
    /// Of what was saved; those that were refreshed or let go of are not among them.
    var all: Set<ObjectID> { inserted.union(updated).union(deleted) }

    mutating func formUnion(_ other: ChangedObjectIDs) {
        inserted.formUnion(other.inserted)
        updated.formUnion(other.updated)
        deleted.formUnion(other.deleted)
        refreshed.formUnion(other.refreshed)
        invalidated.formUnion(other.invalidated)
    }
}

extension Set<ObjectID> {
    func sorted() -> [ObjectID] {
        sorted { ($0.root, $0.key) < ($1.root, $1.key) }
    }
}
