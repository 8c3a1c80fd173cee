import SteleModel
import StelePersistence
import SteleSQL

/// What the store says of itself, in Z_METADATA.
extension SQLiteStore {
    /// The metadata (NSPersistentStore.metadata).
    /// - Throws: as `PersistentStore.metadata`.
    public var metadata: [String: PropertyList] {
        get throws(StoreError) {
            try onReader { connection throws(StoreError) in
                try StoreFile.look(connection, path).metadata.values(identifier)
            }
        }
    }

    /// Changes users' keys of the metadata, on the writer's thread.
    /// - Throws: as `PersistentStore.changeMetadata`.
    public func changeMetadata(
        _ change: (inout [String: PropertyList]) throws -> Void
    ) throws {
        // The closure is not used after this call returns.
        try withoutActuallyEscaping(change) { change in
            _ = try queue.perform(WriterJob(.metadata(identifier, change)))
        }
    }

    /// The highest keys given out (Z_MAX).
    /// - Throws: as `PersistentStore.highestKeys`.
    public var highestKeys: [Int: Int64] {
        get throws(StoreError) {
            try onReader { connection throws(StoreError) in
                try schema.highestKeys(connection)
            }
        }
    }

    private func onReader<Result>(
        _ body: (Connection) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let connection = try readers.take(waits: true)
        defer { readers.give(connection) }
        return try body(connection)
    }

    /// Returns the metadata of a store's file without opening the store and without its model
    /// (NSPersistentStoreCoordinator.metadataForPersistentStore(ofType:at:)).
    /// - Throws: `StoreError`: `.incompatible` for a file that is not a store.
    public static func metadata(path: String) throws(StoreError) -> [String: PropertyList] {
        let found = try StoreLook.at(path) { (connection) throws(StoreError) in
            try StoreFile.look(connection, path)
        }
        return found.metadata.values(found.identifier)
    }

    /// Changes users' keys of a file's metadata without opening the store and without its model
    /// (NSPersistentStoreCoordinator.setMetadata(_:forPersistentStoreOfType:at:)). Other programs
    /// may have the store open.
    /// - Parameters:
    ///   - path: the path of the store's file.
    ///   - change: called twice, the first time to find out whether it is refused.
    /// - Throws: as `changeMetadata(_:)`; `StoreError.busy` while a migration replaces the file.
    public static func changeMetadata(
        path: String, _ change: (inout [String: PropertyList]) throws -> Void
    ) throws {
        // A change that is refused leaves the file as it is.
        var (identifier, metadata) = try StoreLook.at(path) { (connection) throws(StoreError) in
            try StoreFile.look(connection, path)
        }
        guard try metadata.change(identifier, change) else { return }
        let connection = try Connection(path: path, creates: false)
        _ = try StoreFile.look(connection, path)
        // The lock keeps a migration from replacing the file meanwhile.
        let lock = try StoreLock(store: path) {}
        defer { lock?.leave() }
        try write(change, connection, path)
    }

    private static func write(
        _ change: (inout [String: PropertyList]) throws -> Void, _ connection: Connection,
        _ path: String
    ) throws {
        try StoreFile.checkIsCurrent(connection, path)
        // The journal's mode stays.
        try connection.run("PRAGMA synchronous = FULL; BEGIN IMMEDIATE")
        do {
            var (identifier, metadata) = try StoreFile.look(connection, path)
            if try metadata.change(identifier, change) { try metadata.write(to: connection) }
            try connection.run("COMMIT")
        } catch {
            _ = try? connection.run("ROLLBACK")
            throw error
        }
    }
}
