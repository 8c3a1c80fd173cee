/// How much memory changes take.

import StelePersistence

/// About how many bytes changes take in memory.
package struct ChangeWeight: Sendable, Hashable {
    /// Until they are saved: objects that were not held before, and what they were.
    package var unsaved = 0
    /// As long as they can be taken back.
    package var step = 0

    /// One change, written down.
    private static let ofEntry = 100
    /// A member of a to-many that is known.
    private static let ofMember = 40

    /// What a child's changes add to its parent.
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
            if !parent.hasChanged(object.id) { unsaved += bytes + object.bytes }
        }
        for (place, state) in child.toManys.states where state.hasChanges {
            let links = (state.added.count + state.removed.count) * Self.ofEntry
            let order = (state.newOrder?.count ?? 0) * MemoryLayout<Int64>.stride
            step += links + order
            unsaved += links
            // What has changed stays known, with all of its members.
            if let stored = state.stored, parent.toManys[place]?.isFault ?? true {
                unsaved += stored.count * Self.ofMember + order
            }
        }
    }
}

extension ManagedObject {
    /// About the memory that it takes by itself, now and as it was.
    fileprivate var bytes: Int { 200 + 2 * values.count * MemoryLayout<Value>.stride }
}
