import SteleModel
import StelePersistence

/// The inserted, updated and deleted objects of a context since its last save, and an optional
/// journal of changes.
final class ChangeSet {
    private let plans: [EntityPlan]
    /// The inserted objects, in the order of insertion, including those deleted again.
    private(set) var inserted: [ManagedObject] = []
    /// Saved objects that may have changed, in the order of their first change.
    private(set) var touched: [ManagedObject] = []
    /// The deleted saved objects, in the order of deletion.
    private(set) var deleted: [ManagedObject] = []
    private var hasDeletedInserts = false
    /// The objects that other saves of the same transaction delete (`PartedSave`). They do not deny
    /// a deletion and are not validated.
    var deletedElsewhere: Set<ObjectID> = []
    /// The stores of new objects that are not in the first one that has their entity, as their
    /// indexes in the coordinator's stores.
    var assignedStores: [ObjectID: Int] = [:]
    /// The stored state that the changes rely on.
    var expected = SaveExpectations()
    /// The changes since `takeJournal`, in order.
    private(set) var journal: [JournalEntry] = []
    /// The changes of one round of `willSave`; nil outside of a save. Processing changes during a
    /// round takes the journal, but not these.
    var round: [JournalEntry]?
    /// Whether a journal is kept, for undo or for observers.
    private var isKept = false
    /// How many calls of `withoutJournaling` are running.
    private var silenced = 0
    /// Whether changes are recorded now.
    var isJournaling: Bool { silenced == 0 && (isKept || round != nil) }
    /// Whether objects report changes, which they do once a journal has been kept.
    private(set) var isWatching = false

    init(plans: [EntityPlan]) { self.plans = plans }

    // MARK: Objects

    /// Whether no object may have changed. It is cheaper than examining all objects.
    var isEmpty: Bool { inserted.isEmpty && touched.isEmpty && deleted.isEmpty }

    /// Whether objects may be deleted, including new ones.
    var hasDeletions: Bool { !deleted.isEmpty || hasDeletedInserts }

    /// An upper bound of the number of changed objects.
    var count: Int { inserted.count + touched.count + deleted.count }

    /// The inserted objects that are not deleted again.
    var insertedObjects: [ManagedObject] { inserted.filter { !$0.isDeleted } }

    /// The saved objects with changed values, including transient ones.
    var updatedObjects: [ManagedObject] {
        touched.filter { !$0.isDeleted && !$0.changedSlots.isEmpty }
    }

    /// The inserted, updated and deleted objects, without owners of which only a to-many
    /// relationship has changed.
    var changedObjects: [ManagedObject] { insertedObjects + updatedObjects + deleted }

    /// The inserted objects and those that may have changed, without deleted ones.
    var alive: [ManagedObject] { (inserted + touched).filter { !$0.isDeleted } }

    /// The changed slots of an object without those of transient and derived attributes.
    func storedChanges(of object: ManagedObject) -> [Int] {
        let unsaved = plans[object.entity].unsavedSlots
        let changed = object.changedSlots
        return unsaved.isEmpty ? changed : changed.filter { !unsaved.contains($0) }
    }

    /// Whether a saved object has changed values to be stored.
    func isUpdated(_ object: ManagedObject) -> Bool {
        !object.isDeleted && !storedChanges(of: object).isEmpty
    }

    /// The objects for which `isUpdated` is true, with their changed slots.
    func storedUpdates() -> [(object: ManagedObject, slots: [Int])] {
        var updates: [(object: ManagedObject, slots: [Int])] = []
        for object in touched where !object.isDeleted {
            let slots = storedChanges(of: object)
            if !slots.isEmpty { updates.append((object, slots)) }
        }
        return updates
    }

    /// Adds an object that may have changed.
    func touch(_ object: ManagedObject) {
        object.isTouched = true
        if !object.isInserted { touched.append(object) }
    }

    /// Adds an inserted object.
    func insert(_ object: ManagedObject) { inserted.append(object) }

    /// Adds a deleted object. A new object leaves nothing to save.
    func delete(_ object: ManagedObject) {
        if object.isInserted { hasDeletedInserts = true } else { deleted.append(object) }
    }

    /// Marks an object as inserted, because its row was deleted from the store.
    func makeInserted(_ object: ManagedObject) {
        object.isInserted = true
        touched.removeAll { $0 === object }
        inserted.append(object)
    }

    /// Marks an inserted object as updated or deleted, because another context has inserted it
    /// under the same key.
    func makeUpdated(_ object: ManagedObject) {
        object.isInserted = false
        object.isTouched = true
        inserted.removeAll { $0 === object }
        touched.append(object)
        if object.isDeleted { deleted.append(object) }
    }

    /// Removes objects that are no longer changed.
    func dropUntouched() { touched.removeAll { !$0.isTouched } }

    /// Removes restored objects from the deleted ones.
    func dropRestored() { deleted.removeAll { !$0.isDeleted } }

    /// Removes objects that are gone from the store from the deleted ones.
    func dropGone() {
        if !deleted.isEmpty { deleted.removeAll(where: \.isGone) }
    }

    /// Removes an object from the deleted ones.
    func drop(deleted object: ManagedObject) {
        if !deleted.isEmpty { deleted.removeAll { $0 === object } }
    }

    /// Removes inserted objects that are deleted again.
    func dropDeletedInserts() {
        inserted.removeAll { $0.isDeleted }
        hasDeletedInserts = false
    }

    /// Removes all changes.
    func removeAll() {
        inserted = []
        assignedStores = [:]
        touched = []
        deleted = []
        hasDeletedInserts = false
        expected = SaveExpectations()
        journal = []
    }

    // MARK: Journal

    /// Records an entry if changes are recorded.
    func note(_ entry: @autoclosure () -> JournalEntry) {
        if !isJournaling { return }
        let entry = entry()
        if isKept { journal.append(entry) }
        round?.append(entry)
    }

    /// Runs a closure without journaling, for changes that come from the store.
    func withoutJournaling<Result>(_ work: () throws -> Result) rethrows -> Result {
        silenced += 1
        defer { silenced -= 1 }
        return try work()
    }

    /// Begins or ends journaling.
    /// - Parameter objects: all objects of the context, which then report their changes.
    func keepJournal(_ isKept: Bool, _ objects: @autoclosure () -> [ManagedObject]) {
        self.isKept = isKept
        if isKept { watch(objects()) } else { journal = [] }
    }

    /// Makes objects, and those that are made from now on, report their changes.
    func watch(_ objects: [ManagedObject]) {
        isWatching = true
        for object in objects { object.isWatched = true }
    }

    /// Removes and returns all entries.
    func takeJournal() -> [JournalEntry] {
        defer { journal = [] }
        return journal
    }
}
