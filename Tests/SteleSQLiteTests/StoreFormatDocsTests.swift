/// What Docs/StoreFormat.md shows is what a store is.

import Foundation
import SteleModel
import StelePersistence
import SteleSQL
import SteleSQLite
import TestSupport
import Testing

@Suite struct StoreFormatDocsTests {
    private static func page() throws -> String {
        try packageText("Docs/StoreFormat.md")
    }

    @Test func theStatementsShownAreThoseOfTheLeague() throws {
        let parts = try Self.page().components(separatedBy: "```sql\n")
        let block = try #require(parts.dropFirst().first?.components(separatedBy: "```").first)
        let shown = block.split(separator: "\n").map(String.init)
        #expect(shown == SQLSchema(model: try sampleModel("League")).creation)
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
            let model = try makeModel([EntityMaker("Thing").attribute("it", type)])
            let table = SQLSchema(model: model).table(of: 0)
            #expect(table.columns.map(\.type) == named[type.name].map { [$0] }, "\(type.name)")
        }
    }

    @Test func theBeforeImagesShownAreWhatThoseSavesLeave() throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore.open(path: folder.store, model: try sampleModel("League"))
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
        let metadata = StoreMetadata(model: try sampleModel("League"), generation: "00000000")
        var full = metadata
        full.longDecimals = ["Player.salary"]
        let list = try PropertyListSerialization.propertyList(
            from: Data(full.propertyList), format: nil)
        let keys = Set(try #require(list as? [String: Any]).keys)
        let named = try Self.page().matches(of: /(?m)^\| `(\w+)` \|/).map { String($0.1) }
        // The second opening of a store adds the line of its history, and an adoption its model.
        #expect(
            Set(named.filter { $0.contains("NS") || $0.hasPrefix("Stele") })
                == keys.union(["SteleHistoryLine", "SteleAdoptedModel", "SteleCreated"]))
    }
}
