// Files that are no stores are refused by name and left as they are; a store outlives its close.

import Foundation
import SteleModel
import StelePersistence
import SteleSQLite
import TestSupport
import Testing

@Suite struct FileTests {
    @Test func aRefusalNamesTheFileAndNotAStatement() throws {
        let folder = try TemporaryFolder()
        try Data([UInt8](repeating: 7, count: 9000)).write(to: URL(filePath: folder.store))
        #expect {
            _ = try SQLiteStore.open(path: folder.store, model: try sampleModel("League"))
        } throws: { error in
            guard case StoreError.incompatible(134080, let text)? = error as? StoreError else {
                return false
            }
            return text.contains("/store.sqlite is not an SQLite database")
                && !text.contains("SELECT")
        }
    }

    /// What is for the whole process is settled before its first store.
    @Test func sqliteIsNotConfiguredUnderAnOpenStore() throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore.open(path: folder.store, model: try sampleModel("League"))
        defer { store.close() }
        #expect(!SQLiteStore.configureProcess())
    }

    @Test func aDatabaseOfSomethingElseIsLeftAsItIs() throws {
        let folder = try TemporaryFolder()
        try RawDatabase(folder.store).run(
            "CREATE TABLE notes (text); INSERT INTO notes VALUES ('a')")
        let before = try Data(contentsOf: URL(filePath: folder.store))
        #expect(throws: StoreError.self) {
            _ = try SQLiteStore.open(path: folder.store, model: try sampleModel("League"))
        }
        #expect(try Data(contentsOf: URL(filePath: folder.store)) == before)
    }

    /// Who reads a store takes the level from SQLite.
    @Test func aStoreWithoutAutoVacuumLevelIsRead() throws {
        let folder = try TemporaryFolder()
        let model = try sampleModel("League")
        try SQLiteStore.open(path: folder.store, model: model).close()
        let level = "_NSAutoVacuumLevel"
        func list() throws -> [String: Any] {
            let rows = try RawDatabase(folder.store)
                .texts("SELECT hex(Z_PLIST) FROM Z_METADATA")
            let hex = try #require(rows.first)
            let pairs = stride(from: 0, to: hex.count, by: 2).map { hex.dropFirst($0).prefix(2) }
            let data = Data(pairs.compactMap { UInt8($0, radix: 16) })
            let list = try PropertyListSerialization.propertyList(from: data, format: nil)
            return try #require(list as? [String: Any])
        }
        var changed = try list()
        #expect(changed.removeValue(forKey: level) as? String == "2")
        let data = try PropertyListSerialization.data(
            fromPropertyList: changed, format: .binary, options: 0)
        let hex = data.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        try RawDatabase(folder.store).run("UPDATE Z_METADATA SET Z_PLIST = x'\(hex)'")
        try SQLiteStore.open(path: folder.store, model: model).close()
        #expect(try list()[level] == nil)
    }

    @Test func aStoreCanBeAskedAfterItIsClosed() throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore.open(path: folder.store, model: try sampleModel("League"))
        store.close()
        #expect(!store.noticesForeignChange())
        #expect(throws: StoreError.self) { try store.reader() }
        #expect(throws: StoreError.self) { try store.save(SaveRequest(readToken: 0)) }
    }

    /// A model for the tests of what is refused: an index, and a broken request.
    private func model(_ more: String) throws -> Model {
        let text = """
            {"name": "M", "entities": [{"name": "A", "attributes": [
              {"name": "n", "type": "Integer 64"}]\(more)}]}
            """
        return try Model(try ManagedObjectModel(json: Array(text.utf8), name: "M"))
    }

    @Test func aModelThatAsksForMoreThanThereIsIsRefusedByName() throws {
        let folder = try TemporaryFolder()
        let text = #"{"entities":[{"name":"A","attributes":[{"name":"o","type":"ObjectID"}]}]}"#
        let model = try Model(try ManagedObjectModel(json: Array(text.utf8), name: "M"))
        #expect(!model.unsupported().isEmpty)
        #expect {
            _ = try SQLiteStore.open(path: folder.store, model: model)
        } throws: { error in
            guard case StoreError.unsupported(let text)? = error as? StoreError else {
                return false
            }
            return text.contains("A.o: attributes of type ObjectID are not supported yet")
        }
        #expect(!FileManager.default.fileExists(atPath: folder.store))
    }

    /// No answer depends on an index, and SQLite maintains those that a file has.
    @Test func anIndexThatIsNotMadeDoesNotRefuseTheModel() throws {
        let folder = try TemporaryFolder()
        let model = try model(
            #", "indexes": [{"name": "r", "elements": ["n"], "predicate": "n > 0"}]"#)
        let store = try SQLiteStore.open(path: folder.store, model: model)
        let a = try #require(model.entity(named: "A"))
        _ = try store.insert(a, [:])
        store.close()
        let raw = try RawDatabase(folder.store)
        #expect(
            try raw.texts("SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = 'ZA'")
                == [])
        try raw.run("CREATE INDEX Z_A_r ON ZA (ZN) WHERE ZN > 0")
        let again = try SQLiteStore.open(path: folder.store, model: model)
        _ = try again.insert(a, ["n": .int(1)])
        again.close()
        #expect(try raw.texts("PRAGMA integrity_check") == ["ok"])
    }

    @Test func aModelWithARequestThatCannotBeEvaluatedIsRefusedByName() throws {
        let folder = try TemporaryFolder()
        let model = try model(
            """
            , "fetchedProperties": [
                {"name": "f", "fetchRequest": {"name": "q", "entity": "A", "predicate": "m > 3"}}]
            """)
        #expect {
            _ = try SQLiteStore.open(path: folder.store, model: model)
        } throws: { error in
            guard case StoreError.invalid(let text)? = error as? StoreError else { return false }
            return text.contains("A.f") && text.contains("m > 3")
        }
        #expect(!FileManager.default.fileExists(atPath: folder.store))
    }

    @Test func manyOpenANewStoreAtTheSameTime() throws {
        let folder = try TemporaryFolder()
        let model = try sampleModel("League")
        let group = DispatchGroup()
        for _ in 0..<4 {
            DispatchQueue.global().async(group: group) {
                do { try SQLiteStore.open(path: folder.store, model: model).close() } catch {
                    Issue.record(error)
                }
            }
        }
        group.wait()
    }

    /// The last one that closes the store removes its log, which another may have found already.
    @Test func manyOpenAndCloseAStoreAtTheSameTime() throws {
        let folder = try TemporaryFolder()
        let model = try sampleModel("League")
        let team = try #require(model.entities.first { $0.name == "Team" })
        let group = DispatchGroup()
        for _ in 0..<3 {
            DispatchQueue.global().async(group: group) {
                for _ in 0..<20 {
                    do {
                        let store = try SQLiteStore.open(path: folder.store, model: model)
                        defer { store.close() }
                        _ = try store.insert(team, [:])
                    } catch {
                        Issue.record(error)
                    }
                }
            }
        }
        group.wait()
    }

    @Test func aFileWithNumbersOutOfAllRangeDoesNotStopTheProgram() throws {
        let it = try GraphStore(try sampleModel("League"))
        let team = try it.insert("Team")[0]
        try RawDatabase(it.folder.store).run(
            "UPDATE ZTEAM SET Z_OPT = 9223372036854775807; "
                + "INSERT INTO ZPLAYER (Z_PK, Z_ENT, Z_OPT) VALUES (5, -9223372036854775808, 1); "
                + "INSERT INTO ACHANGE VALUES (99, 16001, NULL, 1, -9223372036854775808, 1, 1, "
                + "NULL); "
                + "UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807 WHERE Z_ENT = 1")
        _ = try it.history()
        _ = try it.context().object(entity: try it.entity("Player"), key: 5)
        #expect(throws: (any Error).self) { try it.insert("Player", count: 2) }
        _ = try? it.change { try $0.get(team)["name"] = .string("B") }
        #expect(try it.stored(team) != nil)
    }
}
