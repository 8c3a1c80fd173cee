// The XML store in Core Data's form.

import FoundationEssentials
import SteleFiles
import SteleGraph
import SteleModel
import StelePersistence
import TestSupport
import Testing

@Suite struct XMLTests {
    private let folder: TemporaryFolder
    private let model: Model

    init() throws {
        folder = try TemporaryFolder()
        model = try makeModel([
            EntityMaker("Team").attribute("shortName", .string)
                .toMany("players", "Player", inverse: "team"),
            EntityMaker("Player").attribute("isCaptain", .boolean).attribute("goals", .integer16)
                .toOne("team", "Team", inverse: "players", isOptional: false),
        ])
    }

    private func text() throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: folder.store)), as: UTF8.self)
    }

    @Test func aFileIsInCoreDatasForm() throws {
        let stage = try Stage(.xml, model, at: folder.store)
        try stage.change { context in
            let team = try context.insert(try stage.entity("Team"))
            team["shortName"] = .string("a<b")
            let player = try context.insert(try stage.entity("Player"))
            player["isCaptain"] = .bool(true)
            try player.set("team", team)
        }
        stage.close()
        let written = try text()
        #expect(
            written.hasPrefix(
                """
                <?xml version="1.0" standalone="yes"?>
                <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">

                <database>
                    <databaseInfo>
                        <version>134481920</version>
                        <UUID>
                """))
        #expect(written.contains("<nextObjectID>2</nextObjectID>"))
        #expect(
            written.contains("<key>NSStoreType</key>\n                    <string>XML</string>"))
        let (player, team) = (1, 2)
        #expect(
            written.contains(
                """
                    <object type="PLAYER" id="z\(player)">
                        <attribute name="iscaptain" type="bool">1</attribute>
                        <relationship name="team" type="1/1" destination="TEAM" idrefs="z\(team)"></relationship>
                    </object>
                """))
        #expect(
            written.contains(
                """
                    <object type="TEAM" id="z\(team)">
                        <attribute name="shortname" type="string">a\\u3c00b</attribute>
                        <relationship name="players" type="0/0" destination="PLAYER" idrefs="z\(player)"></relationship>
                    </object>
                """))
    }

    /// Hashes and ids as Core Data gives them.
    @Test func aFileOfCoreDataIsRead() throws {
        try folder.write(
            """
            <?xml version="1.0"?>
            <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">
            <database><databaseInfo><version>134481920</version><UUID>49831300</UUID>
            <nextObjectID>110</nextObjectID><metadata><plist version="1.0"><dict>
            <key>NSPersistenceFrameworkVersion</key><integer>1044</integer>
            <key>NSStoreModelVersionHashes</key><dict>
            <key>Player</key><data>0plc</data><key>Team</key><data>0plc</data></dict>
            <key>NSStoreModelVersionHashesVersion</key><integer>3</integer>
            <key>NSStoreModelVersionIdentifiers</key><array><string></string></array>
            </dict></plist></metadata></databaseInfo>
            <object type="PLAYER" id="z102"><attribute name="goals" type="int16">7</attribute>
            <relationship name="team" type="1/1" destination="TEAM" idrefs="z107"/></object>
            <object type="TEAM" id="z107">
            <relationship name="players" type="0/0" destination="PLAYER" idrefs="z102"/></object>
            </database>
            """, to: "store.sqlite")
        let stage = try Stage(.xml, model, at: folder.store)
        let player = try stage.entity("Player").index
        let row = try stage.stored(ObjectID(root: player, key: 102))
        #expect(row?.value("goals", in: model) == .int(7))
        #expect(row?.value("team", in: model) == .key(107))
        #expect(try stage.storedMembers("Team.players", of: 107) == [102])
        #expect(try stage.insert("Team")[0].key == 111)
        stage.close()
        #expect(try text().contains("<data>"), "the metadata is kept")
        try Stage(.xml, model, at: folder.store).close()
    }

    @Test func aRefusalNamesTheLine() throws {
        let start =
            "<?xml version=\"1.0\"?>\n<database><databaseInfo><nextObjectID>1</nextObjectID>"
        for (text, message) in [
            ("<object type=\"TEM\" id=\"z1\"/>", "line 3: z1: there is no entity TEM"),
            (
                "<object type=\"PLAYER\" id=\"z1\"><attribute name=\"goals\" type=\"int16\">x"
                    + "</attribute></object>",
                "line 3: z1: the value of goals is not of its type, Integer 16"
            ),
            ("<object type=\"TEAM\" id=\"z1\">", "line 3"),
        ] {
            try folder.write(
                start + "</databaseInfo>\n" + text + "</database>", to: "store.sqlite")
            let (code, said) = refusal {
                try AtomicStore.open(path: folder.store, model: model, format: XMLFormat()).close()
            }
            #expect(code == 134080 && said.contains(message), "\(said)")
        }
    }
}
