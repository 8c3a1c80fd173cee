/// What has changed in a context since its last save.

import SteleModel
import StelePersistence

/// New, changed and deleted objects, and the journal of changes where one is kept.
final class ChangeSet {
    private let plans: [EntityPlan]
    /// New objects in the order of their insertion; those deleted again are still in it.
    private(set) var inserted: [ManagedObject] = []
    /// Objects of the store that may have changed, in the order of their first change.
    private(set) var touched: [ManagedObject] = []
    /// Objects of the store that are deleted, in that order.
    private(set) var deleted: [ManagedObject] = []
    private var hasDeletedInserts = false
    /// What the same transaction deletes in other saves (`PartedSave`): it neither denies a
    /// deletion nor has to be valid.
    var deletedElsewhere: Set<ObjectID> = []
    /// What the changes rely on in the store.
    var expected = SaveExpectations()
    /// The changes since `takeJournal`, in their order.
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
    /// Whether objects report changes, which they do from the first time that a journal is kept.
    private(set) var isWatching = false

    init(plans: [EntityPlan]) { self.plans = plans }

    // MARK: Objects

    /// Whether no object may have changed: less to look at than all objects.
    var isEmpty: Bool { inserted.isEmpty && touched.isEmpty && deleted.isEmpty }

    /// Whether objects may be deleted, new ones among them.
    var hasDeletions: Bool { !deleted.isEmpty || hasDeletedInserts }

    /// At least as many objects as have changed.
    var count: Int { inserted.count + touched.count + deleted.count }

    /// New objects that are not deleted again.
    var insertedObjects: [ManagedObject] { inserted.filter { !$0.isDeleted } }

    /// Objects of the store with changed values, stored or not.
    var updatedObjects: [ManagedObject] {
        touched.filter { !$0.isDeleted && !$0.changedSlots.isEmpty }
    }

    /// New, changed and deleted objects; owners of which a to-many alone has changed are not in it.
    var changedObjects: [ManagedObject] { insertedObjects + updatedObjects + deleted }

    /// New objects and those that may have changed, without deleted ones.
    var alive: [ManagedObject] { (inserted + touched).filter { !$0.isDeleted } }

    /// The changed slots of an object that are stored: not those of transient and derived
    /// attributes.
    func storedChanges(of object: ManagedObject) -> [Int] {
        let unsaved = plans[object.entity].unsavedSlots
        let changed = object.changedSlots
        return unsaved.isEmpty ? changed : changed.filter { !unsaved.contains($0) }
    }

    /// Whether an object of the store has changed values that are stored.
    func isUpdated(_ object: ManagedObject) -> Bool {
        !object.isDeleted && !storedChanges(of: object).isEmpty
    }

    /// The objects of `isUpdated` with their changed slots.
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

    /// Adds a new object.
    func insert(_ object: ManagedObject) { inserted.append(object) }

    /// Adds a deleted object; of a new one nothing is to be saved.
    func delete(_ object: ManagedObject) {
        if object.isInserted { hasDeletedInserts = true } else { deleted.append(object) }
    }

    /// An object whose row is gone from the store is new.
    func makeInserted(_ object: ManagedObject) {
        object.isInserted = true
        touched.removeAll { $0 === object }
        inserted.append(object)
    }

    /// A new object that another context has inserted under the same key is a change of that row,
    /// or the deletion of it.
    func makeUpdated(_ object: ManagedObject) {
        object.isInserted = false
        object.isTouched = true
        inserted.removeAll { $0 === object }
        touched.append(object)
        if object.isDeleted { deleted.append(object) }
    }

    /// Drops objects that are not touched any more.
    func dropUntouched() { touched.removeAll { !$0.isTouched } }

    /// Drops deletions that were taken back.
    func dropRestored() { deleted.removeAll { !$0.isDeleted } }

    /// Drops deletions of what is gone from the store.
    func dropGone() {
        if !deleted.isEmpty { deleted.removeAll(where: \.isGone) }
    }

    /// Drops the deletion of one object.
    func drop(deleted object: ManagedObject) {
        if !deleted.isEmpty { deleted.removeAll { $0 === object } }
    }

    /// Drops new objects that are deleted again.
    func dropDeletedInserts() {
        inserted.removeAll { $0.isDeleted }
        hasDeletedInserts = false
    }

    /// Drops all changes.
    func removeAll() {
        inserted = []
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

    /// Runs what is no change of the context but of the store: nothing is written to the journal.
    func withoutJournaling<Result>(_ work: () throws -> Result) rethrows -> Result {
        silenced += 1
        defer { silenced -= 1 }
        return try work()
    }

    /// Keeps a journal, or none.
    /// - Parameter objects: all objects of the context, which report changes from now on.
    func keepJournal(_ isKept: Bool, _ objects: @autoclosure () -> [ManagedObject]) {
        self.isKept = isKept
        if isKept { watch(objects()) } else { journal = [] }
    }

    /// Makes objects, and those that are made from now on, report their changes.
    func watch(_ objects: [ManagedObject]) {
        isWatching = true
        for object in objects { object.isWatched = true }
    }

    /// Takes all entries out.
    func takeJournal() -> [JournalEntry] {
        defer { journal = [] }
        return journal
    }
}
