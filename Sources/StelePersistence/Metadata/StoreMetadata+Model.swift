import SteleModel
import SteleModelFiles

/// The store's own model. An SQLite store has it in Z_MODELCACHE, as Core Data does; other stores,
/// and one whose model no archive can have, have its source (`ManagedObjectModel.xml`) in the
/// metadata.
extension StoreMetadata {
    /// Keeps the source of a model. A model that would be read back with other version hashes is
    /// not kept.
    package mutating func keep(_ model: Model) {
        let source = model.whole.declaration.xml()
        modelSource =
            Self.isRead(source, as: model.whole) ? String(decoding: source, as: UTF8.self) : nil
    }

    /// Forgets the source of a model that the store has in Z_MODELCACHE.
    package mutating func forgetModel() { modelSource = nil }

    /// Reads the store's own model.
    /// - Parameters:
    ///   - name: the name of the model, which the source does not have.
    ///   - path: the store, for messages.
    /// - Returns: nil where the metadata has no model.
    /// - Throws: `ModelErrors` for a source that cannot be read.
    package func modelFile(
        name: String, place path: String
    ) throws(ModelErrors) -> ModelFile? {
        guard let modelSource else { return nil }
        let (model, notes) = try ContentsReader.read(
            Array(modelSource.utf8), name: name, place: "\(path), model in the metadata")
        var file = ModelFile(model, notes: notes)
        file.storedEntityNames = Set(hashes.keys)
        return file
    }

    private static func isRead(_ source: [UInt8], as model: Model) -> Bool {
        guard
            let read = try? ContentsReader.read(source, name: model.name, place: model.name),
            let again = try? Model(read.0)
        else { return false }
        return again.hasVersionFacts(of: model)
    }
}
