import FoundationEssentials
import SteleCrypto
import SteleModel

/// What a store says of itself (NSPersistentStore.metadata): a property list, with Core Data's keys
/// and keys of Stele. Keys that Stele does not know, which another program or a user has set, stay.
package struct StoreMetadata: Sendable, Hashable {
    /// The keys and values in their order, which writing keeps.
    private var entries: [PropertyList.Entry]

    private enum Key {
        static let identifier = "NSStoreUUID"
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
        static let adoptedModel = "SteleAdoptedModel"
        static let created = "SteleCreated"
        static let model = "SteleModel"

        static let all: Set<String> = [
            storeType, hashes, hashesVersion, identifiers, frameworkVersion, autoVacuumLevel,
            digest, checksum, migrationManager, generation, historyLine, longDecimals,
            adoptedModel, created, model,
        ]
    }

    /// The version of Core Data that new stores claim (NSPersistenceFrameworkVersion).
    package static let newestFrameworkVersion: Int64 = 1344

    /// Creates the metadata of a new store.
    /// - Parameters:
    ///   - storeType: NSStoreType.
    ///   - versionHashes: the version hashes of the stored entities that Core Data has computed;
    ///     nil where they are not known, and the store gets Stele's.
    package init(
        model: Model, generation: String, storeType: String = "SQLite",
        versionHashes: [String: [UInt8]]? = nil
    ) {
        entries = [
            .init(key: Key.storeType, value: .string(storeType)),
            .init(key: Key.hashesVersion, value: 3),
            .init(key: Key.frameworkVersion, value: .integer(Self.newestFrameworkVersion)),
            .init(key: Key.generation, value: .string(generation)),
        ]
        if storeType == "SQLite" { self[Key.autoVacuumLevel] = "2" }
        describe(model, by: versionHashes?.mapValues { Data($0) } ?? Self.hashes(of: model))
        if versionHashes != nil {
            adopt(with: model, generation: generation)
            self[Key.created] = .bool(true)
        }
    }

    private subscript(key: String) -> PropertyList? {
        get { entries.first { $0.key == key }?.value }
        set {
            guard let place = entries.firstIndex(where: { $0.key == key }) else {
                if let newValue { entries.append(.init(key: key, value: newValue)) }
                return
            }
            if let newValue { entries[place].value = newValue } else { entries.remove(at: place) }
        }
    }

    /// The version hashes by name of the entity; empty where they are missing.
    var hashes: [String: Data] { Self.hashes(self[Key.hashes]) ?? [:] }

    /// The version hashes in a value; nil where it has none.
    private static func hashes(_ value: PropertyList?) -> [String: Data]? {
        guard let entries = value?.entries else { return nil }
        var found: [String: Data] = [:]
        for entry in entries {
            guard let bytes = entry.value.data else { return nil }
            found[entry.key] = Data(bytes)
        }
        return found
    }

    /// The first part of a new store's tokens; nil in a store that another program created.
    package var generation: String? { self[Key.generation]?.string }

    /// Whether the version hashes are Core Data's own: another program created the store, and its
    /// hashes stay when Stele adopts it, or Stele was given them with the model.
    package var hasForeignHashes: Bool {
        generation == nil || self[Key.adoptedModel] != nil
    }

    /// Whether another program created the store.
    package var isOfApp: Bool { hasForeignHashes && self[Key.created] == nil }

    /// Returns whether the store was adopted with a model, and has had the same hashes since.
    package func isAdopted(with model: Model) -> Bool {
        self[Key.adoptedModel]?.string == adoption(with: model)
    }

    /// Records that the store, which another program created, belongs to a model. All other keys
    /// stay.
    /// - Parameter generation: the first part of the store's tokens, where it has none yet.
    package mutating func adopt(with model: Model, generation: String) {
        if self.generation == nil { self[Key.generation] = .string(generation) }
        self[Key.adoptedModel] = .string(adoption(with: model))
    }

    /// Begins a new line of the history, so that no earlier token is one of the store's.
    /// - Parameter generation: its first generation.
    package mutating func forgetHistory(generation: String) {
        self[Key.generation] = .string(generation)
        historyLine = nil
    }

    /// The hashes in the store, and those that Stele computes for the model.
    private func adoption(with model: Model) -> String {
        Self.checksum(of: hashes) + " " + model.versionChecksum
    }

    /// The version identifiers of the model that the store was made with, for messages.
    package var versionIdentifiers: String {
        let known = (texts(Key.identifiers) ?? []).filter { !$0.isEmpty }
        return known.isEmpty ? "no identifier" : excerpt(known.joined(separator: ", "))
    }

    /// The generations of the tokens, as `HistoryLine.texts`; nil where there is only one.
    package var historyLine: [String]? {
        get { texts(Key.historyLine) }
        set { self[Key.historyLine] = newValue.map { .array($0.map { .string($0) }) } }
    }

    /// The Decimal attributes with values of more than 15 digits, as `Entity.attribute` with the
    /// declaring entity; nil for none.
    package var longDecimals: [String]? {
        get { texts(Key.longDecimals) }
        set { self[Key.longDecimals] = newValue.map { .array($0.map { .string($0) }) } }
    }

    /// The source of the store's model; nil where the store has none, or has it in Z_MODELCACHE.
    var modelSource: String? {
        get { self[Key.model]?.string }
        set { self[Key.model] = newValue.map { .string($0) } }
    }

    /// The texts of an array; nil for another type, or where an element is not a text.
    private func texts(_ key: String) -> [String]? {
        guard let elements = self[key]?.array else { return nil }
        let texts = elements.compactMap(\.string)
        return texts.count == elements.count ? texts : nil
    }

    /// The bytes of the version hashes by name of the entity.
    package var versionHashes: [String: [UInt8]] { hashes.mapValues { [UInt8]($0) } }

    /// The checksum of the version hashes; nil where it is missing.
    package var versionChecksum: String? { self[Key.checksum]?.string }

    /// Takes over what another store's metadata has of other programs and of users.
    package mutating func adopt(_ other: StoreMetadata) {
        for entry in other.entries where !Key.all.contains(entry.key) {
            self[entry.key] = entry.value
        }
    }

    /// Records that the store was migrated in place to a model.
    package mutating func migrate(to model: Model) {
        describe(model, by: Self.hashes(of: model))
        if modelSource != nil { keep(model) }
        self[Key.migrationManager] = "SteleInPlaceMigration"
    }

    /// Sets what belongs to a model: hashes and identifiers.
    private mutating func describe(_ model: Model, by hashes: [String: Data]) {
        self[Key.hashes] = .dictionary(
            hashes.sorted { $0.key < $1.key }.map {
                PropertyList.Entry(key: $0.key, value: .data([UInt8]($0.value)))
            })
        self[Key.identifiers] = [.string(model.declaration.versionIdentifier)]
        self[Key.digest] = .string(Self.digest(of: hashes))
        self[Key.checksum] = .string(Self.checksum(of: hashes))
    }

    static func hashes(of model: Model, asWritten: Bool = false) -> [String: Data] {
        Dictionary(
            model.storedEntities.map {
                ($0.name, VersionHash.of($0, in: model, asWritten: asWritten))
            },
            uniquingKeysWith: { first, _ in first })
    }

    /// The names of the entities whose version hashes are not those of a model, and its hashes. A
    /// store that an earlier version of Stele made has those of derivations as they are written.
    private func differing(from model: Model) -> (names: [String], wanted: [String: Data]) {
        let (hashes, wanted) = (hashes, Self.hashes(of: model))
        let names = Set(wanted.keys).union(hashes.keys).filter { wanted[$0] != hashes[$0] }
        if names.isEmpty { return ([], wanted) }
        let written = Self.hashes(of: model, asWritten: true)
        return (names.filter { written[$0] != hashes[$0] }.sorted(), wanted)
    }

    /// Reads a property list.
    /// - Throws: `StoreError.incompatible` (134080) where it is malformed or has no version hashes.
    package init(propertyList: [UInt8]) throws(StoreError) {
        let read = try? BinaryPropertyListReader.read(propertyList)
        guard let entries = read?.entries, Self.hashes(read?[Key.hashes]) != nil,
            Set(entries.map(\.key)).count == entries.count
        else {
            throw .incompatible(
                code: 134080, "the store's metadata is not a property list of Core Data")
        }
        self.entries = entries
    }

    /// The binary property list.
    package var propertyList: [UInt8] { BinaryPropertyListWriter.bytes(.dictionary(entries)) }

    /// Returns whether the version hashes are not those that a new store of a model gets.
    package func hasFormerHashes(of model: Model) -> Bool { hashes != Self.hashes(of: model) }

    /// Returns whether the version hashes are those of a model, or those that an earlier version of
    /// Stele computed for it.
    package func isOf(_ model: Model) -> Bool { differing(from: model).names.isEmpty }

    /// Checks that the store belongs to a model.
    /// - Throws: `StoreError.incompatible` (134100) with the first entity that differs.
    package func check(_ model: Model) throws(StoreError) {
        let (names, wanted) = differing(from: model)
        guard let first = names.first else { return }
        let name = model.configuration.map { "\(model.name) (configuration \($0))" } ?? model.name
        let what =
            wanted[first] == nil
            ? "the store has an entity \(excerpt(first)) that the model \(name) does not have"
            : hashes[first] == nil
                ? "the model \(name) has an entity \(first) that the store does not have"
                : "the entity \(first) differs between the store and the model \(name)"
        let more = names.count > 1 ? " (and \(names.count - 1) more differ)" : ""
        throw .incompatible(
            code: 134100,
            "the store belongs to another model: \(what)\(more). A migration is needed")
    }

    /// Checks that the store's version hashes, which are not Stele's, are of a model's entities.
    /// - Throws: `StoreError.incompatible` (134100) with the first entity that only one of both has.
    package func checkNames(_ model: Model) throws(StoreError) {
        let (names, wanted) = (Set(hashes.keys), Set(model.storedEntities.map(\.name)))
        guard let first = names.symmetricDifference(wanted).sorted().first else { return }
        throw refusal(
            of: model,
            names.contains(first)
                ? "the store has an entity \(excerpt(first)) that the model does not have"
                : "the model has an entity \(first) that the store does not have")
    }

    /// Checks that Core Data's version hashes are those that are known of a model, as a `.momd` has
    /// them. Those of a store that has Stele's hashes are not compared.
    /// - Throws: `StoreError.incompatible` (134100) with the first entity that differs.
    package func check(
        _ model: Model, against published: [String: [UInt8]]?
    ) throws(StoreError) {
        guard hasForeignHashes, let published else { return }
        let own = versionHashes
        let names = model.storedEntities.map(\.name).sorted()
        guard names.allSatisfy({ published[$0] != nil }),
            let first = names.first(where: { published[$0] != own[$0] })
        else { return }
        throw refusal(
            of: model, "the version hash of \(first) is not that in VersionInfo.plist")
    }

    /// Whether the store's version hashes are Core Data's own, and those that are known of a model.
    package func isOf(_ model: Model, published: [String: [UInt8]]?) -> Bool {
        guard hasForeignHashes, let published else { return false }
        let own = versionHashes
        let names = Set(model.storedEntities.map(\.name))
        return !names.isEmpty && names == Set(own.keys)
            && names.allSatisfy { published[$0] == own[$0] }
    }

    /// The error for a store, created by another program, that does not belong to a model.
    package func refusal(of model: Model, _ difference: String) -> StoreError {
        let own = model.declaration.versionIdentifier
        return .incompatible(
            code: 134100,
            "the store belongs to another model than \(model.name): \(difference). The store was "
                + "made with model version \(versionIdentifiers), and \(model.name) is version "
                + "\(own.isEmpty ? "without an identifier" : own): use the model that the store was "
                + "made with")
    }

    /// NSStoreModelVersionHashesDigest: SHA-512 over names and hashes, sorted by the names' bytes.
    static func digest(of hashes: [String: Data]) -> String {
        var hash = Digest(.sha512)
        for (name, bytes) in hashes.sorted(by: { $0.key < $1.key }) {
            hash.update(name.utf8)
            hash.update(bytes)
        }
        return Data(hash.finish()).base64EncodedString()
    }

    /// NSStoreModelVersionChecksumKey: SHA-256 over the hashes, sorted by the names' bytes.
    static func checksum(of hashes: [String: Data]) -> String {
        var hash = Digest()
        for (_, bytes) in hashes.sorted(by: { $0.key < $1.key }) { hash.update(bytes) }
        return Data(hash.finish()).base64EncodedString()
    }
}

// MARK: Users' keys

extension StoreMetadata {
    /// The limit on the keys and values of users together, as a binary property list in bytes.
    package static let sizeLimit = 1 << 20

    /// Whether a key belongs to Core Data or Stele. Users read it only.
    package static func isReserved(_ key: String) -> Bool {
        ["NS", "_NS", "Stele"].contains { key.hasPrefix($0) } || key == Key.migrationManager
    }

    /// All values by key but the model, with the store's UUID as NSStoreUUID.
    package func values(_ identifier: String) -> [String: PropertyList] {
        var values = Dictionary(
            entries.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
        values[Key.model] = nil
        values[Key.identifier] = .string(identifier)
        return values
    }

    /// Changes users' keys.
    /// - Parameter body: changes all values by key.
    /// - Returns: false where nothing has changed.
    /// - Throws: `MetadataError`; what `body` throws.
    package mutating func change(
        _ identifier: String, _ body: (inout [String: PropertyList]) throws -> Void
    ) throws -> Bool {
        let old = values(identifier)
        var new = old
        try body(&new)
        // Compared by their bytes: `==` ignores the sign of zero and how letters are composed.
        func bytes(_ value: PropertyList?) -> [UInt8]? {
            value.map { BinaryPropertyListWriter.bytes($0) }
        }
        let changed = Set(old.keys).union(new.keys).sorted()
            .filter { bytes(old[$0]) != bytes(new[$0]) }
        for key in changed {
            try MetadataError.check(key, new[key])
            self[key] = new[key]
        }
        let own = entries.filter { !Self.isReserved($0.key) }
        let size = BinaryPropertyListWriter.bytes(.dictionary(own)).count
        if !changed.isEmpty, size > Self.sizeLimit {
            throw MetadataError(
                changed[0],
                "would make the metadata \(size) bytes, and the limit is "
                    + "\(Self.sizeLimit)")
        }
        return !changed.isEmpty
    }
}
