import SteleModel
import StelePersistence
import StelePredicates

/// What has changed an observed value (NSKeyValueChange).
public enum KeyValueChangeKind: Sendable, Hashable {
    /// The program or undo has changed it in the context. It is not saved.
    case changed
    /// The context has read another value from the store: by a refresh, a merge or a rollback. After
    /// a `reset` the object has no context, and nothing is told of it.
    case refreshed
    /// The context has saved its value.
    case saved
}

/// A change of the value of one property (NSKeyValueObservedChange).
public struct KeyValueChange<Observed> {
    /// What has changed the value.
    public let kind: KeyValueChangeKind
    /// The value before; with `saved`, the value that was last in the store. Nil if the object did
    /// not exist.
    public let oldValue: Observed?
    /// The value after; with `saved`, the value that is in the store now. Nil if the object is
    /// deleted.
    public let newValue: Observed?
}

extension KeyValueChange: Sendable where Observed: Sendable {}
extension KeyValueChange: Equatable where Observed: Equatable {}

extension ManagedObject {
    /// Observes the value of one property, until the returned observation is cancelled or released
    /// (key-value observing). The observation keeps the object.
    ///
    /// The closure is called on the context's thread when the context tells of its changes
    /// (`ContextNotification.objectsDidChange`): at the next `processPendingChanges`, fetch, save or
    /// undo, once for all changes of the value until then. It is called once more, with the kind
    /// `saved`, when the value is saved. Relationships have the keys of their objects as values. A
    /// to-many relationship that cannot be read is compared at the next change.
    /// - Throws: `ContextError.noSuchProperty`; `ContextError.foreignObject` if the object has no
    ///   context; `StoreError` if a to-many relationship cannot be read.
    public final func observe(
        forKey key: String, _ onChange: @escaping (KeyValueChange<PropertyValue>) -> Void
    ) throws -> ContextObservation {
        guard let context else { throw ContextError.foreignObject }
        let observer = KeyObserver(self, try observedProperty(key), onChange)
        try observer.begin()
        return context.observe { observer.receive($0) }
    }
}

extension FetchRequestResult {
    /// Observes the value of an attribute, as `observe(forKey:_:)` does, with values of its Swift
    /// type: `player.observe(\.goals) { print($0.newValue) }`. Null is nil.
    /// - Throws: as `observe(forKey:_:)`; `ContextError.noSuchProperty` for an attribute of another
    ///   object.
    public func observe<V>(
        _ key: KeyPath<ObjectKeys<Self>, AttributeKey<V>>,
        _ onChange: @escaping (KeyValueChange<V>) -> Void
    ) throws -> ContextObservation {
        guard case .keyPath(_, let path) = ObjectKeys<Self>()[keyPath: key].expression else {
            throw ContextError.noSuchProperty(entity: entity.name, property: "\(key)")
        }
        func typed(_ value: PropertyValue?) -> V? {
            guard case .value(let value)? = value else { return nil }
            return V(attributeValue: value)
        }
        return try observe(forKey: path.joined(separator: ".")) { change in
            onChange(
                KeyValueChange(
                    kind: change.kind, oldValue: typed(change.oldValue),
                    newValue: typed(change.newValue)))
        }
    }
}

/// Finds the changes of one property's value in a context's notifications.
private final class KeyObserver {
    private let object: ManagedObject
    private let property: ObservedProperty
    private let onChange: (KeyValueChange<PropertyValue>) -> Void
    /// The value that was last told.
    private var last: PropertyValue?
    /// The value in the store; nil if the object is not there.
    private var saved: PropertyValue?

    init(
        _ object: ManagedObject, _ property: ObservedProperty,
        _ onChange: @escaping (KeyValueChange<PropertyValue>) -> Void
    ) {
        self.object = object
        self.property = property
        self.onChange = onChange
    }

    func begin() throws {
        last = try value
        saved = object.isInserted ? nil : object.committedValue(of: property) ?? last
    }

    func receive(_ notification: ContextNotification) {
        switch notification {
        case .objectsDidChange(let changed):
            if changed.refreshed.contains(where: isObserved) {
                compare(.refreshed)
                saved = object.committedValue(of: property) ?? (object.isUpdated ? saved : last)
            } else if changed.deleted.contains(where: isObserved) {
                // A new object that is rolled back does not count as deleted.
                tell(.changed, nil)
            } else if (changed.inserted + changed.updated).contains(where: isObserved) {
                compareUpdated()
            }
        case .didSave(let changed):
            let isSaved = [changed.inserted, changed.updated, changed.deleted].contains {
                $0.contains(where: isObserved)
            }
            // A value that cannot be read is compared at the next change.
            guard isSaved else { return }
            let now: PropertyValue?
            do { now = try value } catch { return }
            let former = saved
            (last, saved) = (now, now)
            if former != saved {
                onChange(KeyValueChange(kind: .saved, oldValue: former, newValue: saved))
            }
        case .willSave, .didMergeChanges: break
        }
    }

    private func isObserved(_ other: ManagedObject) -> Bool { other === object }

    /// The value; nil if the object is deleted.
    private var value: PropertyValue? {
        get throws { object.isDeleted ? nil : try object.value(of: property) }
    }

    /// An object with changes of other properties, which is refreshed before these are told, counts
    /// as updated.
    private func compareUpdated() {
        guard let stored = object.committedValue(of: property), stored != saved,
            !object.isInserted
        else { return compare(.changed) }
        saved = stored
        compare((try? value) == stored ? .refreshed : .changed)
    }

    private func compare(_ kind: KeyValueChangeKind) {
        let now: PropertyValue?
        do { now = try value } catch { return }
        tell(kind, now)
    }

    private func tell(_ kind: KeyValueChangeKind, _ now: PropertyValue?) {
        guard now != last else { return }
        let former = last
        last = now
        onChange(KeyValueChange(kind: kind, oldValue: former, newValue: now))
    }
}

/// A property whose value is observed.
private enum ObservedProperty {
    case slot(Int)
    case toMany(Relationship)
}

extension ManagedObject {
    fileprivate func observedProperty(_ key: String) throws(ContextError) -> ObservedProperty {
        if case .relationship(let it) = entity.property(named: key), it.isToMany {
            return .toMany(it)
        }
        return .slot(try slot(forKey: key))
    }

    fileprivate func value(of property: ObservedProperty) throws -> PropertyValue {
        switch property {
        case .slot(let slot): .value(value(slot))
        case .toMany(let relationship):
            .members(relationship.inOrder(try memberKeys(relationship)))
        }
    }

    /// The value in the store; nil if it is not known.
    fileprivate func committedValue(of property: ObservedProperty) -> PropertyValue? {
        switch property {
        case .slot(let slot):
            guard let values = before?.values, values.indices.contains(slot) else { return nil }
            return .value(values[slot])
        case .toMany(let relationship):
            return context?.toManys[relationship, objectID.key]?.stored.map {
                .members(relationship.inOrder($0))
            }
        }
    }
}

extension Relationship {
    /// Members as they are compared: those of an unordered relationship sorted.
    fileprivate func inOrder(_ members: [Int64]) -> [Int64] {
        isOrdered ? members : members.sorted()
    }
}
