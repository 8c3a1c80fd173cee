// Stores that Apple's framework made are inspected as they are.

import Foundation
import SteleModel
import SteleModelFiles
import StelePersistence
import SteleSQLite
import TestSupport
import Testing

@Suite(.enabled(if: sharedFolder != nil, "the shared data is not here"))
struct AppStoreInspectionTests {
    @Test(arguments: AppStore.all)
    func aStoreAgreesWithItself(_ app: AppStore) throws {
        let folder = try TemporaryFolder()
        let path = try app.copy(to: folder)
        let before = try FolderState(folder.path)
        let found = try SQLiteStore.inspect(path: path, among: [])
        let model = try app.readModel()
        let given = try SQLiteStore.inspect(path: path, among: [model])
        #expect(try FolderState(folder.path) == before)
        #expect(found.differences == [] && found.unchecked == [])
        #expect(given.differences == [] && given.unchecked == [])
        #expect(found.model?.isOwn == true && given.model?.isOwn == false)
        #expect(!found.isSteles && !found.isAdopted)
        #expect(given.entities == found.entities && given.tables == found.tables)
        let metadata = try SQLiteStore.metadata(path: path)
        #expect(found.identifier == metadata["NSStoreUUID"]?.string)
        #expect(
            metadata["NSPersistenceFrameworkVersion"]
                == found.frameworkVersion.flatMap(Int64.init).map(PropertyList.integer))

        let plain = try PlainReader(path, model)
        #expect(found.entities.map(\.name) == model.entities.map(\.name))
        for (entity, counted) in zip(model.entities, found.entities) {
            #expect(counted.objects == Int64(try plain.keys(entity).count), "\(entity.name)")
            #expect(try "\(counted.number ?? 0)" == plain.number(entity))
        }
        for table in found.tables {
            let bytes = try plain.integers(
                "SELECT SUM(pgsize) FROM dbstat WHERE name IN (SELECT name FROM sqlite_master "
                    + "WHERE tbl_name = '\(table.name)')")
            #expect(bytes == [table.bytes], "\(table.name)")
            guard let rows = table.rows else { continue }
            #expect(try plain.integers("SELECT COUNT(*) FROM \(table.name)") == [rows])
        }
        let hasHistory =
            try plain.integers(
                "SELECT COUNT(*) FROM sqlite_master WHERE name = 'ATRANSACTION'") == [1]
        #expect((found.history != nil) == hasHistory)
        if hasHistory {
            #expect(
                try plain.integers("SELECT COUNT(*) FROM ACHANGE") == [found.history?.changes])
            #expect(
                try plain.integers("SELECT MAX(Z_PK) FROM ATRANSACTION")
                    == [found.history?.numbers?.upperBound])
        }
    }

    /// After Stele has written to it.
    @Test(arguments: AppStore.all)
    func aStoreAgreesWithItselfAfterSaves(_ app: AppStore) throws {
        let folder = try TemporaryFolder()
        let path = try app.copy(to: folder)
        let model = try app.readModel()
        let store = try SQLiteStore.open(path: path, model: model)
        _ = try AppStoreWriter(store).run()
        let open = try SQLiteStore.inspect(path: path, among: [model])
        #expect(open.differences == [] && open.unchecked == [], "while it is open")
        store.close()
        for models in [[], [model]] {
            let found = try SQLiteStore.inspect(path: path, among: models)
            #expect(found.differences == [] && found.unchecked == [])
            #expect(found.isAdopted && !found.isSteles)
            #expect((found.history?.transactions ?? 0) > 1)
        }
    }

    /// A compiled model has Core Data's version hashes, which are compared byte by byte.
    @Test func publishedVersionHashesAreCompared() throws {
        let data = try #require(sharedFolder).path + "/data/coredata/sample/Fixtures"
        let file = try ModelFile.read(data + "/SampleModel.momd")
        let models = try file.models().models
        for (app, version) in [(AppStore.all[5], "SampleModel"), (AppStore.all[6], "SampleModel2")]
        {
            let folder = try TemporaryFolder()
            let path = try app.copy(to: folder)
            var published = file.versionHashes
            let found = try SQLiteStore.inspect(path: path, among: models, published: published)
            #expect(found.model == .init(name: version, isOwn: false) && found.differences == [])
            #expect(found.hashes == "those of the model")
            published[version]?["Person"] = [1]
            let other = try SQLiteStore.inspect(
                path: path, among: models.filter { $0.name == version }, published: published)
            #expect(other.model?.isOwn == true && other.differences.count == 1)
            #expect(
                other.differences.first?.contains(
                    "the version hash of Person is not that in VersionInfo.plist") == true)
        }
    }

    @Test func theHistoryBesideIsCompared() throws {
        let folder = try TemporaryFolder()
        let path = try AppStore.all[0].copy(to: folder)
        let store = try SQLiteStore.open(path: path, model: AppStore.all[0].readModel())
        _ = try AppStoreWriter(store).run()
        store.close()
        #expect(try SQLiteStore.inspect(path: path, among: []).history?.isBeside == true)
        try RawDatabase(path + "-stele").run(
            "UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX + 1 WHERE Z_ENT = 16002")
        let found = try SQLiteStore.inspect(path: path, among: [])
        #expect(found.differences.count == 1)
        #expect(found.differences.first?.hasPrefix("STELE_SAVE: the last save of the") == true)
        try FileManager.default.removeItem(atPath: path + "-stele")
        let without = try SQLiteStore.inspect(path: path, among: [])
        #expect(without.differences == [] && without.unchecked.count == 1)
    }

    @Test func aModelCacheThatDisagreesIsFound() throws {
        let folder = try TemporaryFolder()
        let path = try AppStore.all[0].copy(to: folder)
        let other = try RawDatabase(try AppStore.all[4].copy(to: folder))
            .bytes("SELECT Z_CONTENT FROM Z_MODELCACHE")
        func write(_ bytes: [UInt8]) throws {
            try RawDatabase(path).run(
                "UPDATE Z_MODELCACHE SET Z_CONTENT = X'"
                    + bytes.map { String(format: "%02X", $0) }.joined() + "'")
        }
        try write(other)
        let found = try SQLiteStore.inspect(path: path, among: []).differences
        #expect(found.first?.hasPrefix("Z_MODELCACHE: the store belongs to another model") == true)
        try write(Array(other.prefix(200)))
        let damaged = try SQLiteStore.inspect(path: path, among: [])
        #expect(damaged.differences.count == 1 && damaged.model == nil, "\(damaged.differences)")
        #expect(damaged.differences.first?.hasPrefix("Z_MODELCACHE: the model cannot") == true)
        #expect(damaged.entities.map(\.objects) == [0, 2, 3, 4])
        try write([])
        let empty = try SQLiteStore.inspect(path: path, among: [])
        #expect(empty.differences == [] && empty.unchecked.count == 1 && empty.model == nil)
        let given = try SQLiteStore.inspect(path: path, among: [AppStore.all[0].readModel()])
        #expect(given.differences == [] && given.unchecked == [])
    }
}
