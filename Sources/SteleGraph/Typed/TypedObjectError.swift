/// What typed subclasses refuse.

/// A use of typed subclasses that the model, the coordinator or the data does not allow.
public enum TypedObjectError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The coordinator makes no entity's objects of that class.
    case unregistered(objectClass: String, model: String)
    /// An object is of another class than the one that is asked for.
    case wrongClass(entity: String, asked: String, made: String)
    /// The classes were generated from another model; each text names a difference.
    case differs(model: String, [String])
    /// There is no member at that place of an ordered relationship.
    case noSuchIndex(relationship: String, index: Int, count: Int)
    /// A Transformable attribute's stored bytes are not a value of its type, or cannot be made one.
    case untransformable(attribute: String, reason: String)
    /// The model has no fetched property of that name.
    case noSuchFetchedProperty(entity: String, property: String)

    /// The sentence for people.
    public var description: String {
        switch self {
        case .unregistered(let objectClass, let model):
            "no entity of \(model) has objects of the class \(objectClass): give the coordinator "
                + "the model's classes"
        case .wrongClass(let entity, let asked, let made):
            "an object of \(entity) is of the class \(made), not \(asked): give the coordinator "
                + "the model's classes"
        case .differs(let model, let differences):
            "the classes were not generated from this \(model): "
                + differences.joined(separator: ", ") + "; write them again with "
                + "`stele model swift`"
        case .noSuchIndex(let relationship, let index, let count):
            "\(relationship) has no member at \(index), for it has \(count)"
        case .untransformable(let attribute, let reason): "\(attribute): \(reason)"
        case .noSuchFetchedProperty(let entity, let property):
            "\(entity) has no fetched property \(property)"
        }
    }
}
