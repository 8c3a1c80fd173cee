import SteleModel
import StelePersistence

/// A property's value in `changedValues` and `committedValues`.
public enum PropertyValue: Sendable, Hashable {
    /// The value of an attribute, or the key of a to-one relationship's destination.
    case value(Value)
    /// The keys of a to-many relationship's members, in its order, or sorted if it is unordered.
    case members([Int64])
}

extension ManagedObject {
    /// The current values of the properties that have changed since the object was last fetched or
    /// saved; for a new object, those that are not null (`changedValues()`).
    /// - Throws: `StoreError` if the members of a changed to-many relationship cannot be read.
    public final func changedValues() throws -> [String: PropertyValue] {
        var changed: [String: PropertyValue] = [:]
        for slot in changedSlots { changed[entity.slots[slot].name] = .value(values[slot]) }
        guard let context else { return changed }
        for relationship in entity.toManys {
            guard context.toManys[relationship, objectID.key]?.hasChanges == true else { continue }
            changed[relationship.name] = .members(try memberKeys(relationship))
        }
        return changed
    }

    /// The last fetched or saved values (`committedValues(forKeys:)`). Empty for a new object.
    /// To-many relationships that have not been read are omitted.
    /// - Parameter keys: the names of the properties; nil for all.
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
            if let stored = context?.toManys[relationship, objectID.key]?.stored {
                committed[relationship.name] = .members(stored)
            }
        }
        return committed
    }

    /// Whether the object has changes of persistent properties (`hasPersistentChangedValues`).
    public final var hasPersistentChangedValues: Bool {
        guard let context else { return !changedSlots.isEmpty }
        return !context.changes.storedChanges(of: self).isEmpty
            || context.toManys.hasChanges(of: self)
    }

    /// The value of an attribute, or the key of a to-one relationship's destination
    /// (`value(forKey:)`).
    /// - Throws: `ContextError.noSuchProperty`; `ContextError.noSingleValue` for a to-many
    ///   relationship, a composite attribute or a fetched property.
    public final func value(forKey key: String) throws -> Value { value(try slot(forKey: key)) }

    /// Sets an attribute, or a to-one relationship by the key of its destination
    /// (`setValue(_:forKey:)`). The key may be a new object's. Null removes the destination.
    /// - Throws: the errors of `value(forKey:)`; for a to-one relationship
    ///   `ContextError.noDestination` if the value is not the key of an object, and the errors of
    ///   `setToOne`.
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

    /// The slot of an attribute or a to-one relationship.
    /// - Throws: the errors of `value(forKey:)`.
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
        case .transientRelationship: instead = "it is transient, and nothing keeps it"
        case nil: throw .noSuchProperty(entity: entity.name, property: key)
        }
        throw .noSingleValue(entity: entity.name, property: key, instead: instead)
    }
}
