import SteleModel
import StelePersistence

/// The changes of rows as those of objects: with both ends of each link, at most one change of an
/// object.
struct ChangeCollection {
    private let model: Model
    private var changes: [ObjectID: ObjectChange] = [:]
    private var order: [ObjectID] = []
    /// The ends of links of objects whose rows were not written, or not read yet.
    private var ends: [ObjectID: [End]] = [:]
    private var ended: [ObjectID] = []

    /// A change of a relationship at its other end.
    private enum End {
        case member(relationship: Int, Int64, isAdded: Bool)
        /// A to-one: the object that it has now, or had.
        case destination(Relationship, Int64, isAdded: Bool)

        var isAdded: Bool {
            switch self {
            case .member(_, _, let isAdded), .destination(_, _, let isAdded): isAdded
            }
        }
    }

    init(_ model: Model) { self.model = model }

    /// The changes.
    var all: [ObjectChange] { order.compactMap { changes[$0] } }

    private mutating func put(_ change: ObjectChange) {
        let id = ObjectID(root: model.entities[change.entity].root, key: change.key)
        if changes.updateValue(change, forKey: id) == nil { order.append(id) }
    }

    /// Adds the deletion of an object.
    mutating func delete(_ object: Snapshot) {
        put(ObjectChange(.delete, entity: object.entity, key: object.key, before: object))
        let entity = model.entities[object.entity]
        for (slot, value) in object.values.enumerated() {
            if case .relationship(let it) = entity.slots[slot], case .key(let other) = value {
                end(it, of: object.key, at: other, isAdded: false)
            }
        }
    }

    /// Adds the state of an object.
    /// - Parameters:
    ///   - before: its state in the store; nil for a new one.
    ///   - slots: those that the state has.
    mutating func add(_ object: Snapshot, _ before: Snapshot?, _ slots: [Int]) {
        let entity = model.entities[object.entity]
        let changed =
            before.map { before in
                slots.filter { before.values[$0] != object.values[$0] }
            }
            ?? slots
        guard before == nil || !changed.isEmpty else { return }
        for slot in changed {
            guard case .relationship(let it) = entity.slots[slot] else { continue }
            if case .key(let other)? = before?.values[slot] {
                end(it, of: object.key, at: other, isAdded: false)
            }
            if case .key(let other) = object.values[slot] {
                end(it, of: object.key, at: other, isAdded: true)
            }
        }
        guard let before else {
            return put(
                ObjectChange(
                    .insert, entity: object.entity, key: object.key, values: object.values))
        }
        put(
            ObjectChange(
                .update, entity: object.entity, key: object.key, before: before,
                values: object.values, changedSlots: changed))
    }

    /// Adds a link of a many-to-many relationship, or its removal.
    mutating func link(_ it: Relationship, owner: Int64, member: Int64, isThere: Bool) {
        let destination = model.destination(of: it).root
        append(
            .member(relationship: it.index, member, isAdded: isThere),
            to: ObjectID(root: model.entities[it.owner].root, key: owner))
        guard let inverse = model.inverse(of: it) else { return }
        append(
            .member(relationship: inverse.index, owner, isAdded: isThere),
            to: ObjectID(root: destination, key: member))
    }

    /// Notes the change of a to-one relationship at its other end.
    mutating func end(_ it: Relationship, of key: Int64, at other: Int64, isAdded: Bool) {
        guard let inverse = model.inverse(of: it) else { return }
        append(
            inverse.isToMany
                ? .member(relationship: inverse.index, key, isAdded: isAdded)
                : .destination(inverse, key, isAdded: isAdded),
            to: ObjectID(root: model.destination(of: it).root, key: other))
    }

    private mutating func append(_ end: End, to id: ObjectID) {
        if ends[id] == nil { ended.append(id) }
        ends[id, default: []].append(end)
    }

    /// Puts the other ends of links into the changes of their objects.
    /// - Parameter read: reads objects that have no change yet.
    mutating func complete(
        _ read: (_ root: Int, [Int64]) throws(StoreError) -> [Snapshot]
    ) throws(StoreError) {
        var missing: [Int: [Int64]] = [:]
        for id in ended where changes[id] == nil { missing[id.root, default: []].append(id.key) }
        for (root, keys) in missing.sorted(by: { $0.key < $1.key }) {
            for object in try read(root, keys) {
                put(
                    ObjectChange(
                        .update, entity: object.entity, key: object.key, before: object,
                        values: object.values))
            }
        }
        for id in ended {
            guard var change = changes[id], let own = ends[id] else { continue }
            // Removals first, so that an end that passes to another object has that one.
            for end in own where !end.isAdded { Self.apply(end, to: &change) }
            for end in own where end.isAdded { Self.apply(end, to: &change) }
            changes[id] = change
        }
        order.removeAll { id in
            guard let change = changes[id] else { return true }
            return change.kind == .update && change.changedSlots.isEmpty && change.toManys.isEmpty
        }
    }

    private static func apply(_ end: End, to change: inout ObjectChange) {
        switch end {
        case .member(let relationship, let key, let isAdded):
            let place =
                change.toManys.firstIndex { $0.relationship == relationship }
                ?? {
                    change.toManys.append(ToManyChange(relationship: relationship))
                    return change.toManys.count - 1
                }()
            if isAdded {
                change.toManys[place].added.append(key)
            } else {
                change.toManys[place].removed.append(key)
            }
        case .destination(let it, let key, let isAdded):
            guard change.kind != .delete else { return }
            let value = change.values[it.slot]
            // Another object may have taken the place of the one that is removed.
            guard isAdded || value == .key(key) else { return }
            change.values[it.slot] = isAdded ? .key(key) : .null
            let isAsBefore = change.before?.values[it.slot] == change.values[it.slot]
            change.changedSlots.removeAll { $0 == it.slot }
            if change.kind == .update, !isAsBefore {
                change.changedSlots = (change.changedSlots + [it.slot]).sorted()
            }
        }
    }
}
