// What other programs have added to the schema of a store: a migration in place keeps it, names it, or
// is refused with the way out.

import Foundation
import TestSupport
import Testing

@Suite struct ForeignSchemaTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path + "/s.sqlite" }

    init() throws { folder = try TemporaryFolder() }

    private func run(
        _ arguments: String...
    ) throws -> (status: Int32, output: String, errors: String) {
        try Program.run(arguments, folder: folder.path)
    }

    private static func model(_ attributes: String, others: String = "") -> String {
        #"{"entities":[{"name":"P","attributes":[\#(attributes)]}\#(others)]}"#
    }

    private static let n = #"{"name":"n","type":"String"}"#
    private static let k = #"{"name":"k","type":"String"}"#

    /// Makes a store, which another program then changes, and edits its model.
    private func make(
        _ model: String, _ sql: String, edit: String,
        rows: String = #"{"_entity":"P","_id":1,"n":"a"}"#
    ) throws {
        try folder.write(model, to: "m.json")
        try folder.write(rows, to: "rows.ndjson")
        let made = try run("import", "m.json", "--store", "s.sqlite", "rows.ndjson")
        try #require(made.status == 0, "\(made.errors)")
        try RawDatabase(path).run(sql)
        try folder.write(edit, to: "m.json")
    }

    /// Edits with what stands in their way, what is said, and the way out.
    private static let clashes: [(String, String, String, String)] = [
        (
            model("\(n),\(k)," + #"{"name":"color","type":"String"}"#),
            "ALTER TABLE ZP ADD COLUMN ZCOLOR TEXT; UPDATE ZP SET ZCOLOR = 'red'",
            "the table ZP has a column ZCOLOR with values (first: Z_PK 1), which P.color of ",
            "ALTER TABLE ZP RENAME COLUMN ZCOLOR TO HUE"
        ),
        (
            model("\(n),\(k)", others: #",{"name":"Notes"}"#),
            "CREATE TABLE ZNOTES (a TEXT)",
            "the store has the table ZNOTES, which another program has made",
            "ALTER TABLE ZNOTES RENAME TO mine"
        ),
        (
            model(k), "CREATE INDEX mine ON ZP (ZN COLLATE NOCASE)", "the index mine of ZP",
            "DROP INDEX mine"
        ),
        (model(k), "CREATE VIEW v AS SELECT ZN FROM ZP", "added the view v: ", "DROP VIEW v"),
        (
            model(k),
            "CREATE TRIGGER t AFTER INSERT ON ZP BEGIN "
                + "UPDATE ZP SET ZK = new.ZN WHERE Z_PK = new.Z_PK; END",
            "the trigger t of ZP", "DROP TRIGGER t"
        ),
        (
            model(k), "ALTER TABLE ZP ADD COLUMN g TEXT GENERATED ALWAYS AS (upper(ZN)) VIRTUAL",
            "the generated column g of ZP", "ALTER TABLE ZP DROP COLUMN g"
        ),
        (
            model(#"{"name":"m","type":"String","renamingIdentifier":"n"},"# + k),
            "CREATE VIEW old AS SELECT * FROM gone", "added the view old: ", "DROP VIEW old"
        ),
        (
            model(#"{"name":"m","type":"String","renamingIdentifier":"n"},"# + k),
            "CREATE VIRTUAL TABLE f USING fts5(ZN, content='ZP', content_rowid='Z_PK')",
            "the table f, which another program has made over ZN, and ", "DROP TABLE f"
        ),
        (
            #"{"entities":[{"name":"R","renamingIdentifier":"P","attributes":[\#(n),\#(k)]}]}"#,
            "CREATE VIRTUAL TABLE f USING fts4(ZN, content=\"ZP\")",
            "the table f, which another program has made over ZP, and ", "DROP TABLE f"
        ),
        (
            #"{"entities":[{"name":"P","attributes":[\#(n),\#(k),{"name":"y","type":"String"}],"#
                + #""indexes":[{"name":"byN","elements":[{"property":"n"}]}]}]}"#,
            "CREATE TABLE log (a); CREATE INDEX Z_P_byN ON log (a)",
            "the store has the index Z_P_byN of log, which another program has made",
            "DROP INDEX Z_P_byN"
        ),
        (
            model("\(n),\(k)," + #"{"name":"y","type":"String","optional":false,"default":"q"}"#),
            "CREATE TRIGGER t BEFORE UPDATE ON ZP BEGIN SELECT RAISE(ABORT, 'locked'); END",
            "locked. Other programs have added the trigger t of ZP: ", "DROP TRIGGER t"
        ),
    ]

    @Test(arguments: clashes)
    func thePlanFailsWithTheErrorOfTheMigrationAndNamesTheWayOut(
        _ edit: String, _ sql: String, _ text: String, _ remedy: String
    ) throws {
        try make(Self.model("\(Self.n),\(Self.k)"), sql, edit: edit)
        let before = try FolderState(folder.path)
        let plan = try run("migrate", "m.json", "--store", "s.sqlite", "--plan")
        let isSame = try FolderState(folder.path) == before
        #expect(isSame)
        #expect(plan.status == 1 && plan.errors.contains(text), "\(plan)")
        #expect(plan.errors.contains("while no program has the store open"), "\(plan)")
        let done = try run("migrate", "m.json", "--store", "s.sqlite")
        #expect(done.status == 1 && done.errors == plan.errors, "\(done)")
        try RawDatabase(path).run(remedy)
        let next = try run("migrate", "m.json", "--store", "s.sqlite", "--plan")
        #expect(next.status == 0, "\(next)")
        let last = try run("migrate", "m.json", "--store", "s.sqlite")
        #expect(last.status == 0, "\(last)")
    }

    /// Without them the table would be copied.
    @Test func aTableKeepsColumnsAndTriggersOfOtherPrograms() throws {
        try make(
            Self.model("\(Self.n),\(Self.k)," + #"{"name":"a","type":"Double"}"#),
            "ALTER TABLE ZP ADD COLUMN EXTRA TEXT; UPDATE ZP SET EXTRA = 'precious'; "
                + "CREATE TABLE log (x); CREATE TRIGGER t AFTER UPDATE ON ZP BEGIN "
                + "INSERT INTO log VALUES (new.ZN); END; CREATE VIEW v AS SELECT ZN, EXTRA FROM ZP",
            edit: #"{"entities":[{"name":"A"},{"name":"P","attributes":[\#(Self.n),"#
                + #"{"name":"a","type":"Decimal"},"#
                + #"{"name":"y","type":"String","optional":false,"default":"q"}]}]}"#,
            rows: #"{"_entity":"P","_id":1,"n":"a","a":1.5}"#)
        let plan = try run("migrate", "m.json", "--store", "s.sqlite", "--plan")
        #expect(plan.status == 0, "\(plan)")
        #expect(!plan.output.contains("EXTRA") && !plan.output.contains("trigger"), "\(plan)")
        let done = try run("migrate", "m.json", "--store", "s.sqlite")
        #expect(done.status == 0, "\(done)")
        let database = try RawDatabase(path)
        #expect(try database.texts("SELECT ZN || EXTRA FROM v") == ["aprecious"])
        #expect(
            try database.texts("SELECT tbl_name FROM sqlite_master WHERE type = 'trigger'")
                == ["ZP"])
        #expect(
            try database.texts("SELECT Z_ENT || ' ' || ZA || ' ' || ZY FROM ZP") == ["2 1.5 q"])
        #expect(try database.texts("PRAGMA integrity_check") == ["ok"])
    }

    /// Without them the table would be copied, and the key lead to a table that is gone.
    @Test func foreignKeysAndNamesThatBeginAsThoseOfSteleAreKept() throws {
        try make(
            Self.model("\(Self.n),\(Self.k)," + #"{"name":"a","type":"Double"}"#),
            "CREATE TABLE stele_notes (p INTEGER REFERENCES ZP (Z_PK), t); "
                + "INSERT INTO stele_notes VALUES (1, 'x'); "
                + "CREATE TRIGGER Stele_audit AFTER UPDATE ON ZP BEGIN "
                + "UPDATE stele_notes SET t = t || '!'; END",
            edit: #"{"entities":[{"name":"R","renamingIdentifier":"P","attributes":[\#(Self.n)]}]}"#
        )
        let done = try run("migrate", "m.json", "--store", "s.sqlite")
        #expect(done.status == 0, "\(done)")
        let database = try RawDatabase(path)
        try database.run(
            "PRAGMA foreign_keys = ON; INSERT INTO stele_notes VALUES (1, 'y'); "
                + "UPDATE ZR SET ZN = 'b'")
        let texts = try database.texts("SELECT t FROM stele_notes ORDER BY 1")
        #expect(texts.count == 2 && texts.allSatisfy { $0.hasSuffix("!") }, "\(texts)")
        #expect(
            try database.texts("SELECT \"table\" FROM pragma_foreign_key_list('stele_notes')")
                == ["ZR"])
    }

    /// SQLite refuses to drop the table of a view and to give another one its name.
    @Test func aViewStaysWhereSeveralAttributesAreRemoved() throws {
        try make(
            Self.model("\(Self.n),\(Self.k)," + #"{"name":"a","type":"Double"}"#),
            "CREATE VIEW v AS SELECT ZN FROM ZP", edit: Self.model(Self.n))
        let plan = try run("migrate", "m.json", "--store", "s.sqlite", "--plan")
        #expect(plan.status == 0, "\(plan)")
        let done = try run("migrate", "m.json", "--store", "s.sqlite")
        #expect(done.status == 0, "\(done)")
        #expect(try RawDatabase(path).texts("SELECT ZN FROM v") == ["a"])
    }

    /// Rows that move into another table have none of its columns.
    @Test func valuesThatAreLeftBehindAreNamedAndNotRemovedUnasked() throws {
        try make(
            Self.model(Self.n, others: #",{"name":"Q","parent":"P"}"#),
            "ALTER TABLE ZP ADD COLUMN EXTRA TEXT; UPDATE ZP SET EXTRA = 'x' || Z_PK",
            edit: Self.model(Self.n, others: #",{"name":"Q","attributes":[\#(Self.n)]}"#),
            rows: #"{"_entity":"P","_id":1}"# + "\n" + #"{"_entity":"Q","_id":2}"#)
        let line = "removes the values of the column ZP.EXTRA, which no property of "
        let plan = try run("migrate", "m.json", "--store", "s.sqlite", "--plan")
        #expect(plan.status == 0 && plan.output.contains(line), "\(plan)")
        let served = try run("serve", "m.json", "--store", "s.sqlite", "--migrate", "--port", "0")
        #expect(served.status == 1 && served.errors.contains(line), "\(served)")
        #expect(
            served.errors.contains(
                "serve --migrate does not, because something that other programs have added"),
            "\(served)")
        let done = try run("migrate", "m.json", "--store", "s.sqlite")
        #expect(done.status == 0, "\(done)")
        #expect(try RawDatabase(path).texts("SELECT EXTRA FROM ZP") == ["x1"])
    }

    /// Fetch indexes are no part of a version: the index of one that is removed stays in the file until
    /// the next migration, which makes it again or removes its attribute.
    @Test(arguments: [true, false])
    func anIndexOfAnEarlierStateOfTheModelRefusesNothing(_ isMadeAgain: Bool) throws {
        func version(_ name: String, _ attributes: [String], isIndexed: Bool) -> String {
            let index = #","indexes":[{"name":"byN","elements":[{"property":"n"}]}]"#
            return #"{"name":"\#(name)","entities":[{"name":"P","attributes":["#
                + attributes.joined(separator: ",") + "]\(isIndexed ? index : "")}]}"
        }
        try folder.write(version("1", [Self.n, Self.k], isIndexed: true), to: "m.json")
        try folder.write(#"{"_entity":"P","_id":1,"n":"a"}"#, to: "rows.ndjson")
        let made = try run("import", "m.json", "--store", "s.sqlite", "rows.ndjson")
        try #require(made.status == 0, "\(made.errors)")
        try folder.write(version("1", [Self.n, Self.k], isIndexed: false), to: "v/1.json")
        let attributes = isMadeAgain ? [Self.n, #"{"name":"c","type":"String"}"#] : []
        try folder.write(
            version("2", attributes + [Self.k], isIndexed: isMadeAgain), to: "v/2.json")
        let plan = try run("migrate", "v", "--store", "s.sqlite", "--plan")
        #expect(plan.status == 0, "\(plan)")
        let done = try run("migrate", "v", "--store", "s.sqlite")
        #expect(done.status == 0, "\(done)")
        let indexes = try RawDatabase(path).texts(
            "SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = 'ZP'")
        #expect(indexes.contains("Z_P_byN") == isMadeAgain, "\(indexes)")
    }

    /// What is on the table of an entity that is removed.
    @Test(arguments: [
        (
            "CREATE TRIGGER t AFTER INSERT ON ZQ BEGIN SELECT 1; END",
            "removes the trigger t of ZQ, which another program has made"
        ),
        (
            "CREATE TABLE notes (q INTEGER REFERENCES zq (Z_PK))",
            "removes the table zq, to which a foreign key of notes leads"
        ),
        (
            "ALTER TABLE ZQ ADD COLUMN rating; UPDATE ZQ SET rating = 5",
            "removes the values of the column ZQ.rating, which no property"
        ),
    ])
    func lossesWithADroppedTableAreNamed(_ sql: String, _ line: String) throws {
        try make(
            Self.model(Self.n, others: #",{"name":"Q"}"#), sql, edit: Self.model(Self.n),
            rows: #"{"_entity":"Q","_id":1}"#)
        let plan = try run("migrate", "m.json", "--store", "s.sqlite", "--plan")
        #expect(plan.status == 0 && plan.output.contains(line), "\(plan)")
    }

    @Test(arguments: [
        ("CREATE VIEW v AS SELECT Z_PK FROM ZQ", "the view v"),
        (
            "CREATE TRIGGER t AFTER INSERT ON ZP BEGIN DELETE FROM ZQ WHERE Z_PK = new.Z_PK; END",
            "the trigger t of ZP"
        ),
    ])
    func viewsAndTriggersOverADroppedTableRefuse(_ sql: String, _ part: String) throws {
        try make(
            Self.model(Self.n, others: #",{"name":"Q"}"#), sql, edit: Self.model(Self.n))
        for options in [["--plan"], []] {
            let arguments = ["migrate", "m.json", "--store", "s.sqlite"] + options
            let it = try Program.run(arguments, folder: folder.path)
            #expect(it.status == 1 && it.errors.contains(part), "\(it)")
        }
    }

    /// The type of a column is changed in the statement of its table, which writes no row.
    @Test(arguments: [
        "ALTER TABLE ZP ADD COLUMN half AS (ZA / 2)",
        "ALTER TABLE ZP RENAME TO old; CREATE TABLE ZP (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, "
            + "Z_OPT INTEGER, ZA INTEGER, ZN VARCHAR, half AS (ZA / 2) STORED); "
            + "INSERT INTO ZP SELECT Z_PK, Z_ENT, Z_OPT, ZA, ZN FROM old; DROP TABLE old",
    ])
    func aGeneratedColumnFollowsTheTypeOfAnother(_ sql: String) throws {
        func model(_ type: String) -> String {
            Self.model(#"{"name":"a","type":"\#(type)"},"# + Self.n)
        }
        try make(
            model("Integer 64"), sql + "; CREATE INDEX mine ON ZP (half)", edit: model("Double"),
            rows: #"{"_entity":"P","_id":1,"a":1}"#)
        let done = try run("migrate", "m.json", "--store", "s.sqlite")
        #expect(done.status == 0, "\(done)")
        let database = try RawDatabase(path)
        #expect(try database.texts("PRAGMA integrity_check") == ["ok"])
        let found = try database.texts("SELECT half FROM ZP INDEXED BY mine WHERE half = 0.5")
        #expect(found == ["0.5"])
    }

    /// A column that is put in the place of another is refused by a view.
    @Test func aColumnBehindTheLastOneDoesNotKeepItFromAnotherType() throws {
        func model(_ type: String) -> String {
            Self.model(#"{"name":"a","type":"\#(type)"}"#)
        }
        try make(
            model("Integer 64"),
            "ALTER TABLE ZP ADD COLUMN extra TEXT; CREATE VIEW v AS SELECT ZA FROM ZP",
            edit: model("Double"), rows: #"{"_entity":"P","_id":1,"a":1}"#)
        let done = try run("migrate", "m.json", "--store", "s.sqlite")
        #expect(done.status == 0, "\(done)")
        #expect(try RawDatabase(path).texts("SELECT ZA FROM v") == ["1.0"])
    }
}
