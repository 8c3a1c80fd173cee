/// Which objects a context knows: one an identity, held for as long as it must.

import SteleModel
import StelePersistence

/// An object that lives as long as somebody else has it.
struct WeakObject {
    weak var object: ManagedObject?
}

/// A context that lives as long as somebody else has it.
struct WeakContext {
    weak var context: ManagedObjectContext?
}

extension ManagedObjectContext {
    /// The objects that it knows, in no order (`registeredObjects`).
    public var registeredObjects: [ManagedObject] {
        if retainsRegisteredObjects { return Array(registered.values) }
        var found = registered
        for (id, held) in weaklyRegistered where found[id] == nil {
            if let object = held.object { found[id] = object }
        }
        return Array(found.values)
    }

    /// The object of that identity where it is known, faults and deleted ones among them; nothing
    /// is read (`registeredObject(for:)`).
    public func registeredObject(for id: ObjectID) -> ManagedObject? { known(id) }

    func known(_ id: ObjectID) -> ManagedObject? {
        if let object = registered[id] { return object }
        return retainsRegisteredObjects ? nil : weaklyRegistered[id]?.object
    }

    /// The one object of the snapshot's identity.
    func register(_ snapshot: Snapshot) -> ManagedObject {
        let entity = model.entities[snapshot.entity]
        let id = ObjectID(root: entity.root, key: snapshot.key)
        if let known = known(id) {
            if known.isFault { fill(known, with: snapshot) }
            return known
        }
        let plan = plan(entity)
        let object = plan.objectClass.init(ManagedObjectOrigin(snapshot, entity, self))
        hold(object)
        if plan.isSubclassed { awakeFromFetch(object) }
        return object
    }

    /// The one object of that identity, as a fault where it is not known.
    func registerFault(_ id: ObjectID, _ entity: Entity) -> ManagedObject {
        if let known = known(id) { return known }
        let object = plan(entity).objectClass.init(ManagedObjectOrigin(fault: id, entity, self))
        hold(object)
        return object
    }

    /// Keeps an object that has no changes.
    private func hold(_ object: ManagedObject) {
        if retainsRegisteredObjects {
            setRegistered(object, for: object.id)
        } else {
            holdWeakly(object)
        }
    }

    func holdWeakly(_ object: ManagedObject) {
        object.isWeaklyHeld = true
        weaklyRegistered[object.id] = WeakObject(object: object)
    }

    /// Holds no object any longer for its changes; they are saved or taken back.
    func letGoOfUnchanged() {
        if retainsRegisteredObjects { return }
        for object in unregisterAll().values where !object.isGone { holdWeakly(object) }
    }

    /// Takes an object out; its values stay as they are.
    func unregister(_ object: ManagedObject) {
        setRegistered(nil, for: object.id)
        weaklyRegistered[object.id] = nil
        object.isWeaklyHeld = false
    }

    /// An object that was held weakly is gone: so is what was known of its to-manys, where nothing
    /// in them has changed. This comes in the middle of whatever lets go of it, so that it looks at
    /// nothing which holds objects but `registered`.
    func forget(_ id: ObjectID, _ entity: Entity) {
        guard known(id) == nil else { return }
        weaklyRegistered[id] = nil
        for toMany in entity.toManys {
            let place = ToManyID(relationship: toMany.index, owner: id.key)
            if toManys[place]?.hasChanges == false { toManys[place] = nil }
        }
    }
}
