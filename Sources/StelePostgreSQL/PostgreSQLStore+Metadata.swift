import SteleModel
import SteleModelFiles
import StelePersistence
import SteleSQL

extension PostgreSQLStore {
    /// Returns the metadata of a store without opening it and without its model
    /// (NSPersistentStoreCoordinator.metadataForPersistentStore(ofType:at:)).
    /// - Throws: `StoreError`: `.incompatible` where there is no store; `.busy` where the server
    ///   cannot be reached; errors of statements.
    public static func metadata(url: String) throws(StoreError) -> [String: PropertyList] {
        let connection = try Connection(url)
        try connection.keepSchema()
        let (identifier, metadata, _) = try StoreDatabase.metadata(connection)
        return metadata.values(identifier)
    }

    /// Reads the model that a store has in its metadata (NSManagedObjectModel
    /// .cachedModelForPersistentStore).
    /// - Throws: `ModelErrors` where there is no store, where it has no model, and where that cannot
    ///   be read.
    public static func modelFile(url: String) throws(ModelErrors) -> ModelFile {
        let place = ConnectionURL.place(of: url)
        let metadata: StoreMetadata
        do throws(StoreError) {
            let connection = try Connection(url)
            try connection.keepSchema()
            metadata = try StoreDatabase.metadata(connection).metadata
        } catch {
            throw ModelErrors([ModelError(place, error.sentence)])
        }
        if let file = try metadata.modelFile(name: "store", place: place) { return file }
        throw ModelErrors(place, "the store does not have its model", hint: ModelCache.remedy)
    }

    /// Changes users' keys of the metadata of a store without opening it and without its model
    /// (NSPersistentStoreCoordinator.setMetadata(_:forPersistentStoreOfType:at:)). Nodes that have
    /// it open read the new values.
    /// - Throws: as `changeMetadata(_:)`; as `metadata(url:)`.
    public static func changeMetadata(
        url: String, _ change: (inout [String: PropertyList]) throws -> Void
    ) throws {
        let connection = try Connection(url, writes: true)
        try connection.keepSchema()
        _ = try StoreDatabase.metadata(connection)
        try StoreLock.share(connection)
        try connection.run(StoreHolder.beginning)
        do {
            // What a commit of a node writes meanwhile would be lost.
            try connection.run(CommitCounter.locking.string)
            var (identifier, metadata, _) = try StoreDatabase.metadata(connection)
            if try metadata.change(identifier, change) { try metadata.write(to: connection) }
            try connection.run("COMMIT")
        } catch {
            if connection.isInTransaction { _ = try? connection.run("ROLLBACK") }
            throw error
        }
    }
}
