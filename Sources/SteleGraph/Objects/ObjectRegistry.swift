import SteleModel
import StelePersistence

/// The registered objects of a context by ID. Objects with changes, or all objects, are held
/// strongly, the others weakly.
final class ObjectRegistry {
    /// Whether objects without changes are also held strongly.
    let retainsAll: Bool
    private let parent: ObjectRegistry?
    private var held: [ObjectID: ManagedObject] = [:]
    /// Objects that are not kept alive. Each removes itself when it is released (`forget`), so that
    /// all are alive. Weak references would cost a side table for each object, which was a fifth of
    /// the time of a fetch and its release.
    private var weaklyHeld: [ObjectID: Unmanaged<ManagedObject>] = [:]
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
        return retainsAll ? nil : weaklyHeld[id]?.takeUnretainedValue()
    }

    /// All objects, in no particular order.
    var objects: [ManagedObject] {
        if retainsAll { return Array(held.values) }
        var found = held
        for (id, object) in weaklyHeld where found[id] == nil {
            found[id] = object.takeUnretainedValue()
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
        weaklyHeld[object.objectID] = Unmanaged.passUnretained(object)
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

    /// Makes room for objects that are not held strongly.
    func reserve(_ count: Int) {
        if retainsAll || weaklyHeld.count + count <= weaklyHeld.capacity { return }
        // At least double, so that many small fetches do not copy the table each time.
        weaklyHeld.reserveCapacity(max(weaklyHeld.count + count, 2 * weaklyHeld.count))
    }

    /// Forgets a weakly held object that is being released.
    /// - Returns: whether no object has the ID any more.
    func forget(_ object: ManagedObject) -> Bool {
        let id = object.objectID
        if let place = weaklyHeld.index(forKey: id) {
            // Another object has the ID where this one was removed from the registry before.
            guard weaklyHeld[place].value.toOpaque() == Unmanaged.passUnretained(object).toOpaque()
            else { return false }
            weaklyHeld.remove(at: place)
        }
        return held[id] == nil
    }
}
