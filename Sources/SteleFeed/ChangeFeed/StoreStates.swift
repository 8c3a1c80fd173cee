import SteleModel
import StelePersistence

/// Objects as they were after a save, or as they are in a view of the store, each read once.
final class StoreStates {
    private let reader: any StoreReader
    private let time: JudgingTime
    /// The save, and what later ones have changed of relationships; nil for objects as they are.
    private let past: (save: Int64, members: MemberHistory)?
    private var known: [ObjectID: Snapshot?] = [:]
    private var members: [MembersPlace: [Int64]] = [:]

    private struct MembersPlace: Hashable {
        let relationship: Int
        let owner: Int64
    }

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
        let place = MembersPlace(relationship: relationship.index, owner: owner)
        if let known = members[place] { return known }
        try time.demand()
        var keys = try reader.members(of: relationship, owners: [owner])[owner] ?? []
        if let past { keys = try members(of: relationship, owner, now: keys, past) }
        if members.count > Self.most { members = [:] }
        members[place] = keys
        return keys
    }

    /// The members after the save, by those of now.
    private func members(
        of relationship: Relationship, _ owner: Int64, now keys: [Int64],
        _ past: (save: Int64, members: MemberHistory)
    ) throws(StoreError) -> [Int64] {
        let id = ObjectID(root: past.members.root(of: relationship), key: owner)
        // The members of now are those of another object, which was made later.
        if try !past.members.inserted(id.root, [owner], after: past.save).isEmpty { return [] }
        let changes = try past.members.changes(of: id, after: past.save)
        if changes.isEmpty { return keys }
        var found = Set(keys)
        for change in changes.reversed() {
            // What an object has that was made again under the key of a deleted one.
            guard let changed = change.relationship else {
                found = []
                continue
            }
            guard changed == relationship.index else { continue }
            found.subtract(change.added)
            found.formUnion(change.removed)
        }
        let kept = keys.filter(found.contains)
        return kept.joining(found.subtracting(kept).sorted())
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
