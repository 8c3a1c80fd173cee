// What a role's rules need of a large save as a whole.

import SteleModel
import StelePersistence
import SteleSystem

/// The links of a save that a role's rules lead through, and the objects that it has not changed and
/// may make visible or hidden.
struct SaveIndex: Sendable {
    private struct Link {
        let relationship: Int32
        /// Its place in the order of the changes.
        let order: Int32
        /// Nil where the members' own values tell whether the owner has or had them.
        let isAdded: Bool?
        let owner: Int64
        let member: Int64
    }

    private let model: Model
    private let places: SavePlaces
    /// The to-many relationships that rules lead through, with their inverses.
    private let followed: [(relationship: Relationship, inverse: Relationship?)]
    private var links: [Link] = []
    /// The objects that the save has not changed and may make visible or hidden, because a rule leads
    /// from them to what it has changed. Ascending by key, then by root entity.
    private(set) var outsiders: [ObjectID] = []

    /// An index without changes.
    /// - Parameter followed: the to-many relationships that rules lead through.
    init(_ model: Model, _ places: SavePlaces, following followed: [Relationship]) {
        self.model = model
        self.places = places
        self.followed = followed.map { ($0, model.inverse(of: $0)) }
    }

    /// Adds changes. `sort` is called after the last.
    mutating func add(_ changes: [HistoryChange]) {
        if followed.isEmpty { return }
        for change in changes where model.entities.indices.contains(change.entity) {
            addLinks(of: change)
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
                relationship: Int32(relationship.index),
                order: Int32(truncatingIfNeeded: links.count),
                isAdded: isAdded, owner: owner, member: member))
    }

    /// Makes the index usable.
    /// - Parameter outsiders: objects that the rules may lead from to those of the save. Those that
    ///   the save has changed are left out.
    mutating func sort(outsiders: Set<ObjectID> = []) {
        links.sort { ($0.relationship, $0.owner, $0.order) < ($1.relationship, $1.owner, $1.order) }
        self.outsiders = outsiders.filter { places.positions(of: $0.root, $0.key).isEmpty }
            .sorted { ($0.key, $0.root) < ($1.key, $1.root) }
    }

    /// Its memory.
    var bytes: Int {
        links.count * MemoryLayout<Link>.stride + outsiders.count * MemoryLayout<ObjectID>.stride
    }

    /// The members that the save has added to and removed from a relationship of an object, and
    /// those whose own values had or have the object. Of a member that was added and removed several
    /// times, the first counts, which tells what was before.
    func members(
        of relationship: Relationship, owner: Int64
    ) -> (added: Set<Int64>, removed: Set<Int64>, byValue: Set<Int64>) {
        var found: (added: Set<Int64>, removed: Set<Int64>, byValue: Set<Int64>) = ([], [], [])
        let wanted = (Int32(relationship.index), owner)
        for link in links[links.firstPlace { ($0.relationship, $0.owner) >= wanted }...] {
            guard (link.relationship, link.owner) == wanted else { break }
            guard let isAdded = link.isAdded else {
                found.byValue.insert(link.member)
                continue
            }
            if found.added.contains(link.member) || found.removed.contains(link.member) { continue }
            if isAdded {
                found.added.insert(link.member)
            } else {
                found.removed.insert(link.member)
            }
        }
        return found
    }
}
