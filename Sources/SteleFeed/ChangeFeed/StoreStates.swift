import SteleModel
import StelePersistence

/// Objects as they were after a save, or as they are in a view of the store, each read once.
final class StoreStates {
    private let reader: any StoreReader
    private let time: JudgingTime
    /// The save, and what later ones have changed of relationships; nil for objects as they are.
    private let past: (save: Int64, members: MemberHistory)?
    private var known: [ObjectID: Snapshot?] = [:]

    /// The most objects that are kept.
    private static let most = 20_000

    /// Objects as they are.
    init(_ reader: any StoreReader, _ time: JudgingTime) {
        self.reader = reader
        self.time = time
        past = nil
    }

    /// Objects as they were after a save.
    init(
        _ reader: any StoreReader, _ time: JudgingTime, after save: Int64, _ members: MemberHistory
    ) {
        self.reader = reader
        self.time = time
        past = (save, members)
    }

    func snapshot(_ id: ObjectID) throws(StoreError) -> Snapshot? {
        if let known = known[id] { return known }
        try time.demand()
        if past != nil {
            try read(id.root, [id.key])
            return known[id] ?? nil
        }
        let found = try reader.snapshot(id)
        known[id] = .some(found)
        return found
    }

    /// The keys of the members of a to-many relationship.
    func members(of relationship: Relationship, owner: Int64) throws(StoreError) -> [Int64] {
        try time.demand()
        var keys = try reader.members(of: relationship, owners: [owner])[owner] ?? []
        guard let past else { return keys }
        let id = ObjectID(root: past.members.root(of: relationship), key: owner)
        for change in try past.members.changes(of: id, after: past.save).reversed()
        where change.relationship == relationship.index {
            let (added, kept) = (Set(change.added), Set(keys))
            keys.removeAll(where: added.contains)
            keys = keys.joining(change.removed.filter { !kept.contains($0) }.sorted())
        }
        return keys
    }

    /// Reads objects of a family, unless they are known.
    func read(_ root: Int, _ keys: Set<Int64>) throws(StoreError) {
        if known.count > Self.most { known = [:] }
        let wanted = keys.filter { known[ObjectID(root: root, key: $0)] == nil }
        if wanted.isEmpty { return }
        for key in wanted { known[ObjectID(root: root, key: key)] = .some(nil) }
        if let past {
            let found = try reader.snapshots(root: root, keys: Array(wanted), after: past.save)
            for (key, snapshot) in found { known[ObjectID(root: root, key: key)] = snapshot }
        } else {
            for snapshot in try reader.snapshots(root: root, keys: Array(wanted)) {
                known[ObjectID(root: root, key: snapshot.key)] = snapshot
            }
        }
    }
}
