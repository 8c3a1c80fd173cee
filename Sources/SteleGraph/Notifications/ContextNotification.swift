/// What a context tells of itself.

import StelePersistence

/// The objects of one event, or of one save.
public struct ChangedObjects {
    /// New ones, and those whose deletion was taken back.
    public internal(set) var inserted: [ManagedObject] = []
    /// Those whose values or links have changed.
    public internal(set) var updated: [ManagedObject] = []
    /// Those that are deleted.
    public internal(set) var deleted: [ManagedObject] = []
    /// Those that follow the store again, with what was saved by others.
    public internal(set) var refreshed: [ManagedObject] = []
    /// Those that the context has let go of: all that it knew (`invalidatedAll`).
    public internal(set) var invalidated: [ManagedObject] = []

    /// Whether there is nothing to tell.
    public var isEmpty: Bool {
        inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty
            && invalidated.isEmpty
    }

    /// Their identities, for other threads and other contexts.
    public var identities: ChangedObjectIDs {
        ChangedObjectIDs(
            inserted: Set(inserted.map(\.id)), updated: Set(updated.map(\.id)),
            deleted: Set(deleted.map(\.id)), refreshed: Set(refreshed.map(\.id)),
            invalidated: Set(invalidated.map(\.id)))
    }
}

/// The identities of the objects of one event, or of one save.
public struct ChangedObjectIDs: Sendable, Hashable {
    /// As `ChangedObjects.inserted`.
    public var inserted: Set<ObjectID> = []
    /// As `ChangedObjects.updated`.
    public var updated: Set<ObjectID> = []
    /// As `ChangedObjects.deleted`.
    public var deleted: Set<ObjectID> = []
    /// As `ChangedObjects.refreshed`.
    public var refreshed: Set<ObjectID> = []
    /// As `ChangedObjects.invalidated`.
    public var invalidated: Set<ObjectID> = []
}

/// What has happened in a context, told on its own thread.
public enum ContextNotification {
    /// Since the last time; told by `processPendingChanges`, so also by fetches, saves, undo, and
    /// by `refresh`, `rollback`, `reset` and what merges (NSManagedObjectContextObjectsDidChange).
    case objectsDidChange(ChangedObjects)
    /// A save begins; what is changed now is saved, too (NSManagedObjectContextWillSave).
    case willSave
    /// A save has ended: in the store, or in the parent (NSManagedObjectContextDidSave).
    case didSave(ChangedObjects)
    /// What others have saved was merged (NSManagedObjectContextDidMergeChangesObjectIDs).
    case didMergeChanges(ChangedObjectIDs)
}

/// The same for other threads.
public enum ContextEvent: Sendable, Hashable {
    case objectsDidChange(ChangedObjectIDs)
    case willSave
    case didSave(ChangedObjectIDs)
    case didMergeChanges(ChangedObjectIDs)
}

/// What `ManagedObjectContext.observe` gives; the observer is told until it ends.
public final class ContextObservation {
    private weak var context: ManagedObjectContext?
    private let number: Int

    init(_ context: ManagedObjectContext, _ number: Int) {
        self.context = context
        self.number = number
    }

    deinit { cancel() }

    /// Ends it.
    public func cancel() { context?.removeObserver(number) }
}

@available(*, unavailable)
extension ContextObservation: Sendable {}
