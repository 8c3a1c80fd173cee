import SteleModel
import StelePersistence

/// A save of a context, from pending changes to a request and from its result to the objects. It
/// has no state of its own.
struct ContextSave: RelationshipPart {
    /// The maximum number of calls of `willSave` for changes that it makes itself.
    private static let willSaveRounds = 1000

    private let context: ManagedObjectContext
    let relationships: RelationshipMaintenance
    private var coordinator: PersistentStoreCoordinator { context.persistentStoreCoordinator }

    init(_ context: ManagedObjectContext) {
        self.context = context
        relationships = context.relationships
    }

    /// Implements `ManagedObjectContext.save`.
    func run() throws -> SaveResult {
        if let parent = context.parent {
            try context.inOneView { try run(in: parent) }
            return SaveResult(token: try context.token())
        }
        guard let request = try request() else { return SaveResult(token: try context.token()) }
        var result =
            context.mergePolicy == .error
            ? try coordinator.store.save(request) : try runMerging(request)
        if let conflicts = context.madeConflicts {
            result.replacedKeys = conflicts.replacedKeys(result.permanentKeys)
        }
        // If nothing was left to save, the result is not of a new transaction.
        if result.token > request.readToken {
            context.following?.didSave(result.token)
            // If there was no other save since the first read, all objects are as this save left
            // them.
            if !view.hasRead || result.token == request.readToken + 1 {
                view.raiseFloor(to: result.token)
            }
        }
        finish(result)
        // A request that was made from no view has no token.
        if result.token == 0 { result.token = try context.token() }
        return result
    }

    private func run(in parent: ManagedObjectContext) throws {
        try prepare()
        guard context.hasChanges else { return }
        let links = try relationships.changedLinks()
        try context.validation.validate(updates: changes.updatedObjects, links: links)
        try ChildSave.run(context, in: parent)
    }

    /// Saves with conflict resolution, repeatedly if other saves intervene.
    private func runMerging(_ request: SaveRequest) throws -> SaveResult {
        let conflicts = context.conflicts
        var request = request
        // Each iteration resolves at least one conflict. New conflicts arise only from other saves.
        for _ in 0...(request.changes.count + 64) {
            do throws(StoreError) {
                return try coordinator.store.save(request)
            } catch .conflicts(let found) {
                try settle(found)
            } catch .constraint(let found) {
                guard try conflicts.settle(found) else { throw StoreError.constraint(found) }
            }
            guard let next = try context.inOneView({ try makeRequest(isFirst: false) }) else {
                return SaveResult(token: request.readToken)
            }
            request = next
        }
        throw StoreError.busy("other saves were committed first at each attempt")
    }

    private func settle(_ found: [MergeConflict]) throws {
        var told = ChangedObjects()
        told.refreshed = try context.conflicts.settle(found).filter { !$0.isGone }
        context.post(told)
    }

    /// Implements `ManagedObjectContext.saveRequest`.
    /// - Parameter validates: false in a migration, which validates at its end.
    func request(validates: Bool = true) throws -> SaveRequest? {
        try context.mergeNews()
        return try context.inOneView { try makeRequest(isFirst: true, validates: validates) }
    }

    /// Implements `ManagedObjectContext.validateChanges`.
    func check() throws {
        guard context.parent != nil else { return _ = try request() }
        try prepare()
        let links = try relationships.changedLinks()
        try context.validation.validate(updates: changes.updatedObjects, links: links)
    }

    /// Prepares and validates the changes, and builds the request.
    /// - Parameters:
    ///   - isFirst: false when a save is repeated, which is not announced again.
    ///   - validates: whether to validate.
    private func makeRequest(isFirst: Bool, validates: Bool = true) throws -> SaveRequest? {
        try prepare(isFirst: isFirst)
        try relationships.completeMadeLinks()
        try relationships.leaveCutLinks()
        var updates = changes.storedUpdates()
        guard !updates.isEmpty || context.hasChangesBesideUpdates else { return nil }
        let links = try relationships.changedLinks()
        if validates {
            try context.validation.validate(updates: updates.map(\.object), links: links)
        }
        // Validation may have replaced values.
        if coordinator.hasSubclasses {
            updates = updates.map { ($0.object, changes.storedChanges(of: $0.object)) }
        }
        var builder = SaveRequestBuilder(context, links: links)
        try builder.build(updates: updates)
        return builder.request.changes.isEmpty ? nil : builder.request
    }

    // MARK: Before the request

    /// Applies pending changes and calls `willSave`, which may change what is saved.
    /// - Parameter isFirst: whether to announce the save.
    /// - Throws: the errors of delete rules; `ContextError.willSaveDoesNotEnd`; the error of an
    ///   unreadable fault.
    func prepare(isFirst: Bool = true) throws {
        try context.processPendingChanges()
        try loader.checkFaults(isSave: true)
        guard isFirst, coordinator.hasSubclasses || context.isObserved else { return }
        context.post(.willSave)
        if coordinator.hasSubclasses { try tellWillSave() }
        try context.processPendingChanges()
        try loader.checkFaults(isSave: true)
    }

    /// Calls `willSave`, repeatedly for objects that it changes.
    private func tellWillSave() throws {
        changes.watch(registry.objects)
        defer { changes.round = nil }
        try context.deletion.process()
        let saved = savedObjects()
        var next = (saved.inserted + saved.updated + saved.deleted).filter(isSubclassed)
        var rounds = 0
        while let first = next.first {
            if rounds == Self.willSaveRounds {
                throw ContextError.willSaveDoesNotEnd(entity: first.entity.name)
            }
            rounds += 1
            changes.round = []
            for object in next { object.willSave() }
            try context.deletion.process()
            let changed = ChangedObjects(changes.round ?? [], in: loader)
            next = (changed.inserted + changed.updated + changed.deleted).filter(isSubclassed)
        }
    }

    private func isSubclassed(_ object: ManagedObject) -> Bool {
        plans[object.entity].isSubclassed
    }

    /// The objects of a save, if there is a subclass, an observer, a child or a parent to notify.
    func savedObjects() -> ChangedObjects {
        var saved = ChangedObjects()
        guard
            coordinator.hasSubclasses || context.isObserved || !context.children.live.isEmpty
                || context.parent != nil
        else { return saved }
        saved.inserted = changes.insertedObjects
        saved.deleted = changes.deleted
        saved.updated = changes.touched.filter(changes.isUpdated)
        var seen = Set(saved.updated.map(\.objectID))
        for (place, state) in toManys.states where state.hasChanges {
            let id = model.ownerID(place)
            guard !seen.contains(id), let owner = registry[id], !owner.isInserted, !owner.isDeleted
            else { continue }
            seen.insert(id)
            saved.updated.append(owner)
        }
        return saved
    }

    // MARK: After the commit

    /// Implements `ManagedObjectContext.didSave`.
    func finish(_ result: SaveResult) {
        let saved = savedObjects()
        for object in changes.deleted {
            object.isGone = true
            registry.remove(object)
        }
        takeKeys(result.permanentKeys)
        takeRows(result.changes)
        for object in changes.touched { object.isTouched = false }
        context.forgetChanges()
        registry.releaseUnchanged()
        for child in context.children.live {
            if !result.permanentKeys.isEmpty {
                KeyRenaming(result.permanentKeys, in: model).run(in: child)
            }
            KeyRenaming.takeVersions(result.changes.compactMap(\.snapshotAfter), in: child)
            child.following?.inbox.add(saved.identities)
        }
        view.drop()
        tellDidSave(saved)
    }

    /// Marks inserted objects as saved and sets their permanent keys.
    private func takeKeys(_ keys: PermanentKeys) {
        for object in changes.inserted {
            object.isInserted = false
            object.isTouched = false
            guard !object.isDeleted, let key = keys[object.objectID] else { continue }
            if context.undoManager != nil { context.replay.noteKey(key, of: object.objectID) }
            registry.rename(object, to: key)
        }
    }

    /// Sets the objects' values to the stored rows.
    private func takeRows(_ rows: [HistoryChange]) {
        // New objects are returned in the order of insertion, which saves looking them up.
        var next = changes.inserted[...]
        for case let row? in rows.lazy.map(\.snapshotAfter) {
            let object: ManagedObject
            if let first = next.first, first.objectID.key == row.key,
                first.entity.index == row.entity
            {
                object = first
                next = next.dropFirst()
            } else {
                let id = ObjectID(root: model.entities[row.entity].root, key: row.key)
                guard let known = registry[id], !known.isFault else { continue }
                object = known
            }
            // Transient values remain and no longer count as changes.
            var row = row
            for slot in plans[object.entity].transientSlots {
                row.values[slot] = object.value(slot)
            }
            object.take(row)
        }
    }

    /// Calls `didSave` on the objects and notifies the context's observers.
    func tellDidSave(_ saved: ChangedObjects) {
        for object in saved.inserted + saved.updated + saved.deleted where isSubclassed(object) {
            object.didSave()
        }
        if !saved.isEmpty { context.post(.didSave(saved)) }
    }
}
