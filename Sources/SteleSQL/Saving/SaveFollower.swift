import SteleModel
import StelePersistence

/// Writes saves to where other programs read them, in the transaction of the save.
package protocol SaveFollower: AnyObject {
    /// Writes changes whose rows and links the store has.
    /// - Returns: objects of the changes with other values than the changes have, because the
    ///   database has computed some, and the attributes that have them, by slot.
    /// - Throws: `StoreError`, as a save: `.refused`, `.moved`; the errors of statements.
    func follow(_ changes: [ObjectChange]) throws(StoreError) -> [(object: Snapshot, slots: [Int])]
}

extension SQLSaver {
    /// Has the follower write the changes, and takes the values that they have afterwards.
    func follow(_ done: inout [AppliedChange]) throws(StoreError) {
        guard let follower, isFollowed else { return }
        let computed = try follower.follow(done.map(\.change))
        if computed.isEmpty { return }
        var places: [ObjectID: Int] = [:]
        for (place, applied) in done.enumerated() { places[id(of: applied.change)] = place }
        for (object, slots) in computed {
            let root = schema.model.entities[object.entity].root
            guard let place = places[ObjectID(root: root, key: object.key)] else { continue }
            try write(slots, of: object)
            for slot in slots { done[place].take(object.values[slot], slot) }
        }
    }
}

extension AppliedChange {
    /// Takes a value that is stored in the place of the one that was to be.
    fileprivate mutating func take(_ value: Value, _ slot: Int) {
        after?.values[slot] = value
        change.values[slot] = value
        if change.kind == .update, !change.changedSlots.contains(slot) {
            change.changedSlots = (change.changedSlots + [slot]).sorted()
        }
    }
}
