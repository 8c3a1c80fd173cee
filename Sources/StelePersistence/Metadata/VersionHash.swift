import FoundationEssentials
import SteleCrypto
import SteleModel

/// An entity's version hash (`versionHash`): 32 bytes over everything that its rows depend on,
/// which `VersionFacts` lists.
package enum VersionHash {
    /// Returns the hash of an entity.
    /// - Parameter asWritten: whether it is the one of earlier versions of Stele (`VersionFacts`).
    package static func of(_ entity: Entity, in model: Model, asWritten: Bool = false) -> Data {
        Data(Digest.sha256(VersionFacts(entity, in: model, asWritten: asWritten).bytes))
    }
}
