import FoundationEssentials
import SteleModel
import StelePersistence

extension ManagedObject {
    /// The value of an attribute or the key of a to-one relationship's destination, as
    /// `value(forKey:)` gives it, without reading a fault (`primitiveValue(forKey:)`). A fault's
    /// values are null.
    /// - Throws: the errors of `value(forKey:)`.
    public final func primitiveValue(forKey key: String) throws -> Value {
        let slot = try slot(forKey: key)
        return isFault ? .null : value(slot)
    }

    /// Sets the value of an attribute without registering a change or an undo action
    /// (`setPrimitiveValue(_:forKey:)`).
    /// - Throws: `ContextError.noSuchProperty`; `ContextError.noSingleValue` for a property that is
    ///   not an attribute with one value.
    public final func setPrimitiveValue(_ value: Value, forKey key: String) throws {
        let slot = try slot(forKey: key)
        guard case .attribute(let attribute) = entity.slots[slot] else {
            throw ContextError.noSingleValue(
                entity: entity.name, property: key,
                instead: "it is a relationship: setDestination(_:forKey:) sets it")
        }
        setPrimitiveValue(value, for: attribute)
    }

    /// Whether the members of a to-many relationship, or the values of a to-one relationship's
    /// destination, would have to be read (`hasFault(forRelationshipNamed:)`). Nothing is read.
    /// - Throws: `ContextError.noSuchRelationship`, `.foreignObject`.
    public final func hasFault(forRelationshipNamed name: String) throws -> Bool {
        guard let relationship = entity.relationship(named: name) else {
            throw ContextError.noSuchRelationship(entity: entity.name, relationship: name)
        }
        return try inContext { context in
            if relationship.isToMany {
                if isInserted { return false }
                return context.toManys[relationship, objectID.key]?.isFault ?? true
            }
            if isFault { return true }
            guard let key = key(in: relationship) else { return false }
            let root = context.model.destination(of: relationship).root
            return context.registeredObject(for: ObjectID(root: root, key: key))?.isFault ?? true
        }
    }

    /// The object's URI, such as `x-coredata://UUID/Player/p42` (`uriRepresentation()`), which is
    /// valid in other programs and after a restart. `t1` in place of `p42` is an object that is not
    /// saved. `PersistentStoreCoordinator.objectID(forURI:)` reads it.
    /// - Throws: `ContextError.foreignObject`.
    public final func uriRepresentation() throws -> URL {
        let text = try inContext {
            $0.persistentStoreCoordinator.objectURI(objectID, entity: entity)
        }
        guard let url = URL(string: text) else {
            throw ContextError.unusableURI(text, reason: "the name of the entity has other letters")
        }
        return url
    }
}
