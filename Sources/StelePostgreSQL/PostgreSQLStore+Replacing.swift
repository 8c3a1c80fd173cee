import SteleModel
import StelePersistence
import SteleSQL

extension PostgreSQLStore {
    /// Replaces the store in a database by one of another model that is made from it, completely or
    /// not at all: for mapping models that are not carried out in place.
    ///
    /// The new store is made in a schema of its own, and takes the place of the old one in one
    /// transaction. For this the user must have the right to create schemas in the database (CREATE
    /// on it) and own the tables. These keep their owner and the rights of other users. What
    /// PostgreSQL drops with a table, such as triggers, indexes and comments that others have made,
    /// is gone; views and all else that depends on one, and policies, make it fail at once. The
    /// history begins again, so tokens of before have expired. Receipts are carried by
    /// `MigrationManager`.
    ///
    /// Programs that have the store open lose it, as by `migrate(url:from:to:by:progress:)`. What a
    /// program that was killed has left is removed by the next migration.
    ///
    ///     try PostgreSQLStore.replace(url: url, from: v1, to: v2) { old, make in
    ///         try MigrationManager(
    ///             from: old, to: try make(v2), mappingModel: mapping, policies: policies
    ///         ).migrate()
    ///     }
    /// - Parameters:
    ///   - url: as for `open`.
    ///   - source: the model of the stored objects.
    ///   - destination: the model that the objects get.
    ///   - make: makes the new store from the old one, which must not be written to. Its second
    ///     parameter makes an empty store of a model, with the UUID of the old one. The last that
    ///     it makes is the new store. All are closed afterwards.
    /// - Returns: false where the store has the destination's model already.
    /// - Throws: what `make` throws; `StoreError`: as `migrate(url:from:to:by:progress:)`, and
    ///   `.incompatible` with 134080 where the user does not own the tables or may not create
    ///   schemas, and with 134110 where others have made what depends on them.
    @discardableResult
    public static func replace(
        url: String, from source: Model, to destination: Model,
        by make: (
            _ old: any PersistentStore, _ makeEmpty: (Model) throws(StoreError) -> PostgreSQLStore
        ) throws -> Void
    ) throws -> Bool {
        try check(source, destination)
        let replacement = try StoreReplacement(url)
        guard let old = try replacement.begin(from: source, to: destination) else { return false }
        do {
            defer { old.close() }
            try make(old) { (model) throws(StoreError) in try replacement.makeEmpty(model) }
            old.close()
            try replacement.commit(to: destination)
        } catch {
            replacement.cancel()
            throw error
        }
        return true
    }
}
