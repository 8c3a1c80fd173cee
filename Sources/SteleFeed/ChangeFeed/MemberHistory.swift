import SteleModel
import StelePersistence

/// What saves have changed of the to-many relationships of objects, and which objects they have made,
/// in a view of the store.
final class MemberHistory {
    private let model: Model
    private let reader: any StoreReader
    private let shared: MemberHistoryCache
    private let time: JudgingTime
    /// By object, what is known in this view.
    private var known: [ObjectID: MemberHistoryCache.Known] = [:]
    private var count = 0
    /// By the number of a save with deletions, the members of each object that it has deleted.
    private var deletions: [Int64: [ObjectID: [MemberChange]]] = [:]
    /// The least keys of the objects that were made, from some save on.
    private var inserted: MemberHistoryCache.Inserted?

    /// So many saves before the one that is judged are read with it: a page may go back from save to
    /// save.
    private static let savesBefore: Int64 = 256

    /// - Parameters:
    ///   - reader: the view. The caller closes it.
    ///   - shared: what earlier views have read.
    init(
        _ model: Model, _ reader: any StoreReader, _ shared: MemberHistoryCache, _ time: JudgingTime
    ) {
        self.model = model
        self.reader = reader
        self.shared = shared
        self.time = time
    }

    /// The index of the root entity of a relationship's owners.
    func root(of relationship: Relationship) -> Int { model.entities[relationship.owner].root }

    /// The changes of an object by the saves after one, oldest first; a deletion of the object is the
    /// last one of its save.
    func changes(of id: ObjectID, after save: Int64) throws(StoreError) -> ArraySlice<MemberChange>
    {
        try read(id.root, [id.key], after: save)
        guard let known = known[id]?.changes else { return [] }
        let token = try reader.token
        let first = known.firstPlace { $0.save > save }
        // A later view may have read more.
        return known[first..<max(first, known.firstPlace { $0.save > token })]
    }

    /// Reads the changes of objects of a family by the saves after one, unless they are known.
    func read(_ root: Int, _ keys: Set<Int64>, after save: Int64) throws(StoreError) {
        let wanted = keys.filter { key in
            known[ObjectID(root: root, key: key)].map { $0.start > save } ?? true
        }
        if wanted.isEmpty { return }
        if count > MemberHistoryCache.most { (known, count) = ([:], 0) }
        try time.demand()
        let token = try reader.token
        let ids = wanted.map { ObjectID(root: root, key: $0) }
        var found = shared.known(ids, from: save)
        let start = max(save - Self.savesBefore, 0)
        for id in ids where found[id] == nil {
            found[id] = MemberHistoryCache.Known(start: start, end: start, changes: [])
        }
        let behind = found.filter { $0.value.end < token }
        if let end = behind.values.map(\.end).min() {
            let changes = try reader.memberChanges(
                root: root, keys: behind.keys.map(\.key), after: end)
            for id in behind.keys {
                try found[id]?.add(whole(changes[id.key] ?? [], of: id), through: token)
            }
            shared.keep(found)
        }
        for (id, it) in found {
            known[id] = it
            count += it.changes.count + 1
        }
    }

    /// The changes with the members of the object that its deletion has removed, in order.
    private func whole(
        _ changes: [MemberChange], of id: ObjectID
    ) throws(StoreError) -> [MemberChange] {
        var changes = changes
        for change in changes where change.relationship == nil {
            changes += try members(ofDeletion: change.save)[id] ?? []
        }
        changes.sort { one, other in
            if one.save != other.save { return one.save < other.save }
            return one.relationship != nil && other.relationship == nil
        }
        return changes
    }

    /// Those of some keys whose objects a save after one has made.
    func inserted(_ root: Int, _ keys: [Int64], after save: Int64) throws(StoreError) -> Set<Int64>
    {
        if inserted.map({ $0.start > save }) ?? true {
            inserted = try shared.inserted(
                from: save, orFrom: max(save - Self.savesBefore, 0), through: try reader.token
            ) { (start) throws(StoreError) in try reader.leastInserted(after: start) }
        }
        // Most stores give keys in their order.
        guard let least = inserted?.least[root] else { return [] }
        let later = keys.filter { $0 >= least }
        if later.isEmpty { return [] }
        try time.demand()
        return try reader.inserted(root: root, keys: later, after: save)
    }

    /// The members of the objects that a save has deleted: where the other end is a to-one, the history
    /// has them with the members, and in an image of an earlier version of Stele all others as well.
    private func members(
        ofDeletion save: Int64
    ) throws(StoreError) -> [ObjectID: [MemberChange]] {
        if let known = deletions[save] { return known }
        if deletions.count > 100 { deletions = [:] }
        var found: [ObjectID: [MemberChange]] = [:]
        var deleted: Set<ObjectID> = []
        var rest = SaveRest(of: save, after: 0)
        while let piece = try rest.next(reader, values: true) {
            try time.demand()
            for change in piece.changes where model.entities.indices.contains(change.entity) {
                let entity = model.entities[change.entity]
                if change.kind == .delete {
                    deleted.insert(ObjectID(root: entity.root, key: change.key))
                }
                for (inverse, owner) in formerOwners(of: change, entity) {
                    found[ObjectID(root: root(of: inverse), key: owner), default: []].append(
                        MemberChange(
                            save: save, relationship: inverse.index, removed: [change.key]))
                }
            }
        }
        found = found.filter { deleted.contains($0.key) }
        deletions[save] = found
        return found
    }

    /// The objects of which a change has ended a membership, with the relationships of these.
    private func formerOwners(
        of change: HistoryChange, _ entity: Entity
    ) -> [(inverse: Relationship, owner: Int64)] {
        var found: [(inverse: Relationship, owner: Int64)] = []
        for (slot, property) in entity.slots.enumerated() {
            guard case .relationship(let toOne) = property,
                case .key(let owner)? = change.valueBefore(slot),
                let inverse = model.inverse(of: toOne), inverse.isToMany
            else { continue }
            found.append((inverse, owner))
        }
        for case .members(let index, _, let removed) in change.before ?? [] {
            guard model.relationships.indices.contains(index),
                let inverse = model.inverse(of: model.relationships[index]), inverse.isToMany
            else { continue }
            found += removed.map { (inverse, $0) }
        }
        return found
    }
}

extension HistoryChange {
    /// The value of an object before a save that has changed it or deleted it; nil for one that was
    /// not changed.
    fileprivate func valueBefore(_ slot: Int) -> Value? {
        switch kind {
        case .insert: return nil
        case .update:
            for case .slot(slot, let value) in before ?? [] { return value }
            return nil
        case .delete:
            return snapshot.flatMap { $0.values.indices.contains(slot) ? $0.values[slot] : nil }
        }
    }
}
