// The metadata of Apple's stores: the formulas of its sums, and bytes that are damaged.

import Foundation
import SteleModel
import SteleModelFiles
import SteleSQLite
import TestSupport
import Testing

@testable import StelePersistence

@Suite(.enabled(if: sharedFolder != nil, "the shared data is not here"))
struct AppStoreMetadataTests {
    // MARK: Sums

    /// What Stele computes of the hashes in each file is what the framework wrote beside them.
    /// Digests came in 2019 and checksums in 2023: older stores have none.
    @Test func theDigestAndTheChecksumAreComputedAsTheFrameworkDoes() throws {
        var found = (digests: 0, checksums: 0)
        let folder = try TemporaryFolder()
        for store in AppStore.all {
            let raw = try RawDatabase(store.copy(to: folder))
            let list = try raw.bytes("SELECT Z_PLIST FROM Z_METADATA")
            let metadata = try StoreMetadata(propertyList: list)
            #expect(!metadata.hashes.isEmpty, "\(store)")
            let read = try BinaryPropertyListReader.read(list)
            if let digest = read["NSStoreModelVersionHashesDigest"]?.string {
                #expect(StoreMetadata.digest(of: metadata.hashes) == digest, "\(store)")
                found.digests += 1
            }
            if let checksum = read["NSStoreModelVersionChecksumKey"]?.string {
                #expect(StoreMetadata.checksum(of: metadata.hashes) == checksum, "\(store)")
                found.checksums += 1
            }
        }
        #expect(found == (4, 2))
    }

    /// The framework writes the hashes of a compiled model into the stores that it makes with it.
    @Test func theHashesOfAStoreAreThoseInVersionInfo() throws {
        let data = try #require(sharedFolder).appending(path: "data/coredata/sample/Fixtures").path
        let compiled = try ModelFile.read(data + "/SampleModel.momd")
        for (store, version) in [("V1", "SampleModel"), ("V2", "SampleModel2")] {
            let hashes = try SQLiteStore.versionHashes(path: "\(data)/SampleModel_\(store).sqlite")
            #expect(hashes?.isEmpty == false)
            #expect(hashes == compiled.versionHashes[version], "\(version)")
        }
    }

    // MARK: Damage

    /// Each byte of the metadata and of the model cache, changed in the file: the outcome is an
    /// error or an answer, and whatever is refused or only looked at stays as it was.
    @Test(arguments: ["Z_PLIST FROM Z_METADATA", "Z_CONTENT FROM Z_MODELCACHE"])
    func aFlippedByteIsAnErrorOrAnAnswer(_ column: String) throws {
        let store = try #require(AppStore.all.first { $0.file == "moody/Moody 5.moody" })
        let (folder, model) = (try TemporaryFolder(), try store.readModel())
        let path = try store.copy(to: folder)
        let part = try RawDatabase(path).bytes("SELECT \(column)")
        let whole = try Data(contentsOf: URL(filePath: path))
        let place = try #require(whole.firstRange(of: Data(part)))
        #expect(whole[place.upperBound...].firstRange(of: Data(part)) == nil)
        let isCache = column.hasSuffix("Z_MODELCACHE")
        var tally = Tally()
        for (index, byte) in place.enumerated() {
            var bytes = whole
            bytes[byte] ^= [0x01, 0x80, 0xFF][index % 3]
            let damaged = try TemporaryFolder()
            let path = damaged.path + "/a.moody"
            try bytes.write(to: URL(filePath: path))
            let names = try FileManager.default.contentsOfDirectory(atPath: damaged.path)
            func isUntouched() throws -> Bool {
                try Data(contentsOf: URL(filePath: path)) == bytes
                    && FileManager.default.contentsOfDirectory(atPath: damaged.path) == names
            }
            do {
                _ = try SQLiteStore.modelFile(path: path).model()
                tally.models += 1
            } catch {
                #expect(error.errors.allSatisfy { !$0.message.isEmpty })
                tally.modelErrors += 1
            }
            _ = try? SQLiteStore.versionHashes(path: path)
            #expect(try isUntouched(), "looking changed the file: byte \(index)")
            // Opening compares models, and takes longer than reading the cache.
            guard !isCache || index % 5 == 0 else { continue }
            do {
                try SQLiteStore.open(path: path, model: model).close()
                tally.opened += 1
            } catch {
                #expect(try isUntouched(), "a refusal changed the file: byte \(index): \(error)")
                tally.refused += 1
            }
        }
        #expect(tally.models > 0 && tally.opened > 0 && tally.refused > 0)
        #expect((tally.modelErrors > 0) == isCache)
        #expect(tally.models + tally.modelErrors == place.count, "\(tally)")
    }

    private struct Tally {
        var models = 0
        var modelErrors = 0
        var opened = 0
        var refused = 0
    }
}
