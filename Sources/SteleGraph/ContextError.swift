/// What a context refuses at once, before anything is saved.

import SteleModel
import StelePersistence

/// A use of a context or an object that cannot be.
public enum ContextError: Error, Sendable, Hashable, CustomStringConvertible {
    /// An abstract entity has no objects of its own.
    case abstractEntity(String)
    /// The object is deleted in its context.
    case deleted(entity: String, key: Int64)
    /// An object of that entity cannot be a destination of the relationship.
    case wrongDestination(relationship: String, asked: String, given: String)
    /// The object's entity does not have the relationship.
    case noSuchRelationship(entity: String, relationship: String)
    /// What a to-one was given names no object: a value that is no key, or a key of none.
    case noDestination(relationship: String, asked: String, given: String)
    /// The object's entity has no property of that name.
    case noSuchProperty(entity: String, property: String)
    /// The property is a to-many, a composite attribute or a fetched property; what to ask instead.
    case noSingleValue(entity: String, property: String, instead: String)
    /// The two objects are of different contexts, or the context is gone.
    case foreignObject
    /// No entity's family of this model has such identities: it is another store's.
    case foreignIdentity(root: Int, key: Int64)
    /// A URI that names no object of this store, and why.
    case unusableURI(String, reason: String)
    /// A value was set on a fault that could not be read then, and is lost; `rollback` or `reset`
    /// says that this is known.
    case valueLost(entity: String, key: Int64, property: String)
    /// The context is closed.
    case closed
    /// `willSave` goes on to change objects however often it is called.
    case willSaveDoesNotEnd(entity: String)
    /// More objects would have to be evaluated in memory than `evaluationLimit` allows.
    case tooManyObjects(limit: Int)
    /// A context on the writer's thread gives a `saveRequest`; it cannot save by itself.
    case onWriter

    /// The sentence for people.
    public var description: String {
        switch self {
        case .abstractEntity(let name):
            "\(name) is abstract: make an object of one of its subentities"
        case .deleted(let entity, let key):
            "\(ObjectID.name(entity, key)) is deleted and cannot be linked or changed"
        case .wrongDestination(let relationship, let asked, let given):
            "\(relationship) leads to \(asked), and the object given is of \(given)"
        case .noDestination(let relationship, let asked, let given):
            "\(relationship) leads to an object of \(asked), and \(given) is none: give the key "
                + "of one, or the object by setDestination(_:forKey:)"
        case .noSuchRelationship(let entity, let relationship):
            "\(entity) has no relationship \(relationship)"
        case .noSuchProperty(let entity, let property):
            "\(entity) has no property \(property)"
        case .noSingleValue(let entity, let property, let instead):
            "\(property) of \(entity) has no single value: \(instead)"
        case .foreignObject: "the object belongs to another context"
        case .foreignIdentity(let root, let key):
            "no entity with identities has the number \(root) in this model: the identity of "
                + "\(key) is of another store; pass URIs between stores (objectID(forURI:))"
        case .unusableURI(let uri, let reason): "\(uri) names no object here: \(reason)"
        case .valueLost(let entity, let key, let property):
            "\(property) of \(ObjectID.name(entity, key)) was set while the object could not be "
                + "read, and is lost: roll the context back, and set it again"
        case .willSaveDoesNotEnd(let entity):
            "willSave of \(entity) still changed objects after a thousand rounds: set only what "
                + "differs"
        case .tooManyObjects(let limit):
            "with unsaved changes this is worked out object by object, and there are more than "
                + "\(limit) of them"
        case .closed: "the context is closed"
        case .onWriter: "a context on the writer's thread gives a request and does not save it"
        }
    }
}
