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
            guard context.toManys[relationship, id.key]?.hasChanges == true else { continue }
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
            if let stored = context?.toManys[relationship, id.key]?.stored {
                committed[relationship.name] = .members(stored)
            }
        }
        return committed
    }

    /// Whether anything has changed that is stored; transient attributes are not
    /// (`hasPersistentChangedValues`).
    public final var hasPersistentChangedValues: Bool {
        guard let context else { return !changedSlots.isEmpty }
        return !context.changes.storedChanges(of: self).isEmpty
            || context.toManys.hasChanges(of: self)
    }

    /// An attribute's value, or a to-one's key, by name (`value(forKey:)`).
    /// - Throws: `ContextError.noSuchProperty`; `.noSingleValue` for a to-many, a composite
    ///   attribute and a fetched property.
    public final func value(forKey key: String) throws -> Value { value(try slot(forKey: key)) }

    /// Sets an attribute, or a to-one by the key of its destination, by name
    /// (`setValue(_:forKey:)`). A key may be a new object's; null is no destination.
    /// - Throws: as `value(forKey:)`; for a to-one `ContextError.noDestination` where the value is
    ///   no object's key, and as `setToOne`.
    public final func setValue(_ value: Value, forKey key: String) throws {
        let slot = try slot(forKey: key)
        guard case .relationship(let toOne) = entity.slots[slot] else {
            return setSlot(slot, value)
        }
        guard let context else { throw ContextError.foreignObject }
        let asked = context.model.destination(of: toOne)
        switch value {
        case .null: try setToOne(toOne, nil)
        case .key(let number):
            let id = ObjectID(root: asked.root, key: number)
            guard let destination = try context.existingObject(with: id) else {
                throw ContextError.noDestination(
                    relationship: key, asked: asked.name, given: ObjectID.name(asked.name, number))
            }
            try setToOne(toOne, destination)
        default:
            throw ContextError.noDestination(
                relationship: key, asked: asked.name, given: value.kindName)
        }
    }

    /// The slot of an attribute or a to-one.
    /// - Throws: as `value(forKey:)`.
    final func slot(forKey key: String) throws(ContextError) -> Int {
        let instead: String
        switch entity.property(named: key) {
        case .attribute(let it):
            guard it.isComposite else { return it.slot }
            instead = it.elements.first.map { "name an attribute in it, such as \($0.name)" } ?? ""
        case .relationship(let it):
            guard it.isToMany else { return it.slot }
            instead =
                "it is to-many: members(forKey:) gives its objects, and setMembers(_:forKey:) "
                + "sets them"
        case .fetchedProperty: instead = "fetched(forKey:) gives its objects"
        case nil: throw .noSuchProperty(entity: entity.name, property: key)
        }
        throw .noSingleValue(entity: entity.name, property: key, instead: instead)
    }
}
