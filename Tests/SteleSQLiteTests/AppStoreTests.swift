/// Stores that Apple's framework made are read as they are.

import Foundation
import SteleGraph
import SteleModel
import StelePersistence
import SteleSQLite
import TestSupport
import Testing

@Suite(.enabled(if: sharedFolder != nil, "the shared data is not here"))
struct AppStoreTests {
    /// Every object with all its attributes and relationships is what plain SQL finds.
    @Test func allObjectsAreThoseOfTheFile() throws {
        var lines = ["file | entities | objects | values | relationships | differences"]
        for app in AppStore.all {
            let folder = try TemporaryFolder()
            let path = try app.copy(to: folder)
            let model = try app.readModel()
            let store = try SQLiteStore.open(path: path, model: model, history: .store)
            defer { store.close() }
            let tally = try AppStoreTally(store, PlainReader(path, model))
            lines.append(
                "\(app.file) | \(tally.entities) | \(tally.objects) | \(tally.values) | "
                    + "\(tally.relationships) | \(tally.differences.count)")
            #expect(tally.differences == [], "\(app.file)")
            #expect(tally.objects > 6, "\(app.file)")
        }
        print(lines.joined(separator: "\n"))
    }

    /// An opening adds Stele's keys to the metadata and changes no other.
    @Test func theMetadataStayAsTheyWere() throws {
        for app in AppStore.all {
            let folder = try TemporaryFolder()
            let path = try app.copy(to: folder)
            let before = try SQLiteStore.metadata(path: path)
            let rows = try RawDatabase(path).contents()
            let model = try app.readModel()
            for _ in 0..<2 {
                try SQLiteStore.open(path: path, model: model, history: .store).close()
            }
            var after = try SQLiteStore.metadata(path: path)
            #expect(after.removeValue(forKey: "SteleGeneration") != nil)
            #expect(after.removeValue(forKey: "SteleAdoptedModel") != nil)
            #expect(after.removeValue(forKey: "SteleHistoryLine") != nil)
            #expect(after == before, "\(app.file)")
            let now = Set(try RawDatabase(path).contents())
            #expect(Set(rows).subtracting(now) == [], "\(app.file)")
        }
    }

    /// A store without a history gets none: it is in a file beside the store, which is otherwise
    /// written as ever.
    @Test func aStoreWithoutHistoryHasItBeside() throws {
        let tables = "SELECT sql FROM sqlite_master"
        var count = 0
        for app in AppStore.all {
            let folder = try TemporaryFolder()
            let path = try app.copy(to: folder)
            let before = try RawDatabase(path).texts(tables)
            let counters = try RawDatabase(path).texts(Self.histories)
            if before.contains(where: { $0.contains("TABLE ATRANSACTION ") }) { continue }
            count += 1
            let model = try app.readModel()
            let store = try SQLiteStore.open(path: path, model: model)
            _ = try AppStoreWriter(store).run()
            store.close()
            let plain = try PlainReader(path, model)
            #expect(
                Set(try plain.database.texts(tables)).subtracting(before)
                    == [
                        "CREATE TABLE STELE_SAVE ( Z_PK INTEGER PRIMARY KEY, ZTRANSACTION INTEGER )"
                    ]
            )
            #expect(try plain.database.texts(Self.histories) == counters)
            #expect(try plain.database.texts("PRAGMA integrity_check") == ["ok"])
            #expect(
                try RawDatabase(path + "-stele").texts("SELECT COUNT(*) FROM ATRANSACTION")
                    == ["\(AppStoreWriter.saves)"], "\(app.file)")
            let again = try SQLiteStore.open(path: path, model: model)
            #expect(try AppStoreTally(again, plain).differences == [])
            again.close()
        }
        #expect(count > 3)
    }

    private static let histories =
        "SELECT Z_ENT || ' ' || Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT > 16000"

    /// Another version of the model is refused with the first difference and both versions.
    @Test func anotherModelIsRefusedWithTheDifference() throws {
        let cases = [
            (0, 1, "table ZMOOD", "ZRATING", "version 2"),
            (1, 0, "table ZMOOD", "ZREMOTEIDENTIFIER", "model version 2"),
            (3, 1, "an entity GeographicRegion", "store does not have", "version 2"),
            (4, 3, "an entity Continent", "store does not have", "version 4"),
            (5, 6, "an entity", "ExpensiveSportCar", "version 2"),
        ]
        for (store, model, first, second, version) in cases {
            let folder = try TemporaryFolder()
            let path = try AppStore.all[store].copy(to: folder)
            let before = try Data(contentsOf: URL(filePath: path))
            #expect("\(AppStore.all[store].file)") {
                try SQLiteStore.open(
                    path: path, model: AppStore.all[model].readModel(), history: .store)
            } throws: { error in
                guard case StoreError.incompatible(code: 134100, let text) = error else {
                    return false
                }
                return [first, second, version].allSatisfy { text.contains($0) }
            }
            #expect(try Data(contentsOf: URL(filePath: path)) == before)
        }
    }

    /// A store that was adopted is refused with another model, too, and is checked again when its
    /// hashes have changed.
    @Test func anAdoptedStoreIsStillOfItsModel() throws {
        let app = AppStore.all[2]
        let folder = try TemporaryFolder()
        let path = try app.copy(to: folder)
        try SQLiteStore.open(path: path, model: app.readModel(), history: .store).close()
        #expect {
            try SQLiteStore.open(path: path, model: AppStore.all[1].readModel())
        } throws: { error in
            guard case StoreError.incompatible(code: 134100, let text) = error else { return false }
            return text.contains("Continent.moods")
        }
        try SQLiteStore.open(path: path, model: app.readModel()).close()
    }
}
