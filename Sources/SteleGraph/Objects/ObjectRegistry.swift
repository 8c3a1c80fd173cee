import SteleModel
import StelePersistence

/// The registered objects of a context by ID. Objects with changes, or all objects, are held
/// strongly, the others weakly.
final class ObjectRegistry {
    private struct WeakObject {
        weak var object: ManagedObject?
    }

    /// Whether objects without changes are also held strongly.
    let retainsAll: Bool
    private let parent: ObjectRegistry?
    private var held: [ObjectID: ManagedObject] = [:]
    private var weaklyHeld: [ObjectID: WeakObject] = [:]
    private var nextKey: Int64 = -1

    /// Creates a registry.
    /// - Parameter parent: the registry of the parent context, which assigns temporary keys.
    init(parent: ObjectRegistry?, retainsAll: Bool) {
        self.parent = parent
        self.retainsAll = retainsAll
    }

    /// The object with the ID, including faults and deleted objects.
    subscript(id: ObjectID) -> ManagedObject? {
        if let object = held[id] { return object }
        return retainsAll ? nil : weaklyHeld[id]?.object
    }

    /// All objects, in no particular order.
    var objects: [ManagedObject] {
        if retainsAll { return Array(held.values) }
        var found = held
        for (id, weak) in weaklyHeld where found[id] == nil {
            if let object = weak.object { found[id] = object }
        }
        return Array(found.values)
    }

    /// A temporary key that is unique in the root context and its descendants.
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
    func retain(_ object: ManagedObject) { set(object, for: object.objectID) }

    /// Stores an object. The deinitializer of a released object calls `forget`, which reads `held`,
    /// so a replaced object must be kept alive until the access ends. Otherwise the exclusivity
    /// check fails at run time.
    private func set(_ object: ManagedObject, for id: ObjectID) {
        let old = held.updateValue(object, forKey: id)
        withExtendedLifetime(old) {}
    }

    private func holdWeakly(_ object: ManagedObject) {
        object.isWeaklyHeld = true
        weaklyHeld[object.objectID] = WeakObject(object: object)
    }

    /// Holds all objects weakly, after their changes were saved or discarded.
    func releaseUnchanged() {
        if retainsAll { return }
        let old = held
        held = [:]
        for object in old.values where !object.isGone { holdWeakly(object) }
    }

    /// Removes an object. Its values remain.
    func remove(_ object: ManagedObject) {
        let old = held.removeValue(forKey: object.objectID)
        weaklyHeld[object.objectID] = nil
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

    /// Changes the key of an object.
    func rename(_ object: ManagedObject, to key: Int64) {
        let old = object.objectID
        object.objectID = ObjectID(root: old.root, key: key)
        if let known = held.removeValue(forKey: old) { set(known, for: object.objectID) }
        if weaklyHeld.isEmpty { return }
        if let known = weaklyHeld.removeValue(forKey: old) { weaklyHeld[object.objectID] = known }
    }

    /// Forgets a weakly held object that is being released.
    /// - Returns: whether no object has the ID any more.
    func forget(_ id: ObjectID) -> Bool {
        guard self[id] == nil else { return false }
        weaklyHeld[id] = nil
        return true
    }
}
