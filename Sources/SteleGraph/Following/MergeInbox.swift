import SteleModel
import StelePersistence
import SteleSystem

/// The saves that a context has not merged yet. The broadcast's thread or the parent adds them.
final class MergeInbox: Sendable {
    /// The maximum number of changes kept for an idle context. Beyond it, the context refreshes all
    /// its objects.
    static let most = 10_000

    struct News: Sendable {
        /// The saves with their transaction numbers; 0 for a save of the parent.
        var saves: [(number: Int64, changed: ChangedObjectIDs)] = []
        /// The number of changes in `saves`.
        var count = 0
        /// Whether any object may have changed: there are too many changes, or another program has
        /// committed.
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

    func add(_ changed: ChangedObjectIDs) { fill { $0.add(0, changed.all.count) { changed } } }

    func addAnything() { fill { $0 = News(isAnything: true) } }

    func take() -> News {
        news.withLock { news in
            defer { news = News() }
            isFilled.store(false, ordering: .releasing)
            return news
        }
    }

    /// Puts back saves that could not be merged, before those that have arrived since.
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
    /// The IDs of the changed objects.
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
    /// The IDs of the saved objects. Refreshed and invalidated objects are not included.
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
