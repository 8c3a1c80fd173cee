// Containers, and what a store has of other programs that a new one would not have.

import Foundation
import Stele
import TestSupport
import Testing

@Suite struct ContainerColumnTests {
    /// A new store would not have them, and nobody would be asked.
    @Test func valuesInColumnsOfOtherProgramsAreNotRemoved() throws {
        let folder = try TemporaryFolder()
        let first = #"{"name":"first","type":"String"}"#
        for (name, more) in [("v1", ""), ("v2", #",{"name":"last","type":"String"}"#)] {
            try folder.write(
                #"{"entities":[{"name":"Person","attributes":[\#(first)\#(more)]}]}"#,
                to: "\(name).json")
        }
        let path = folder.path + "/s.sqlite"
        try makeBareStore(try ModelFile.read(folder.path + "/v1.json").model(), at: path)
        try RawDatabase(path).run(
            "ALTER TABLE ZPERSON ADD COLUMN EXTRA INTEGER; "
                + "INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, EXTRA) VALUES (1, 1, 1, 7); "
                + "UPDATE Z_PRIMARYKEY SET Z_MAX = 1")
        let file = try ModelFile.read(folder.path + "/v2.json")
        let stores = [PersistentStoreDescription(path: path)]
        let error = #expect(throws: StoreError.self) {
            try PersistentContainer(modelFile: file, stores: stores).close()
        }
        guard case .incompatible(code: 134100, let text)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(text.contains("would lose the values of the column ZPERSON.EXTRA"), "\(text)")
        #expect(try RawDatabase(path).texts("SELECT EXTRA FROM ZPERSON") == ["7"])
        // An empty column is left out.
        try RawDatabase(path).run("UPDATE ZPERSON SET EXTRA = NULL")
        // So would be rows that are no objects.
        try RawDatabase(path).run("INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT) VALUES (0, 1, 1)")
        let other = #expect(throws: StoreError.self) {
            try PersistentContainer(modelFile: file, stores: stores).close()
        }
        #expect(
            other?.description.contains("has rows in ZPERSON with a Z_PK below 1") == true,
            "\(other as Any)")
        try RawDatabase(path).run("DELETE FROM ZPERSON WHERE Z_PK < 1")
        // So would be tables of other programs.
        try RawDatabase(path).run("CREATE TABLE drafts (a); INSERT INTO drafts VALUES (1)")
        let third = #expect(throws: StoreError.self) {
            try PersistentContainer(modelFile: file, stores: stores).close()
        }
        #expect(
            third?.description.contains("would lose the table drafts (1 row)") == true,
            "\(third as Any)")
        try RawDatabase(path).run("DROP TABLE drafts")
        try PersistentContainer(modelFile: file, stores: stores).close()
    }
}
