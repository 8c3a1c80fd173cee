/// What the context does for its parts.

import SteleModel
import StelePersistence

extension ManagedObjectContext {
    var plans: [EntityPlan] { coordinator.plans }

    /// Whether objects are new or deleted, or links changed.
    var hasChangesBesideUpdates: Bool {
        !changes.deleted.isEmpty || changes.inserted.contains { !$0.isDeleted } || hasLinkChanges
    }

    /// Whether anything may have changed: less to look at than `hasChanges`.
    var mayHaveChanges: Bool { !changes.isEmpty || hasLinkChanges }

    private var hasLinkChanges: Bool { madeDeletion?.toManys.hasChanges ?? false }

    /// Whether an object has unsaved changes, besides those of to-manys.
    func hasChanged(_ id: ObjectID) -> Bool {
        guard let object = registry[id] else { return false }
        return object.isInserted || object.isDeleted || !object.changedSlots.isEmpty
    }

    /// An object may have changed: it is kept until the save.
    func touch(_ object: ManagedObject) {
        changes.touch(object)
        if !registry.retainsAll && !object.isInserted { registry.retain(object) }
    }

    /// An object that was held weakly is gone, and what was known of its to-manys with it.
    func forget(_ id: ObjectID, _ entity: Entity) {
        if registry.forget(id) { madeDeletion?.toManys.forgetUnchanged(of: id, entity) }
    }

    /// Forgets what is changed and what is known of to-manys.
    func forgetChanges() {
        changes.removeAll()
        madeDeletion?.removeAll()
        madeConflicts?.replaced = [:]
    }

    /// Forgets all changes, their undo, and faults that could not be read.
    func forgetAll() {
        forgetChanges()
        if let undoManager {
            undoManager.removeAllActions(withTarget: self)
            replay.forget()
        }
        loader.forgetFailures(lostValues: true)
    }

    // MARK: Undo

    func undoManagerChanged(from old: UndoManager?) {
        if old === undoManager { return }
        old?.remove(self)
        undoManager?.add(self)
        if old != nil { replay.forget() }
        updateJournaling()
    }

    func updateJournaling() {
        changes.keepJournal(undoManager != nil || isObserved, registry.objects)
    }

    /// Registers the changes since it last ran with the undo manager, and tells of them.
    func registerJournal() {
        if !changes.isJournaling || changes.journal.isEmpty { return }
        let entries = changes.takeJournal()
        undoManager?.register(self) { [weak self] in
            guard let self else { return }
            try replay.takeBack(entries)
        }
        if isObserved { post(ChangedObjects(entries, in: loader)) }
    }

    // MARK: Observers

    var isObserved: Bool { observers.map { $0.count > 0 } ?? false }

    func removeObserver(_ number: Int) {
        observers?.remove(number)
        updateJournaling()
    }

    func post(_ notification: @autoclosure () -> ContextNotification) {
        if isObserved { observers?.post(notification()) }
    }

    func post(_ changed: ChangedObjects) {
        if !changed.isEmpty { post(.objectsDidChange(changed)) }
    }
}
