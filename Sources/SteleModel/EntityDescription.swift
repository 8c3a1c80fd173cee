/// The declarations of entities, properties and indexes.

/// The declaration of an entity (NSEntityDescription).
public struct EntityDescription: Sendable, Hashable {
    /// How Xcode generates the entity's class; preserved but not used.
    public enum CodeGenerationType: String, Sendable, Hashable {
        case none, category
        case `class`

        static let named: [(String, Self)] = [
            ("class", .class), ("category", .category), ("none", .none),
        ]
    }

    /// The entity's name.
    public var name: String
    /// The name of the entity's class (`representedClassName`).
    public var managedObjectClassName: String?
    /// The name of the parent entity; nil for a root entity.
    public var parentName: String?
    /// Whether the entity has no objects of its own.
    public var isAbstract = false
    /// The value of `syncable`; preserved but not used.
    public var isSyncable = false
    /// How Xcode generates the entity's class; preserved but not used.
    public var codeGenerationType: CodeGenerationType?
    /// The entity's name in the previous version of the model (`elementID`).
    public var renamingIdentifier: String?
    /// A text that changes the version hash although nothing else has changed.
    public var versionHashModifier: String?
    /// The attributes, relationships and fetched properties that the entity declares, in the file's
    /// order.
    public var properties: [PropertyDescription] = []
    /// The fetch indexes.
    public var fetchIndexes: [FetchIndexDescription] = []
    /// Indexes over several properties, in the older form of model files.
    public var compoundIndexes: [[String]] = []
    /// Lists of attribute names; the values of each list are unique together.
    public var uniquenessConstraints: [[String]] = []
    /// The entity's user info dictionary.
    public var userInfo: [UserInfoEntry] = []

    /// Attributes of its element that only the editor reads; preserved but not used.
    public var toolAttributes: [UserInfoEntry] = []
    /// Elements in it that only the editor reads; preserved but not used.
    public var toolElements: [ToolElement] = []

    /// Creates an entity without properties.
    public init(name: String) { self.name = name }
}

/// The declaration of a property (NSPropertyDescription).
public enum PropertyDescription: Sendable, Hashable {
    case attribute(AttributeDescription)
    case relationship(RelationshipDescription)
    case fetchedProperty(FetchedPropertyDescription)

    /// The property's name.
    public var name: String {
        switch self {
        case .attribute(let it): it.name
        case .relationship(let it): it.name
        case .fetchedProperty(let it): it.name
        }
    }
}

/// The declaration of an attribute (NSAttributeDescription).
public struct AttributeDescription: Sendable, Hashable {
    /// The attribute's name.
    public var name: String
    /// The type of its values.
    public var type: AttributeType
    /// Whether the value may be null.
    public var isOptional = false
    /// Whether stores do not keep the attribute.
    public var isTransient = false
    /// Whether there is an index over this attribute alone, in the older form of model files.
    public var isIndexed = false
    /// The value of `syncable`; preserved but not used.
    public var isSyncable = false
    /// The value of a new object, of the attribute's type; `null` if there is no default.
    public var defaultValue = Value.null
    /// The least value, or the least length of a text in UTF-16 units; `null` if there is no bound.
    public var minimum = Value.null
    /// The greatest value, or the greatest length of a text in UTF-16 units; `null` if there is no
    /// bound.
    public var maximum = Value.null
    /// A regular expression that a whole text must match.
    public var regularExpression: String?
    /// Whether Xcode's classes use a scalar type; preserved but not used.
    public var usesScalarValueType: Bool?
    /// Whether large values may be kept in files beside the store.
    public var allowsExternalBinaryDataStorage = false
    /// Whether history keeps the value of a deleted object (`preserveAfterDeletion`).
    public var preservesValueInHistoryOnDeletion = false
    /// The value of `storedInTruthFile`; preserved but not used.
    public var isStoredInTruthFile = false
    /// The name of the value transformer of a Transformable attribute.
    public var valueTransformerName: String?
    /// The class of the values; preserved but not used.
    public var customClassName: String?
    /// The name of the composite type of a Composite attribute.
    public var compositeName: String?
    /// The expression of a derived attribute; nil for all others.
    public var derivationExpression: String?
    /// The attribute's name in the previous version of the model (`elementID`).
    public var renamingIdentifier: String?
    /// A text that changes the version hash although nothing else has changed.
    public var versionHashModifier: String?
    /// The attribute's user info dictionary.
    public var userInfo: [UserInfoEntry] = []

    /// Attributes of its element that only the editor reads; preserved but not used.
    public var toolAttributes: [UserInfoEntry] = []
    /// Elements in it that only the editor reads; preserved but not used.
    public var toolElements: [ToolElement] = []

    /// Creates an attribute with default settings.
    public init(name: String, type: AttributeType) {
        self.name = name
        self.type = type
    }
}

/// The declaration of a relationship (NSRelationshipDescription).
public struct RelationshipDescription: Sendable, Hashable {
    /// The relationship's name.
    public var name: String
    /// The name of the destination entity.
    public var destinationName: String
    /// The name of the inverse relationship; nil if there is none.
    public var inverseName: String?
    /// The name of the entity that declares the inverse.
    public var inverseEntityName: String?
    /// Whether the relationship may have no destination.
    public var isOptional = false
    /// Whether stores do not keep the relationship.
    public var isTransient = false
    /// Whether there is an index over this relationship alone, in the older form of model files.
    public var isIndexed = false
    /// The value of `syncable`; preserved but not used.
    public var isSyncable = false
    /// Whether the relationship may have more than one destination.
    public var isToMany = false
    /// Whether the destinations have an order.
    public var isOrdered = false
    /// The least number of destinations; 0 is no bound.
    public var minimumCount = 0
    /// The greatest number of destinations; 0 is no bound. A to-one relationship has 1.
    public var maximumCount = 0
    /// What a deletion does to the destinations.
    public var deleteRule = DeleteRule.nullify
    /// The relationship's name in the previous version of the model (`elementID`).
    public var renamingIdentifier: String?
    /// A text that changes the version hash although nothing else has changed.
    public var versionHashModifier: String?
    /// The relationship's user info dictionary.
    public var userInfo: [UserInfoEntry] = []

    /// Attributes of its element that only the editor reads; preserved but not used.
    public var toolAttributes: [UserInfoEntry] = []
    /// Elements in it that only the editor reads; preserved but not used.
    public var toolElements: [ToolElement] = []

    /// Creates a to-one relationship to that entity.
    public init(name: String, destinationName: String) {
        self.name = name
        self.destinationName = destinationName
    }
}

/// The declaration of a fetched property (NSFetchedPropertyDescription).
public struct FetchedPropertyDescription: Sendable, Hashable {
    /// The fetched property's name.
    public var name: String
    /// Whether the fetched property is optional; preserved but not used.
    public var isOptional = false
    /// The value of `syncable`; preserved but not used.
    public var isSyncable = false
    /// The fetch request that gives its objects.
    public var request: FetchRequestTemplate
    /// The fetched property's user info dictionary.
    public var userInfo: [UserInfoEntry] = []

    /// Attributes of its element that only the editor reads; preserved but not used.
    public var toolAttributes: [UserInfoEntry] = []
    /// Elements in it that only the editor reads; preserved but not used.
    public var toolElements: [ToolElement] = []

    /// Creates a fetched property with default settings.
    public init(name: String, request: FetchRequestTemplate) {
        self.name = name
        self.request = request
    }
}

/// The declaration of an index over properties or expressions (NSFetchIndexDescription).
public struct FetchIndexDescription: Sendable, Hashable {
    /// An element of an index (NSFetchIndexElementDescription).
    public struct Element: Sendable, Hashable {
        /// The structure of the index: ordered values, or an R-tree of ranges.
        public enum Collation: String, Sendable, Hashable {
            case binary = "Binary"
            case rTree = "RTree"

            static let named: [(String, Self)] = [("Binary", .binary), ("RTree", .rTree)]
        }

        /// The indexed property; nil if the element indexes `expression`.
        public var propertyName: String?
        /// The indexed expression; nil if the element indexes a property.
        public var expression: String?
        /// The type of the expression's values.
        public var expressionType: AttributeType?
        /// The structure of the index.
        public var collation = Collation.binary
        /// Whether the order is ascending.
        public var isAscending = true

        /// Attributes of its element that only the editor reads; preserved but not used.
        public var toolAttributes: [UserInfoEntry] = []
        /// Elements in it that only the editor reads; preserved but not used.
        public var toolElements: [ToolElement] = []

        /// Creates an ascending binary element.
        public init(propertyName: String?) { self.propertyName = propertyName }
    }

    /// The index's name.
    public var name: String
    /// The elements, in order.
    public var elements: [Element] = []
    /// The predicate of a partial index.
    public var partialIndexPredicate: String?

    /// Attributes of its element that only the editor reads; preserved but not used.
    public var toolAttributes: [UserInfoEntry] = []
    /// Elements in it that only the editor reads; preserved but not used.
    public var toolElements: [ToolElement] = []

    /// Creates an index without elements.
    public init(name: String) { self.name = name }
}
