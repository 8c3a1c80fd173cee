/// An entity as its file declares it, with the properties it adds to its parent's.

/// An entity's declaration (NSEntityDescription).
public struct EntityDescription: Sendable, Hashable {
    /// How Xcode makes the class; kept to be written back.
    public enum CodeGenerationType: String, Sendable, Hashable {
        case none, category
        case `class`
    }

    /// The name.
    public var name: String
    /// `representedClassName`.
    public var managedObjectClassName: String?
    /// The name of the entity that it inherits from.
    public var parentName: String?
    /// Whether it has no objects of its own.
    public var isAbstract = false
    /// `syncable`; kept to be written back.
    public var isSyncable = false
    /// How Xcode makes the class.
    public var codeGenerationType: CodeGenerationType?
    /// `elementID`: the name in the version before.
    public var renamingIdentifier: String?
    /// A text that changes the version hash where nothing else does.
    public var versionHashModifier: String?
    /// Attributes, relationships and fetched properties of its own, in the file's order.
    public var properties: [PropertyDescription] = []
    /// Its indexes.
    public var fetchIndexes: [FetchIndexDescription] = []
    /// The older spelling of indexes over several properties.
    public var compoundIndexes: [[String]] = []
    /// Each a list of attribute names whose values must be unique together.
    public var uniquenessConstraints: [[String]] = []
    /// What else the file says of it, for people and programs.
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
    /// The name.
    public var name: String
    /// What its values are.
    public var type: AttributeType
    /// Whether it may have no value.
    public var isOptional = false
    /// Whether no store keeps it.
    public var isTransient = false
    /// The older spelling of an index over this attribute alone.
    public var isIndexed = false
    /// `syncable`; kept to be written back.
    public var isSyncable = false
    /// What a new object has, typed as the attribute; `null` where there is none.
    public var defaultValue = Value.null
    /// The least value, or for text the least length; `null` where there is none.
    public var minimum = Value.null
    /// The greatest value, or for text the greatest length; `null` where there is none.
    public var maximum = Value.null
    /// What text must match as a whole.
    public var regularExpression: String?
    /// Whether Xcode's classes use a scalar for it; kept to be written back.
    public var usesScalarValueType: Bool?
    /// Whether large values may live in files beside the store.
    public var allowsExternalBinaryDataStorage = false
    /// Whether history keeps the value after a deletion (`preserveAfterDeletion`).
    public var preservesValueInHistoryOnDeletion = false
    /// `storedInTruthFile`; kept to be written back.
    public var isStoredInTruthFile = false
    /// What makes bytes of a Transformable attribute's values.
    public var valueTransformerName: String?
    /// The class of the values; kept to be written back.
    public var customClassName: String?
    /// The composite type's name, for an attribute of type Composite.
    public var compositeName: String?
    /// What a derived attribute is made from; nil for all others.
    public var derivationExpression: String?
    /// `elementID`: the name in the version before.
    public var renamingIdentifier: String?
    /// A text that changes the version hash where nothing else does.
    public var versionHashModifier: String?
    /// What else the file says of it, for people and programs.
    public var userInfo: [UserInfoEntry] = []

    /// An attribute with nothing but a name and a type.
    public init(name: String, type: AttributeType) {
        self.name = name
        self.type = type
    }
}

/// A relationship's declaration (NSRelationshipDescription).
public struct RelationshipDescription: Sendable, Hashable {
    /// The name.
    public var name: String
    /// The entity that it leads to.
    public var destinationName: String
    /// The relationship that leads back.
    public var inverseName: String?
    /// The entity that declares the inverse.
    public var inverseEntityName: String?
    /// Whether it may have no value.
    public var isOptional = false
    /// Whether no store keeps it.
    public var isTransient = false
    /// The older spelling of an index over it alone.
    public var isIndexed = false
    /// `syncable`; kept to be written back.
    public var isSyncable = false
    /// Whether it leads to any number of objects.
    public var isToMany = false
    /// Whether the destinations keep their order.
    public var isOrdered = false
    /// The fewest destinations; 0 is no bound.
    public var minimumCount = 0
    /// The most destinations; 0 is no bound, 1 is what a to-one has.
    public var maximumCount = 0
    /// What happens to the destinations when an object is deleted.
    public var deleteRule = DeleteRule.nullify
    /// `elementID`: the name in the version before.
    public var renamingIdentifier: String?
    /// A text that changes the version hash where nothing else does.
    public var versionHashModifier: String?
    /// What else the file says of it, for people and programs.
    public var userInfo: [UserInfoEntry] = []

    /// A to-one relationship to the entity of that name.
    public init(name: String, destinationName: String) {
        self.name = name
        self.destinationName = destinationName
    }
}

/// A fetched property's declaration (NSFetchedPropertyDescription).
public struct FetchedPropertyDescription: Sendable, Hashable {
    /// The name.
    public var name: String
    /// Whether it may have no value.
    public var isOptional = false
    /// `syncable`; kept to be written back.
    public var isSyncable = false
    /// What it fetches.
    public var request: FetchRequestTemplate
    /// What else the file says of it, for people and programs.
    public var userInfo: [UserInfoEntry] = []

    /// One with nothing but these.
    public init(name: String, request: FetchRequestTemplate) {
        self.name = name
        self.request = request
    }
}

/// An index over properties or expressions (NSFetchIndexDescription).
public struct FetchIndexDescription: Sendable, Hashable {
    /// One column of it (NSFetchIndexElementDescription).
    public struct Element: Sendable, Hashable {
        /// How an index finds its values: in order, or as ranges in a tree.
        public enum Collation: String, Sendable, Hashable {
            case binary = "Binary"
            case rTree = "RTree"
        }
        /// The property, or nil where `expression` says what is indexed.
        public var propertyName: String?
        /// What is indexed where it is no property.
        public var expression: String?
        /// The type of what `expression` gives.
        public var expressionType: AttributeType?
        /// How it is indexed.
        public var collation = Collation.binary
        /// Whether it ascends.
        public var isAscending = true

        /// One with nothing but these.
        public init(propertyName: String?) { self.propertyName = propertyName }
    }

    /// The name.
    public var name: String
    /// Its columns, in order.
    public var elements: [Element] = []
    /// The predicate of a partial index.
    public var partialIndexPredicate: String?

    /// One with nothing but these.
    public init(name: String) { self.name = name }
}
