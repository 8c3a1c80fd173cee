import SteleMigration
import SteleModel
import StelePersistence

/// What carries out the stages of a staged migration on a store. It is used by one thread. An error
/// that a method throws ends the migration and is thrown by `StagedMigrationManager.migrate`.
public protocol StagedMigrationExecutor: AnyObject {
    /// Returns the checksum of the model that the store was made with
    /// (NSStoreModelVersionChecksumKey); nil if its metadata has none.
    /// - Throws: an error where the metadata cannot be read.
    func versionChecksum() throws -> String?

    /// Migrates the store from the model that it was made with to the next one. When it returns,
    /// `versionChecksum` is that of the destination.
    /// - Throws: an error where the store is not migrated; it then has the model that it had.
    func migrate(from source: Model, to destination: Model) throws

    /// Opens the store with the model that it was made with, for the code of a stage.
    /// - Throws: what `body` throws; an error where the store cannot be opened.
    func withStore(
        _ model: Model, _ body: (PersistentStoreCoordinator) throws -> Void
    ) throws
}

/// A model by its checksum, loaded when it is needed (NSManagedObjectModelReference).
public struct ManagedObjectModelReference: Sendable {
    /// The checksum of the version hashes (`Model.versionChecksum`).
    public let versionChecksum: String
    private let load: @Sendable () throws -> Model

    /// Refers to a model.
    public init(_ model: Model) {
        versionChecksum = model.versionChecksum
        load = { model }
    }

    /// Refers to a model that is loaded later.
    /// - Parameters:
    ///   - versionChecksum: the checksum of the model's version hashes (`Model.versionChecksum`).
    ///   - load: returns the model.
    public init(versionChecksum: String, load: @escaping @Sendable () throws -> Model) {
        self.versionChecksum = versionChecksum
        self.load = load
    }

    /// Returns the model (`resolvedModel`).
    /// - Throws: `MigrationError` (134504) for a model with another checksum; the error of loading.
    public func resolvedModel() throws -> Model {
        let model = try load()
        if model.hasChecksum(versionChecksum) { return model }
        throw MigrationError(
            .modelReferenceNotFound,
            "the model \(model.name) has the checksum \(model.versionChecksum), and the stage asks "
                + "for \(versionChecksum)")
    }
}

/// A stage of a staged migration (NSMigrationStage).
public enum MigrationStage: Sendable {
    /// Inferred migrations from each version to the next (NSLightweightMigrationStage).
    /// - Parameters:
    ///   - versions: the models in order, at least one. A stage of one version only says that the
    ///     store may have it.
    ///   - label: a name for messages.
    case lightweight(_ versions: [ManagedObjectModelReference], label: String)
    /// A migration with code before and after it (NSCustomMigrationStage).
    case custom(CustomMigrationStage)

    /// The name for messages.
    public var label: String {
        switch self {
        case .lightweight(_, let label): label
        case .custom(let stage): stage.label
        }
    }

    fileprivate var versions: [ManagedObjectModelReference] {
        switch self {
        case .lightweight(let versions, _): versions
        case .custom(let stage): [stage.current, stage.next]
        }
    }
}

/// A migration from one version to the next, with code before and after it
/// (NSCustomMigrationStage).
public struct CustomMigrationStage: Sendable {
    /// The code of a stage. It saves what it changes, and its error ends the migration.
    public typealias Handler = @Sendable (PersistentStoreCoordinator) throws -> Void

    /// The model before (`currentModel`).
    public let current: ManagedObjectModelReference
    /// The model after (`nextModel`).
    public let next: ManagedObjectModelReference
    /// A name for messages.
    public let label: String
    /// Called with the store of the model before (`willMigrateHandler`).
    public var willMigrate: Handler?
    /// Called with the store of the model after (`didMigrateHandler`).
    public var didMigrate: Handler?

    /// Creates a stage.
    public init(
        from current: ManagedObjectModelReference, to next: ManagedObjectModelReference,
        label: String, willMigrate: Handler? = nil, didMigrate: Handler? = nil
    ) {
        self.current = current
        self.next = next
        self.label = label
        self.willMigrate = willMigrate
        self.didMigrate = didMigrate
    }
}

/// Migrates a store in stages (NSStagedMigrationManager).
public struct StagedMigrationManager: Sendable {
    /// The stages, in order. Each begins with the version that the one before ends with.
    public let stages: [MigrationStage]

    /// One migration to the next version.
    private struct Step {
        let from: Model
        let to: Model
        let stage: MigrationStage
    }

    /// Creates a manager.
    public init(_ stages: [MigrationStage]) { self.stages = stages }

    /// Migrates the store of an executor to a model, version by version. A store that has the
    /// model's version stays as it is.
    ///
    /// All models are loaded before the first migration. After an error the store has the version
    /// of the last migration that succeeded; `migrate` continues from there.
    /// - Throws: `MigrationError`: 134504 where a model is not found or no stage has the store's
    ///   version, 134505 where the store has no checksum, 134506 where the model or a stage leads
    ///   back; the errors of the executor and of the stages' code.
    public func migrate(_ executor: some StagedMigrationExecutor, to model: Model) throws {
        guard let position = try executor.versionChecksum() else {
            throw MigrationError(
                .stagedFrameworkVersionMismatch,
                "the store's metadata has no NSStoreModelVersionChecksumKey, so its stage is not "
                    + "known", hint: "open it once with the model that it was made with")
        }
        for step in try steps(from: position, to: model) {
            try run(step, executor)
        }
    }

    private func run(_ step: Step, _ executor: some StagedMigrationExecutor) throws {
        let (source, destination) = (step.from, step.to)
        guard case .custom(let stage) = step.stage else {
            return try executor.migrate(from: source, to: destination)
        }
        if let code = stage.willMigrate { try executor.withStore(source, code) }
        try executor.migrate(from: source, to: destination)
        if let code = stage.didMigrate { try executor.withStore(destination, code) }
    }

    private func steps(from position: String, to model: Model) throws -> [Step] {
        var steps: [Step] = []
        var chain: [String] = []
        var start: Int?
        let target = model.versionChecksum
        for stage in stages {
            let models = try stage.versions.map { try $0.resolvedModel() }
            for model in models {
                let checksum = model.versionChecksum
                let isRepeated = chain.last == checksum
                // A store may have the former checksum of one of two versions that are one now.
                if start == nil, model.hasChecksum(position) {
                    start = isRepeated ? chain.count - 1 : chain.count
                }
                if isRepeated { continue }
                guard !chain.contains(checksum) else {
                    throw MigrationError(
                        .stagedBackwardMigration,
                        "the stage \(stage.label) leads back to the version \(checksum)")
                }
                chain.append(checksum)
            }
            for (from, to) in zip(models, models.dropFirst()) {
                steps.append(Step(from: from, to: to, stage: stage))
            }
        }
        guard let start else {
            if model.hasChecksum(position) { return [] }
            throw MigrationError(
                .modelReferenceNotFound, "no stage has the store's version, \(position)",
                hint: "add a stage that begins with it")
        }
        guard let end = chain.firstIndex(of: target) else {
            throw MigrationError(
                .modelReferenceNotFound, "no stage leads to the version \(target)",
                hint: "add a stage that ends with it")
        }
        guard start <= end else {
            throw MigrationError(
                .stagedBackwardMigration,
                "the store has the version \(position), which comes after \(target)")
        }
        guard start < end else { return [] }
        let way = chain[start...end]
        let needed = steps.filter {
            guard let place = way.firstIndex(of: $0.from.versionChecksum) else { return false }
            return place < end && chain[place + 1] == $0.to.versionChecksum
        }
        guard needed.count == end - start else {
            throw MigrationError(
                .modelReferenceNotFound,
                "the stages do not follow one another from \(position) to \(target)",
                hint: "begin each stage with the version that the one before ends with")
        }
        return needed
    }
}

extension Model {
    /// Whether a store with this checksum is of the model.
    fileprivate func hasChecksum(_ checksum: String) -> Bool {
        checksum == versionChecksum || checksum == formerVersionChecksum
    }
}
