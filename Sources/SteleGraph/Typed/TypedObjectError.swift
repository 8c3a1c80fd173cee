/// An error of using typed subclasses that do not fit the model, the coordinator or the data.
public enum TypedObjectError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The coordinator has no entity that is represented by the class.
    case unregistered(objectClass: String, model: String)
    /// The object is of another class than the requested one.
    case wrongClass(entity: String, asked: String, made: String)
    /// The classes were generated from another model. Each string describes a difference.
    case differs(model: String, [String])
    /// The index is out of range in the ordered relationship.
    case noSuchIndex(relationship: String, index: Int, count: Int)
    /// The stored bytes of a Transformable attribute cannot be decoded, or its value cannot be
    /// encoded.
    case untransformable(attribute: String, reason: String)
    /// The entity has no fetched property with the name.
    case noSuchFetchedProperty(entity: String, property: String)

    /// The error message.
    public var description: String {
        switch self {
        case .unregistered(let objectClass, let model):
            "no entity of \(model) is represented by the class \(objectClass): pass the model's "
                + "classes to the coordinator"
        case .wrongClass(let entity, let asked, let made):
            "an object of \(entity) is of the class \(made), not \(asked): pass the model's "
                + "classes to the coordinator"
        case .differs(let model, let differences):
            "the classes were not generated from this \(model): "
                + differences.joined(separator: ", ") + "; generate them again with "
                + "`stele model swift`"
        case .noSuchIndex(let relationship, let index, let count):
            "\(relationship) has no member at index \(index): its count is \(count)"
        case .untransformable(let attribute, let reason): "\(attribute): \(reason)"
        case .noSuchFetchedProperty(let entity, let property):
            "\(entity) has no fetched property \(property)"
        }
    }
}
