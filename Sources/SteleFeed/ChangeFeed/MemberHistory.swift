import SteleModel
import StelePersistence

/// What saves have changed of the to-many relationships of objects, each read once for all the saves
/// that are judged in a view of the store.
final class MemberHistory {
    private let model: Model
    private let reader: any StoreReader
    /// By object, the save after which its changes are known, and the changes.
    private var known: [ObjectID: (start: Int64, changes: [MemberChange])] = [:]
    private var count = 0
    /// By the number of a save with deletions, the members of each object that it has deleted.
    private var deletions: [Int64: [ObjectID: [MemberChange]]] = [:]

    /// The most changes that are kept.
    private static let most = 50_000

    init(_ model: Model, _ reader: any StoreReader) {
        self.model = model
        self.reader = reader
    }

    /// The index of the root entity of a relationship's owners.
    func root(of relationship: Relationship) -> Int { model.entities[relationship.owner].root }

    /// The changes of an object by the saves after one, oldest first.
    func changes(of id: ObjectID, after save: Int64) throws(StoreError) -> [MemberChange] {
        try read(id.root, [id.key], after: save)
        guard let known = known[id]?.changes else { return [] }
        return Array(known[known.firstPlace { $0.save > save }...])
    }

    /// Reads the changes of objects of a family by the saves after one, unless they are known.
    func read(_ root: Int, _ keys: Set<Int64>, after save: Int64) throws(StoreError) {
        if count > Self.most { (known, count) = ([:], 0) }
        let wanted = keys.filter { key in
            known[ObjectID(root: root, key: key)].map { $0.start > save } ?? true
        }
        if wanted.isEmpty { return }
        let found = try reader.memberChanges(root: root, keys: Array(wanted), after: save)
        for key in wanted {
            var changes = found[key] ?? []
            for change in changes where change.relationship == nil {
                changes +=
                    try members(ofDeletion: change.save)[ObjectID(root: root, key: key)] ?? []
            }
            changes.sort { $0.save < $1.save }
            known[ObjectID(root: root, key: key)] = (save, changes)
            count += changes.count + 1
        }
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
