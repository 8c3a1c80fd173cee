/// The declaration of a model, as plain values.

/// A version of a data model as its file declares it (NSManagedObjectModel).
///
/// It is not checked and can contain errors. `Model` is the checked and linked form.
public struct ManagedObjectModel: Sendable, Hashable {
    /// The version's name: the file name without its extension.
    public var name: String
    /// The value of `userDefinedModelVersionIdentifier`, which is stored as
    /// NSStoreModelVersionIdentifiers.
    public var versionIdentifier = ""
    /// The entities, in the file's order.
    public var entities: [EntityDescription] = []
    /// The composite types.
    public var composites: [CompositeDescription] = []
    /// The fetch request templates (`fetchRequestTemplatesByName`).
    public var fetchRequestTemplates: [FetchRequestTemplate] = []
    /// The configurations, which are named groups of entities.
    public var configurations: [ConfigurationDescription] = []
    /// The attributes of the `model` element that only Xcode reads; preserved but not used.
    public var toolAttributes: [UserInfoEntry] = []
    /// The elements of the `model` element that only Xcode reads, such as the layout of its diagram;
    /// preserved but not used.
    public var toolElements: [ToolElement] = []

    /// Creates an empty model.
    public init(name: String) { self.name = name }
}

/// An entry of a user info dictionary.
public struct UserInfoEntry: Sendable, Hashable {
    /// The entry's key.
    public var key: String
    /// The entry's value.
    public var value: String

    /// Creates an entry.
    public init(key: String, value: String) {
        self.key = key
        self.value = value
    }
}

/// A composite type: a group of attributes, each stored in a column
/// (NSCompositeAttributeDescription).
public struct CompositeDescription: Sendable, Hashable {
    /// The name of the type.
    public var name: String
    /// The attributes, in the file's order.
    public var attributes: [AttributeDescription] = []

    /// Attributes of its element that only the editor reads; preserved but not used.
    public var toolAttributes: [UserInfoEntry] = []
    /// Elements in it that only the editor reads; preserved but not used.
    public var toolElements: [ToolElement] = []

    /// Creates a composite type without attributes.
    public init(name: String) { self.name = name }
}

/// A named group of entities.
public struct ConfigurationDescription: Sendable, Hashable {
    /// The configuration's name.
    public var name: String
    /// The names of the member entities.
    public var entityNames: [String] = []

    /// Attributes of its element that only the editor reads; preserved but not used.
    public var toolAttributes: [UserInfoEntry] = []
    /// Elements in it that only the editor reads; preserved but not used.
    public var toolElements: [ToolElement] = []

    /// Creates a configuration without members.
    public init(name: String) { self.name = name }
}

/// A fetch request in a model: a template, or the request of a fetched property (NSFetchRequest).
public struct FetchRequestTemplate: Sendable, Hashable {
    /// The kind of result (NSFetchRequestResultType). The raw value is that of the `contents` file.
    public enum ResultType: Int, Sendable, Hashable {
        case objects = 0
        case objectIDs = 1
        case dictionaries = 2

        /// Whether a request fetches property values with the objects unless it is set.
        package var usuallyIncludesPropertyValues: Bool { self != .objectIDs }

        /// Whether a request takes unsaved changes into account unless it is set.
        package var usuallyIncludesPendingChanges: Bool { self != .dictionaries }
    }

    /// The template's name.
    public var name: String
    /// The name of the entity to fetch.
    public var entityName: String
    /// The format string of the predicate, which may contain `$VARIABLES`; nil matches all objects.
    public var predicateFormat: String?
    /// The maximum number of objects; 0 is no limit.
    public var fetchLimit = 0
    /// The number of objects in a batch; 0 is no batching.
    public var fetchBatchSize = 0
    /// The kind of result.
    public var resultType = ResultType.objects
    /// Whether objects of subentities match.
    public var includesSubentities = true
    /// Whether property values are fetched with the objects.
    public var includesPropertyValues = true
    /// Whether unsaved changes are taken into account.
    public var includesPendingChanges = true
    /// Whether the objects are returned as faults.
    public var returnsObjectsAsFaults = true
    /// Whether duplicate results are removed.
    public var returnsDistinctResults = false

    /// Attributes of its element that only the editor reads; preserved but not used.
    public var toolAttributes: [UserInfoEntry] = []
    /// Elements in it that only the editor reads; preserved but not used.
    public var toolElements: [ToolElement] = []

    /// Creates a request for all objects of an entity.
    public init(name: String, entityName: String) {
        self.name = name
        self.entityName = entityName
    }
}
