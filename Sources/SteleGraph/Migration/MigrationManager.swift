import SteleMigration
import SteleModel
import StelePersistence

/// Carries out a mapping model: makes the objects of a destination store from those of a source
/// store (NSMigrationManager).
///
/// The stores may be of different kinds. Nothing else may use them during the migration, and no
/// coordinator may follow their saves: a policy's contexts have coordinators of their own.
///
/// Memory does not depend on the number of objects, except for the associations of keys: up to 24
/// bytes an object, and none for objects whose keys follow one another.
public final class MigrationManager {
    /// The store that is read.
    public let sourceStore: any PersistentStore
    /// The store that is written.
    public let destinationStore: any PersistentStore
    /// The mapping model.
    public let mappingModel: MappingModel
    /// The registered policies, by the names that mapping models have for them.
    public let policies: [String: EntityMigrationPolicy.Type]
    /// Progress and cancellation, for other threads.
    public let control: MigrationControl
    /// The subclasses of `ManagedObject` that the destination's objects have, by entity name; for
    /// policies, which insert and set objects by them.
    public let destinationClasses: [String: ManagedObject.Type]
    /// Data that policies share (`userInfo`).
    public var userInfo: [String: Any] = [:]
    /// Called after each batch of objects, on the thread of the migration.
    public var didAdvance: ((MigrationProgress) -> Void)?
    private var run: MigrationRun?

    /// Creates a manager.
    /// - Parameters:
    ///   - sourceStore: the store that is read.
    ///   - destinationStore: the store that is written.
    ///   - mappingModel: the mapping model to carry out.
    ///   - policies: subclasses of `EntityMigrationPolicy`, by the names that the mapping model has
    ///     for them.
    ///   - destinationClasses: the subclasses of `ManagedObject` that the destination's objects
    ///     have in policies, by entity name, such as `LeagueModel.classes`.
    ///   - control: progress and cancellation, for other threads.
    public init(
        from sourceStore: any PersistentStore, to destinationStore: any PersistentStore,
        mappingModel: MappingModel, policies: [String: EntityMigrationPolicy.Type] = [:],
        destinationClasses: [String: ManagedObject.Type] = [:],
        control: MigrationControl = MigrationControl()
    ) {
        self.sourceStore = sourceStore
        self.destinationStore = destinationStore
        self.mappingModel = mappingModel
        self.policies = policies
        self.destinationClasses = destinationClasses
        self.control = control
    }

    /// How far the migration has come, from 0 to 1; 0 before and after it (`migrationProgress`).
    public var migrationProgress: Double { control.progress.fraction }

    /// Ends the migration with an error at the next batch (`cancelMigrationWithError`).
    public func cancelMigration(with error: any Error) { control.cancel(with: error) }

    /// Carries out the mapping model. The destination is changed completely or not at all.
    ///
    /// All mappings make their objects, in order; then all set relationships; then all validate. Where
    /// the mapping model is the one that is inferred, no bound, pattern or count is checked. A
    /// destination family that is empty keeps the keys of its source family if no other objects
    /// become part of it. The save is not part of the destination's history.
    ///
    /// It blocks the caller. Policies are called on the thread that writes the destination.
    /// - Throws: `MigrationError`: 134110 for a mapping that does not fit the models or the data,
    ///   134111 for values that are not unique, 134170 for a policy that is not registered;
    ///   `ValidationErrors` for invalid destination objects; `StoreError`; the error of a policy, and
    ///   of `cancelMigration(with:)`.
    public func migrate() throws {
        let metadata = MigrationMetadata(
            source: try sourceStore.metadata, destination: try destinationStore.metadata)
        let plan = try MappingPlan(
            mappingModel, from: sourceStore.model, to: destinationStore.model, policies: policies,
            constants: metadata.value)
        control.reset()
        defer {
            run = nil
            control.reset()
        }
        sourceStore.findForeignValues()
        let reader = try sourceStore.reader()
        defer { reader.close() }
        var failure: (any Error)?
        var hasInfinite = false
        _ = try destinationStore.save(inParts: { parts in
            // A store repeats a save that has failed, to undo it alone.
            if let failure { throw failure }
            do { hasInfinite = try carryOut(plan, from: reader, to: parts) } catch {
                failure = error
                throw error
            }
        })
        if hasInfinite { destinationStore.renewForeignValues() }
    }

    /// - Returns: whether infinite numbers were carried over.
    private func carryOut(
        _ plan: MappingPlan, from source: any StoreReader, to parts: any PartedSave
    ) throws -> Bool {
        let run = try MigrationRun(self, plan, from: source, to: parts)
        self.run = run
        defer { run.objects.close() }
        try run.run()
        return run.hasInfinite
    }

    // MARK: For policies

    private func running() throws -> MigrationRun {
        if let run { return run }
        throw MigrationError(
            .migration, "the manager has contexts and associations only during a migration")
    }

    /// The context of the source objects, for reading (`sourceContext`).
    /// - Throws: `MigrationError` outside of a migration.
    public var sourceContext: ManagedObjectContext { get throws { try running().objects.source } }

    /// The context of the destination objects (`destinationContext`). Its changes are saved, without
    /// validation, after each batch. Validation follows at the end.
    /// - Throws: `MigrationError` outside of a migration.
    public var destinationContext: ManagedObjectContext {
        get throws { try running().objects.destination }
    }

    /// The mapping that is carried out; nil between mappings (`currentEntityMapping`).
    public var currentEntityMapping: EntityMapping? { run?.step?.mapping }

    /// Inserts an object of the mapping's destination entity, sets its attributes by the mapping,
    /// and associates it with the source object.
    /// - Throws: `MigrationError` outside of a migration, for a mapping that makes no objects or
    ///   that the model does not have, and for a value that does not fit; `ContextError` for an
    ///   abstract entity and for an object of another context; `StoreError`; what the policy's
    ///   `perform(_:with:)` throws.
    @discardableResult
    public func createDestinationInstance(
        forSource source: ManagedObject, in mapping: EntityMapping
    ) throws -> ManagedObject {
        let run = try running()
        return try run.create(source, run.step(named: mapping.name))
    }

    /// Sets the relationships of a destination object that the mapping has a value for.
    /// - Throws: `MigrationError` outside of a migration, for a mapping that the model does not
    ///   have, and for a value that does not fit; the errors of `ManagedObject.setToOne`; what the
    ///   policy's `perform(_:with:)` throws.
    public func setRelationships(
        ofDestination destination: ManagedObject, in mapping: EntityMapping
    ) throws {
        let run = try running()
        try run.setRelationships(of: destination, run.step(named: mapping.name))
    }

    /// Notes that a mapping made a destination object of a source object
    /// (`associate(sourceInstance:withDestinationInstance:for:)`).
    /// - Throws: `MigrationError` outside of a migration, and for a mapping that the model does not
    ///   have; `ContextError.foreignObject` for an object of another context.
    public func associate(
        _ source: ManagedObject, with destination: ManagedObject, for mapping: EntityMapping
    ) throws {
        let run = try running()
        try run.associate(source, destination, run.step(named: mapping.name))
    }

    /// The objects that a mapping made of source objects
    /// (`destinationInstances(forEntityMappingName:sourceInstances:)`).
    /// - Parameters:
    ///   - name: the mapping's name; nil for all mappings.
    ///   - sourceInstances: objects of `sourceContext`.
    /// - Throws: `MigrationError` outside of a migration, and for a mapping that the model does not
    ///   have; `StoreError`.
    public func destinationInstances(
        forEntityMappingNamed name: String?, sourceInstances: [ManagedObject]
    ) throws -> [ManagedObject] {
        let run = try running()
        return try run.destinations(of: sourceInstances, by: name)
    }

    /// The objects that a mapping made destination objects of
    /// (`sourceInstances(forEntityMappingName:destinationInstances:)`).
    /// - Parameters:
    ///   - name: the mapping's name; nil for all mappings.
    ///   - destinationInstances: objects of `destinationContext`.
    /// - Throws: `MigrationError` outside of a migration, and for a mapping that the model does not
    ///   have; `StoreError`.
    public func sourceInstances(
        forEntityMappingNamed name: String?, destinationInstances: [ManagedObject]
    ) throws -> [ManagedObject] {
        let run = try running()
        return try run.sources(of: destinationInstances, by: name)
    }
}
