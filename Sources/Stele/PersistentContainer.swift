import FoundationEssentials
import SteleGraph
import SteleModel
import SteleModelFiles
import StelePersistence

/// A model, its stores and the contexts over them (NSPersistentContainer).
///
/// The initializers open the stores; there is no second step that loads them. A container is shared
/// by all threads. Its contexts are not: the compiler checks that a context stays with one task.
public final class PersistentContainer: Sendable {
    /// The name of the model, which is that of a store without a path (`name`).
    public let name: String
    /// The coordinator of the stores (`persistentStoreCoordinator`).
    public let persistentStoreCoordinator: PersistentStoreCoordinator

    /// Holds the context of the main actor; nil until it is used.
    @MainActor private var madeViewContext: ManagedObjectContext?
    private let tasks = BackgroundTasks()

    /// Opens stores.
    /// - Parameters:
    ///   - modelFile: the model with all its versions. A store of an older one is migrated.
    ///   - stores: one store with all entities, or a store for each of some configurations.
    ///   - classes: the subclasses of `ManagedObject` that represent entities, by entity name. They
    ///     are not compared with the model: `init(_:modelFile:stores:)` does that for generated
    ///     classes.
    /// - Throws: `ModelErrors` for a model or a mapping model with mistakes; `StoreError` for a store
    ///   that cannot be opened; `MigrationError` for one that cannot be migrated; the error of a
    ///   migration policy.
    public convenience init(
        modelFile: ModelFile, stores: [PersistentStoreDescription],
        classes: [String: ManagedObject.Type] = [:]
    ) throws {
        try self.init(modelFile, try modelFile.model(), stores, classes)
    }

    private init(
        _ file: ModelFile, _ model: Model, _ stores: [PersistentStoreDescription],
        _ classes: [String: ManagedObject.Type]
    ) throws {
        name = file.name
        persistentStoreCoordinator = PersistentStoreCoordinator(
            store: try Self.store(file, model, stores, classes), classes: classes)
    }

    /// Opens the store of a model with generated classes, and creates it where there is none:
    /// `PersistentContainer(LeagueModel.self, at: "League.sqlite")`.
    /// - Parameters:
    ///   - model: the type that generated code has for the model.
    ///   - path: the file of the store, or `:memory:`; nil for a file with the name of the model in
    ///     `defaultDirectory`, which is created.
    /// - Throws: as `init(modelFile:stores:classes:)`.
    public convenience init<M: TypedModel>(_ model: M.Type, at path: String? = nil) throws {
        try self.init(
            model, stores: [.init(path: try path ?? Self.defaultPath(M.embedded.file.name))])
    }

    /// Opens the store at the path of a file URL, as `init(_:at:)` with the path.
    /// - Throws: as `init(modelFile:stores:classes:)`.
    public convenience init<M: TypedModel>(_ model: M.Type, at url: URL) throws {
        try self.init(model, stores: [.init(url: url)])
    }

    /// Opens stores of a model with generated classes.
    /// - Throws: as `init(modelFile:stores:classes:)`.
    public convenience init<M: TypedModel>(
        _ model: M.Type, stores: [PersistentStoreDescription]
    ) throws {
        try self.init(M.embedded.file, M.model, stores, M.classes)
    }

    /// Opens stores of a model file with generated classes: for a model that may be newer than the
    /// program.
    /// - Parameters:
    ///   - model: the type that generated code has for the model.
    ///   - modelFile: the model with all its versions. A store of an older one is migrated.
    ///   - stores: one store with all entities, or a store for each of some configurations.
    /// - Throws: `TypedObjectError.differs` if the current version lacks what the classes expect,
    ///   before a store is touched; as `init(modelFile:stores:classes:)`.
    public convenience init<M: TypedModel>(
        _ model: M.Type, modelFile: ModelFile, stores: [PersistentStoreDescription]
    ) throws {
        let current = try modelFile.model()
        try M.check(current)
        try self.init(modelFile, current, stores, M.classes)
    }

    /// Opens the store of a model, and creates it where there is none. A `Model` is one version, so a
    /// store of another version is refused: `init(modelFile:stores:classes:)` has all of them.
    /// - Throws: as `init(modelFile:stores:classes:)`.
    public convenience init(
        model: Model, at path: String, classes: [String: ManagedObject.Type] = [:]
    ) throws {
        try self.init(ModelFile(model.declaration), model, [.init(path: path)], classes)
    }

    /// Finds a model by its name (`init(name:)`), and opens its store in `defaultDirectory`.
    ///
    /// The model is looked for beside the program, in the resources of its package and in the current
    /// folder, as a `.xcdatamodeld`, `.momd`, `.xcdatamodel`, `.mom` or `.json`.
    /// - Throws: `ModelErrors` if there is no model of that name; as
    ///   `init(modelFile:stores:classes:)`.
    public convenience init(
        name: String, at path: String? = nil, classes: [String: ManagedObject.Type] = [:]
    ) throws {
        let file = try ModelFile.read(try ModelSearch.path(of: name))
        let path = try path ?? Self.defaultPath(name)
        try self.init(modelFile: file, stores: [.init(path: path)], classes: classes)
    }

    private static func store(
        _ file: ModelFile, _ model: Model, _ descriptions: [PersistentStoreDescription],
        _ classes: [String: ManagedObject.Type]
    ) throws -> any PersistentStore {
        guard !descriptions.isEmpty else { throw StoreError.invalid("the container has no store") }
        let loadings = descriptions.map {
            StoreLoading(description: $0, file: file, model: model, classes: classes)
        }
        if loadings.count == 1, descriptions[0].configuration == nil {
            return try loadings[0].open()
        }
        // Before a file is created or migrated.
        try StoreGroup.check(try loadings.map { try $0.ownModel() }, model: model)
        var opened: [any PersistentStore] = []
        do {
            for loading in loadings { opened.append(try loading.open()) }
            return try StoreGroup(opened, model: model)
        } catch {
            for store in opened { store.close() }
            throw error
        }
    }

    /// The model (`managedObjectModel`).
    public var managedObjectModel: Model { persistentStoreCoordinator.model }

    /// Ends the threads of the stores and closes their files. Contexts cannot be used afterwards. A
    /// container that is released without it leaves them until the program ends, because contexts may
    /// still use them.
    public func close() {
        persistentStoreCoordinator.broadcast.stopPolling()
        persistentStoreCoordinator.store.close()
    }

    // MARK: Contexts

    /// The context of the main actor, which merges the saves of other contexts (`viewContext`). In a
    /// program without a user interface that is the context of `main.swift` or of `@main`.
    @MainActor public var viewContext: ManagedObjectContext {
        if let madeViewContext { return madeViewContext }
        let made = persistentStoreCoordinator.newContext()
        made.automaticallyMergesChangesFromParent = true
        madeViewContext = made
        return made
    }

    /// Creates a context for the caller's task or thread (`newBackgroundContext()`).
    public func newBackgroundContext() -> sending ManagedObjectContext {
        persistentStoreCoordinator.newContext()
    }

    /// Runs a closure with a context of its own on a thread of the container, not on one of Swift's
    /// concurrency (`performBackgroundTask(_:)`). The closure saves what is to be kept.
    /// - Returns: what the closure returns. Objects do not leave it; their IDs do.
    /// - Throws: what the closure throws.
    @discardableResult
    public func performBackgroundTask<Result: Sendable>(
        _ body: @escaping @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> Result {
        try await tasks.run { [persistentStoreCoordinator] in
            let context = persistentStoreCoordinator.newContext()
            defer { context.close() }
            return try body(context)
        }
    }

    // MARK: Places

    /// The folder for stores without a path (`defaultDirectoryURL()`): one with the name of the
    /// program in `XDG_DATA_HOME`, which is `~/.local/share` by default.
    public static var defaultDirectory: String {
        let environment = ProcessInfo.processInfo.environment
        let data =
            environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            ?? (environment["HOME"] ?? ".") + "/.local/share"
        let program = CommandLine.arguments.first?.split(separator: "/").last ?? "stele"
        return "\(data)/\(program)"
    }

    private static func defaultPath(_ name: String) throws -> String {
        let folder = defaultDirectory
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch {
            throw StoreError.failed("the folder \(folder) cannot be created: \(error)")
        }
        return "\(folder)/\(name).sqlite"
    }
}
