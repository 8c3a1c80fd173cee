/// What a save does, in order, put together from what it was asked.

import SteleModel
import StelePersistence

/// The changes of a save in the order in which they are made: deletes first, so that a unique value
/// can pass to another object, then updates, inserts.
///
/// A save may be of a hundred thousand objects, so nothing is copied beforehand: a change gets its
/// permanent keys when it is looked at (`subscript`).
struct SaveOperations {
    /// As they were asked for, with one an object.
    private var changes: [ObjectChange]
    /// The places of those that change something, in their order; nil for all as they stand.
    private let order: [Int]?
    private let keys: KeyReplacement
    /// The places of those that change to-manys, in their order.
    let linking: [Int]

    /// - Throws: `.invalid` for a link to an object that the request does not insert.
    init(_ asked: [ObjectChange], _ keys: KeyReplacement) throws(StoreError) {
        changes = asked
        if Self.namesAnyTwice(asked, keys) {
            var replaced: [ObjectChange] = []
            for change in asked { replaced.append(try keys.replacing(change)) }
            changes = Self.merged(replaced, keys.model)
        }
        self.keys = keys
        order = Self.order(changes)
        var linking: [Int] = []
        for index in 0..<(order?.count ?? changes.count)
        where !changes[order?[index] ?? index].toManys.isEmpty {
            linking.append(index)
        }
        self.linking = linking
    }

    var count: Int { order?.count ?? changes.count }
    var isEmpty: Bool { count == 0 }
    var indices: Range<Int> { 0..<count }

    /// A change, with permanent keys throughout.
    subscript(index: Int) -> ObjectChange {
        get throws(StoreError) { try keys.replacing(changes[place(index)]) }
    }

    /// A change as it was asked for: new objects in it have their temporary keys.
    func asked(_ index: Int) -> ObjectChange { changes[place(index)] }

    /// What a change does, without a look at the rest.
    func kind(_ index: Int) -> ObjectChange.Kind { changes[place(index)].kind }

    /// Where the new objects of one entity end that begin there; where one was stored before, it is
    /// none of them.
    func endOfNew(from start: Int) -> Int {
        let entity = changes[place(start)].entity
        return (start..<count).first { index in
            let place = place(index)
            return changes[place].kind != .insert || changes[place].entity != entity
                || changes[place].key > 0 || changes[place].before != nil
        } ?? count
    }

    private func place(_ index: Int) -> Int { order?[index] ?? index }

    /// What a deleted object was, as it has turned out to be.
    mutating func setBefore(_ value: Value, _ slot: Int, of index: Int) {
        changes[place(index)].before?.values[slot] = value
    }

    /// The places of all, by identity.
    func placesByID() throws(StoreError) -> [ObjectID: Int] {
        var places: [ObjectID: Int] = [:]
        places.reserveCapacity(count)
        for index in indices {
            let change = try self[index]
            let root = keys.model.entities[change.entity].root
            places[ObjectID(root: root, key: change.key)] = index
        }
        return places
    }

    // MARK: One an object

    /// Whether an object has several changes. New objects have a key each, so that they need no
    /// look-up, unless something else is asked of one.
    private static func namesAnyTwice(_ changes: [ObjectChange], _ keys: KeyReplacement) -> Bool {
        if changes.count < 2 { return false }
        var new = 0
        var seen: Set<ObjectID> = []
        for place in changes.indices {
            let key = changes[place].key
            if changes[place].kind == .insert, key < 0 {
                new += 1
                continue
            }
            let root = keys.model.entities[changes[place].entity].root
            if key < 0 || !seen.insert(ObjectID(root: root, key: key)).inserted { return true }
        }
        return new > keys.permanent.count
    }

    /// Of two changes of an object, the later one's values with the earlier one's start.
    private static func merged(_ changes: [ObjectChange], _ model: Model) -> [ObjectChange] {
        var places: [ObjectID: Int] = [:]
        var merged: [ObjectChange] = []
        for change in changes {
            let root = model.entities[change.entity].root
            let id = ObjectID(root: root, key: change.key)
            guard let place = places[id] else {
                places[id] = merged.count
                merged.append(change)
                continue
            }
            let first = merged[place]
            merged[place] = change
            merged[place].before = first.before ?? change.before
            if first.kind == .insert && change.kind == .update { merged[place].kind = .insert }
            merged[place].changedSlots = Set(first.changedSlots + change.changedSlots).sorted()
            merged[place].toManys = first.toManys + change.toManys
        }
        return merged
    }

    // MARK: Order

    /// Nil where all are of one kind and none is empty.
    private static func order(_ changes: [ObjectChange]) -> [Int]? {
        guard let kind = changes.first?.kind else { return nil }
        // By places, for to look at a change as a whole is to count a reference to all its parts.
        let places = changes.indices
        if places.allSatisfy({ changes[$0].kind == kind && !changes[$0].isEmpty }) { return nil }
        var order: [Int] = []
        order.reserveCapacity(changes.count)
        for kind in [ObjectChange.Kind.delete, .update, .insert] {
            for place in places where changes[place].kind == kind && !changes[place].isEmpty {
                order.append(place)
            }
        }
        return order
    }
}

extension ObjectChange {
    /// Whether it is an update that changes nothing.
    fileprivate var isEmpty: Bool { kind == .update && changedSlots.isEmpty && toManys.isEmpty }
}
