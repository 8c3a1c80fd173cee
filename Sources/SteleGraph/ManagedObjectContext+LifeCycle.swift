/// Telling objects of subclasses what happens to them.

import SteleModel
import StelePersistence

extension ManagedObjectContext {
    /// How often `willSave` is called for changes that it makes itself.
    static let willSaveRounds = 1000

    /// Tells an object that its values were read; what it sets meanwhile is no change.
    func awakeFromFetch(_ object: ManagedObject) {
        withoutJournaling {
            object.isTouched = true
            object.awakeFromFetch()
            object.isTouched = false
        }
    }

    func awake(_ object: ManagedObject, _ event: SnapshotEventType) {
        if plan(object.entity).isSubclassed { object.awake(fromSnapshotEvents: event) }
    }

    /// Everything that may still change what is saved.
    /// - Parameter isFirst: whether the save is to be told of.
    /// - Throws: what delete rules must read; `ContextError.willSaveDoesNotEnd`; why a fault
    ///   could not be read.
    func prepareSave(isFirst: Bool = true) throws {
        try processPendingChanges()
        if let faultError { throw faultError }
        if let lostValue { throw lostValue }
        guard isFirst, coordinator.hasSubclasses || !observers.isEmpty else { return }
        post(.willSave)
        if coordinator.hasSubclasses { try tellWillSave() }
        try processPendingChanges()
    }

    /// Calls `willSave`, again for what is changed in it, until nothing is.
    private func tellWillSave() throws {
        let wasJournaling = isJournaling
        isJournaling = true
        if !wasJournaling { watchObjects() }
        defer {
            isJournaling = wasJournaling
            if !wasJournaling { journal = [] }
        }
        try processDeletions()
        let saved = savedObjects()
        var next = (saved.inserted + saved.updated + saved.deleted).filter(isSubclassed)
        var rounds = 0
        while let first = next.first {
            if rounds == Self.willSaveRounds {
                throw ContextError.willSaveDoesNotEnd(entity: first.entity.name)
            }
            rounds += 1
            let start = journal.count
            for object in next { object.willSave() }
            try processDeletions()
            let changed = changedObjects(in: journal[start...])
            next = (changed.inserted + changed.updated + changed.deleted).filter(isSubclassed)
        }
    }

    private func isSubclassed(_ object: ManagedObject) -> Bool { plan(object.entity).isSubclassed }

    /// What a save is of, as things are now.
    func savedObjects() -> ChangedObjects {
        var saved = ChangedObjects()
        guard
            coordinator.hasSubclasses || !observers.isEmpty || !liveChildren.isEmpty
                || parent != nil
        else { return saved }
        saved.inserted = inserted.filter { !$0.isDeleted }
        saved.deleted = deleted
        saved.updated = touched.filter { !$0.isDeleted && !storedChanges($0).isEmpty }
        var seen = Set(saved.updated.map(\.id))
        for (place, state) in toManys where state.hasChanges {
            let id = ownerID(place)
            guard !seen.contains(id), let owner = known(id), !owner.isInserted, !owner.isDeleted
            else { continue }
            seen.insert(id)
            saved.updated.append(owner)
        }
        return saved
    }

    /// Tells the objects of a save, and who observes it, that it is done.
    func tellDidSave(_ saved: ChangedObjects) {
        for object in saved.inserted + saved.updated + saved.deleted where isSubclassed(object) {
            object.didSave()
        }
        if !saved.isEmpty { post(.didSave(saved)) }
    }

    /// Asks objects of subclasses for their values, before the model's rules are applied to what
    /// they put in their place.
    /// - Throws: what they throw that is no error of validation.
    func askValues(_ updates: [ManagedObject], _ errors: inout [ValidationError]) throws {
        for object in inserted where !object.isDeleted && isSubclassed(object) {
            try askValues(of: object, &errors)
        }
        for object in updates where isSubclassed(object) {
            try askValues(of: object, &errors)
        }
    }

    /// Asks objects of subclasses whether they may be saved as they are.
    /// - Throws: what they throw that is no error of validation.
    func askObjects(_ updates: [ManagedObject], _ errors: inout [ValidationError]) throws {
        for object in inserted where !object.isDeleted && isSubclassed(object) {
            try ask(&errors) { try object.validateForInsert() }
        }
        for object in updates where isSubclassed(object) {
            try ask(&errors) { try object.validateForUpdate() }
        }
        for object in deleted where isSubclassed(object) {
            try ask(&errors) { try object.validateForDelete() }
        }
    }

    func askValues(of object: ManagedObject, _ errors: inout [ValidationError]) throws {
        for (slot, property) in object.entity.slots.enumerated() {
            var value = object.value(slot)
            try ask(&errors) { try object.validateValue(&value, forKey: property.name) }
            if case .attribute = property, !value.isStored(as: object.value(slot)) {
                object.setSlot(slot, value)
            }
        }
    }

    private func ask(
        _ errors: inout [ValidationError], _ question: () throws -> Void
    ) throws {
        do { try question() } catch let error as ValidationError {
            errors.append(error)
        } catch let several as ValidationErrors {
            errors += several.errors
        }
    }
}
