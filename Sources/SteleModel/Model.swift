/// The model, checked and linked: what stores, predicates and contexts work with.

/// A checked model. Entities are numbered as Core Data numbers them, and linked by those numbers.
public final class Model: Sendable {
    /// What the file said.
    public let declaration: ManagedObjectModel
    /// All entities in Z_ENT order: roots sorted by name without regard to case, each followed by
    /// its subentities. `entities[i].index == i`.
    public let entities: [Entity]
    /// All relationships, each once, under the entity that declares it.
    public let relationships: [Relationship]
    /// Whether any attribute's values may live in files beside the store.
    public let hasExternalAttributes: Bool
    private let byName: [String: Int]

    init(
        declaration: ManagedObjectModel, entities: [Entity], relationships: [Relationship]
    ) {
        self.declaration = declaration
        self.entities = entities
        self.relationships = relationships
        hasExternalAttributes = entities.contains { entity in
            entity.slots.contains {
                if case .attribute(let it) = $0 { it.isExternal } else { false }
            }
        }
        byName = Dictionary(
            entities.map { ($0.name, $0.index) }, uniquingKeysWith: { first, _ in first })
    }

    /// The model's name: its file's, without the ending.
    public var name: String { declaration.name }

    /// The entity of that name, or nil.
    public func entity(named name: String) -> Entity? { byName[name].map { entities[$0] } }

    /// The entity that a relationship leads to.
    @inlinable
    public func destination(of relationship: Relationship) -> Entity {
        entities[relationship.destination]
    }

    /// The relationship's inverse, or nil where it has none.
    @inlinable
    public func inverse(of relationship: Relationship) -> Relationship? {
        relationship.inverse.map { relationships[$0] }
    }

    /// Whether rows of another program, or of an older version, may lead by it to what is not there:
    /// by a to-one whose inverse has the delete rule No Action. A link to nothing is none.
    public func mayDangle(_ relationship: Relationship) -> Bool {
        !relationship.isToMany && inverse(of: relationship)?.deleteRule == .noAction
    }

    /// The root of the entity's family: itself where it has no parent. Keys are unique within it.
    @inlinable
    public func root(of entity: Entity) -> Entity { entities[entity.root] }

    /// The entity and all its subentities.
    public func family(of entity: Entity) -> ArraySlice<Entity> { entities[entity.subtree] }

    /// The entity whose objects a uniqueness constraint holds for: the topmost that has all its
    /// properties. What a subentity says of what it inherits holds for its parent's objects, too,
    /// for they share the table that the unique index is of.
    public func entity(sharing constraint: [String], of entity: Entity) -> Entity {
        var shared = entity
        while let parent = shared.parent.map({ entities[$0] }),
            constraint.allSatisfy({ parent.property(named: $0) != nil })
        { shared = parent }
        return shared
    }
}

/// A checked entity with everything it inherits (NSEntityDescription).
public final class Entity: Sendable {
    /// Its place in `Model.entities`.
    public let index: Int
    /// The name.
    public let name: String
    /// Whether it has no objects of its own.
    public let isAbstract: Bool
    /// The parent's index, or nil for a root.
    public let parent: Int?
    /// The index of the root of its family; its own where it has no parent.
    public let root: Int
    /// The indexes of itself and all its subentities, which follow it without a gap.
    public let subtree: Range<Int>
    /// All properties, the inherited ones first, each in the file's order.
    public let properties: [Property]
    /// What a snapshot of it holds, by slot: attributes and to-one relationships. A composite
    /// attribute is there by what is within it.
    /// A subentity's slots begin with its parent's.
    public let slots: [Property]
    /// Its to-many relationships, by `Relationship.slot`.
    public let toManys: [Relationship]
    /// The constraints that hold for it, its own and inherited ones.
    public let uniquenessConstraints: [[String]]
    /// The file's declaration of it.
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
            case .fetchedProperty: []
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

    /// The property of that name, its own or inherited, or nil. An element of a composite attribute
    /// is found by its key path, `address.city`.
    public func property(named name: String) -> Property? { byName.value(of: name) }

    /// The attribute of that name, or nil.
    public func attribute(named name: String) -> Attribute? {
        if case .attribute(let it)? = property(named: name) { it } else { nil }
    }

    /// The relationship of that name, or nil.
    public func relationship(named name: String) -> Relationship? {
        if case .relationship(let it)? = property(named: name) { it } else { nil }
    }

    /// Whether the entity at that index is this one or one of its subentities.
    @inlinable
    public func isKind(_ other: Int) -> Bool { subtree.contains(other) }

    /// Whether it has subentities.
    @inlinable
    public var hasSubentities: Bool { subtree.count > 1 }
}
