/// What has changed of an object, by the names of its properties.

import SteleModel
import StelePersistence

/// A property's value, as `changedValues` and `committedValues` tell it.
public enum PropertyValue: Sendable, Hashable {
    /// An attribute's, or a to-one's key.
    case value(Value)
    /// The keys of a to-many's members, in its order, or by key.
    case members([Int64])
}

extension ManagedObject {
    /// The properties that differ from what was read or saved last, with their values now; all
    /// that are not null for a new object (`changedValues`). Empty after a save.
    /// - Throws: `StoreError` where the members of a changed to-many must be read and cannot.
    public final func changedValues() throws -> [String: PropertyValue] {
        var changed: [String: PropertyValue] = [:]
        for slot in changedSlots { changed[entity.slots[slot].name] = .value(values[slot]) }
        guard let context else { return changed }
        for relationship in entity.toManys {
            let place = ToManyID(relationship: relationship.index, owner: id.key)
            guard context.toManys[place]?.hasChanges == true else { continue }
            changed[relationship.name] = .members(try memberKeys(relationship))
        }
        return changed
    }

    /// What was read or saved last (`committedValues(forKeys:)`): nothing for a new object, and
    /// no to-many that was not read.
    /// - Parameter keys: the names of the properties wanted; nil for all.
    public final func committedValues(forKeys keys: [String]? = nil) -> [String: PropertyValue] {
        if isFault { _ = firedValue(0) }
        guard let before else { return [:] }
        let wanted = keys.map(Set.init)
        var committed: [String: PropertyValue] = [:]
        for (slot, property) in entity.slots.enumerated()
        where before.values.indices.contains(slot) && wanted?.contains(property.name) ?? true {
            committed[property.name] = .value(before.values[slot])
        }
        for relationship in entity.toManys where wanted?.contains(relationship.name) ?? true {
            let place = ToManyID(relationship: relationship.index, owner: id.key)
            if let stored = context?.toManys[place]?.stored {
                committed[relationship.name] = .members(stored)
            }
        }
        return committed
    }

    /// Whether anything has changed that is stored; transient attributes are not
    /// (`hasPersistentChangedValues`).
    public final var hasPersistentChangedValues: Bool {
        guard let context else { return !changedSlots.isEmpty }
        return !context.storedChanges(self).isEmpty || context.hasToManyChanges(self)
    }

    /// An attribute's value, or a to-one's key, by name (`value(forKey:)`).
    /// - Throws: `ContextError.noSuchProperty`.
    public final func value(forKey key: String) throws -> Value {
        switch entity.property(named: key) {
        case .attribute(let it): return value(it)
        case .relationship(let it) where !it.isToMany: return value(it.slot)
        default: throw ContextError.noSuchProperty(entity: entity.name, property: key)
        }
    }

    /// Sets an attribute by name (`setValue(_:forKey:)`).
    /// - Throws: `ContextError.noSuchProperty`, for relationships, too: `setToOne` sets those.
    public final func setValue(_ value: Value, forKey key: String) throws {
        guard let attribute = entity.attribute(named: key) else {
            throw ContextError.noSuchProperty(entity: entity.name, property: key)
        }
        setValue(value, for: attribute)
    }
}
