import SteleModel
import StelePersistence

/// The entities and classes of a model. Generated code has an enumeration without cases that
/// conforms to it.
public protocol TypedModel {
    /// The model that the classes were generated from.
    static var embedded: EmbeddedModel { get }
    /// The entities that have a class, and the properties that each class expects.
    static var entities: [TypedEntity] { get }
}

/// An entity with its class and the properties that the class expects.
public struct TypedEntity: Sendable {
    /// A property that a class expects.
    public enum Property: Sendable, Hashable {
        case attribute(AttributeType)
        case toOne(String)
        case toMany(String)
        /// An ordered to-many relationship.
        case ordered(String)
        case fetched(String)
    }

    let name: String
    let objectClass: ManagedObject.Type
    let properties: [String: Property]

    /// An entity's name, its class, and the properties that the class adds to its parent's.
    public init(
        _ name: String, _ objectClass: ManagedObject.Type, _ properties: [String: Property]
    ) {
        self.name = name
        self.objectClass = objectClass
        self.properties = properties
    }
}

extension TypedModel {
    /// The current version of the model, checked and linked.
    public static var model: Model { embedded.model }

    /// The classes by the names of their entities, for `PersistentStoreCoordinator`.
    public static var classes: [String: ManagedObject.Type] {
        Dictionary(
            entities.map { ($0.name, $0.objectClass) }, uniquingKeysWith: { first, _ in first })
    }

    /// Creates a coordinator that makes objects of the model's classes.
    /// - Parameters:
    ///   - store: an open store.
    ///   - rowCacheBytes: the approximate maximum size of the row cache, in bytes.
    /// - Throws: `TypedObjectError.differs` if the store's model lacks entities or properties that
    ///   the classes expect, or declares them differently. Additional ones are allowed.
    public static func coordinator(
        store: any PersistentStore, rowCacheBytes: Int = 32 << 20
    ) throws(TypedObjectError) -> PersistentStoreCoordinator {
        try check(store.model)
        return PersistentStoreCoordinator(
            store: store, rowCacheBytes: rowCacheBytes, classes: classes)
    }

    /// Checks that objects of a model can have the classes.
    /// - Throws: `TypedObjectError.differs` if the model lacks entities or properties that the
    ///   classes expect, or declares them differently. Additional ones are allowed.
    public static func check(_ model: Model) throws(TypedObjectError) {
        let differences = differences(from: model)
        if !differences.isEmpty { throw .differs(model: model.name, differences) }
    }

    /// The differences between the classes and the model, each as a sentence.
    private static func differences(from model: Model) -> [String] {
        entities.flatMap { typed -> [String] in
            guard let entity = model.entity(named: typed.name) else {
                return ["\(typed.name) is not an entity"]
            }
            return typed.properties.sorted { $0.key < $1.key }.compactMap { name, asked in
                let found = entity.property(named: name).flatMap {
                    TypedEntity.Property($0, model)
                }
                if found == asked { return nil }
                let place = "\(typed.name).\(name)"
                guard let found else { return "\(place) is missing" }
                return "\(place) is \(found.sentence), not \(asked.sentence)"
            }
        }
    }
}

extension TypedEntity.Property {
    /// Nil for a transient relationship, which no class has.
    fileprivate init?(_ property: SteleModel.Property, _ model: Model) {
        switch property {
        case .attribute(let it): self = .attribute(it.type)
        case .relationship(let it):
            let destination = model.destination(of: it).name
            self =
                !it.isToMany
                ? .toOne(destination) : it.isOrdered ? .ordered(destination) : .toMany(destination)
        case .fetchedProperty(let it): self = .fetched(it.request.entityName)
        case .transientRelationship: return nil
        }
    }

    fileprivate var sentence: String {
        switch self {
        case .attribute(let type): type.name
        case .toOne(let name): "a to-one to \(name)"
        case .toMany(let name): "a to-many to \(name)"
        case .ordered(let name): "an ordered to-many to \(name)"
        case .fetched(let name): "a fetched property of \(name)"
        }
    }
}
