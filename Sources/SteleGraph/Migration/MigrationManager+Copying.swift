import SteleMigration
import StelePersistence

extension MigrationManager {
    /// Copies a store into an empty one of the same model, which may be of another type
    /// (NSPersistentStoreCoordinator.migratePersistentStore(_:to:options:type:)).
    ///
    /// The objects keep their keys, versions, links and orders, no key of a deleted object is given
    /// again, and users' metadata is carried. History and receipts are not. The source stays as it
    /// is.
    /// - Parameters:
    ///   - source: the store that is read.
    ///   - destination: a store without objects.
    ///   - progress: called after each batch of objects.
    /// - Throws: as `migrate()`; `MigrationError` (134110) for a destination that has objects.
    public static func copy(
        _ source: any PersistentStore, to destination: any PersistentStore,
        progress: ((MigrationProgress) -> Void)? = nil
    ) throws {
        let manager = MigrationManager(
            from: source, to: destination,
            mappingModel: try .inferred(from: source.model, to: destination.model))
        guard try destination.highestKeys.values.allSatisfy({ $0 == 0 }) else {
            throw MigrationError(.migration, "the destination has objects: copy into a new store")
        }
        manager.didAdvance = progress
        // Before the objects: a copy that is interrupted between the two has no objects, and is
        // made again.
        try destination.adoptMetadata(of: source)
        try manager.migrate()
    }
}
