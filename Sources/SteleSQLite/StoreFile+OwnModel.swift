import SteleModel
import SteleModelFiles
import StelePersistence
import SteleSQL

/// The model in Z_MODELCACHE as evidence of what a store is. Core Data knows a store by its version
/// hashes, and other programs may leave another model there, such as that of a former version.
extension StoreFile {
    /// The model in Z_MODELCACHE, of which the store has all entities and columns.
    struct OwnModel {
        let model: Model
        /// The columns and join tables of the store that it does not have.
        fileprivate let unused: Set<String>
    }

    /// Reads the model in Z_MODELCACHE; nil where it is not of the store's entities, or has columns
    /// that the store does not have.
    static func ownModel(
        _ connection: Connection, _ path: String, _ name: String, _ metadata: StoreMetadata,
        _ layout: StoreLayout
    ) throws(StoreError) -> OwnModel? {
        guard let own = try cachedModel(connection, path, name) else { return nil }
        let names = Set(metadata.versionHashes.keys)
        guard names.isSubset(of: own.entities.map(\.name)) else { return nil }
        // The store may have those of a configuration.
        let stored = (try? own.part(ofEntities: names)) ?? own
        guard let schema = try? SQLSchema(model: stored, layout: layout) else { return nil }
        return OwnModel(model: own, unused: Set(layout.differences(from: schema)))
    }

    /// Returns the first difference between a model, whose schema fits the tables, and the store's
    /// own model in what the version hashes cover, or else between the declared types of the columns;
    /// nil for none.
    ///
    /// Columns that the own model does not have may be what a former version or another program has
    /// left, or show that the own model is a former one. So a model that has some of them, and lacks
    /// no other, is nearer to the store than its own.
    static func difference(
        of schema: SQLSchema, from own: OwnModel?, _ connection: Connection, _ layout: StoreLayout
    ) throws(StoreError) -> String? {
        guard let own else {
            return try StoreLayout.typeDifferences(connection, from: schema).first
        }
        let first = difference(of: schema.model, from: own.model)
        let unused = Set(layout.differences(from: schema))
        guard let first, unused.isStrictSubset(of: own.unused) else { return first }
        let types = try StoreLayout.typeDifferences(connection, from: schema)
        return types.isEmpty ? nil : first
    }

    /// Returns the first difference between a model and the store's own, as `difference`, also for a
    /// model that does not fit the tables; nil for none.
    static func cacheDifference(
        _ connection: Connection, _ path: String, _ model: Model, _ metadata: StoreMetadata,
        _ layout: StoreLayout
    ) throws(StoreError) -> String? {
        let own = try ownModel(connection, path, model.name, metadata, layout)
        if let schema = try? SQLSchema(model: model, layout: layout) {
            return try difference(of: schema, from: own, connection, layout)
        }
        return own.flatMap { difference(of: model, from: $0.model) }
    }

    /// Reads the model in Z_MODELCACHE; nil for a cache that is missing or cannot be read.
    static func cachedModel(
        _ connection: Connection, _ path: String, _ name: String
    ) throws(StoreError) -> Model? {
        guard let bytes = try SQLiteStore.modelCache(connection),
            let read = try? ModelCache.read(bytes, name: name, place: path)
        else { return nil }
        return try? Model(read.0)
    }

    /// Returns the first difference between a model and the one in Z_MODELCACHE in what the version
    /// hashes cover; nil for none.
    static func difference(of model: Model, from own: Model) -> String? {
        for entity in model.storedEntities {
            guard let other = own.entity(named: entity.name) else {
                return "the model in the store has no entity \(entity.name)"
            }
            if let place = VersionFacts.difference(of: entity, in: model, from: other, in: own) {
                return "\(place) is not as in the model that the store has in Z_MODELCACHE"
            }
        }
        return nil
    }
}
