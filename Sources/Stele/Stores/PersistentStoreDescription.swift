import FoundationEssentials
import SteleGraph
import SteleMigration

/// How a container opens a store (NSPersistentStoreDescription).
public struct PersistentStoreDescription: Sendable {
    /// The path of the store's file, or `:memory:`.
    public var path: String
    /// The type of a new store: `sqlite`, or the name of a file format, such as `xml`. Nil decides by
    /// the extension of the file's name, and else for SQLite. An existing file has its type already.
    public var type: String?
    /// The configuration whose entities the store has; nil for all entities (`configuration`).
    public var configuration: String?
    /// Whether nothing in the file's folder is changed (`isReadOnly`).
    public var isReadOnly = false
    /// Whether a store of an older version of the model is migrated when it is opened
    /// (`shouldMigrateStoreAutomatically`). Otherwise it is refused.
    public var shouldMigrateStoreAutomatically = true
    /// Whether a mapping model is inferred where there is none
    /// (`shouldInferMappingModelAutomatically`). Otherwise the store is refused.
    public var shouldInferMappingModelAutomatically = true
    /// Mapping models, which are taken before others and before inferred ones. Those in generated
    /// code, and those beside the file of the model and in the folders about it, are found without
    /// being named (`ModelFile.embeddedMappings`, `ModelFile.path`).
    public var mappingFiles: [MappingFile] = []
    /// The policies of the mapping models, by the names that these have for them: subclasses of
    /// `EntityMigrationPolicy`.
    public var migrationPolicies: [String: EntityMigrationPolicy.Type] = [:]

    /// The path of a store without a file, which ends with the container.
    public static let inMemoryPath = ":memory:"

    /// A description of the store at a path.
    public init(path: String) { self.path = path }

    /// A description of the store at the path of a URL (`init(url:)`).
    public init(url: URL) { path = url.path }

    /// A store without a file, which ends with the container (NSInMemoryStoreType).
    public static var inMemory: PersistentStoreDescription {
        PersistentStoreDescription(path: inMemoryPath)
    }
}
