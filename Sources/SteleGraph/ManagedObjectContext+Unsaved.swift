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

    /// Forgets the members of to-manys that are unchanged and of objects that nobody holds: what
    /// children have asked for. They are read anew when they are asked for again.
    public func forgetUnchangedMembers() {
        if toManys.isEmpty { return }
        toManys = toManys.filter { place, state in
            state.hasChanges || state.isExpected || known(ownerID(place)) != nil
        }
    }

    /// About how many objects have unsaved changes, without looking at each: at least as many as
    /// there are, but for owners of which only a to-many has changed.
    public var unsavedObjectCount: Int { inserted.count + touched.count + deleted.count }
}
