import SteleModel
import StelePersistence

/// Replaces temporary keys with permanent ones in a context and its children.
struct KeyRenaming {
    private let permanent: PermanentKeys
    private let model: Model

    init(_ permanent: PermanentKeys, in model: Model) {
        self.permanent = permanent
        self.model = model
    }

    /// Implements `ManagedObjectContext.obtainPermanentIDs`.
    static func obtain(
        for objects: [ManagedObject], in context: ManagedObjectContext
    ) throws {
        guard objects.allSatisfy(context.loader.owns) else { throw ContextError.foreignObject }
        try context.view.checkOpen()
        let temporary = Set(objects.map(\.objectID).filter(\.isTemporaryID))
        if temporary.isEmpty { return }
        var request = SaveRequest(readToken: try context.token())
        request.reservations = temporary.sorted { ($0.root, -$0.key) < ($1.root, -$1.key) }
        request.assignedStores = context.changes.assignedStores
        let permanent = try context.persistentStoreCoordinator.store.save(request).permanentKeys
        var root = context
        while let parent = root.parent { root = parent }
        KeyRenaming(permanent, in: context.model).run(in: root)
    }

    /// Replaces the keys in a context and in all its children.
    func run(in context: ManagedObjectContext) {
        for child in context.children.live { run(in: child) }
        if context.undoManager != nil { context.replay.noteKeys(permanent) }
        for object in context.registry.objects { rename(object, in: context) }
        context.relationships.rename(self, permanent)
    }

    private func rename(_ object: ManagedObject, in context: ManagedObjectContext) {
        if let key = permanent[object.objectID] { context.registry.rename(object, to: key) }
        for relationship in context.plans[object.entity].toOnes {
            func rename(_ values: inout [Value]) {
                guard values.indices.contains(relationship.slot),
                    case .key(let key) = values[relationship.slot], key < 0,
                    let new = permanent[model.destinationID(relationship, key)]
                else { return }
                values[relationship.slot] = .key(new)
            }
            rename(&object.values)
            if var before = object.before {
                rename(&before.values)
                object.before = before
            }
        }
    }

    /// Replaces the keys of members and of their owners.
    func renamed<Owners>(
        _ all: [ToManyID: Owners], _ owners: (Owners, (Int64) -> Int64) -> Owners
    ) -> [ToManyID: Owners] {
        var result: [ToManyID: Owners] = [:]
        for (place, its) in all {
            let relationship = model.relationships[place.relationship]
            let member = permanent.key(of: model.destinationID(relationship, place.owner))
            let root = model.entities[relationship.owner].root
            result[ToManyID(relationship, member)] = owners(its) {
                permanent.key(of: ObjectID(root: root, key: $0))
            }
        }
        return result
    }

    /// Sets the stored versions of the objects in a context and in its children.
    static func takeVersions(_ rows: [Snapshot], in context: ManagedObjectContext) {
        for row in rows {
            let id = ObjectID(root: context.model.entities[row.entity].root, key: row.key)
            guard let object = context.registry[id], !object.isFault else { continue }
            object.version = row.version
            object.before?.version = row.version
        }
        for child in context.children.live { takeVersions(rows, in: child) }
    }
}
