import SteleMigration
import SteleModel
import SteleModelFiles
import StelePersistence
import StelePredicates

extension KnownVersion {
    /// A version with the hashes that Stele computes for the entities that a store of it has.
    package init(hashing model: Model) {
        func hashes(asWritten: Bool) -> [String: [UInt8]] {
            Dictionary(
                model.storedEntities.map {
                    ($0.name, [UInt8](VersionHash.of($0, in: model, asWritten: asWritten)))
                }, uniquingKeysWith: { first, _ in first })
        }
        self.init(model: model, hashes: hashes(asWritten: false))
        formerHashes = hashes(asWritten: true)
    }

    /// The version of a model that a store has of itself, with the entities of the store.
    /// - Throws: `ModelErrors` for a model with a mistake, and for one that cannot be stored.
    package init(cachedIn file: ModelFile) throws(ModelErrors) {
        var declaration = file.current
        // No version has a name with blanks.
        declaration.name = "the model in the store"
        let whole = try Model(declaration).withoutMistakenRequests().0
        if let refusal = whole.refusal { throw ModelErrors(declaration.name, refusal) }
        let names = file.storedEntityNames ?? []
        let configuration = whole.declaration.configurations.lazy.compactMap {
            whole.restricted(to: $0.name)
        }.first { Set($0.storedEntities.map(\.name)) == names }
        let isWhole = names.isEmpty || names == Set(whole.storedEntities.map(\.name))
        if let own = isWhole ? whole : configuration {
            self.init(hashing: own)
        } else {
            self.init(hashing: try whole.part(ofEntities: names))
        }
        publishedHashes = file.versionHashes[file.currentVersionName]
        isCached = true
    }
}
