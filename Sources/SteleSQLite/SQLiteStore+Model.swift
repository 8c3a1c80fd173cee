/// The model in a store's file.

import SteleModel
import SteleModelFiles
import StelePersistence
import SteleSQL

extension SQLiteStore {
    /// Reads the model that a store's file has in its model cache (Z_MODELCACHE), and changes
    /// neither the file nor its folder. The model has the name of the file, and the version hashes
    /// of a store whose hashes Core Data has computed.
    ///
    /// - Throws: `ModelErrors` for a file that is no Core Data store or has no model cache, and for
    ///   a cache that cannot be read, with what to do.
    public static func modelFile(path: String) throws(ModelErrors) -> ModelFile {
        let (cache, hashes): ([UInt8]?, [String: [UInt8]]?)
        do throws(StoreError) {
            (cache, hashes) = try StoreLook.at(path) { (connection) throws(StoreError) in
                guard try has("Z_METADATA", connection) else {
                    throw .incompatible(
                        code: 134020, "it is an SQLite database, but not a Core Data store")
                }
                guard try has("Z_MODELCACHE", connection) else { return (nil, nil) }
                let contents = SQLText("SELECT Z_CONTENT FROM Z_MODELCACHE")
                guard case .data(let bytes)? = try connection.rows(contents, [], [.data]).first?[0]
                else { return (nil, nil) }
                // The model is also read from a store whose metadata is damaged.
                let metadata = try? StoreMetadata.read(connection)?.metadata
                return (bytes, metadata.flatMap { $0.hasForeignHashes ? $0.versionHashes : nil })
            }
        } catch {
            throw ModelErrors([ModelError(path, Self.reason(error))])
        }
        guard let cache, !cache.isEmpty else {
            throw ModelErrors(
                [ModelError(path, "the store has no model cache", hint: ModelCache.remedy)])
        }
        let last = path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path[...]
        let stem = last.dropFirst().lastIndex(of: ".").map { last[..<$0] } ?? last
        let (model, notes) = try ModelCache.read(cache, name: String(stem), place: path)
        var file = ModelFile(model, notes: notes)
        if let hashes, Set(hashes.keys) == Set(model.entities.map(\.name)) {
            file.versionHashes = [model.name: hashes]
        }
        return file
    }

    /// Returns the first of some models that fits a store's file which another program created, and
    /// changes neither the file nor its folder. Core Data's own version hashes cannot be computed,
    /// so the entities are compared with those of Z_MODELCACHE and with the tables.
    /// - Returns: nil where none fits, and for a store that Stele created or migrated.
    /// - Throws: `StoreError`: `.incompatible` for a file that is not a store.
    public static func adoptableModel(
        path: String, among models: [Model]
    ) throws(StoreError) -> Model? {
        try StoreLook.at(path) { (connection) throws(StoreError) in
            guard try StoreFile.look(connection, path).metadata.hasForeignHashes else { return nil }
            for model in models where model.refusal == nil {
                do throws(StoreError) {
                    _ = try StoreFile.check(connection, path, model)
                    return model
                } catch {
                    guard case .incompatible(code: 134100, _) = error else { throw error }
                }
            }
            return nil
        }
    }

    private static func has(
        _ table: String, _ connection: Connection
    ) throws(StoreError) -> Bool {
        let tables = SQLText(
            "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = '\(table)'")
        return try connection.integer(tables) ?? 0 > 0
    }

    private static func reason(_ error: StoreError) -> String {
        switch error {
        case .incompatible(_, let text), .busy(let text), .failed(let text): text
        default: "the store cannot be read: \(error)"
        }
    }
}
