import Crypto
import FoundationEssentials
import SteleModel

/// What a store says of itself (NSPersistentStore.metadata): a property list, with Core Data's keys
/// and keys of Stele. Keys that Stele does not know, which another program or a user has set, stay.
package struct StoreMetadata: Sendable, Hashable {
    /// The values by key.
    private var values: [String: PropertyListValue]

    private enum Key {
        static let storeType = "NSStoreType"
        static let hashes = "NSStoreModelVersionHashes"
        static let hashesVersion = "NSStoreModelVersionHashesVersion"
        static let identifiers = "NSStoreModelVersionIdentifiers"
        static let frameworkVersion = "NSPersistenceFrameworkVersion"
        static let autoVacuumLevel = "_NSAutoVacuumLevel"
        static let digest = "NSStoreModelVersionHashesDigest"
        static let checksum = "NSStoreModelVersionChecksumKey"
        static let migrationManager = "migrationManagerClass"
        static let generation = "SteleGeneration"
        static let historyLine = "SteleHistoryLine"
        static let longDecimals = "SteleLongDecimals"

        static let all: Set<String> = [
            storeType, hashes, hashesVersion, identifiers, frameworkVersion, autoVacuumLevel,
            digest,
            checksum, migrationManager, generation, historyLine, longDecimals,
        ]
    }

    /// Creates the metadata of a new store.
    /// - Parameter storeType: NSStoreType.
    package init(model: Model, generation: String, storeType: String = "SQLite") {
        values = [
            Key.storeType: .string(storeType),
            Key.hashesVersion: .integer(3),
            Key.frameworkVersion: .integer(1344),
            Key.generation: .string(generation),
        ]
        if storeType == "SQLite" { values[Key.autoVacuumLevel] = .string("2") }
        describe(model)
    }

    /// The version hashes by name of the entity; empty where they are missing.
    var hashes: [String: Data] { values[Key.hashes]?.datas ?? [:] }

    /// The first part of a new store's tokens; nil in a store that another program created.
    package var generation: String? { values[Key.generation]?.string }

    /// The generations of the tokens, as `HistoryLine.texts`; nil where there is only one.
    package var historyLine: [String]? {
        get { values[Key.historyLine]?.strings }
        set { values[Key.historyLine] = newValue.map { .array($0.map { .string($0) }) } }
    }

    /// The Decimal attributes with values of more than 15 digits, as `Entity.attribute` with the
    /// declaring entity; nil for none.
    package var longDecimals: [String]? {
        get { values[Key.longDecimals]?.strings }
        set { values[Key.longDecimals] = newValue.map { .array($0.map { .string($0) }) } }
    }

    /// The bytes of the version hashes by name of the entity.
    package var versionHashes: [String: [UInt8]] { hashes.mapValues { [UInt8]($0) } }

    /// The checksum of the version hashes; nil where it is missing.
    package var versionChecksum: String? { values[Key.checksum]?.string }

    /// Takes over what another store's metadata has of other programs and of users.
    package mutating func adopt(_ other: StoreMetadata) {
        for (key, value) in other.values where !Key.all.contains(key) { values[key] = value }
    }

    /// Records that the store was migrated in place to a model.
    package mutating func migrate(to model: Model) {
        describe(model)
        values[Key.migrationManager] = .string("SteleInPlaceMigration")
    }

    /// Sets what belongs to a model: hashes and identifiers.
    private mutating func describe(_ model: Model) {
        let hashes = Self.hashes(of: model)
        values[Key.hashes] = .dictionary(hashes.mapValues { .data($0) })
        values[Key.identifiers] = .array([.string(model.declaration.versionIdentifier)])
        values[Key.digest] = .string(Self.digest(of: hashes))
        values[Key.checksum] = .string(Self.checksum(of: hashes))
    }

    static func hashes(of model: Model) -> [String: Data] {
        Dictionary(
            model.storedEntities.map { ($0.name, VersionHash.of($0, in: model)) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Reads a property list.
    /// - Throws: `StoreError.incompatible` (134080) where it is malformed or has no version hashes.
    package init(propertyList: [UInt8]) throws(StoreError) {
        let read = try? PropertyListDecoder().decode(
            [String: PropertyListValue].self, from: Data(propertyList))
        guard let read, read[Key.hashes]?.datas != nil else {
            throw .incompatible(
                code: 134080, "the store's metadata is not a property list of Core Data")
        }
        values = read
    }

    /// Returns the binary property list.
    package func propertyList() throws(StoreError) -> [UInt8] {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        do {
            return try [UInt8](encoder.encode(values))
        } catch {
            throw .failed("the store's metadata cannot be written: \(error)")
        }
    }

    /// Returns whether the version hashes are those of a model.
    package func isOf(_ model: Model) -> Bool { hashes == Self.hashes(of: model) }

    /// Checks that the store belongs to a model.
    /// - Throws: `StoreError.incompatible` (134100) with the first entity that differs.
    package func check(_ model: Model) throws(StoreError) {
        let (hashes, wanted) = (hashes, Self.hashes(of: model))
        let names = Set(wanted.keys).union(hashes.keys)
            .filter { wanted[$0] != hashes[$0] }.sorted()
        guard let first = names.first else { return }
        let name = model.configuration.map { "\(model.name), configuration \($0)," } ?? model.name
        let what =
            wanted[first] == nil
            ? "the store has an entity \(first) that the model \(name) does not have"
            : hashes[first] == nil
                ? "the model \(name) has an entity \(first) that the store does not have"
                : "the entity \(first) differs between the store and the model \(name)"
        let more = names.count > 1 ? " (and \(names.count - 1) more differ)" : ""
        throw .incompatible(
            code: 134100,
            "the store belongs to another model: \(what)\(more). A migration is needed: "
                + "see stele migrate --plan")
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
