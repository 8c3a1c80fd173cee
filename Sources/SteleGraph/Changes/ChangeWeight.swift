import StelePersistence

/// The approximate memory that changes take, in bytes.
package struct ChangeWeight: Sendable, Hashable {
    /// The memory taken until the changes are saved: objects that were not retained before, and
    /// their old values.
    package var unsaved = 0
    /// The memory taken as long as the changes can be undone.
    package var step = 0

    /// The size of a journal entry.
    private static let ofEntry = 100
    /// The size of a known member of a to-many relationship.
    private static let ofMember = 40

    /// The memory that a child's changes take in its parent.
    init(of child: ManagedObjectContext, in parent: ManagedObjectContext) {
        for object in child.changes.changedObjects {
            var bytes = Self.ofEntry
            if let before = object.before {
                let slots = object.isDeleted ? Array(before.values.indices) : object.changedSlots
                for slot in slots where before.values.indices.contains(slot) {
                    bytes += before.values[slot].bytesBeside
                }
            }
            step += bytes
            if !parent.hasChanged(object.objectID) { unsaved += bytes + object.bytes }
        }
        for (place, state) in child.toManys.states where state.hasChanges {
            let links = (state.added.count + state.removed.count) * Self.ofEntry
            let order = (state.newOrder?.count ?? 0) * MemoryLayout<Int64>.stride
            step += links + order
            unsaved += links
            // A changed relationship keeps all its members.
            if let stored = state.stored, parent.toManys[place]?.isFault ?? true {
                unsaved += stored.count * Self.ofMember + order
            }
        }
    }
}

extension ManagedObject {
    /// The approximate size of the object with its current and stored values.
    fileprivate var bytes: Int { 200 + 2 * values.count * MemoryLayout<Value>.stride }
}
