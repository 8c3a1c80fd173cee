/// What Docs/StoreFormat.md shows is what a store is.

import Foundation
import SteleModel
import SteleSQL
import SteleSQLite
import Testing

@Suite struct StoreFormatDocsTests {
    private static func page() throws -> String {
        try String(contentsOfFile: packageRoot + "/Docs/StoreFormat.md", encoding: .utf8)
    }

    @Test func theStatementsShownAreThoseOfTheLeague() throws {
        let parts = try Self.page().components(separatedBy: "```sql\n")
        let block = try #require(parts.dropFirst().first?.components(separatedBy: "```").first)
        let shown = block.split(separator: "\n").map(String.init)
        #expect(shown == SQLSchema(model: try sample("League")).creation)
    }

    @Test func everyTypeHasTheDeclaredTypeThatThePageNames() throws {
        var named: [String: String] = [:]
        for line in try Self.page().split(separator: "\n") where line.hasPrefix("| `") {
            let cells = line.split(separator: "|").map {
                $0.trimmingCharacters(in: CharacterSet(charactersIn: " `"))
            }
            if AttributeType.allCases.map(\.name).contains(cells[0]) { named[cells[0]] = cells[1] }
        }
        let without: Set<AttributeType> = [.undefined, .objectID, .composite]
        for type in AttributeType.allCases where !without.contains(type) {
            var entity = EntityDescription(name: "Thing")
            entity.properties = [.attribute(AttributeDescription(name: "it", type: type))]
            var declaration = ManagedObjectModel(name: "Things")
            declaration.entities = [entity]
            let table = SQLSchema(model: try Model(declaration)).table(of: 0)
            #expect(table.columns.map(\.type) == named[type.name].map { [$0] }, "\(type.name)")
        }
    }

    @Test func theBeforeImagesShownAreWhatThoseSavesLeave() throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore.open(path: folder.store, model: try sample("League"))
        defer { store.close() }
        let player = try #require(store.model.entity(named: "Player"))
        let made = try store.insert(player, ["name": .string("Ana"), "goals": .int(0)])
        let renamed = try store.update(made, ["name": .string("Anna")])
        try store.delete(renamed)
        let rows = try RawDatabase(folder.store).texts(
            "SELECT printf('%-5d %-8d %-10d %-9d %s', Z_PK, ZFAMILY, ZENTITYPK, ZVERSION, ZVALUES) "
                + "FROM STELE_BEFOREIMAGE ORDER BY Z_PK")
        #expect(rows.count == 2)
        let lines = try Self.page().components(separatedBy: "\n")
        for row in rows { #expect(lines.contains(row), "\(row)") }
    }

    @Test func everyKeyOfTheMetadataIsOnThePage() throws {
        let metadata = StoreMetadata(model: try sample("League"), generation: "00000000")
        var full = metadata
        full.longDecimals = ["Player.salary"]
        let list = try PropertyListSerialization.propertyList(
            from: Data(try full.propertyList()), format: nil)
        let keys = try #require(list as? [String: Any]).keys
        #expect(keys.count == 10)
        let page = try Self.page()
        for key in keys { #expect(page.contains("| `\(key)` |"), "\(key)") }
    }
}
