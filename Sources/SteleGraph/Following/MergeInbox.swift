import SteleModel
import StelePersistence
import SteleSystem

/// The saves that a context has not merged yet. The thread that commits or the parent adds them, so
/// adding takes no longer for a large save than for a small one.
final class MergeInbox: Sendable {
    /// The maximum number of changes kept for an idle context. Beyond it, the context refreshes all
    /// its objects.
    static let most = 10_000

    /// What a save has changed.
    enum Save: Sendable {
        case transaction(HistoryTransaction)
        /// A save of the parent.
        case ofParent(ChangedObjectIDs)

        /// The number of its transaction; 0 for a save of the parent.
        var number: Int64 {
            if case .transaction(let it) = self { it.number } else { 0 }
        }

        /// The number of its changes.
        var count: Int {
            switch self {
            case .transaction(let it): it.changes.count
            case .ofParent(let changed): changed.all.count
            }
        }

        func changed(in model: Model) -> ChangedObjectIDs {
            switch self {
            case .transaction(let it): it.changedObjectIDs(in: model)
            case .ofParent(let changed): changed
            }
        }
    }

    struct News: Sendable {
        var saves: [Save] = []
        /// The number of changes in `saves`.
        var count = 0
        /// Whether any object may have changed: there are too many changes, or another program has
        /// committed.
        var isAnything = false

        mutating func add(_ save: Save) {
            if isAnything { return }
            count += save.count
            if count > MergeInbox.most {
                self = News(isAnything: true)
            } else {
                saves.append(save)
            }
        }
    }

    private let news = Mutex(News())
    private let isFilled = Atomic<Bool>(false)

    var isEmpty: Bool { !isFilled.load(ordering: .acquiring) }

    private func fill(_ work: (inout News) -> Void) {
        news.withLock { news in
            work(&news)
            isFilled.store(true, ordering: .releasing)
        }
    }

    func add(_ saves: [HistoryTransaction]) {
        fill { news in
            for save in saves { news.add(.transaction(save)) }
        }
    }

    func add(_ changed: ChangedObjectIDs) { fill { $0.add(.ofParent(changed)) } }

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
            for save in newer.saves { news.add(save) }
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
