import Crypto
import FoundationEssentials
import SteleModel

/// What a store says of itself (NSPersistentStore.metadata): a property list, with Core Data's keys
/// and keys of Stele.
package struct StoreMetadata: Codable, Sendable {
    /// Nil in a file of a mapping model, which has no store type.
    var storeType: String? = "SQLite"
    var hashes: [String: Data]
    var hashesVersion = 3
    var identifiers: [String]
    var frameworkVersion = 1344
    /// Nil in a store without this key.
    var autoVacuumLevel: String? = "2"
    var digest: String?
    var checksum: String?
    /// The first part of a new store's tokens; nil in a store that another program created.
    package var generation: String?
    /// The generations of the tokens, as `HistoryLine.texts`; nil where there is only one.
    package var historyLine: [String]?
    /// The Decimal attributes with values of more than 15 digits, as `Entity.attribute` with the
    /// declaring entity; nil for none.
    package var longDecimals: [String]?

    private enum CodingKeys: String, CodingKey {
        case storeType = "NSStoreType"
        case hashes = "NSStoreModelVersionHashes"
        case hashesVersion = "NSStoreModelVersionHashesVersion"
        case identifiers = "NSStoreModelVersionIdentifiers"
        case frameworkVersion = "NSPersistenceFrameworkVersion"
        case autoVacuumLevel = "_NSAutoVacuumLevel"
        case digest = "NSStoreModelVersionHashesDigest"
        case checksum = "NSStoreModelVersionChecksumKey"
        case generation = "SteleGeneration"
        case historyLine = "SteleHistoryLine"
        case longDecimals = "SteleLongDecimals"
    }

    /// Creates the metadata of a new store.
    /// - Parameter storeType: NSStoreType.
    package init(model: Model, generation: String, storeType: String = "SQLite") {
        self.storeType = storeType
        if storeType != "SQLite" { autoVacuumLevel = nil }
        hashes = Dictionary(
            model.entities.map { ($0.name, VersionHash.of($0, in: model)) },
            uniquingKeysWith: { first, _ in first })
        identifiers = [model.declaration.versionIdentifier]
        self.generation = generation
        digest = Self.digest(of: hashes)
        checksum = Self.checksum(of: hashes)
    }

    /// Reads a property list.
    /// - Throws: `StoreError.incompatible` (134080) where it is malformed.
    package init(propertyList: [UInt8]) throws(StoreError) {
        do {
            self = try PropertyListDecoder().decode(Self.self, from: Data(propertyList))
        } catch {
            throw .incompatible(
                code: 134080, "the store's metadata is not a property list of Core Data")
        }
    }

    /// Returns the binary property list.
    package func propertyList() throws(StoreError) -> [UInt8] {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        do {
            return try [UInt8](encoder.encode(self))
        } catch {
            throw .failed("the store's metadata cannot be written: \(error)")
        }
    }

    /// Checks that the store belongs to a model.
    /// - Throws: `StoreError.incompatible` (134100) with the first entity that differs.
    package func check(_ model: Model) throws(StoreError) {
        let wanted = Self(model: model, generation: "").hashes
        let names = Set(wanted.keys).union(hashes.keys)
            .filter { wanted[$0] != hashes[$0] }.sorted()
        guard let first = names.first else { return }
        let what =
            wanted[first] == nil
            ? "the store has an entity \(first) that the model \(model.name) does not have"
            : hashes[first] == nil
                ? "the model \(model.name) has an entity \(first) that the store does not have"
                : "the entity \(first) differs between the store and the model \(model.name)"
        let more = names.count > 1 ? " (and \(names.count - 1) more differ)" : ""
        throw .incompatible(
            code: 134100,
            "the store belongs to another model: \(what)\(more). Migration is not supported yet: "
                + "use another --store, or import the data again")
    }

    /// NSStoreModelVersionHashesDigest: SHA-512 over names and hashes, sorted by the names' bytes.
    static func digest(of hashes: [String: Data]) -> String {
        var hash = SHA512()
        for (name, bytes) in hashes.sorted(by: { $0.key < $1.key }) {
            hash.update(data: Array(name.utf8))
            hash.update(data: bytes)
        }
        return Data(hash.finalize()).base64EncodedString()
    }

    /// NSStoreModelVersionChecksumKey: SHA-256 over the hashes, sorted by the names' bytes.
    static func checksum(of hashes: [String: Data]) -> String {
        var hash = SHA256()
        for (_, bytes) in hashes.sorted(by: { $0.key < $1.key }) { hash.update(data: bytes) }
        return Data(hash.finalize()).base64EncodedString()
    }
}
