import SteleModel
import StelePersistence

extension ManagedObjectContext {
    var plans: [EntityPlan] { persistentStoreCoordinator.plans }

    /// Whether there are inserted or deleted objects or changed links.
    var hasChangesBesideUpdates: Bool {
        !changes.deleted.isEmpty || changes.inserted.contains { !$0.isDeleted } || hasLinkChanges
    }

    /// Whether there may be changes. It is cheaper than `hasChanges`.
    var mayHaveChanges: Bool { !changes.isEmpty || hasLinkChanges }

    private var hasLinkChanges: Bool { madeDeletion?.toManys.hasChanges ?? false }

    /// Whether an object has unsaved changes other than of to-many relationships.
    func hasChanged(_ id: ObjectID) -> Bool {
        guard let object = registry[id] else { return false }
        return object.isInserted || object.isDeleted || !object.changedSlots.isEmpty
    }

    /// Adds an object to the change set, and keeps it alive until the save.
    func touch(_ object: ManagedObject) {
        changes.touch(object)
        if !registry.retainsAll && !object.isInserted { registry.retain(object) }
    }

    /// Forgets an object that was held weakly and has been released, and its to-many relationships.
    func forget(_ object: ManagedObject) {
        if registry.forget(object) {
            madeDeletion?.toManys.forgetUnchanged(of: object.objectID, object.entity)
        }
    }

    /// Forgets all changes and the state of to-many relationships.
    func forgetChanges() {
        changes.removeAll()
        madeDeletion?.removeAll()
        madeConflicts?.replaced = [:]
    }

    /// Forgets all changes, their undo actions, and faults that could not be read.
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

    /// Registers the changes since the last call with the undo manager, and notifies observers.
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
