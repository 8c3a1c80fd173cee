import Crypto
import FoundationEssentials
import SteleModel

/// An entity's version hash (`versionHash`): 32 bytes over everything that its rows depend on,
/// which `VersionFacts` lists.
package enum VersionHash {
    /// Returns the hash of an entity.
    package static func of(_ entity: Entity, in model: Model) -> Data {
        Data(SHA256.hash(data: VersionFacts(entity, in: model).bytes))
    }
}
