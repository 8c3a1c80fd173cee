/// Properties of a checked model, with their places in a snapshot.

/// A property of a checked entity (NSPropertyDescription).
public enum Property: Sendable {
    case attribute(Attribute)
    case relationship(Relationship)
    /// Indirect, so that a property takes one word.
    indirect case fetchedProperty(FetchedPropertyDescription)
    /// A transient relationship. Nothing keeps it, so it has no destination.
    indirect case transientRelationship(RelationshipDescription)

    /// The property's name.
    public var name: String {
        switch self {
        case .attribute(let it): it.name
        case .relationship(let it): it.name
        case .fetchedProperty(let it): it.name
        case .transientRelationship(let it): it.name
        }
    }

    /// Whether the store computes the values (NSDerivedAttributeDescription).
    public var isDerived: Bool {
        if case .attribute(let it) = self { return it.isDerived }
        return false
    }
}

/// A checked attribute. The entity that declares it and those that inherit it share one instance.
public final class Attribute: Sendable {
    /// The attribute's name; for an element of a composite attribute its key path, such as
    /// `address.city`.
    public let name: String
    /// The type of its values.
    public let type: AttributeType
    /// Whether the value may be null.
    public let isOptional: Bool
    /// The index of its value in a snapshot. For a composite attribute, which has no value of its
    /// own, it is that of the first element.
    public let slot: Int
    /// The elements of a Composite attribute, in the file's order; empty for all others.
    public let elements: [Attribute]
    /// Whether stores do not keep the attribute.
    public let isTransient: Bool
    /// The index of the entity that declares the attribute.
    public let owner: Int
    /// Whether values may be kept in files beside the store ("Allows External Storage").
    public let isExternal: Bool
    /// Whether a column's first byte tells where the value is: a Binary or Transformable attribute
    /// with external storage. Values of a Transformable one are read from files, and not written to
    /// them.
    public let hasMarker: Bool
    /// The declaration in the model file.
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
        // A value that Stele encrypts is in the row, and begins with a version.
        hasMarker =
            isExternal
            || declaration.allowsExternalBinaryDataStorage && declaration.type == .transformable
                && declaration.valueTransformerName != ValueTransformers.encrypted
    }
}

extension Attribute {
    /// Whether the attribute is composite, without a slot of its own.
    public var isComposite: Bool { type == .composite }

    /// The attributes with slots: the attribute itself, or all inside a composite.
    public var leaves: [Attribute] { isComposite ? elements.flatMap(\.leaves) : [self] }

    /// Whether the store computes the values (NSDerivedAttributeDescription).
    public var isDerived: Bool { declaration.derivationExpression != nil }

    /// Whether a deletion keeps its value in the history (`preservesValueInHistoryOnDeletion`).
    package var isPreserved: Bool {
        declaration.preservesValueInHistoryOnDeletion && !isTransient
    }

    /// The name inside the composite: `city` of `address.city`.
    public var key: String { declaration.name }

    /// The attribute and all attributes inside it.
    public var nested: [Attribute] { [self] + elements.flatMap(\.nested) }
}

/// A checked relationship. The entity that declares it and those that inherit it share one
/// instance.
public final class Relationship: Sendable {
    /// The relationship's name.
    public let name: String
    /// Whether it may have more than one destination.
    public let isToMany: Bool
    /// Whether the destinations have an order.
    public let isOrdered: Bool
    /// Whether it is declared as optional. A to-many that is not may be empty all the same, where it
    /// has no minimum count (`isRequired`).
    public let isOptional: Bool
    /// What a deletion does to the destinations.
    public let deleteRule: DeleteRule
    /// The index of a to-one relationship in a snapshot, of a to-many relationship in
    /// `Entity.toManys`.
    public let slot: Int
    /// The index in `Model.relationships`.
    public let index: Int
    /// The index of the entity that declares it.
    public let owner: Int
    /// The index of the destination entity.
    public let destination: Int
    /// The index of the inverse in `Model.relationships`; nil if there is none. A relationship can
    /// be its own inverse.
    public let inverse: Int?
    /// The declaration in the model file.
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
        isOrdered = declaration.isOrdered && declaration.isToMany
        isOptional = declaration.isOptional
        deleteRule = declaration.deleteRule
    }

    /// The least number of destinations, apart from none where it is optional (Core Data's
    /// `minCount`). A to-many without a minimum count has none, also where it is not optional: so it
    /// is in the stores of apps.
    public var leastCount: Int { isToMany ? declaration.minimumCount : isOptional ? 0 : 1 }

    /// Whether an object needs a destination.
    public var isRequired: Bool { !isOptional && leastCount > 0 }

    /// Whether an object has fewer destinations than the model asks for. An optional relationship may
    /// be empty, whatever its minimum count.
    public func isTooFew(_ count: Int) -> Bool {
        count < leastCount && !(count == 0 && isOptional)
    }
}
