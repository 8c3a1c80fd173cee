/// The layout of a file is read from it, however it is numbered and named.

import Foundation
import SteleGraph
import SteleModel
import StelePersistence
import StelePredicates
import TestSupport
import Testing

@testable import SteleSQLite

@Suite struct StoreLayoutTests {
    /// A family of four with sides to which everything refers in each way.
    private static func model() throws -> Model {
        try makeModel([
            EntityMaker("Item").attribute("name", .string)
                .toMany("tags", "Tag", inverse: "items", ordered: true)
                .toOne("shelf", "Shelf", inverse: "items"),
            EntityMaker("Book", parent: "Item").attribute("pages", .integer32),
            EntityMaker("Novel", parent: "Book").attribute("hero", .string),
            EntityMaker("Map", parent: "Item").attribute("scale", .double),
            EntityMaker("Shelf").attribute("name", .string)
                .toMany("items", "Item", inverse: "shelf", ordered: true).toOne("best", "Item"),
            EntityMaker("Tag").attribute("name", .string)
                .toMany("items", "Item", inverse: "tags").toMany("near", "Shelf"),
        ])
    }

    private final class Stage: GraphFixture {
        let folder: TemporaryFolder
        let coordinator: PersistentStoreCoordinator

        init(_ folder: TemporaryFolder, _ model: Model) throws {
            self.folder = folder
            coordinator = PersistentStoreCoordinator(
                store: try SQLiteStore.open(path: folder.store, model: model))
        }

        deinit { coordinator.store.close() }

        func fill() throws {
            try change { context in
                let tags = try (0..<2).map { try make("Tag", $0, context) }
                let shelves = try (0..<2).map { try make("Shelf", $0, context) }
                for (index, name) in ["Item", "Book", "Novel", "Map", "Novel"].enumerated() {
                    let object = try make(name, index, context)
                    try object.set("shelf", shelves[index % 2])
                    try object.setMembers(
                        try object.link("tags"), index % 2 == 0 ? tags.reversed() : tags)
                    try shelves[index % 2].set("best", object)
                }
                try tags[1].setMembers(try tags[1].link("near"), shelves)
            }
        }

        private func make(
            _ name: String, _ index: Int, _ context: ManagedObjectContext
        ) throws -> ManagedObject {
            let object = try context.insert(try entity(name))
            object["name"] = .string("\(name) \(index)")
            return object
        }

        /// All objects with all values and members, by entity, and the history.
        func contents() throws -> [String] {
            try read { reader in
                var lines: [String] = []
                for entity in model.entities {
                    let found = try reader.fetch(FetchRequest(entity: entity))
                    lines.append(
                        "\(entity.name): \(found.count) \(try reader.count(.init(entity: entity)))")
                    for it in found {
                        lines.append("\(model.entities[it.entity].name) \(it.key) \(it.values)")
                    }
                    for it in entity.toManys {
                        let members = try reader.members(of: it, owners: found.map(\.key))
                        lines.append("\(it.name): \(members.sorted { $0.key < $1.key })")
                    }
                }
                for save in try reader.history(after: 0, limit: .max, values: true) {
                    lines += save.changes.map { "\($0)" }
                }
                return lines
            }
        }
    }

    /// Gives entities other numbers, as a migration by Core Data may leave them.
    private static func renumber(_ path: String, _ numbers: [Int: Int], otherSide: Bool) throws {
        let raw = try RawDatabase(path)
        let cases = numbers.map { "WHEN \($0) THEN \($1)" }.joined(separator: " ")
        func other(_ name: String) -> String {
            for start in ["Z_FOK_", "Z_", "Z"] where name.hasPrefix(start) {
                let rest = name.dropFirst(start.count)
                let digits = rest.prefix { $0.isNumber }
                guard let number = Int(digits), let new = numbers[number] else { continue }
                return "\(start)\(new)\(rest.dropFirst(digits.count))"
            }
            return name
        }
        try raw.run("UPDATE Z_PRIMARYKEY SET Z_ENT = -Z_ENT WHERE Z_ENT < 16001")
        try raw.run(
            "UPDATE Z_PRIMARYKEY SET Z_SUPER = CASE Z_SUPER \(cases) ELSE 0 END, "
                + "Z_ENT = CASE -Z_ENT \(cases) END WHERE Z_ENT < 0")
        try raw.run("UPDATE ACHANGE SET ZENTITY = CASE ZENTITY \(cases) END")
        try raw.run("UPDATE STELE_BEFOREIMAGE SET ZFAMILY = CASE ZFAMILY \(cases) END")
        for table in try raw.texts("SELECT name FROM sqlite_master WHERE type = 'table'")
        where table.hasPrefix("Z")
            && !["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"].contains(table)
        {
            let columns = try raw.texts("SELECT name FROM pragma_table_info('\(table)')")
            if columns.contains("Z_ENT") {
                try raw.run("UPDATE \(table) SET Z_ENT = CASE Z_ENT \(cases) END")
            }
            for column in columns {
                let isNumber = column.dropFirst().first?.isNumber == true && column.contains("_")
                if isNumber {
                    try raw.run("UPDATE \(table) SET \(column) = CASE \(column) \(cases) END")
                }
                if other(column) != column {
                    try raw.run("ALTER TABLE \(table) RENAME COLUMN \(column) TO \(other(column))")
                }
            }
            guard other(table) != table else { continue }
            // The owner's table name is of the other relationship.
            let name = otherSide ? "Z_\(numbers[6] ?? 0)ITEMS" : other(table)
            try raw.run("ALTER TABLE \(table) RENAME TO \(name)")
        }
    }

    /// Makes a store with objects.
    /// - Returns: what it has.
    private static func fill(_ folder: TemporaryFolder, _ model: Model) throws -> [String] {
        let stage = try Stage(folder, model)
        try stage.fill()
        return try stage.contents()
    }

    @Test(arguments: [false, true]) func numbersMayBeAny(otherSide: Bool) throws {
        let model = try Self.model()
        let folder = try TemporaryFolder()
        let before = try Self.fill(folder, model)
        let names = try RawDatabase(folder.store).texts(
            "SELECT Z_NAME FROM Z_PRIMARYKEY WHERE Z_ENT < 16001 ORDER BY Z_ENT")
        #expect(names == ["Item", "Book", "Novel", "Map", "Shelf", "Tag"])
        let numbers = [1: 40, 2: 7, 3: 300, 4: 12, 5: 2, 6: 9]
        try Self.renumber(folder.store, numbers, otherSide: otherSide)
        let stage = try Stage(folder, model)
        #expect(try stage.contents() == before)
        // Writing keeps the numbers.
        try stage.change { context in
            let novel = try context.insert(try stage.entity("Novel"))
            novel["name"] = .string("New")
            let shelf = try #require(try context.object(entity: try stage.entity("Shelf"), key: 1))
            try shelf.set("best", novel)
            try novel.setMembers(
                try novel.link("tags"), try context.fetch(.init(entity: try stage.entity("Tag"))))
        }
        let raw = try RawDatabase(folder.store)
        #expect(try raw.texts("SELECT Z_ENT FROM ZITEM WHERE ZNAME = 'New'") == ["300"])
        #expect(try raw.texts("SELECT Z40_BEST FROM ZSHELF WHERE Z_PK = 1") == ["300"])
        #expect(try raw.texts("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 40") == ["6"])
        #expect(try raw.texts("SELECT COUNT(*) FROM Z_PRIMARYKEY") == ["9"])
        let book = try stage.entity("Book")
        let keys = try stage.read { try $0.fetch(FetchRequest(entity: book)).map(\.key) }
        #expect(keys == [2, 3, 5, 6])
    }

    @Test func aJoinTableMayHaveColumnsOfOtherPrograms() throws {
        let model = try Self.model()
        let folder = try TemporaryFolder()
        let before = try Self.fill(folder, model)
        try RawDatabase(folder.store).run("ALTER TABLE Z_1TAGS ADD COLUMN note TEXT")
        let stage = try Stage(folder, model)
        #expect(try stage.contents() == before)
        try stage.change { context in
            let tag = try #require(try context.object(entity: try stage.entity("Tag"), key: 1))
            let novel = try context.insert(try stage.entity("Novel"))
            try novel.setMembers(try novel.link("tags"), [tag])
        }
        let count = try RawDatabase(folder.store).texts("SELECT COUNT(*) FROM Z_1TAGS")
        #expect(count == ["11"])
    }

    /// A table or column that is missing is named.
    @Test func whatTheFileLacksIsNamed() throws {
        let model = try Self.model()
        let cases = [
            ("ALTER TABLE ZITEM RENAME COLUMN ZHERO TO ZHEROINE", "ZHERO for Novel.hero"),
            ("ALTER TABLE ZSHELF DROP COLUMN Z1_BEST", "Z1_BEST for Shelf.best"),
            ("ALTER TABLE ZTAG RENAME TO ZLABEL", "no table ZTAG for the entity Tag"),
            ("ALTER TABLE Z_1TAGS RENAME TO Z_8TAGS", "no table Z_1TAGS or Z_6ITEMS"),
            ("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = 5", "no row for the entity Shelf"),
            ("UPDATE Z_PRIMARYKEY SET Z_ENT = 99999 WHERE Z_ENT = 5", "entity Shelf"),
            ("DROP TABLE Z_PRIMARYKEY", "no table Z_PRIMARYKEY"),
        ]
        for (change, words) in cases {
            let folder = try TemporaryFolder()
            try SQLiteStore.open(path: folder.store, model: model).close()
            try RawDatabase(folder.store).run(change)
            #expect("\(change)") {
                try SQLiteStore.open(path: folder.store, model: model)
            } throws: { error in
                guard case StoreError.incompatible(_, let text) = error else { return false }
                return text.contains(words)
            }
        }
    }
}
