import SteleModel
import StelePersistence

/// What a save changes of the links of a join table.
struct LinkChanges {
    /// A link: the keys of its two objects.
    struct Pair: Hashable {
        let owner: Int64
        let member: Int64
    }

    /// The new links, and those that are removed.
    private(set) var added: [Pair] = []
    private(set) var removed: [Pair] = []
    /// The keys of deleted objects, whose links are removed.
    private(set) var owners: [Int64] = []
    private(set) var members: [Int64] = []

    init(of join: TableLinks.Join, _ links: TableLinks, _ changes: [ObjectChange]) {
        let (it, inverse) = (join.relationship.index, join.relationship.inverse)
        let owner = links.tables[join.owner.destination].entity.index
        let member = links.tables[join.member.destination].entity.index
        // Each link is a change of both ends.
        var known = Set<Pair>()
        var gone = Set<Pair>()
        for change in changes {
            if change.kind == .delete {
                if change.entity == owner { owners.append(change.key) }
                if change.entity == member { members.append(change.key) }
                continue
            }
            for end in change.toManys {
                func pair(_ other: Int64) -> Pair {
                    end.relationship == it
                        ? Pair(owner: change.key, member: other)
                        : Pair(owner: other, member: change.key)
                }
                guard end.relationship == it || end.relationship == inverse else { continue }
                for pair in end.added.map(pair) where known.insert(pair).inserted {
                    added.append(pair)
                }
                for pair in end.removed.map(pair) where gone.insert(pair).inserted {
                    removed.append(pair)
                }
            }
        }
    }
}

extension TableLinks.Table {
    /// Inserts in an order in which a row is after those of the same table that it refers to.
    func ordered(_ changes: [ObjectChange]) -> [ObjectChange] {
        let own = references.filter { $0.relationship.destination == entity.index }
            .map(\.relationship.slot)
        if own.isEmpty || changes.count < 2 { return changes }
        var places = Dictionary(
            changes.indices.map { (changes[$0].key, $0) }, uniquingKeysWith: { first, _ in first })
        var order: [ObjectChange] = []
        for start in changes {
            // From the row along its references, which are inserted from the end.
            var path: [ObjectChange] = []
            var next = [start.key]
            while let key = next.popLast() {
                guard let place = places.removeValue(forKey: key) else { continue }
                path.append(changes[place])
                for slot in own {
                    if case .key(let other) = changes[place].values[slot] { next.append(other) }
                }
            }
            order += path.reversed()
        }
        return order
    }
}
