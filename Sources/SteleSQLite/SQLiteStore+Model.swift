/// The model in a store's file.

import SteleModel
import SteleModelFiles
import StelePersistence
import SteleSQL

extension SQLiteStore {
    /// Reads the model that a store's file has in its model cache (Z_MODELCACHE), or that Stele has
    /// kept in the metadata because no archive can have it, and changes neither the file nor its
    /// folder. The model has the name of the file, and the version hashes of a store whose hashes
    /// Core Data has computed (NSManagedObjectModel.cachedModelForPersistentStore).
    ///
    /// - Throws: `ModelErrors` for a file that is no Core Data store or has no model, and for one
    ///   that cannot be read, with what to do.
    public static func modelFile(path: String) throws(ModelErrors) -> ModelFile {
        let (cache, metadata, numbered): ([UInt8]?, StoreMetadata?, Set<String>)
        do throws(StoreError) {
            (cache, metadata, numbered) = try StoreLook.at(path) {
                (connection) throws(StoreError) in
                guard try has("Z_METADATA", connection) else {
                    throw .incompatible(
                        code: 134020, "it is an SQLite database, but not a Core Data store")
                }
                // The model is also read from a store whose metadata or tables are damaged.
                return (
                    try modelCache(connection), try? StoreMetadata.read(connection)?.metadata,
                    Set((try? StoreLayout(connection))?.numbers.keys.map(\.self) ?? [])
                )
            }
        } catch {
            throw ModelErrors([ModelError(path, error.sentence)])
        }
        guard var file = try modelFile(cache, metadata, path) else {
            throw ModelErrors(
                [ModelError(path, "the store has no model cache", hint: ModelCache.remedy)])
        }
        let all = Set(file.current.entities.map(\.name))
        let hashes = metadata?.versionHashes ?? [:]
        let hashed = Set(hashes.keys)
        // Damaged hashes say nothing of the store's entities.
        let isPart = hashed.isSubset(of: all) && numbered.intersection(all) == hashed
        file.storedEntityNames = isPart ? hashed : all
        if metadata?.hasForeignHashes == true, hashed == all {
            file.versionHashes = [file.currentVersionName: hashes]
        }
        return file
    }

    /// Reads the store's own model, with the name of the store's file: that of Z_MODELCACHE, or
    /// else the one in the metadata.
    ///
    /// Core Data stores the values of a Transformable attribute without a transformer as keyed
    /// archives, and Stele as JSON.
    /// - Parameter cache: the bytes of Z_MODELCACHE; nil without any.
    /// - Returns: nil where the store has none.
    /// - Throws: `ModelErrors` for one that cannot be read.
    static func modelFile(
        _ cache: [UInt8]?, _ metadata: StoreMetadata?, _ path: String
    ) throws(ModelErrors) -> ModelFile? {
        let name = ModelCache.name(of: path)
        guard let cache else { return try metadata?.modelFile(name: name, place: path) }
        var (model, notes) = try ModelCache.read(cache, name: name, place: path)
        if metadata?.isOfApp == true { model.nameTransformers() }
        return ModelFile(model, notes: notes)
    }

    /// Returns the bytes of Z_MODELCACHE; nil where it is missing or empty.
    static func modelCache(_ connection: Connection) throws(StoreError) -> [UInt8]? {
        guard try has("Z_MODELCACHE", connection) else { return nil }
        let contents = SQLText("SELECT Z_CONTENT FROM Z_MODELCACHE")
        guard case .data(let bytes)? = try connection.rows(contents, [], [.data]).first?[0],
            !bytes.isEmpty
        else { return nil }
        return bytes
    }

    private static func has(
        _ table: String, _ connection: Connection
    ) throws(StoreError) -> Bool {
        let tables = SQLText(
            "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = '\(table)'")
        return try connection.integer(tables) ?? 0 > 0
    }
}

extension ManagedObjectModel {
    /// Names the transformer that Core Data takes for a Transformable attribute without one.
    fileprivate mutating func nameTransformers() {
        func name(_ attribute: inout AttributeDescription) {
            guard attribute.type == .transformable, attribute.valueTransformerName == nil else {
                return
            }
            attribute.valueTransformerName = "NSKeyedUnarchiveFromData"
        }
        for place in entities.indices {
            entities[place].properties = entities[place].properties.map { property in
                guard case .attribute(var attribute) = property else { return property }
                name(&attribute)
                return .attribute(attribute)
            }
        }
        for place in composites.indices {
            for index in composites[place].attributes.indices {
                name(&composites[place].attributes[index])
            }
        }
    }
}
