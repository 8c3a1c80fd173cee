/// Objects as they were before or after a save, for rules that are judged on them.

import SteleModel
import StelePersistence
import StelePredicates

/// Objects as they are in a view of the store, each read once.
final class PresentStates {
    let reader: any StoreReader
    private let time: JudgingTime
    private var known: [ObjectID: Snapshot?] = [:]

    init(_ reader: any StoreReader, _ time: JudgingTime) {
        self.reader = reader
        self.time = time
    }

    /// The most objects that are kept.
    private static let most = 20_000

    func snapshot(_ id: ObjectID) throws(StoreError) -> Snapshot? {
        if let known = known[id] { return known }
        try time.demand()
        let found = try reader.snapshot(id)
        known[id] = .some(found)
        return found
    }

    /// The keys of the members of a to-many relationship.
    func members(of relationship: Relationship, owner: Int64) throws(StoreError) -> [Int64] {
        try time.demand()
        return try reader.members(of: relationship, owners: [owner])[owner] ?? []
    }

    /// Reads objects of a family, unless they are known.
    func read(_ root: Int, _ keys: Set<Int64>) throws(StoreError) {
        if known.count > Self.most { known = [:] }
        let wanted = keys.filter { known[ObjectID(root: root, key: $0)] == nil }
        if wanted.isEmpty { return }
        for key in wanted { known[ObjectID(root: root, key: key)] = .some(nil) }
        for snapshot in try reader.snapshots(root: root, keys: Array(wanted)) {
            known[ObjectID(root: root, key: snapshot.key)] = snapshot
        }
    }
}

/// Objects as they were before or after a save; those that it has not changed as they are now.
struct FormerStates {
    private struct Link: Hashable {
        let relationship: Int
        let owner: Int64
    }

    let present: PresentStates
    /// Whether they are those before the save.
    private let isBefore: Bool
    private var noted: [ObjectID: Snapshot?] = [:]
    /// The members of many-to-many relationships that the save has added and removed.
    private var links: [Link: (added: Set<Int64>, removed: Set<Int64>)] = [:]

    init(_ present: PresentStates, isBefore: Bool) {
        self.present = present
        self.isBefore = isBefore
    }

    mutating func note(_ snapshot: Snapshot?, of id: ObjectID) {
        noted[id] = .some(snapshot)
    }

    /// Notes what a save has added to and removed from a relationship. Of many to many it is noted
    /// at both ends: the history has no links of an object that is deleted, but those of its
    /// members.
    mutating func note(
        _ added: [Int64], _ removed: [Int64], of relationship: Relationship, owner: Int64,
        in model: Model
    ) {
        note(added, removed, Link(relationship: relationship.index, owner: owner))
        guard let inverse = model.inverse(of: relationship), inverse.isToMany else { return }
        for key in added { note([owner], [], Link(relationship: inverse.index, owner: key)) }
        for key in removed { note([], [owner], Link(relationship: inverse.index, owner: key)) }
    }

    private mutating func note(_ added: [Int64], _ removed: [Int64], _ link: Link) {
        links[link, default: ([], [])].added.formUnion(added)
        links[link, default: ([], [])].removed.formUnion(removed)
    }

    /// The state of an object of the save; nil for any other object.
    func noted(_ id: ObjectID) -> Snapshot?? { noted[id] }

    /// The state of an object; nil where it does not exist.
    func state(of id: ObjectID) throws(StoreError) -> Snapshot? {
        if let known = noted[id] { return known }
        return try present.snapshot(id)
    }

    /// The members of a to-many relationship.
    func members(
        of relationship: Relationship, owner: Int64, in model: Model
    ) throws(StoreError) -> [Snapshot] {
        var keys = try present.members(of: relationship, owner: owner)
        let destination = model.destination(of: relationship)
        if isBefore, let change = links[Link(relationship: relationship.index, owner: owner)] {
            keys = keys.filter { !change.added.contains($0) && !change.removed.contains($0) }
            keys += change.removed.sorted()
        }
        if let inverse = model.inverse(of: relationship), !inverse.isToMany {
            // The other end is in the members' own values.
            for (id, snapshot) in noted where id.root == destination.root {
                let isMember =
                    snapshot.map {
                        $0.values.indices.contains(inverse.slot)
                            && $0.values[inverse.slot] == .key(owner)
                    } ?? false
                if !isMember { keys.removeAll { $0 == id.key } }
                if isMember, !keys.contains(id.key) { keys.append(id.key) }
            }
        }
        var members: [Snapshot] = []
        for key in keys {
            if let state = try state(of: ObjectID(root: destination.root, key: key)) {
                members.append(state)
            }
        }
        return members
    }
}

/// The states during an evaluation, which cannot throw, and the first error of reading.
final class FormerView {
    let states: FormerStates
    let model: Model
    private(set) var error: StoreError?

    init(_ states: FormerStates, _ model: Model) {
        self.states = states
        self.model = model
    }

    func read<Result>(
        _ otherwise: Result, _ body: () throws(StoreError) -> Result
    ) -> Result {
        do throws(StoreError) { return try body() } catch {
            self.error = self.error ?? error
            return otherwise
        }
    }
}

/// An object as it was, with related objects as they were.
struct FormerObject: EvaluatedObject {
    private let view: FormerView
    private let snapshot: Snapshot
    private var model: Model { view.model }

    init(_ view: FormerView, _ snapshot: Snapshot) {
        self.view = view
        self.snapshot = snapshot
    }

    var entityIndex: Int { snapshot.entity }
    var key: Int64 { snapshot.key }
    var version: Int64 { snapshot.version }

    func value(of attribute: Attribute) -> Value {
        guard model.entities[attribute.owner].isKind(entityIndex),
            snapshot.values.indices.contains(attribute.slot)
        else { return .null }
        return snapshot.values[attribute.slot]
    }

    func toOne(_ relationship: Relationship) -> FormerObject? {
        guard model.entities[relationship.owner].isKind(entityIndex),
            snapshot.values.indices.contains(relationship.slot),
            case .key(let key) = snapshot.values[relationship.slot]
        else { return nil }
        let root = model.destination(of: relationship).root
        return view.read(nil) { () throws(StoreError) in
            try view.states.state(of: ObjectID(root: root, key: key)).map {
                FormerObject(view, $0)
            }
        }
    }

    func toMany(_ relationship: Relationship) -> [FormerObject] {
        guard model.entities[relationship.owner].isKind(entityIndex) else { return [] }
        return view.read([]) { () throws(StoreError) in
            try view.states.members(of: relationship, owner: key, in: model)
                .map { FormerObject(view, $0) }
        }
    }
}
