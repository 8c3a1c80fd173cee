/// What a store says of itself: Z_METADATA's property list.

import Crypto
import FoundationEssentials
import SteleModel
import StelePersistence

/// The metadata of a store, with Core Data's keys and some of Stele's.
public struct StoreMetadata: Codable, Sendable {
    var storeType = "SQLite"
    var hashes: [String: Data]
    var hashesVersion = 3
    var identifiers: [String]
    var frameworkVersion = 1344
    /// Nil in a store that does not say it: SQLite knows it.
    var autoVacuumLevel: String? = "2"
    var digest: String?
    var checksum: String?
    /// What the store's tokens begin with; nil in a store that another program made.
    public var generation: String?
    /// The generations of its tokens, as `HistoryLine.texts`; nil in a store that has one.
    public var historyLine: [String]?
    /// Decimal attributes that hold values of more than 15 digits, as `Entity.attribute` with the
    /// entity that declares them; nil for none.
    public var longDecimals: [String]?

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

    /// The metadata of a new store of the model.
    public init(model: Model, generation: String) {
        hashes = Dictionary(
            model.entities.map { ($0.name, VersionHash.of($0, in: model)) },
            uniquingKeysWith: { first, _ in first })
        identifiers = [model.declaration.versionIdentifier]
        self.generation = generation
        digest = Self.digest(of: hashes)
        checksum = Self.checksum(of: hashes)
    }

    /// Reads the property list.
    /// - Throws: `StoreError.incompatible` where it is none.
    public init(propertyList: [UInt8]) throws(StoreError) {
        do {
            self = try PropertyListDecoder().decode(Self.self, from: Data(propertyList))
        } catch {
            throw .incompatible(
                code: 134080, "the store's metadata cannot be read: it is not Core Data's")
        }
    }

    /// The binary property list.
    public func propertyList() throws(StoreError) -> [UInt8] {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        do {
            return try [UInt8](encoder.encode(self))
        } catch {
            throw .failed("the store's metadata cannot be written: \(error)")
        }
    }

    /// Refuses a store of another model.
    /// - Throws: `StoreError.incompatible` (134100) naming the entities that differ.
    public func check(_ model: Model) throws(StoreError) {
        let wanted = Self(model: model, generation: "").hashes
        let names = Set(wanted.keys).union(hashes.keys)
            .filter { wanted[$0] != hashes[$0] }.sorted()
        guard let first = names.first else { return }
        let what =
            wanted[first] == nil
            ? "the store has an entity \(first) that the model \(model.name) has not"
            : hashes[first] == nil
                ? "the model \(model.name) has an entity \(first) that the store has not"
                : "the entity \(first) is not the same in the store and in the model \(model.name)"
        let more = names.count > 1 ? " (and \(names.count - 1) more differ)" : ""
        throw .incompatible(
            code: 134100,
            "it is a store of another model: \(what)\(more). Stele does not migrate yet: "
                + "use another --store, or import anew")
    }

    /// NSStoreModelVersionHashesDigest: SHA-512 over names and hashes in byte order of the names.
    static func digest(of hashes: [String: Data]) -> String {
        var hash = SHA512()
        for (name, bytes) in hashes.sorted(by: { $0.key < $1.key }) {
            hash.update(data: Array(name.utf8))
            hash.update(data: bytes)
        }
        return Data(hash.finalize()).base64EncodedString()
    }

    /// NSStoreModelVersionChecksumKey: SHA-256 over the hashes in the order of the names.
    static func checksum(of hashes: [String: Data]) -> String {
        var hash = SHA256()
        for (_, bytes) in hashes.sorted(by: { $0.key < $1.key }) { hash.update(data: bytes) }
        return Data(hash.finalize()).base64EncodedString()
    }
}
