import SteleModel
import StelePersistence

/// An invalid use of a context or an object.
public enum ContextError: Error, Sendable, Hashable, CustomStringConvertible {
    /// An object of an abstract entity cannot be inserted.
    case abstractEntity(String)
    /// The object is deleted in its context.
    case deleted(entity: String, key: Int64)
    /// The relationship's destination entity is `asked`, but the object is of the entity `given`.
    case wrongDestination(relationship: String, asked: String, given: String)
    /// The object's entity does not have the relationship.
    case noSuchRelationship(entity: String, relationship: String)
    /// The value given for a to-one relationship is not the key of an existing object.
    case noDestination(relationship: String, asked: String, given: String)
    /// The object's entity has no property with the name.
    case noSuchProperty(entity: String, property: String)
    /// The property is a to-many relationship, a composite attribute or a fetched property.
    /// `instead` names the method to use.
    case noSingleValue(entity: String, property: String, instead: String)
    /// The object belongs to another context, or its context was released.
    case foreignObject
    /// The model has no root entity with the ID's number. The ID is of another store.
    case foreignIdentity(root: Int, key: Int64)
    /// The string is not the URI of an object of this store.
    case unusableURI(String, reason: String)
    /// The object cannot be assigned to the store: the store does not have its entity, or the object
    /// is saved in another one.
    case notInStore(entity: String, reason: String)
    /// A value was set on a fault that could not be read, and is lost. `rollback` or `reset` clears
    /// the error.
    case valueLost(entity: String, key: Int64, property: String)
    /// A to-one relationship was set by its property, which cannot throw, and was not changed.
    /// `rollback` or `reset` clears the error.
    case destinationNotSet(entity: String, key: Int64, relationship: String, reason: String)
    /// The object has a temporary ID, and an object in the store is needed.
    case notSaved(entity: String)
    /// The context is closed.
    case closed
    /// `willSave` keeps changing objects each time it is called.
    case willSaveDoesNotEnd(entity: String)
    /// The fetch would evaluate more objects in memory than `evaluationLimit` allows.
    case tooManyObjects(limit: Int)
    /// A context on the writer's thread cannot save. It builds a `saveRequest`.
    case onWriter

    /// The error message.
    public var description: String {
        switch self {
        case .abstractEntity(let name):
            "\(name) is abstract: insert an object of one of its subentities"
        case .deleted(let entity, let key):
            "\(ObjectID.name(entity, key)) is deleted and cannot be linked or changed"
        case .wrongDestination(let relationship, let asked, let given):
            "\(relationship) leads to \(asked), but the object is of \(given)"
        case .noDestination(let relationship, let asked, let given):
            "\(relationship) must be an existing object of \(asked), not \(given): pass its key, "
                + "or pass the object to setDestination(_:forKey:)"
        case .noSuchRelationship(let entity, let relationship):
            "\(entity) has no relationship \(relationship)"
        case .noSuchProperty(let entity, let property):
            "\(entity) has no property \(property)"
        case .noSingleValue(let entity, let property, let instead):
            "\(property) of \(entity) has no single value: \(instead)"
        case .notInStore(let entity, let reason):
            "the object of \(entity) cannot be assigned to the store: \(reason)"
        case .foreignObject: "the object belongs to another context"
        case .foreignIdentity(let root, let key):
            "the model has no root entity with the index \(root), so the object ID of \(key) is "
                + "of another store: pass URIs between stores (objectID(forURI:))"
        case .unusableURI(let uri, let reason): "\(uri) is not an object's URI: \(reason)"
        case .valueLost(let entity, let key, let property):
            "\(property) of \(ObjectID.name(entity, key)) was set while the object could not be "
                + "read, and is lost: roll the context back, and set it again"
        case .destinationNotSet(let entity, let key, let relationship, let reason):
            "\(relationship) of \(ObjectID.name(entity, key)) was not set, because \(reason): roll "
                + "the context back; setDestination(_:forKey:) throws this at once"
        case .willSaveDoesNotEnd(let entity):
            "willSave of \(entity) still changed objects after a thousand rounds: set only values "
                + "that differ"
        case .tooManyObjects(let limit):
            "with unsaved changes the fetch is evaluated in memory, and it concerns more than "
                + "\(limit) objects"
        case .notSaved(let entity): "the object of \(entity) is not saved: save it first"
        case .closed: "the context is closed"
        case .onWriter: "a context on the writer's thread cannot save: use saveRequest()"
        }
    }
}
