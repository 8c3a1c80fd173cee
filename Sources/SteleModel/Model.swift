/// A checked and linked model. Entities refer to each other by their index, which is Core Data's
/// order.
public final class Model: Sendable {
    /// The declaration that the model was made from.
    public let declaration: ManagedObjectModel
    /// All entities in Z_ENT order: roots by name ignoring case, each followed by its subentities.
    /// `entities[i].index == i`.
    public let entities: [Entity]
    /// All relationships, each once, under the entity that declares it; without transient ones.
    public let relationships: [Relationship]
    /// Whether any attribute allows external storage.
    public let hasExternalAttributes: Bool
    /// The configuration whose entities a store of this model has; nil for all entities.
    public let configuration: String?
    /// The entities that a store of this model has, in the order of `entities`.
    public let storedEntities: [Entity]
    /// The model that this one is a part of; nil for a whole one.
    private let source: Model?
    private let byName: [String: Int]

    /// - Parameters:
    ///   - configuration: the name of the configuration that the model is restricted to.
    ///   - source: the model that this one is a part of; nil for a whole one.
    ///   - isStored: whether a store has the entity.
    init(
        declaration: ManagedObjectModel, entities: [Entity], relationships: [Relationship],
        configuration: String? = nil, source: Model? = nil,
        isStored: (Entity) -> Bool = { _ in true }
    ) {
        self.declaration = declaration
        self.entities = entities
        self.relationships = relationships
        self.configuration = configuration
        self.source = source
        storedEntities = entities.filter(isStored)
        hasExternalAttributes = entities.contains { entity in
            entity.slots.contains {
                if case .attribute(let it) = $0 { it.isExternal } else { false }
            }
        }
        byName = Dictionary(
            entities.map { ($0.name, $0.index) }, uniquingKeysWith: { first, _ in first })
    }

    /// The model that this one is a part of (`part(of:)`), or else itself. A store's file has the
    /// whole one in Z_MODELCACHE.
    public var whole: Model { source?.whole ?? self }

    /// The model's name: the file name without its extension.
    public var name: String { declaration.name }

    /// The name of the configuration that has all entities.
    public static let defaultConfiguration = "Default"

    /// The model for a store of one configuration
    /// (NSManagedObjectModel.entities(forConfigurationName:)): with all entities, of which a store
    /// has those of the configuration. An entity that the configuration names brings its parents
    /// and subentities, because they share a table.
    /// - Returns: nil if the model has no configuration of that name.
    public func restricted(to configuration: String) -> Model? {
        if configuration == Self.defaultConfiguration {
            return Model(
                declaration: declaration, entities: entities, relationships: relationships,
                configuration: configuration, source: source)
        }
        guard let named = declaration.configurations.first(where: { $0.name == configuration })
        else { return nil }
        let roots = Set(named.entityNames.compactMap { entity(named: $0)?.root })
        return Model(
            declaration: declaration, entities: entities, relationships: relationships,
            configuration: configuration, source: source, isStored: { roots.contains($0.root) })
    }

    /// The entity of that name; nil if there is none.
    public func entity(named name: String) -> Entity? { byName[name].map { entities[$0] } }

    /// The destination entity of a relationship.
    @inlinable
    public func destination(of relationship: Relationship) -> Entity {
        entities[relationship.destination]
    }

    /// The inverse of a relationship; nil if it has none.
    @inlinable
    public func inverse(of relationship: Relationship) -> Relationship? {
        relationship.inverse.map { relationships[$0] }
    }

    /// Whether the relationship may refer to an object that does not exist: a to-one relationship
    /// whose inverse has the delete rule No Action may, in rows that another program or an older
    /// version wrote. Such a reference reads as null.
    package func mayDangle(_ relationship: Relationship) -> Bool {
        !relationship.isToMany && inverse(of: relationship)?.deleteRule == .noAction
    }

    /// The root of an entity's inheritance tree. Keys are unique within a tree.
    @inlinable
    public func root(of entity: Entity) -> Entity { entities[entity.root] }

    /// An entity and all its subentities.
    public func family(of entity: Entity) -> ArraySlice<Entity> { entities[entity.subtree] }

    /// The topmost entity that has all properties of a uniqueness constraint. A constraint over
    /// inherited properties also applies to the parent's objects, because the unique index covers
    /// the shared table.
    package func entity(sharing constraint: [String], of entity: Entity) -> Entity {
        var shared = entity
        while let parent = shared.parent.map({ entities[$0] }),
            constraint.allSatisfy({ parent.property(named: $0) != nil })
        { shared = parent }
        return shared
    }
}

/// A checked entity with all inherited properties (NSEntityDescription).
public final class Entity: Sendable {
    /// The index in `Model.entities`.
    public let index: Int
    /// The entity's name.
    public let name: String
    /// Whether the entity has no objects of its own.
    public let isAbstract: Bool
    /// The index of the parent; nil for a root.
    public let parent: Int?
    /// The index of the root of the inheritance tree.
    public let root: Int
    /// The indexes of the entity and all its subentities, which follow it directly.
    public let subtree: Range<Int>
    /// All properties, inherited ones first, each group in the file's order.
    public let properties: [Property]
    /// The contents of a snapshot: attributes and to-one relationships, by slot. A composite
    /// attribute is represented by its elements. The slots of a subentity begin with those of its
    /// parent.
    public let slots: [Property]
    /// The to-many relationships, by `Relationship.slot`.
    public let toManys: [Relationship]
    /// The uniqueness constraints, inherited ones first.
    public let uniquenessConstraints: [[String]]
    /// The declaration in the model file.
    public let declaration: EntityDescription
    private let byName: NameTable<Property>

    init(
        declaration: EntityDescription, index: Int, parent: Int?, root: Int, subtree: Range<Int>,
        properties: [Property], uniquenessConstraints: [[String]]
    ) {
        self.declaration = declaration
        self.index = index
        self.parent = parent
        self.root = root
        self.subtree = subtree
        self.properties = properties
        self.uniquenessConstraints = uniquenessConstraints
        name = declaration.name
        isAbstract = declaration.isAbstract
        slots = properties.flatMap { property -> [Property] in
            switch property {
            case .attribute(let it): it.isComposite ? it.leaves.map { .attribute($0) } : [property]
            case .relationship(let it): it.isToMany ? [] : [property]
            case .fetchedProperty, .transientRelationship: []
            }
        }
        toManys = properties.compactMap { property in
            if case .relationship(let it) = property, it.isToMany { it } else { nil }
        }
        var byName: [String: Property] = [:]
        for property in properties {
            byName[property.name] = property
            guard case .attribute(let it) = property, it.isComposite else { continue }
            for element in it.nested.dropFirst() { byName[element.name] = .attribute(element) }
        }
        self.byName = NameTable(byName)
    }

    /// The property of that name, declared or inherited; nil if there is none. An element of a
    /// composite attribute has a key path as its name, such as `address.city`.
    public func property(named name: String) -> Property? { byName.value(of: name) }

    /// The attribute of that name; nil if there is none.
    public func attribute(named name: String) -> Attribute? {
        if case .attribute(let it)? = property(named: name) { it } else { nil }
    }

    /// The relationship of that name; nil if there is none.
    public func relationship(named name: String) -> Relationship? {
        if case .relationship(let it)? = property(named: name) { it } else { nil }
    }

    /// Whether a deletion keeps values of its objects in the history.
    package var preservesValues: Bool {
        properties.contains { property in
            if case .attribute(let it) = property { it.isPreserved } else { false }
        }
    }

    /// Whether the entity with that index is this one or one of its subentities.
    @inlinable
    public func isKind(_ other: Int) -> Bool { subtree.contains(other) }

    /// Whether the entity has subentities.
    @inlinable
    public var hasSubentities: Bool { subtree.count > 1 }
}
