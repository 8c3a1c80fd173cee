import SteleMigration
import SteleModel
import StelePersistence

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
}
