import SteleModel
import SteleModelFiles
import StelePersistence
import SteleSQL

/// The model with which the tables of a store are compared.
struct InspectedModel {
    /// Nil where none is known.
    private(set) var model: Model?
    /// Whether it is the one in the store's model cache.
    private(set) var isOwn = false
    /// What is known of the version hashes.
    private(set) var hashes = ""
    private(set) var differences: [String] = []
    private(set) var unchecked: [String] = []

    private let files: InspectedFiles
    /// Core Data's version hashes of given models, by their names.
    private let published: [String: [String: [UInt8]]]

    /// Chooses one of the given models by the version hashes, or else the one in the model cache.
    init(
        _ files: InspectedFiles, among models: [Model], _ published: [String: [String: [UInt8]]]
    ) {
        self.files = files
        self.published = published
        let own = readCache()
        if !models.isEmpty { choose(among: models) }
        if model == nil, let own { take(own) }
        if hashes.isEmpty { hashes = "not compared" }
        if model == nil {
            unchecked.append(
                "the tables with a model: "
                    + (own == nil && models.isEmpty && differences.isEmpty
                        ? "the store has none in Z_MODELCACHE; name one by --model"
                        : "no model of the store is known"))
        }
    }

    private var path: String { files.path }
    private var metadata: StoreMetadata { files.metadata }

    // MARK: Given models

    private mutating func choose(among models: [Model]) {
        var refusals: [String] = []
        var fitting: [Model] = []
        // A store of one configuration may be given without its name.
        let parts = models.filter { $0.configuration == nil }.flatMap { model in
            model.declaration.configurations.compactMap { model.restricted(to: $0.name) }
        }
        for model in models + parts {
            do throws(StoreError) {
                try check(model)
                fitting.append(model)
            } catch { refusals.append(error.sentence) }
        }
        // Versions without a difference in the hashes may differ in the tables.
        model = fitting.first { lacksNothing($0) } ?? fitting.first
        if let model {
            hashes =
                metadata.hasForeignHashes && published[model.name] == nil
                ? "Core Data's own, which Stele cannot compute: the entities are those of the model"
                : "those of the model"
            return
        }
        hashes = "not those of the given model"
        differences.append("NSStoreModelVersionHashes: \(refusals.first ?? "")")
    }

    /// Checks that the version hashes are those of a model, as far as they can be compared.
    /// - Throws: `StoreError.incompatible` with the first difference.
    private func check(_ model: Model) throws(StoreError) {
        guard metadata.hasForeignHashes else { return try metadata.check(model) }
        try metadata.checkNames(model)
        try metadata.check(model, against: published[model.name])
        guard case .success(let layout) = files.layout else { return }
        if let difference = try StoreFile.cacheDifference(
            files.connection, path, model, metadata, layout)
        {
            throw metadata.refusal(of: model, difference)
        }
    }

    private func lacksNothing(_ model: Model) -> Bool {
        guard case .success(let layout) = files.layout,
            let schema = try? SQLSchema(model: model, layout: layout)
        else { return false }
        return layout.differences(from: schema).isEmpty
    }

    // MARK: The model cache

    private mutating func readCache() -> Model? {
        let bytes: [UInt8]?
        do throws(StoreError) { bytes = try SQLiteStore.modelCache(files.connection) } catch {
            differences.append("Z_MODELCACHE cannot be read: \(error.sentence)")
            return nil
        }
        guard let bytes else { return nil }
        do throws(ModelErrors) { return try SQLiteStore.modelFile(bytes, path).model() } catch {
            differences.append("Z_MODELCACHE: the model cannot be read: \(error.description)")
            return nil
        }
    }

    /// Takes the model of the cache. The store may have one of its configurations.
    private mutating func take(_ own: Model) {
        let parts =
            own.declaration.configurations.compactMap { own.restricted(to: $0.name) }
            + [try? own.part(ofEntities: Set(metadata.versionHashes.keys))].compactMap { $0 }
        let fitting = ([own] + parts).first { candidate in
            do throws(StoreError) {
                try compare(candidate)
                return true
            } catch { return false }
        }
        model = fitting ?? own
        isOwn = true
        guard fitting == nil else {
            if hashes.isEmpty {
                hashes =
                    metadata.hasForeignHashes
                    ? "Core Data's own, which Stele cannot compute: their entities are those of "
                        + "the model" : "those of the model"
            }
            return
        }
        do throws(StoreError) { try compare(own) } catch {
            differences.append("Z_MODELCACHE: \(error.sentence)")
        }
    }

    /// Checks the names of the entities, and their version hashes where Stele has computed them.
    private func compare(_ model: Model) throws(StoreError) {
        if metadata.hasForeignHashes {
            try metadata.checkNames(model)
        } else {
            try metadata.check(model)
        }
    }
}
