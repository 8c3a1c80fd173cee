/// A model as its file says it, before anything is checked or linked (NSManagedObjectModel).

/// One version of a data model: what an `.xcdatamodel` declares, as plain values.
///
/// It can hold mistakes; `Model` is the same, checked and linked.
public struct ManagedObjectModel: Sendable, Hashable {
    /// The version's name: the file's, without its ending.
    public var name: String
    /// `userDefinedModelVersionIdentifier`; becomes NSStoreModelVersionIdentifiers.
    public var versionIdentifier = ""
    /// The entities in the file's order.
    public var entities: [EntityDescription] = []
    /// The composite types that attributes of type Composite name.
    public var composites: [CompositeDescription] = []
    /// The named fetch requests (`fetchRequestTemplatesByName`).
    public var fetchRequestTemplates: [FetchRequestTemplate] = []
    /// The named groups of entities.
    public var configurations: [ConfigurationDescription] = []
    /// Attributes of the `model` element that only Xcode reads, kept so that it can be written back.
    public var toolAttributes: [UserInfoEntry] = []

    /// An empty model of that name.
    public init(name: String) { self.name = name }
}

/// A key and its value in a `userInfo` dictionary, in the file's order.
public struct UserInfoEntry: Sendable, Hashable {
    /// The key.
    public var key: String
    /// The value.
    public var value: String

    /// One with nothing but these.
    public init(key: String, value: String) {
        self.key = key
        self.value = value
    }
}

/// A composite type: named attributes that are one column each (NSCompositeAttributeDescription).
public struct CompositeDescription: Sendable, Hashable {
    /// The name.
    public var name: String
    /// Its attributes, in the file's order.
    public var attributes: [AttributeDescription] = []

    /// One with nothing but these.
    public init(name: String) { self.name = name }
}

/// A named group of entities, to be kept in one store.
public struct ConfigurationDescription: Sendable, Hashable {
    /// The name.
    public var name: String
    /// Its members.
    public var entityNames: [String] = []

    /// One with nothing but these.
    public init(name: String) { self.name = name }
}

/// A fetch request that the model holds, by name or inside a fetched property (NSFetchRequest).
public struct FetchRequestTemplate: Sendable, Hashable {
    /// What a fetch request gives; the raw value is the `contents` file's.
    public enum ResultType: Int, Sendable, Hashable {
        case objects = 0
        case objectIDs = 1
        case dictionaries = 2
    }

    /// The name.
    public var name: String
    /// The entity whose objects are fetched.
    public var entityName: String
    /// The predicate's text, with `$VARIABLES`; nil where all objects match.
    public var predicateFormat: String?
    /// The most objects to give; 0 is no limit.
    public var fetchLimit = 0
    /// Objects a batch; 0 is all at once.
    public var fetchBatchSize = 0
    /// What it gives.
    public var resultType = ResultType.objects
    /// Whether objects of subentities match, too.
    public var includesSubentities = false
    /// Whether the values are fetched with the objects.
    public var includesPropertyValues = false
    /// Whether what is not saved yet counts.
    public var includesPendingChanges = false
    /// Whether the objects come without their values.
    public var returnsObjectsAsFaults = false
    /// Whether equal results are given once.
    public var returnsDistinctResults = false

    /// One with nothing but these.
    public init(name: String, entityName: String) {
        self.name = name
        self.entityName = entityName
    }
}
