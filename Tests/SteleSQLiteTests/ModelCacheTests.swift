// The model in a store's file (Z_MODELCACHE).

import Foundation
import SteleModel
import SteleModelFiles
import StelePersistence
import SteleSQLite
import TestSupport
import Testing

@Suite struct ModelCacheTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The store is opened with the model that its file has.
    @Test(arguments: ["League", "Catalog", "Recipes", "Shapes", "Tasks", "World", "Movies"])
    func aNewStoreHasItsModel(_ name: String) throws {
        let model = try sampleModel(name)
        try SQLiteStore.open(path: folder.store, model: model).close()
        #expect(try modelCache(folder.store).count == 1)
        let file = try SQLiteStore.modelFile(path: folder.store)
        #expect(file.notes == [])
        #expect(file.versionHashes.isEmpty, "the hashes are Stele's")
        let own = try file.model()
        #expect(own.entities.map(\.name) == model.entities.map(\.name))
        #expect(own.versionChecksum == model.versionChecksum)
        let store = try SQLiteStore.open(path: folder.store, model: own)
        defer { store.close() }
        #expect(store.model === own)
    }

    /// A store with some of the entities has the whole model, as Core Data's have.
    @Test func aStoreOfAConfigurationHasTheWholeModel() throws {
        let json = """
            {"entities": [{"name": "A"}, {"name": "B"}],
             "configurations": [{"name": "C", "entities": ["A"]}]}
            """
        let model = try Model(ManagedObjectModel(json: Array(json.utf8), name: "M"))
        let part = try #require(model.restricted(to: "C"))
        try SQLiteStore.open(path: folder.store, model: part).close()
        let own = try SQLiteStore.modelFile(path: folder.store).model()
        #expect(own.entities.map(\.name) == ["A", "B"])
        let again = try #require(own.restricted(to: "C"))
        try SQLiteStore.open(path: folder.store, model: again).close()
        #expect(throws: StoreError.self) { try SQLiteStore.open(path: folder.store, model: own) }
    }

    /// A composite attribute is in no archive.
    @Test func aModelThatCannotBeArchivedLeavesItEmpty() throws {
        let json = """
            {"composites": [{"name": "C", "attributes": [{"name": "x", "type": "Double"}]}],
             "entities": [{"name": "E", "attributes": [
                {"name": "place", "type": "Composite", "composite": "C"}]}]}
            """
        let model = try Model(ManagedObjectModel(json: Array(json.utf8), name: "M"))
        try SQLiteStore.open(path: folder.store, model: model).close()
        #expect(try modelCache(folder.store) == [])
        try SQLiteStore.open(path: folder.store, model: model).close()
    }

    /// A derivation that an archive spells in another way has other version hashes.
    @Test func aModelThatWouldBeReadAsAnotherLeavesItEmpty() throws {
        func model(_ derivation: String) throws -> Model {
            let json = """
                {"entities": [{"name": "E", "attributes": [{"name": "a", "type": "String"},
                 {"name": "b", "type": "String", "derivation": "\(derivation)"}]}]}
                """
            return try Model(ManagedObjectModel(json: Array(json.utf8), name: "M"))
        }
        #expect(ModelCache.bytes(of: try model("canonical:( a )")) == nil)
        #expect(ModelCache.bytes(of: try model("canonical:(a)")) != nil)
    }

    /// An opening, and a save, leave the cache as it is; an app's too.
    @Test(
        .enabled(if: sharedFolder != nil, "the shared data is not here"),
        arguments: AppStore.all)
    func anAppsCacheStays(_ app: AppStore) throws {
        let path = try app.copy(to: folder)
        let before = try modelCache(path)
        #expect(before.count == 1)
        let store = try SQLiteStore.open(path: path, model: app.readModel())
        store.close()
        #expect(try modelCache(path) == before)
        let hashes = try #require(try SQLiteStore.versionHashes(path: path))
        let file = try SQLiteStore.modelFile(path: path)
        #expect(file.versionHashes == [file.name: hashes])
    }
}
