// `stele migrate --plan` looks at the objects of the store: it refuses what migrating refuses.

import Foundation
import SteleModelFiles
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct MigrationPlanTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(
        _ arguments: String...
    ) throws -> (status: Int32, output: String, errors: String) {
        try Program.run(arguments, folder: folder.path)
    }

    /// A model of notes with tags.
    /// - Parameters:
    ///   - note: what an attribute, or several, has.
    ///   - more: other keys of the note.
    private static func model(
        _ note: String, _ tag: String = "", _ notes: String = "", more: String = ""
    ) -> String {
        #"{"entities":[{"name":"Note","attributes":[\#(note)],"#
            + #""relationships":[{"name":"tag","destination":"Tag","inverse":"notes"\#(tag)}]\#(more)},"#
            + #"{"name":"Tag","relationships":[{"name":"notes","destination":"Note","#
            + #""inverse":"tag","toMany":true\#(notes)}]}]}"#
    }

    private static let title = #"{"name":"title","type":"String"}"#
    private static let size = #"{"name":"size","type":"Integer 32"}"#

    private static let rows = """
        {"_entity":"Tag","_id":1}
        {"_entity":"Note","_id":1,"title":"a","size":70000,"tag":1}
        {"_entity":"Note","_id":2,"title":"a","size":1,"tag":1}
        {"_entity":"Note","_id":3}
        {"_entity":"Note","_id":4,"title":"c","size":5,"tag":1}
        """

    private static let changes: [(model: String, inPlace: String?, beside: String?)] = [
        (
            model(title + "," + size + #",{"name":"k","type":"String","optional":false}"#),
            "Note.k is not optional", "k"
        ),
        (
            model(
                title + "," + size
                    + #",{"name":"k","type":"String","optional":false,"default":"d"}"#), nil, nil
        ),
        (
            model(#"{"name":"title","type":"String","optional":false},"# + size),
            "1 object of Note without a value of title exist (make title optional or give it a "
                + "default)", "title"
        ),
        (
            model(title + #",{"name":"size","type":"Integer 16"}"#),
            "the value of size does not fit for 1 object of Note", "does not fit for 1 object"
        ),
        (model(title + #",{"name":"size","type":"Double"}"#), nil, nil),
        (
            model(title + "," + size, more: #","uniquenessConstraints":[["title"]]"#),
            "title of Note must be unique (133021)", "uniqueness constraint title"
        ),
        (
            model(title + "," + size, more: #","uniquenessConstraints":[["size"]]"#), nil, nil
        ),
        (
            model(title + "," + size, #","optional":false"#),
            "Note.tag is not optional, and 1 object of Note without a value of tag exist (give it "
                + "to them first, or make tag optional)", "tag"
        ),
        (
            model(title + "," + size, more: #","abstract":true"#), "Note becomes abstract",
            "Note becomes abstract"
        ),
        // Members are not counted.
        (model(title + "," + size, "", #","maximumCount":2"#), nil, nil),
    ]

    private static let stores =
        ["s.sqlite", "s.xml", "s.text", "s.binary"]
        + (PostgreSQLServer.shared == nil ? [] : ["database"])

    private func place(of store: String) throws -> String {
        guard store == "database" else { return store }
        return try #require(PostgreSQLServer.shared).url(path: UUID().uuidString)
    }

    private func make(_ store: String) throws {
        try folder.write(Self.model(Self.title + "," + Self.size), to: "m.json")
        try folder.write(Self.rows, to: "rows.ndjson")
        let made = try run("import", "m.json", "--store", store, "rows.ndjson")
        try #require(made.status == 0, "\(made.errors)")
    }

    @Test(arguments: stores)
    func thePlanFailsWithTheErrorOfTheMigration(_ kind: String) throws {
        for change in Self.changes {
            let store = try place(of: kind)
            try make(store)
            try folder.write(change.model, to: "m.json")
            let before = try FolderState(folder.path)
            let plan = try run("migrate", "m.json", "--store", store, "--plan")
            let isSame = try FolderState(folder.path) == before
            #expect(isSame, "\(change.model)")
            let isInPlace = store == "s.sqlite" || kind == "database"
            if let text = isInPlace ? change.inPlace : change.beside {
                #expect(plan.status == 1 && plan.errors.contains(text), "\(plan)")
            } else {
                #expect(plan.status == 0, "\(plan)")
            }
            let done = try run("migrate", "m.json", "--store", store)
            #expect(plan.status == done.status && plan.errors == done.errors, "\(plan), \(done)")
            if kind != "database" {
                try FileManager.default.removeItem(atPath: folder.path + "/" + store)
                for ending in ["-seal", "-wal", "-shm"] {
                    try? FileManager.default.removeItem(atPath: folder.path + "/" + store + ending)
                }
            }
        }
    }

    private static let books =
        #"{"name":"Book","relationships":[{"name":"tags","destination":"Tag""#
    private static let tag = #"{"name":"Tag","relationships":[{"name""#
    private static let links = """
        {"_entity":"Book","_id":1,"tags":[1,2]}
        {"_entity":"Book","_id":2,"tags":[1]}
        {"_entity":"Tag","_id":1}
        {"_entity":"Tag","_id":2}
        """
    private static let severalTags =
        #"{"entities":[\#(books),"inverse":"books","toMany":true}]},"#
        + #"\#(tag):"books","destination":"Book","inverse":"tags","toMany":true}]}]}"#

    private static func trip(_ parts: String) -> String {
        #"{"composites":[{"name":"Place","attributes":[\#(parts)]}],"entities":[{"name":"Trip","#
            + #""attributes":[{"name":"home","type":"Composite","composite":"Place"}]}]}"#
    }

    private static let city = #"{"name":"city","type":"String"}"#

    /// Links and values that the new model has no place for, with what is said in place and of a
    /// copy.
    private static let losses: [(old: String, rows: String, new: String, text: String?, String?)] =
        [
            (
                severalTags, links, #"{"entities":[\#(books),"toMany":true}]},{"name":"Tag"}]}"#,
                "Book.tags allows one link for each object, and 1 object has several",
                "Book.tags allows one link for each object, and 1 object has several"
            ),
            (
                severalTags, links,
                #"{"entities":[\#(books),"inverse":"book","toMany":true}]},"#
                    + #"\#(tag):"book","destination":"Book","inverse":"tags"}]}]}"#,
                "Tag.book allows one link for each object, and 1 object has several",
                "Book.tags allows one link for each object, and 1 object has several"
            ),
            (
                trip(city + #",{"name":"zip","type":"Integer 32"}"#),
                #"{"_entity":"Trip","_id":1,"home":{"city":"Bern"}}"#,
                trip(city + #",{"name":"zip","type":"Integer 32","optional":false}"#),
                "Trip.home.zip is not optional and has no default, and 1 object of Trip with values in "
                    + "home", "home.zip of Trip has no value"
            ),
            (
                trip(city), #"{"_entity":"Trip","_id":1,"home":{"city":"Bern"}}"#,
                trip(city + #",{"name":"zip","type":"Integer 32","optional":false}"#),
                "Trip.home.zip is not optional, and nothing gives it a value, and the store has 1 object",
                "home.zip of Trip has no value"
            ),
            (
                trip(city), #"{"_entity":"Trip","_id":1}"#,
                trip(city + #",{"name":"zip","type":"Integer 32","optional":false}"#), nil, nil
            ),
        ]

    @Test(arguments: stores)
    func lostLinksAndMissingMandatoryValuesAreRefused(_ kind: String) throws {
        for (index, loss) in Self.losses.enumerated() {
            let store = kind == "database" ? try place(of: kind) : "\(index)\(kind)"
            try folder.write(loss.old, to: "m.json")
            try folder.write(loss.rows, to: "rows.ndjson")
            let made = try run("import", "m.json", "--store", store, "rows.ndjson")
            try #require(made.status == 0, "\(made.errors)")
            try folder.write(loss.new, to: "m.json")
            let plan = try run("migrate", "m.json", "--store", store, "--plan")
            let isInPlace = kind == "s.sqlite" || kind == "database"
            if let text = isInPlace ? loss.text : loss.4 {
                #expect(plan.status == 1 && plan.errors.contains(text), "\(plan)")
            } else {
                #expect(plan.status == 0, "\(plan)")
            }
            let done = try run("migrate", "m.json", "--store", store)
            #expect(plan.status == done.status && plan.errors == done.errors, "\(plan), \(done)")
        }
    }

    /// A default that takes the place of null more than once breaks a constraint that stays.
    @Test(arguments: stores)
    func aDefaultThatBreaksAConstraintIsRefused(_ kind: String) throws {
        func model(_ more: String) -> String {
            #"{"entities":[{"name":"Note","attributes":[{"name":"title","type":"String"\#(more)}],"#
                + #""uniquenessConstraints":[["title"]]}]}"#
        }
        let store = try place(of: kind)
        try folder.write(model(""), to: "m.json")
        try folder.write("{}\n{}\n", to: "Note.ndjson")
        let made = try run("import", "m.json", "--store", store, "Note.ndjson")
        try #require(made.status == 0, "\(made.errors)")
        try folder.write(model(#","optional":false,"default":"x""#), to: "m.json")
        let plan = try run("migrate", "m.json", "--store", store, "--plan")
        let done = try run("migrate", "m.json", "--store", store)
        #expect(plan.status == 1 && plan.errors.contains("Note"), "\(plan)")
        #expect(plan.status == done.status && plan.errors == done.errors, "\(plan), \(done)")
    }

    /// A store that is served is read as it is, with what is in its log alone, and goes on.
    @Test(arguments: stores.filter { ["s.sqlite", "database"].contains($0) }, [false, true])
    func aServedStoreCanSaveDuringAPlan(_ kind: String, _ isUnique: Bool) throws {
        let store = try place(of: kind)
        try make(store)
        let served = try Program(
            ["serve", "m.json", "--port", "0", "--store", store], folder: folder.path)
        let caller = try Caller(served.lines(3))
        #expect(caller.ask("PATCH", "/Note/2", #"{"title":"b"}"#)?.status == 200)
        let more = isUnique ? #","uniquenessConstraints":[["title"]]"# : ""
        try folder.write(
            Self.model(
                #"{"name":"title","type":"String"},{"name":"size","type":"Integer 32","#
                    + #""optional":false,"default":0}"#, more: more), to: "n.json")
        let plan = try run("migrate", "n.json", "--store", store, "--plan")
        #expect(plan.status == 0, "\(plan)")
        #expect(caller.ask("POST", "/Note", #"{"title":"b","size":80000}"#)?.status == 201)
        let later = try run("migrate", "n.json", "--store", store, "--plan")
        #expect(later.status == (isUnique ? 1 : 0), "\(later)")
        try folder.write(
            Self.model(Self.title + #",{"name":"size","type":"Integer 16"}"#), to: "n.json")
        let narrow = try run("migrate", "n.json", "--store", store, "--plan")
        #expect(narrow.status == 1 && narrow.errors.contains("2 objects of Note"), "\(narrow)")
        #expect(caller.ask("PATCH", "/Note/2", #"{"title":"e"}"#)?.status == 200)
        served.signal(SIGTERM)
        #expect(served.end().status == 0)
    }

    /// A store of an app, and one of Stele's in the mode of another program, keep all their bytes.
    @Test(arguments: [true, false])
    func aPlanDoesNotChangeAStoreInRollbackJournalMode(_ isOfApp: Bool) throws {
        try make("s.sqlite")
        let path = folder.path + "/s.sqlite"
        if isOfApp {
            try makeBareStore(try ModelFile.read(folder.path + "/m.json").model(), at: path)
        }
        do {
            let database = try RawDatabase(path)
            try database.run("INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZTITLE) VALUES (8, 1, 1, 'x')")
            try database.run("INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZTITLE) VALUES (9, 1, 1, 'x')")
            try database.run("PRAGMA journal_mode = DELETE")
        }
        for (more, status) in [("", Int32(0)), (#","uniquenessConstraints":[["title"]]"#, 1)] {
            try folder.write(
                Self.model(
                    Self.title + "," + Self.size + #",{"name":"k","type":"Double"}"#, more: more),
                to: "n.json")
            let before = try FolderState(folder.path)
            let plan = try run("migrate", "n.json", "--store", "s.sqlite", "--plan")
            #expect(plan.status == status, "\(plan)")
            let isSame = try FolderState(folder.path) == before
            #expect(isSame)
        }
    }

    /// The rows of the second step are made by the first.
    @Test(arguments: stores) func aPlanRunsTheMappingModel(_ kind: String) throws {
        let store = try place(of: kind)
        try folder.write(Self.model(Self.title + "," + Self.size), to: "M/v1.json")
        try folder.write(Self.rows, to: "rows.ndjson")
        let made = try run("import", "M", "--store", store, "rows.ndjson")
        try #require(made.status == 0, "\(made.errors)")
        try folder.write(
            Self.model(#"{"name":"half","type":"Integer 32"}"#), to: "M/v2.json")
        try folder.write(Self.model(#"{"name":"half","type":"Integer 16"}"#), to: "M/v3.json")
        func plan(_ expression: String) throws -> (status: Int32, output: String, errors: String) {
            try folder.write(
                #"{"from":"v1","to":"v2","mappings":[{"source":"Note","destination":"Note","#
                    + #""attributes":{"half":"\#(expression)"}}]}"#, to: "halves.mapping.json")
            let before = try FolderState(folder.path)
            let plan = try run("migrate", "M", "--store", store, "--plan")
            let isSame = try FolderState(folder.path) == before
            #expect(isSame)
            return plan
        }
        let good = try plan("$source.size * 0")
        #expect(good.status == 0 && good.output.contains("2 steps"), "\(good)")
        let bad = try plan("$source.size + 0")
        #expect(bad.status == 1 && bad.errors.contains("does not fit"), "\(bad)")
        let done = try run("migrate", "M", "--store", store)
        #expect(done.status == 1 && done.errors == bad.errors, "\(done)")
        #expect(try plan("$source.size * 0").status == 0)
        #expect(try run("migrate", "M", "--store", store).status == 0)
    }

    @Test func aPlanBackEndsAsTheMigrationDoes() throws {
        try folder.write(Self.model(Self.title + "," + Self.size), to: "M/v2.json")
        try folder.write(Self.rows, to: "rows.ndjson")
        #expect(try run("import", "M", "--store", "s.sqlite", "rows.ndjson").status == 0)
        try folder.write(Self.model(Self.title), to: "M/v1.json")
        try folder.write(
            """
            <plist version="1.0"><dict><key>_XCCurrentVersionName</key>\
            <string>v1.json</string></dict></plist>
            """, to: "M/.xccurrentversion")
        let plan = try run("migrate", "M", "--store", "s.sqlite", "--plan")
        let refused = try run("migrate", "M", "--store", "s.sqlite")
        #expect(plan.status == 1 && plan.errors.contains("--back"), "\(plan)")
        #expect(plan.errors == refused.errors && plan.output == refused.output)
        let back = try run("migrate", "M", "--store", "s.sqlite", "--plan", "--back")
        #expect(back.status == 0 && back.output.contains("removes Note.size"), "\(back)")
    }

    /// Without room for a private copy the plan says what to do, and not that it would go through.
    /// Where reading tells, none is made.
    @Test func aPlanWithoutRoomForItsCopyIsAnErrorThatNamesTMPDIR() throws {
        try make("s.sqlite")
        try folder.write(
            Self.model(Self.title + "," + Self.size + #",{"name":"k","type":"Double"}"#),
            to: "n.json")
        let read = try Program.run(
            ["migrate", "n.json", "--store", "s.sqlite", "--plan"],
            environment: ["TMPDIR": folder.path + "/none"], folder: folder.path)
        #expect(read.status == 0, "\(read)")
        try folder.write(
            Self.model(Self.title + "," + Self.size, more: #","uniquenessConstraints":[["size"]]"#),
            to: "n.json")
        let plan = try Program.run(
            ["migrate", "n.json", "--store", "s.sqlite", "--plan"],
            environment: ["TMPDIR": folder.path + "/none"], folder: folder.path)
        #expect(plan.status == 1 && plan.errors.contains("set TMPDIR"), "\(plan)")
    }
}
