import StelePersistence

/// The objects of one notification.
public struct ChangedObjects {
    /// Inserted objects, including those whose deletion was undone (NSInsertedObjectsKey).
    public internal(set) var inserted: [ManagedObject] = []
    /// Objects with changed values or relationships (NSUpdatedObjectsKey).
    public internal(set) var updated: [ManagedObject] = []
    /// Deleted objects (NSDeletedObjectsKey).
    public internal(set) var deleted: [ManagedObject] = []
    /// Objects refreshed with changes saved by other contexts (NSRefreshedObjectsKey).
    public internal(set) var refreshed: [ManagedObject] = []
    /// All objects of a context that was reset (NSInvalidatedAllObjectsKey).
    public internal(set) var invalidated: [ManagedObject] = []

    /// Whether no object has changed.
    public var isEmpty: Bool {
        inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty
            && invalidated.isEmpty
    }

    /// The IDs of the objects, for use in other threads and contexts.
    public var identities: ChangedObjectIDs {
        ChangedObjectIDs(
            inserted: Set(inserted.map(\.objectID)), updated: Set(updated.map(\.objectID)),
            deleted: Set(deleted.map(\.objectID)), refreshed: Set(refreshed.map(\.objectID)),
            invalidated: Set(invalidated.map(\.objectID)))
    }
}

/// The IDs of the objects of one notification.
public struct ChangedObjectIDs: Sendable, Hashable {
    /// The IDs of inserted objects.
    public var inserted: Set<ObjectID> = []
    /// The IDs of updated objects.
    public var updated: Set<ObjectID> = []
    /// The IDs of deleted objects.
    public var deleted: Set<ObjectID> = []
    /// The IDs of refreshed objects.
    public var refreshed: Set<ObjectID> = []
    /// The IDs of invalidated objects.
    public var invalidated: Set<ObjectID> = []
}

/// A notification of a context, posted on the context's thread.
public enum ContextNotification {
    /// Objects have changed since the last notification. It is posted by `processPendingChanges`,
    /// which fetches, saves and undo call, and by `refresh`, `rollback`, `reset` and merges
    /// (NSManagedObjectContextObjectsDidChange).
    case objectsDidChange(ChangedObjects)
    /// A save is about to begin. Changes made by an observer are saved
    /// (NSManagedObjectContextWillSave).
    case willSave
    /// The changes were saved to the store or to the parent (NSManagedObjectContextDidSave).
    case didSave(ChangedObjects)
    /// Changes saved by other contexts were merged
    /// (NSManagedObjectContextDidMergeChangesObjectIDs).
    case didMergeChanges(ChangedObjectIDs)
}

/// A `ContextNotification` with object IDs, for other threads.
public enum ContextEvent: Sendable, Hashable {
    case objectsDidChange(ChangedObjectIDs)
    case willSave
    case didSave(ChangedObjectIDs)
    case didMergeChanges(ChangedObjectIDs)
}

/// An observation of a context, returned by `ManagedObjectContext.observe`. It ends when it is
/// cancelled or released.
public final class ContextObservation {
    private weak var context: ManagedObjectContext?
    private let number: Int

    init(_ context: ManagedObjectContext, _ number: Int) {
        self.context = context
        self.number = number
    }

    deinit { cancel() }

    /// Ends the observation.
    public func cancel() { context?.removeObserver(number) }
}

@available(*, unavailable)
extension ContextObservation: Sendable {}
