import Crypto
import FoundationEssentials
import SteleModel

/// An entity's version hash (`versionHash`): 32 bytes over everything that its rows depend on,
/// which `VersionFacts` lists.
package enum VersionHash {
    /// Returns the hash of an entity.
    /// - Parameter asWritten: whether it is the one of earlier versions of Stele (`VersionFacts`).
    package static func of(_ entity: Entity, in model: Model, asWritten: Bool = false) -> Data {
        Data(SHA256.hash(data: VersionFacts(entity, in: model, asWritten: asWritten).bytes))
    }
}
