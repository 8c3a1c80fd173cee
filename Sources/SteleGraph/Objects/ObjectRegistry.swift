/// The objects that a context knows: one an identity.

import SteleModel
import StelePersistence

/// Holds objects by identity: strongly those with changes, or all of them; the others weakly.
final class ObjectRegistry {
    private struct WeakObject {
        weak var object: ManagedObject?
    }

    /// Whether objects without changes are held strongly, too.
    let retainsAll: Bool
    private let parent: ObjectRegistry?
    private var held: [ObjectID: ManagedObject] = [:]
    private var weaklyHeld: [ObjectID: WeakObject] = [:]
    private var nextKey: Int64 = -1

    /// - Parameter parent: the registry of the parent context, which gives out temporary keys.
    init(parent: ObjectRegistry?, retainsAll: Bool) {
        self.parent = parent
        self.retainsAll = retainsAll
    }

    /// The object of that identity; faults and deleted ones are among them.
    subscript(id: ObjectID) -> ManagedObject? {
        if let object = held[id] { return object }
        return retainsAll ? nil : weaklyHeld[id]?.object
    }

    /// All objects, in no order.
    var objects: [ManagedObject] {
        if retainsAll { return Array(held.values) }
        var found = held
        for (id, weak) in weaklyHeld where found[id] == nil {
            if let object = weak.object { found[id] = object }
        }
        return Array(found.values)
    }

    /// The key of a new object, which no other object of the family of contexts has.
    func newKey() -> Int64 {
        if let parent { return parent.newKey() }
        defer { nextKey -= 1 }
        return nextKey
    }

    /// Adds an object without changes.
    func add(_ object: ManagedObject) {
        if retainsAll { retain(object) } else { holdWeakly(object) }
    }

    /// Holds an object strongly.
    func retain(_ object: ManagedObject) { set(object, for: object.id) }

    /// The deinitialiser of an object that is released here calls `forget`, which reads `held`: the
    /// object must outlive the access that releases it, or the access is a run-time error.
    private func set(_ object: ManagedObject, for id: ObjectID) {
        let old = held.updateValue(object, forKey: id)
        withExtendedLifetime(old) {}
    }

    private func holdWeakly(_ object: ManagedObject) {
        object.isWeaklyHeld = true
        weaklyHeld[object.id] = WeakObject(object: object)
    }

    /// Holds objects weakly that were held for changes which are saved or taken back.
    func releaseUnchanged() {
        if retainsAll { return }
        let old = held
        held = [:]
        for object in old.values where !object.isGone { holdWeakly(object) }
    }

    /// Removes an object; its values stay as they are.
    func remove(_ object: ManagedObject) {
        let old = held.removeValue(forKey: object.id)
        weaklyHeld[object.id] = nil
        object.isWeaklyHeld = false
        withExtendedLifetime(old) {}
    }

    /// Removes all objects.
    func removeAll() {
        let old = held
        held = [:]
        weaklyHeld = [:]
        withExtendedLifetime(old) {}
    }

    /// Gives an object another key, under which it is known from now on.
    func rename(_ object: ManagedObject, to key: Int64) {
        let old = object.id
        object.id = ObjectID(root: old.root, key: key)
        if let known = held.removeValue(forKey: old) { set(known, for: object.id) }
        if weaklyHeld.isEmpty { return }
        if let known = weaklyHeld.removeValue(forKey: old) { weaklyHeld[object.id] = known }
    }

    /// Forgets an object that was held weakly and is released now.
    /// - Returns: whether there is no object of that identity any more.
    func forget(_ id: ObjectID) -> Bool {
        guard self[id] == nil else { return false }
        weaklyHeld[id] = nil
        return true
    }
}
