import SteleModel
import SteleModelFiles
import StelePersistence
import SteleSQL

/// The model with which the tables of a store are compared.
struct InspectedModel {
    /// Nil where none is known.
    private(set) var model: Model?
    /// Whether it is the store's own.
    private(set) var isOwn = false
    /// The table that has the store's own model: Z_MODELCACHE, or Z_METADATA where no archive can
    /// have the model.
    private(set) var place = "Z_MODELCACHE"
    /// What is known of the version hashes.
    private(set) var hashes = ""
    private(set) var differences: [String] = []
    private(set) var unchecked: [String] = []

    private let files: InspectedFiles
    /// Core Data's version hashes of given models, by their names.
    private let published: [String: [String: [UInt8]]]

    /// Chooses one of the given models by the version hashes, or else the store's own.
    init(
        _ files: InspectedFiles, among models: [Model], _ published: [String: [String: [UInt8]]]
    ) {
        self.files = files
        self.published = published
        let own = readOwn()
        if !models.isEmpty { choose(among: models) }
        if model == nil, let own { take(own) }
        if hashes.isEmpty { hashes = "not compared" }
        if model == nil {
            unchecked.append(
                "the tables with a model: "
                    + (own == nil && models.isEmpty && differences.isEmpty
                        ? "the store has none of its own; name one by --model"
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
        let equal = fitting.filter { hasHashes(of: $0) }
        if !equal.isEmpty { fitting = equal }
        model = fitting.first { lacksNothing($0) } ?? fitting.first
        if let model { return describe(model) }
        hashes = "not those of the given model"
        differences.append("NSStoreModelVersionHashes: \(refusals.first ?? "")")
    }

    /// Says how far a given model was compared with the store's.
    private mutating func describe(_ model: Model) {
        if hasHashes(of: model) {
            hashes = "those of the model"
            return
        }
        let foreign = "Core Data's own, which Stele cannot compute: "
        guard case .failure = files.layout else {
            hashes = foreign + "the entities are those of the model"
            return
        }
        hashes = foreign + "the names of the entities are those of the model"
        let difference = cacheDifference(model)
        unchecked.append(
            "whether the store is of \(model.name): the tables that show it are found by "
                + "Z_PRIMARYKEY" + (difference.map { ", and \($0)" } ?? ""))
    }

    /// Whether the version hashes are known to be those of a model.
    private func hasHashes(of model: Model) -> Bool {
        !metadata.hasForeignHashes || metadata.isOf(model, published: published[model.name])
    }

    /// The first difference between a model and the one in the model cache, which may be another
    /// store's; nil for none.
    private func cacheDifference(_ model: Model) -> String? {
        let own = try? StoreFile.cachedModel(files.connection, path, model.name)
        return own.flatMap { StoreFile.difference(of: model, from: $0) }
    }

    /// Checks that the version hashes are those of a model, as far as they can be compared.
    /// - Throws: `StoreError.incompatible` with the first difference.
    private func check(_ model: Model) throws(StoreError) {
        guard metadata.hasForeignHashes else { return try metadata.check(model) }
        try metadata.checkNames(model)
        try metadata.check(model, against: published[model.name])
        if hasHashes(of: model) { return }
        guard case .success(let layout) = files.layout else { return }
        if let difference = try StoreFile.cacheDifference(
            files.connection, path, model, metadata, layout)
        {
            throw metadata.refusal(of: model, difference)
        }
    }

    /// Whether the tables have what a model needs and nothing else, or, where they cannot be read,
    /// whether the model is the one in the model cache.
    private func lacksNothing(_ model: Model) -> Bool {
        guard case .success(let layout) = files.layout else { return cacheDifference(model) == nil }
        guard let schema = try? SQLSchema(model: model, layout: layout) else { return false }
        return layout.differences(from: schema).isEmpty
    }

    // MARK: The store's own model

    private mutating func readOwn() -> Model? {
        let bytes: [UInt8]?
        do throws(StoreError) { bytes = try SQLiteStore.modelCache(files.connection) } catch {
            differences.append("Z_MODELCACHE cannot be read: \(error.sentence)")
            return nil
        }
        if bytes == nil { place = "Z_METADATA" }
        do throws(ModelErrors) {
            return try SQLiteStore.modelFile(bytes, metadata, path)?.model()
        } catch {
            differences.append("\(place): the model cannot be read: \(error.description)")
            return nil
        }
    }

    /// Takes the store's own model. The store may have one of its configurations.
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
            differences.append("\(place): \(error.sentence)")
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
