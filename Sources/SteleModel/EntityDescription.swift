/// An entity as its file declares it, with the properties it adds to its parent's.

/// An entity's declaration (NSEntityDescription).
public struct EntityDescription: Sendable, Hashable {
    /// How Xcode makes the class; kept to be written back.
    public enum CodeGenerationType: String, Sendable, Hashable {
        case none, category
        case `class`
    }

    public var name: String
    /// `representedClassName`.
    public var managedObjectClassName: String?
    /// The name of the entity that it inherits from.
    public var parentName: String?
    public var isAbstract = false
    public var isSyncable = false
    public var codeGenerationType: CodeGenerationType?
    /// `elementID`: the name in the version before.
    public var renamingIdentifier: String?
    public var versionHashModifier: String?
    /// Attributes, relationships and fetched properties of its own, in the file's order.
    public var properties: [PropertyDescription] = []
    public var fetchIndexes: [FetchIndexDescription] = []
    /// The older spelling of indexes over several properties.
    public var compoundIndexes: [[String]] = []
    /// Each a list of attribute names whose values must be unique together.
    public var uniquenessConstraints: [[String]] = []
    public var userInfo: [UserInfoEntry] = []

    /// An entity without properties.
    public init(name: String) { self.name = name }
}

/// One property's declaration (NSPropertyDescription).
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

/// An attribute's declaration (NSAttributeDescription).
public struct AttributeDescription: Sendable, Hashable {
    public var name: String
    public var type: AttributeType
    public var isOptional = false
    public var isTransient = false
    /// The older spelling of an index over this attribute alone.
    public var isIndexed = false
    public var isSyncable = false
    /// What a new object has, typed as the attribute; `null` where there is none.
    public var defaultValue = Value.null
    /// The least value, or for text the least length; `null` where there is none.
    public var minimum = Value.null
    /// The greatest value, or for text the greatest length; `null` where there is none.
    public var maximum = Value.null
    /// What text must match as a whole.
    public var regularExpression: String?
    public var usesScalarValueType: Bool?
    public var allowsExternalBinaryDataStorage = false
    public var preservesValueInHistoryOnDeletion = false
    public var isStoredInTruthFile = false
    public var valueTransformerName: String?
    public var customClassName: String?
    /// The composite type's name, for an attribute of type Composite.
    public var compositeName: String?
    /// What a derived attribute is made from; nil for all others.
    public var derivationExpression: String?
    public var renamingIdentifier: String?
    public var versionHashModifier: String?
    public var userInfo: [UserInfoEntry] = []

    /// An attribute with nothing but a name and a type.
    public init(name: String, type: AttributeType) {
        self.name = name
        self.type = type
    }
}

/// A relationship's declaration (NSRelationshipDescription).
public struct RelationshipDescription: Sendable, Hashable {
    public var name: String
    public var destinationName: String
    public var inverseName: String?
    public var inverseEntityName: String?
    public var isOptional = false
    public var isTransient = false
    public var isIndexed = false
    public var isSyncable = false
    public var isToMany = false
    public var isOrdered = false
    /// The fewest destinations; 0 is no bound.
    public var minimumCount = 0
    /// The most destinations; 0 is no bound, 1 is what a to-one has.
    public var maximumCount = 0
    public var deleteRule = DeleteRule.nullify
    public var renamingIdentifier: String?
    public var versionHashModifier: String?
    public var userInfo: [UserInfoEntry] = []

    /// A to-one relationship to the entity of that name.
    public init(name: String, destinationName: String) {
        self.name = name
        self.destinationName = destinationName
    }
}

/// A fetched property's declaration (NSFetchedPropertyDescription).
public struct FetchedPropertyDescription: Sendable, Hashable {
    public var name: String
    public var isOptional = false
    public var isSyncable = false
    public var request: FetchRequestTemplate
    public var userInfo: [UserInfoEntry] = []

    public init(name: String, request: FetchRequestTemplate) {
        self.name = name
        self.request = request
    }
}

/// An index over properties or expressions (NSFetchIndexDescription).
public struct FetchIndexDescription: Sendable, Hashable {
    /// One column of it (NSFetchIndexElementDescription).
    public struct Element: Sendable, Hashable {
        public enum Collation: String, Sendable, Hashable {
            case binary = "Binary"
            case rTree = "RTree"
        }
        /// The property, or nil where `expression` says what is indexed.
        public var propertyName: String?
        public var expression: String?
        /// The type of what `expression` gives.
        public var expressionType: AttributeType?
        public var collation = Collation.binary
        public var isAscending = true

        public init(propertyName: String?) { self.propertyName = propertyName }
    }

    public var name: String
    public var elements: [Element] = []
    /// The predicate of a partial index.
    public var partialIndexPredicate: String?

    public init(name: String) { self.name = name }
}
