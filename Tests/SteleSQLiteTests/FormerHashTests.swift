// Stores whose version hashes are of derivations as they are written.

import SteleMigration
import SteleModel
import StelePersistence
import SteleSQLite
import TestSupport
import Testing

@Suite struct FormerHashTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func model(_ derivation: String, more: String = "") throws -> Model {
        let json = """
            {"entities": [{"name": "E", "attributes": [{"name": "a", "type": "String"},
             {"name": "b", "type": "String", "derivation": "\(derivation)"}\(more)]}]}
            """
        return try Model(ManagedObjectModel(json: Array(json.utf8), name: "M"))
    }

    /// Gives the store the hashes that earlier versions of Stele gave it.
    private func makeFormer(_ model: Model) throws {
        let raw = try RawDatabase(folder.store)
        let read = try BinaryPropertyListReader.read(
            try raw.bytes("SELECT Z_PLIST FROM Z_METADATA"))
        var entries = try #require(read.entries)
        entries.removeAll { $0.key == "NSStoreModelVersionHashesDigest" }
        for index in entries.indices {
            switch entries[index].key {
            case "NSStoreModelVersionHashes":
                entries[index].value = .dictionary(
                    model.storedEntities.map {
                        .init(
                            key: $0.name,
                            value: .data(
                                [UInt8](VersionHash.of($0, in: model, asWritten: true))))
                    })
            case "NSStoreModelVersionChecksumKey":
                entries[index].value = .string(model.formerVersionChecksum)
            default: break
            }
        }
        let hex = BinaryPropertyListWriter.bytes(.dictionary(entries)).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        try raw.run("UPDATE Z_METADATA SET Z_PLIST = X'\(hex.joined())'")
        // They had no model whose archive has other hashes.
        try raw.run("DELETE FROM Z_MODELCACHE")
    }

    @Test func howADerivationIsWrittenIsNotInTheHashes() throws {
        let (spaced, plain) = (try model("canonical:( a )"), try model("canonical:(a)"))
        #expect(spaced.versionChecksum == plain.versionChecksum)
        // That of a text in the compiler's form is as it was.
        #expect(plain.versionChecksum == plain.formerVersionChecksum)
        #expect(spaced.versionChecksum != spaced.formerVersionChecksum)
        try SQLiteStore.open(path: folder.store, model: spaced).close()
        let store = try SQLiteStore.open(path: folder.store, model: plain)
        defer { store.close() }
        let made = try store.insert(try #require(plain.entity(named: "E")), ["a": .string("É")])
        #expect(made.values.contains(.string("e")))
    }

    @Test func aStoreOfAnEarlierSteleIsOpenedAndMigrated() throws {
        let (spaced, plain) = (try model("canonical:( a )"), try model("canonical:(a)"))
        try SQLiteStore.open(path: folder.store, model: spaced).close()
        try makeFormer(spaced)
        let hashes = try SQLiteStore.versionHashes(path: folder.store)
        try SQLiteStore.open(path: folder.store, model: spaced).close()
        #expect(try SQLiteStore.versionHashes(path: folder.store) == hashes)
        let seen = try SQLiteStore.inspect(path: folder.store, among: [spaced])
        #expect(seen.differences == [] && seen.hashes == "those of the model")
        #expect(throws: ModelErrors.self) { try SQLiteStore.modelFile(path: folder.store) }
        #expect(throws: StoreError.self) {
            try SQLiteStore.open(path: folder.store, model: plain)
        }
        let new = try model("canonical:( a )", more: #", {"name": "c", "type": "String"}"#)
        let mapping = try MappingModel.inferred(from: spaced, to: new)
        #expect(
            try SQLiteStore.migrate(
                path: folder.store, from: spaced, to: new, by: mapping, progress: { _ in }))
        #expect(try SQLiteStore.versionChecksum(path: folder.store) == new.versionChecksum)
    }
}
