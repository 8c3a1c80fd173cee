/// Permanent identities for new objects, before a save or by one.

import SteleModel
import StelePersistence

extension ManagedObjectContext {
    /// Gives new objects the identities that they will have in the store, here and in all contexts
    /// of the family (`obtainPermanentIDs(for:)`). Identities that are never saved are not given
    /// out again.
    /// - Throws: `ContextError.foreignObject`, `.onWriter`; `StoreError`.
    public func obtainPermanentIDs(for objects: [ManagedObject]) throws {
        if isWriters { throw ContextError.onWriter }
        guard objects.allSatisfy({ $0.context === self }) else { throw ContextError.foreignObject }
        try checkOpen()
        let temporary = Set(objects.map(\.id).filter(\.isTemporary))
        if temporary.isEmpty { return }
        var request = SaveRequest(readToken: try token())
        request.reservations = temporary.sorted { ($0.root, -$0.key) < ($1.root, -$1.key) }
        let permanent = try coordinator.store.save(request).permanentKeys
        var root = self
        while let parent = root.parent { root = parent }
        root.rename(permanent)
    }

    /// Puts permanent keys wherever temporary ones stand, here and in all children.
    func rename(_ permanent: PermanentKeys) {
        for child in liveChildren { child.rename(permanent) }
        if undoManager != nil { renamed.formUnion(permanent) }
        let objects = registeredObjects
        for object in objects { rename(object, permanent) }
        toManys = renamed(toManys, permanent) { state, relationship in
            let root = model.destination(of: relationship).root
            return state.renamed { key in
                key < 0 ? permanent[ObjectID(root: root, key: key)] ?? key : key
            }
        }
        // These two are by the destination's key and hold owners'.
        ownersMade = renamedOwners(ownersMade, permanent) { $1($0) }
        ownersSeen = renamedOwners(ownersSeen, permanent) { $0.map($1) }
    }

    /// Objects have the versions that they have in the store now, here and in all children.
    func takeVersions(_ changes: [HistoryChange]) {
        for case let row? in changes.lazy.map(\.snapshotAfter) {
            let id = ObjectID(root: model.entities[row.entity].root, key: row.key)
            guard let object = known(id), !object.isFault else { continue }
            object.version = row.version
            object.before?.version = row.version
        }
        for child in liveChildren { child.takeVersions(changes) }
    }

    private func rename(_ object: ManagedObject, _ permanent: PermanentKeys) {
        if let key = permanent[object.id] {
            let old = object.id
            object.id = ObjectID(root: old.root, key: key)
            if let held = registered[old] {
                setRegistered(nil, for: old)
                setRegistered(held, for: object.id)
            }
            if let held = weaklyRegistered.removeValue(forKey: old) {
                weaklyRegistered[object.id] = held
            }
        }
        for relationship in plan(object.entity).toOnes {
            func rename(_ values: inout [Value]) {
                guard values.indices.contains(relationship.slot),
                    case .key(let key) = values[relationship.slot], key < 0,
                    let new = permanent[destinationID(relationship, key)]
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

    /// To-manys with their owners' keys renamed, and their contents.
    private func renamed(
        _ states: [ToManyID: ToManyState], _ permanent: PermanentKeys,
        _ content: (ToManyState, Relationship) -> ToManyState
    ) -> [ToManyID: ToManyState] {
        var result: [ToManyID: ToManyState] = [:]
        result.reserveCapacity(states.count)
        for (place, state) in states {
            let owner = place.owner < 0 ? permanent[ownerID(place)] ?? place.owner : place.owner
            let new = ToManyID(relationship: place.relationship, owner: owner)
            result[new] = content(state, model.relationships[place.relationship])
        }
        return result
    }

    private func renamedOwners<Content>(
        _ all: [ToManyID: Content], _ permanent: PermanentKeys,
        _ content: (Content, (Int64) -> Int64) -> Content
    ) -> [ToManyID: Content] {
        var result: [ToManyID: Content] = [:]
        for (place, owners) in all {
            let relationship = model.relationships[place.relationship]
            let member = permanent[destinationID(relationship, place.owner)] ?? place.owner
            let root = model.entities[relationship.owner].root
            result[ToManyID(relationship: place.relationship, owner: member)] =
                content(owners) { permanent[ObjectID(root: root, key: $0)] ?? $0 }
        }
        return result
    }
}

extension ToManyID: Comparable {
    static func < (a: ToManyID, b: ToManyID) -> Bool {
        (a.relationship, a.owner) < (b.relationship, b.owner)
    }
}
