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
    @Test(arguments: [
        "League", "Catalog", "Recipes", "Shapes", "Tasks", "World", "Movies",
    ])
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
        let bytes = try RawDatabase(folder.store).bytes("SELECT Z_CONTENT FROM Z_MODELCACHE")
        let store = try SQLiteStore.open(path: folder.store, model: own)
        defer { store.close() }
        #expect(store.model === own)
        #expect(
            try RawDatabase(folder.store).bytes("SELECT Z_CONTENT FROM Z_MODELCACHE") == bytes)
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

    /// Bounds, defaults and user info are in no version hash.
    @Test func openingForWritingRenewsTheModel() throws {
        func model(_ bound: Int) throws -> Model {
            let json = """
                {"entities": [{"name": "E", "attributes": [
                    {"name": "n", "type": "Integer 32", "maximum": \(bound)}]}]}
                """
            return try Model(ManagedObjectModel(json: Array(json.utf8), name: "M"))
        }
        let (old, new) = (try model(3), try model(5))
        #expect(old.versionChecksum == new.versionChecksum)
        try SQLiteStore.open(path: folder.store, model: old).close()
        let first = try modelCache(folder.store)
        try SQLiteStore.open(path: folder.store, model: old).close()
        #expect(try modelCache(folder.store) == first)
        // Another program that has it open keeps its model.
        let store = try SQLiteStore.open(path: folder.store, model: old)
        try SQLiteStore.open(path: folder.store, model: new).close()
        #expect(try modelCache(folder.store) == first)
        store.close()
        try ReadOnlySQLiteStore.open(path: folder.store, model: new).close()
        #expect(try modelCache(folder.store) == first)
        try SQLiteStore.open(path: folder.store, model: new).close()
        let bytes = try #require(ModelCache.bytes(of: new))
        #expect(
            try RawDatabase(folder.store).bytes("SELECT Z_CONTENT FROM Z_MODELCACHE") == bytes)
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

    /// An archive spells a derivation in one way.
    @Test func howADerivationIsWrittenDoesNotMatter() throws {
        func model(_ derivation: String) throws -> Model {
            let json = """
                {"entities": [{"name": "E", "attributes": [{"name": "a", "type": "String"},
                 {"name": "b", "type": "String", "derivation": "\(derivation)"}]}]}
                """
            return try Model(ManagedObjectModel(json: Array(json.utf8), name: "M"))
        }
        #expect(ModelCache.bytes(of: try model("canonical:( a )")) != nil)
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

    // MARK: Version hashes

    private static func hashes(_ model: Model) -> [String: [UInt8]] {
        Dictionary(
            uniqueKeysWithValues: model.storedEntities.map {
                ($0.name, [UInt8](repeating: UInt8($0.index + 1), count: 32))
            })
    }

    /// Hashes that Core Data has computed are those of a new store, which is of its model and of no
    /// other.
    @Test func aNewStoreHasTheHashesThatAreKnown() throws {
        let model = try sampleModel("League")
        let hashes = Self.hashes(model)
        func open(_ model: Model) throws {
            let store = try SQLiteStore.open(
                path: folder.store, model: model, versionHashes: hashes)
            store.close()
        }
        try open(model)
        #expect(try SQLiteStore.versionHashes(path: folder.store) == hashes)
        try SQLiteStore.open(path: folder.store, model: model).close()
        try open(model)
        #expect(try SQLiteStore.versionHashes(path: folder.store) == hashes)
        let file = try SQLiteStore.modelFile(path: folder.store)
        #expect(file.versionHashes == [file.name: hashes])
        try open(file.model())
        #expect(try !SQLiteStore.isMigratedInPlace(path: folder.store))
        // Another model has no other column, and is told by the model in the file.
        let other = model.declaration.withOptionalName("Team")
        let error = #expect(throws: StoreError.self) {
            try SQLiteStore.open(path: folder.store, model: Model(other)).close()
        }
        guard case .incompatible(code: 134100, let text)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(text.contains("Team.name is not as in the model that the store has"), "\(text)")
    }

    /// Two versions without a difference in columns are told apart by their hashes.
    @Test func aStoreWithOtherHashesThanTheModelsIsRefused() throws {
        let model = try sampleModel("League")
        let hashes = Self.hashes(model)
        try SQLiteStore.open(path: folder.store, model: model, versionHashes: hashes).close()
        var others = hashes
        others["Team"] = [UInt8](repeating: 99, count: 32)
        let before = try FolderState(folder.path)
        for open in [
            { _ = try SQLiteStore.open(path: folder.store, model: model, versionHashes: others) },
            {
                _ = try ReadOnlySQLiteStore.open(
                    path: folder.store, model: model, versionHashes: others)
            },
        ] {
            let error = #expect(throws: StoreError.self) { try open() }
            guard case .incompatible(code: 134100, let text)? = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(text.contains("the version hash of Team is not that in VersionInfo.plist"))
        }
        #expect(try FolderState(folder.path) == before)
        let found = try SQLiteStore.adoptableModel(
            path: folder.store, among: [model], [model.name: others])
        #expect(found == nil)
        #expect(
            try SQLiteStore.adoptableModel(
                path: folder.store, among: [model], [model.name: hashes]) === model)
    }

    /// Hashes of other entities than the store's are not used.
    @Test func hashesOfOtherEntitiesAreNotUsed() throws {
        let model = try sampleModel("League")
        var hashes = Self.hashes(model)
        hashes["Team"] = nil
        try SQLiteStore.open(path: folder.store, model: model, versionHashes: hashes).close()
        #expect(try SQLiteStore.isMigratedInPlace(path: folder.store))
    }
}

extension ManagedObjectModel {
    /// The model in which the attribute `name` of an entity is optional, or not where it was.
    fileprivate func withOptionalName(_ entity: String) -> ManagedObjectModel {
        var model = self
        for place in model.entities.indices where model.entities[place].name == entity {
            model.entities[place].properties = model.entities[place].properties.map { property in
                guard case .attribute(var it) = property, it.name == "name" else { return property }
                it.isOptional.toggle()
                return .attribute(it)
            }
        }
        return model
    }
}
