import SteleModel
import StelePersistence

/// What saves have changed of the to-many relationships of objects, and which objects they have made,
/// read once for all the saves that are judged in a view of the store.
final class MemberHistory {
    private let model: Model
    private let reader: any StoreReader
    private let time: JudgingTime
    /// By object, the save after which its changes are known, and the changes, oldest first; a
    /// deletion is the last one of its save.
    private var known: [ObjectID: (start: Int64, changes: [MemberChange])] = [:]
    private var count = 0
    /// By the number of a save with deletions, the members of each object that it has deleted.
    private var deletions: [Int64: [ObjectID: [MemberChange]]] = [:]
    /// The least keys of the objects that were made after a save.
    private var inserted: (start: Int64, least: [Int: Int64])?

    /// The most changes that are kept.
    private static let most = 50_000
    /// So many saves before the one that is judged are read with it: a page may go back from save to
    /// save.
    private static let savesBefore: Int64 = 256

    init(_ model: Model, _ reader: any StoreReader, _ time: JudgingTime) {
        self.model = model
        self.reader = reader
        self.time = time
    }

    /// The index of the root entity of a relationship's owners.
    func root(of relationship: Relationship) -> Int { model.entities[relationship.owner].root }

    /// The changes of an object by the saves after one, oldest first.
    func changes(of id: ObjectID, after save: Int64) throws(StoreError) -> ArraySlice<MemberChange>
    {
        try read(id.root, [id.key], after: save)
        guard let known = known[id]?.changes else { return [] }
        return known[known.firstPlace { $0.save > save }...]
    }

    /// Reads the changes of objects of a family by the saves after one, unless they are known.
    func read(_ root: Int, _ keys: Set<Int64>, after save: Int64) throws(StoreError) {
        let wanted = keys.filter { key in
            known[ObjectID(root: root, key: key)].map { $0.start > save } ?? true
        }
        if wanted.isEmpty { return }
        if count > Self.most { (known, count) = ([:], 0) }
        try time.demand()
        let start = save - Self.savesBefore
        let found = try reader.memberChanges(root: root, keys: Array(wanted), after: start)
        for key in wanted {
            var changes = found[key] ?? []
            for change in changes where change.relationship == nil {
                changes +=
                    try members(ofDeletion: change.save)[ObjectID(root: root, key: key)] ?? []
            }
            changes.sort {
                ($0.save, $0.relationship == nil ? 1 : 0) < (
                    $1.save, $1.relationship == nil ? 1 : 0
                )
            }
            known[ObjectID(root: root, key: key)] = (start, changes)
            count += changes.count + 1
        }
    }

    /// Those of some keys whose objects a save after one has made.
    func inserted(_ root: Int, _ keys: [Int64], after save: Int64) throws(StoreError) -> Set<Int64>
    {
        if inserted.map({ $0.start > save }) ?? true {
            let start = save - Self.savesBefore
            inserted = (start, try reader.leastInserted(after: start))
        }
        // Most stores give keys in their order.
        guard let least = inserted?.least[root] else { return [] }
        let later = keys.filter { $0 >= least }
        if later.isEmpty { return [] }
        try time.demand()
        return try reader.inserted(root: root, keys: later, after: save)
    }

    /// The most changes of a save that are looked at for the members of the objects that it has
    /// deleted.
    private static let mostOfDeletion = 10_000

    /// The members of the objects that a save has deleted, where the other end is a to-one: the
    /// history has them with the members.
    private func members(
        ofDeletion save: Int64
    ) throws(StoreError) -> [ObjectID: [MemberChange]] {
        if let known = deletions[save] { return known }
        if deletions.count > 100 { deletions = [:] }
        var found: [ObjectID: [MemberChange]] = [:]
        var rest = SaveRest(of: save, after: 0)
        var looked = 0
        while looked < Self.mostOfDeletion, let piece = try rest.next(reader, values: true) {
            try time.demand()
            looked += piece.changes.count
            for change in piece.changes where model.entities.indices.contains(change.entity) {
                for (slot, property) in model.entities[change.entity].slots.enumerated() {
                    guard case .relationship(let toOne) = property,
                        case .key(let owner)? = change.valueBefore(slot),
                        let inverse = model.inverse(of: toOne), inverse.isToMany
                    else { continue }
                    found[ObjectID(root: root(of: inverse), key: owner), default: []].append(
                        MemberChange(
                            save: save, relationship: inverse.index, removed: [change.key]))
                }
            }
        }
        deletions[save] = found
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
