import SteleModel
import StelePersistence

/// The changes of a save in the order of their execution: deletes, so that a unique value can pass
/// to another object, then updates, then inserts.
///
/// A save may have 100,000 objects, so changes are not copied in advance: a change gets its
/// permanent keys when it is read (`subscript`).
struct SaveOperations {
    /// The requested changes, at most one per object.
    private var changes: [ObjectChange]
    /// The indexes of changes in the order of execution, without empty ones; nil for the given
    /// order.
    private let order: [Int]?
    private let keys: KeyReplacement

    /// - Throws: `.invalid` for a link to an object that the request does not insert.
    init(_ asked: [ObjectChange], _ keys: KeyReplacement) throws(StoreError) {
        changes = asked
        hasGivenKeys = asked.contains { $0.kind == .insert && $0.key >= 0 }
        if Self.namesAnyTwice(asked, keys) {
            var replaced: [ObjectChange] = []
            for change in asked { replaced.append(try keys.replacing(change)) }
            changes = Self.merged(replaced, keys.model)
        }
        self.keys = keys
        order = Self.order(changes)
    }

    /// Whether an object is inserted under a key that the request gives.
    let hasGivenKeys: Bool

    /// The indexes of changes of to-many relationships.
    var linking: [Int] { indices.filter { !changes[place($0)].toManys.isEmpty } }

    var count: Int { order?.count ?? changes.count }
    var isEmpty: Bool { count == 0 }
    var indices: Range<Int> { 0..<count }

    /// Returns a change with permanent keys.
    subscript(index: Int) -> ObjectChange {
        get throws(StoreError) { try keys.replacing(changes[place(index)]) }
    }

    /// Returns a change as it was requested, with the temporary keys of new objects.
    func asked(_ index: Int) -> ObjectChange { changes[place(index)] }

    /// Returns the kind of a change.
    func kind(_ index: Int) -> ObjectChange.Kind { changes[place(index)].kind }

    /// Returns the end of a run of inserts of one entity that begins at an index. An insert of an
    /// object that was stored before ends the run.
    func endOfNew(from start: Int) -> Int {
        let entity = changes[place(start)].entity
        return (start..<count).first { index in
            let place = place(index)
            return changes[place].kind != .insert || changes[place].entity != entity
                || changes[place].before != nil
        } ?? count
    }

    private func place(_ index: Int) -> Int { order?[index] ?? index }

    /// Sets a value of a deleted object's state before the save.
    mutating func setBefore(_ value: Value, _ slot: Int, of index: Int) {
        changes[place(index)].before?.values[slot] = value
    }

    /// Returns the index of each object's change.
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

    // MARK: One change per object

    /// Returns whether an object has several changes. The keys of new objects differ, so inserts
    /// alone need no lookup.
    private static func namesAnyTwice(_ changes: [ObjectChange], _ keys: KeyReplacement) -> Bool {
        if changes.count < 2 || ascend(changes) { return false }
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

    /// Returns whether the changes are of one entity, with ascending permanent keys.
    private static func ascend(_ changes: [ObjectChange]) -> Bool {
        var last: Int64 = 0
        for place in changes.indices {
            guard changes[place].key > last, changes[place].entity == changes[0].entity else {
                return false
            }
            last = changes[place].key
        }
        return true
    }

    /// Merges the changes of each object: the later change with the earlier one's state before it.
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

    /// Returns the order of execution; nil where all changes are of one kind and none is empty.
    private static func order(_ changes: [ObjectChange]) -> [Int]? {
        guard let kind = changes.first?.kind else { return nil }
        // Accessed by index, because copying a change would retain all its parts.
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
    /// Whether the change is an update that changes nothing.
    fileprivate var isEmpty: Bool { kind == .update && changedSlots.isEmpty && toManys.isEmpty }
}
