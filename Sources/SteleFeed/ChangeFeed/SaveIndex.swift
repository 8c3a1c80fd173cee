// The changes of one save by object, without their values.

import SteleModel
import StelePersistence
import SteleSystem

/// Where the changes of a save are, by object, and what else a role's rules need of the save as a
/// whole. It takes 24 bytes for each change.
struct SaveIndex: Sendable {
    private struct Place {
        let root: Int32
        let key: Int64
        let position: Int64
    }

    private struct Link {
        let relationship: Int32
        /// Nil where the members' own values tell whether the owner has or had them.
        let isAdded: Bool?
        let owner: Int64
        let member: Int64
    }

    /// An object that the save has not changed, and which it may bring into sight or take out of it.
    struct Outsider: Hashable {
        let root: Int
        let key: Int64
    }

    private let model: Model
    /// The to-many relationships that rules lead through, with their inverses.
    private let followed: [(relationship: Relationship, inverse: Relationship?)]
    private var places: [Place] = []
    private var links: [Link] = []
    /// Ascending by key, then by root entity.
    private(set) var outsiders: [Outsider] = []
    /// The position of the last change.
    private(set) var end: Int64 = 0

    /// An index without changes.
    /// - Parameter followed: the to-many relationships that rules lead through.
    init(_ model: Model, following followed: [Relationship]) {
        self.model = model
        self.followed = followed.map { ($0, model.inverse(of: $0)) }
    }

    /// Adds changes, which follow those that are there. `sort` is called after the last.
    mutating func add(_ changes: [HistoryChange]) {
        for change in changes {
            // One that was not read from a history has no position.
            end = max(end + 1, change.position)
            guard model.entities.indices.contains(change.entity) else { continue }
            let root = model.entities[change.entity].root
            places.append(Place(root: Int32(root), key: change.key, position: end))
            if !followed.isEmpty { addLinks(of: change) }
        }
    }

    private mutating func addLinks(of change: HistoryChange) {
        for (relationship, inverse) in followed {
            guard let inverse, !inverse.isToMany else { continue }
            guard model.entities[inverse.owner].isKind(change.entity) else { continue }
            var owners: Set<Int64> = []
            let values = change.snapshot?.values ?? []
            if values.indices.contains(inverse.slot), case .key(let key) = values[inverse.slot] {
                owners.insert(key)
            }
            for case .slot(inverse.slot, .key(let key)) in change.before ?? [] {
                owners.insert(key)
            }
            for owner in owners { add(relationship, nil, owner, change.key) }
        }
        for case .members(let index, let added, let removed) in change.before ?? [] {
            guard model.relationships.indices.contains(index) else { continue }
            let relationship = model.relationships[index]
            // Of many to many, at both ends: the history has no links of an object that is deleted,
            // but those of its members.
            let inverse = model.inverse(of: relationship).flatMap { $0.isToMany ? $0 : nil }
            for (members, isAdded) in [(added, true), (removed, false)] {
                for member in members {
                    add(relationship, isAdded, change.key, member)
                    if let inverse { add(inverse, isAdded, member, change.key) }
                }
            }
        }
    }

    private mutating func add(
        _ relationship: Relationship, _ isAdded: Bool?, _ owner: Int64, _ member: Int64
    ) {
        guard followed.contains(where: { $0.relationship.index == relationship.index }) else {
            return
        }
        links.append(
            Link(
                relationship: Int32(relationship.index), isAdded: isAdded, owner: owner,
                member: member))
    }

    /// Makes the index usable.
    /// - Parameter outsiders: objects that the rules may lead from to those of the save. Those that
    ///   the save has changed are left out.
    mutating func sort(outsiders: Set<Outsider> = []) {
        places.sort { ($0.root, $0.key) < ($1.root, $1.key) }
        links.sort { ($0.relationship, $0.owner) < ($1.relationship, $1.owner) }
        self.outsiders = outsiders.filter { position(of: $0.root, $0.key) == nil }
            .sorted { ($0.key, $0.root) < ($1.key, $1.root) }
    }

    /// The position of an object's change; nil for one that the save has not changed.
    func position(of root: Int, _ key: Int64) -> Int64? {
        let index = places.firstPlace { ($0.root, $0.key) >= (Int32(root), key) }
        guard index < places.count, places[index].root == root, places[index].key == key else {
            return nil
        }
        return places[index].position
    }

    /// The position of an object that the save has not changed: after its changes, and in the order
    /// of `outsiders`.
    func position(of outsider: Outsider) -> Int64 {
        let (first, isBeyond) = outsider.key.multipliedReportingOverflow(
            by: Int64(model.entities.count))
        let (position, isBeyondToo) = first.addingReportingOverflow(end + Int64(outsider.root) + 1)
        return isBeyond || isBeyondToo ? .max : position
    }

    /// The members that the save has added to and removed from a relationship of an object, and
    /// those whose own values had or have the object.
    func members(
        of relationship: Relationship, owner: Int64
    ) -> (added: Set<Int64>, removed: Set<Int64>, byValue: Set<Int64>) {
        var found: (added: Set<Int64>, removed: Set<Int64>, byValue: Set<Int64>) = ([], [], [])
        let wanted = (Int32(relationship.index), owner)
        for link in links[links.firstPlace { ($0.relationship, $0.owner) >= wanted }...] {
            guard (link.relationship, link.owner) == wanted else { break }
            switch link.isAdded {
            case true?: found.added.insert(link.member)
            case false?: found.removed.insert(link.member)
            case nil: found.byValue.insert(link.member)
            }
        }
        return found
    }
}

/// The indexes of the last large saves that roles have asked for: several requests and streams go
/// through the same save, a page at a time.
final class SaveIndexes: Sendable {
    struct Key: Hashable {
        let save: Int64
        let sight: Sight
    }

    private static let mostKept = 2
    private let kept = Mutex<[(key: Key, index: SaveIndex)]>([])
    private let making = Mutex(())

    /// The index of a save for a role, which is made where it is not kept: one at a time.
    /// - Throws: as the closure.
    func index<E: Error>(_ key: Key, _ make: () throws(E) -> SaveIndex) throws(E) -> SaveIndex {
        func known() -> SaveIndex? { kept.withLock { $0.first { $0.key == key }?.index } }
        if let known = known() { return known }
        return try making.withLock { _ throws(E) in
            if let known = known() { return known }
            let index = try make()
            kept.withLock { kept in
                if kept.count == Self.mostKept { kept.removeFirst() }
                kept.append((key, index))
            }
            return index
        }
    }
}
