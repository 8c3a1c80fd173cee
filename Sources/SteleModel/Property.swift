/// Checked properties: attributes and relationships with their places in a snapshot.

/// A property of a checked entity (NSPropertyDescription).
public enum Property: Sendable {
    case attribute(Attribute)
    case relationship(Relationship)
    /// Indirect, so that a property is one word to whoever looks one up.
    indirect case fetchedProperty(FetchedPropertyDescription)

    /// The property's name.
    public var name: String {
        switch self {
        case .attribute(let it): it.name
        case .relationship(let it): it.name
        case .fetchedProperty(let it): it.name
        }
    }

    /// Whether the store makes its values (NSDerivedAttributeDescription).
    public var isDerived: Bool {
        if case .attribute(let it) = self { return it.isDerived }
        return false
    }
}

/// A checked attribute; one instance for the entity that declares it and all that inherit it.
public final class Attribute: Sendable {
    /// The name; of an element of a composite attribute its key path, such as `address.city`.
    public let name: String
    /// What its values are.
    public let type: AttributeType
    /// Whether it may have no value.
    public let isOptional: Bool
    /// Its place in the snapshots of every entity that has it; a composite attribute has none of
    /// its own, and this is its first element's.
    public let slot: Int
    /// What a Composite attribute is made of, in the file's order; empty for all others.
    public let elements: [Attribute]
    /// Whether no store keeps it.
    public let isTransient: Bool
    /// The index of the entity that declares it.
    public let owner: Int
    /// Whether its values may live in files beside the store ("Allows External Storage").
    public let isExternal: Bool
    /// All that the file says of it.
    public let declaration: AttributeDescription

    init(
        _ declaration: AttributeDescription, name: String, slot: Int, owner: Int,
        elements: [Attribute]
    ) {
        self.declaration = declaration
        self.name = name
        self.slot = slot
        self.owner = owner
        self.elements = elements
        isTransient = declaration.isTransient
        type = declaration.type
        isOptional = declaration.isOptional
        isExternal = declaration.allowsExternalBinaryDataStorage && declaration.type == .binary
    }
}

extension Attribute {
    /// Whether its value is an object of others: it has no slot of its own.
    public var isComposite: Bool { type == .composite }

    /// The attributes with slots that it comes to: itself, or all within a composite.
    public var leaves: [Attribute] { isComposite ? elements.flatMap(\.leaves) : [self] }

    /// Whether the store makes its values (NSDerivedAttributeDescription).
    public var isDerived: Bool { declaration.derivationExpression != nil }

    /// Its name within its composite: `city` of `address.city`.
    public var key: String { declaration.name }

    /// Itself and everything within it.
    public var nested: [Attribute] { [self] + elements.flatMap(\.nested) }
}

/// A checked relationship; one instance for the entity that declares it and all that inherit it.
public final class Relationship: Sendable {
    /// The name.
    public let name: String
    /// Whether it leads to any number of objects.
    public let isToMany: Bool
    /// Whether the destinations keep their order.
    public let isOrdered: Bool
    /// Whether it may have no value.
    public let isOptional: Bool
    /// What happens to the destinations when an object is deleted.
    public let deleteRule: DeleteRule
    /// Its place: for a to-one in the snapshots, for a to-many in `Entity.toManys`.
    public let slot: Int
    /// Its place in `Model.relationships`.
    public let index: Int
    /// The index of the entity that declares it.
    public let owner: Int
    /// The index of the destination entity.
    public let destination: Int
    /// The inverse's place in `Model.relationships`, or nil; its own where it is its own inverse.
    public let inverse: Int?
    /// All that the file says of it.
    public let declaration: RelationshipDescription

    init(
        _ declaration: RelationshipDescription, slot: Int, index: Int, owner: Int,
        destination: Int, inverse: Int?
    ) {
        self.declaration = declaration
        self.slot = slot
        self.index = index
        self.owner = owner
        self.destination = destination
        self.inverse = inverse
        name = declaration.name
        isToMany = declaration.isToMany
        isOrdered = declaration.isOrdered
        isOptional = declaration.isOptional
        deleteRule = declaration.deleteRule
    }
}
