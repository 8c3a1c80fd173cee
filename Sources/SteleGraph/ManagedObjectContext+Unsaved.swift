/// What is unsaved in a context, as it would be saved now.

import SteleModel
import StelePersistence

extension ManagedObjectContext {
    /// The objects that are new here, in the order of their insertion (`insertedObjects`).
    ///
    /// Of this and the two beside it: delete rules that have not been applied yet are not in it;
    /// `processPendingChanges` applies them.
    public var insertedObjects: [ManagedObject] { inserted.filter { !$0.isDeleted } }

    /// The objects of the store whose values or members have changed, in the order of their first
    /// change; owners of changed to-manys are last, by key (`updatedObjects`).
    /// - Throws: `StoreError`, where the owner of a changed to-many must be read and cannot.
    public func updatedObjects() throws -> [ManagedObject] {
        var found = touched.filter { !$0.isDeleted && !$0.changedSlots.isEmpty }
        var seen = Set(found.map(\.id))
        for link in try changedLinks()
        where !link.owner.isInserted && !link.owner.isDeleted && seen.insert(link.owner.id).inserted
        {
            found.append(link.owner)
        }
        return found
    }

    /// The objects of the store that are deleted here, in that order (`deletedObjects`).
    public var deletedObjects: [ManagedObject] { deleted }

    /// Ends what children have asked of to-manys: who asks next is told whom the store has by then,
    /// under what has changed here. Of objects that nobody holds nothing is kept but changes.
    public func forgetReadMembers() {
        if toManys.isEmpty { return }
        toManys = toManys.filter { place, state in
            state.hasChanges || state.isExpected || known(ownerID(place)) != nil
        }.mapValues(\.aged)
    }

    /// About how many objects have unsaved changes, without looking at each: at least as many as
    /// there are, but for owners of which only a to-many has changed.
    public var unsavedObjectCount: Int { inserted.count + touched.count + deleted.count }

    /// How many objects would have unsaved changes with those of a child made here, owners of which
    /// only a to-many has changed not counted.
    public func unsavedObjectCount(with child: ManagedObjectContext) -> Int {
        changedAlone.count + child.changedAlone.filter { !isChanged($0.id) }.count
    }

    /// About how many bytes a child's changes take here, beside the values that they bring.
    public func weight(of child: ManagedObjectContext) -> ChangeWeight {
        var weight = ChangeWeight()
        for object in child.changedAlone {
            var step = ChangeWeight.ofEntry
            if let before = object.before {
                let slots = object.isDeleted ? Array(before.values.indices) : object.changedSlots
                for slot in slots where before.values.indices.contains(slot) {
                    step += before.values[slot].bytesBeside
                }
            }
            weight.step += step
            if !isChanged(object.id) { weight.unsaved += step + object.bytes }
        }
        for (place, state) in child.toManys where state.hasChanges {
            let links = (state.added.count + state.removed.count) * ChangeWeight.ofEntry
            let order = (state.newOrder?.count ?? 0) * MemoryLayout<Int64>.stride
            weight.step += links + order
            weight.unsaved += links
            // What has changed stays known, with all of its members.
            if let stored = state.stored, toManys[place]?.isFault ?? true {
                weight.unsaved += stored.count * ChangeWeight.ofMember + order
            }
        }
        return weight
    }

    private var changedAlone: [ManagedObject] {
        insertedObjects + touched.filter { !$0.isDeleted && !$0.changedSlots.isEmpty } + deleted
    }

    private func isChanged(_ id: ObjectID) -> Bool {
        guard let object = known(id) else { return false }
        return object.isInserted || object.isDeleted || !object.changedSlots.isEmpty
    }
}

/// About how many bytes changes take in memory.
public struct ChangeWeight: Sendable, Hashable {
    /// Until they are saved: objects that were not held before, and what they were.
    public var unsaved = 0
    /// As long as they can be taken back.
    public var step = 0

    /// One change, written down.
    static let ofEntry = 100
    /// A member of a to-many that is known.
    static let ofMember = 40
}

extension ManagedObject {
    /// About the memory that it takes by itself, now and as it was.
    fileprivate var bytes: Int { 200 + 2 * values.count * MemoryLayout<Value>.stride }
}
