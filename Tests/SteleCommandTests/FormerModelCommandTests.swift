/// Stores of apps with the model of another version in Z_MODELCACHE, by the commands.

import Foundation
import SteleModel
import SteleModelFiles
import TestSupport
import Testing

@Suite struct FormerModelCommandTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path + "/s.sqlite" }

    init() throws {
        folder = try TemporaryFolder()
        for version in 1...3 {
            try folder.write(Self.model(version), to: "v\(version).json")
        }
    }

    /// A version: the second has `n`, and the third `d`.
    private static func model(_ version: Int) -> String {
        let more = [
            #",{"name":"n","type":"Integer 32"}"#, #",{"name":"d","type":"Date"}"#,
        ].prefix(version - 1).joined()
        return
            #"{"entities":[{"name":"Tag","attributes":[{"name":"label","type":"String"}\#(more)]}]}"#
    }

    private func run(
        _ arguments: String...
    ) throws -> (status: Int32, output: String, errors: String) {
        try Program.run(arguments, folder: folder.path)
    }

    private func makeStore(_ name: String, _ version: Int) throws {
        let value = version > 1 ? #"{"label":"x","n":42}"# : #"{"label":"x"}"#
        try folder.write(value, to: "Tag.ndjson")
        let made = try run("import", "v\(version).json", "--store", name, "Tag.ndjson")
        try #require(made.status == 0, "\(made.errors)")
    }

    /// Makes an app's store with the tables of one version and the model of another.
    private func make(_ version: Int, cache: Int) throws {
        try makeStore("s.sqlite", version)
        try makeBareStore(
            try ModelFile.read(folder.path + "/v\(version).json").model(), at: path)
        try makeStore("other.sqlite", cache)
        try RawDatabase(path).run(
            "ATTACH '\(folder.path)/other.sqlite' AS o; "
                + "UPDATE Z_MODELCACHE SET Z_CONTENT = (SELECT Z_CONTENT FROM o.Z_MODELCACHE)")
    }

    /// Puts versions into a folder.
    private func addVersions(_ versions: Int...) throws {
        for version in versions { try folder.write(Self.model(version), to: "M/v\(version).json") }
    }

    private var values: [String] {
        get throws { try RawDatabase(path).texts("SELECT ZN FROM ZTAG") }
    }

    /// The version that has the columns is found, and their values stay.
    @Test func theVersionOfTheTablesIsFound() throws {
        try make(2, cache: 1)
        let alone = try run("migrate", "v2.json", "--store", "s.sqlite")
        #expect(alone.output.contains("of the current version v2"), "\(alone)")
        try addVersions(1, 2, 3)
        let done = try run("migrate", "M", "--store", "s.sqlite")
        #expect(done.status == 0 && done.output.contains("v2 to v3, inferred"), "\(done)")
        #expect(!done.output.contains("adds Tag.n"))
        #expect(try values == ["42"])
    }

    /// A plan that would leave the values out is refused, and the advice works.
    @Test func aFilledColumnIsNotAdded() throws {
        try make(2, cache: 1)
        for arguments in [
            ["migrate", "v3.json", "--store", "s.sqlite", "--plan"],
            ["migrate", "v3.json", "--store", "s.sqlite"],
            ["export", "v3.json", "--store", "s.sqlite"],
        ] {
            let refused = try Program.run(arguments, folder: folder.path)
            #expect(refused.status == 1, "\(arguments): \(refused)")
            #expect(
                refused.errors.contains(
                    "Tag.n of v3 would not get the values of the column ZTAG.ZN (first: Z_PK 1)")
                    && refused.errors.contains("put that version beside v3"),
                "\(arguments): \(refused.errors)")
            #expect(try values == ["42"])
        }
        try addVersions(2, 3)
        let done = try run("migrate", "M", "--store", "s.sqlite")
        #expect(done.status == 0, "\(done)")
        #expect(try values == ["42"])
    }

    /// Hashes in VersionInfo.plist that are those of the store need no model in it.
    @Test func equalHashesDecide() throws {
        try make(2, cache: 1)
        #expect(try run("model", "momd", "v2.json", "-o", "V.momd").status == 0)
        let metadata = try PropertyListSerialization.propertyList(
            from: Data(RawDatabase(path).bytes("SELECT Z_PLIST FROM Z_METADATA")), format: nil)
        let hashes = try #require(
            (metadata as? [String: Any])?["NSStoreModelVersionHashes"])
        let info: [String: Any] = [
            "NSManagedObjectModel_CurrentVersionName": "v2",
            "NSManagedObjectModel_VersionHashes": ["v2": hashes] as [String: Any],
        ]
        try PropertyListSerialization.data(fromPropertyList: info, format: .binary, options: 0)
            .write(to: URL(filePath: folder.path + "/V.momd/VersionInfo.plist"))
        let inspected = try run("inspect", "--model", "V.momd", "s.sqlite")
        #expect(inspected.output.contains("version hashes     those of the model"), "\(inspected)")
        let plan = try run("migrate", "V.momd", "--store", "s.sqlite", "--plan")
        #expect(plan.status == 0 && plan.output.contains("nothing is migrated"), "\(plan)")
        let exported = try run("export", "V.momd", "--store", "s.sqlite")
        #expect(exported.status == 0 && exported.output.contains(#""n":42"#), "\(exported)")
    }

    /// A model that the store has of itself, and is not of, is not said to be the given one.
    @Test func aLaterModelInTheStoreIsNotTheGivenOne() throws {
        try make(2, cache: 3)
        for command in ["migrate", "export"] {
            let refused = try run(command, "v1.json", "--store", "s.sqlite")
            #expect(refused.status == 1, "\(refused)")
            #expect(
                refused.errors.contains("its table ZTAG has a column ZN that no property has")
                    && refused.errors.contains("add the version that the store was made with")
                    && !refused.errors.contains("this model") && !refused.errors.contains("Tag.d"),
                "\(refused.errors)")
        }
        try addVersions(1, 2)
        let done = try run("export", "M", "--store", "s.sqlite")
        #expect(done.status == 0 && done.output.contains(#""n":42"#), "\(done)")
    }

    /// Where the given model is the one in the store, and not that of its tables, the way is named.
    @Test func tablesOfAFormerVersionAreTakenOn() throws {
        try make(1, cache: 2)
        for command in ["migrate", "export"] {
            let refused = try run(command, "v2.json", "--store", "s.sqlite")
            #expect(
                refused.status == 1
                    && refused.errors.contains("has no column ZN for Tag.n of the model v2")
                    && refused.errors.contains("put that version beside the model"), "\(refused)")
        }
        try addVersions(1, 2)
        let offered = try run("export", "M", "--store", "s.sqlite")
        #expect(
            offered.status == 1 && offered.errors.contains("stele migrate M --store s.sqlite"),
            "\(offered)")
        let done = try run("migrate", "M", "--store", "s.sqlite")
        #expect(done.status == 0 && done.output.contains("adds Tag.n"), "\(done)")
    }

    /// A new store has no columns of other programs: the plan names those with values.
    @Test func aPlanNamesColumnsThatNoPropertyHas() throws {
        try make(1, cache: 1)
        try RawDatabase(path).run(
            "ALTER TABLE ZTAG ADD COLUMN EXTRA INTEGER DEFAULT 7; "
                + "ALTER TABLE ZTAG ADD COLUMN EMPTY INTEGER")
        let plan = try run("migrate", "v2.json", "--store", "s.sqlite", "--plan")
        #expect(plan.status == 0, "\(plan)")
        #expect(
            plan.output.contains("removes the values of the column ZTAG.EXTRA"), "\(plan.output)")
        #expect(!plan.output.contains("EMPTY"))
    }

    /// Nor has it rows that are no objects.
    @Test func aPlanNamesRowsWithKeysBelowOne() throws {
        try make(1, cache: 1)
        func plan() throws -> String {
            let plan = try run("migrate", "v2.json", "--store", "s.sqlite", "--plan")
            #expect(plan.status == 0, "\(plan)")
            return plan.output
        }
        #expect(try !plan().contains("Z_PK"))
        try RawDatabase(path).run(
            "INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT) VALUES (0, 1, 1), (-2, 1, 1)")
        let lines = try plan()
        #expect(
            lines.contains("\nremoves 2 rows of ZTAG with a Z_PK below 1, which no object has\n"),
            "\(lines)")
    }

    /// Nor tables, views and triggers of other programs, which a start does not remove.
    @Test func aPlanNamesTablesViewsAndTriggersOfOtherPrograms() throws {
        try make(1, cache: 1)
        let lines = [
            "removes the table drafts (2 rows), which no entity of ",
            "removes the table words (1 row), which no entity of ",
            "removes the view v, which another program has made",
            "removes the trigger t of ZTAG, which another program has made",
        ]
        let clean = try run("migrate", "v2.json", "--store", "s.sqlite", "--plan")
        #expect(clean.status == 0 && !clean.output.contains("removes"), "\(clean)")
        try RawDatabase(path).run(
            "CREATE TABLE drafts (body TEXT); INSERT INTO drafts VALUES ('a'), ('b'); "
                + "CREATE VIRTUAL TABLE words USING fts5(word); INSERT INTO words VALUES ('a'); "
                + "CREATE TABLE empty (a); CREATE VIEW v AS SELECT 1; "
                + "CREATE TRIGGER t AFTER INSERT ON ZTAG BEGIN SELECT 1; END")
        let plan = try run("migrate", "v2.json", "--store", "s.sqlite", "--plan")
        #expect(plan.status == 0, "\(plan)")
        for line in lines { #expect(plan.output.contains(line), "\(plan.output)") }
        #expect(
            !plan.output.contains("empty") && !plan.output.contains("words_"), "\(plan.output)")
        let served = try run("serve", "v2.json", "--store", "s.sqlite", "--migrate", "--port", "0")
        #expect(
            served.status == 1 && served.errors.contains("serve --migrate does not"), "\(served)")
        #expect(try RawDatabase(path).texts("SELECT body FROM drafts") == ["a", "b"])
        let done = try run("migrate", "v2.json", "--store", "s.sqlite")
        #expect(done.status == 0, "\(done)")
    }
}
