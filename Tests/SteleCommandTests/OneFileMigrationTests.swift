/// `stele serve m.json --migrate` after an edit of the file: the store's own model stands for the
/// version that it was made with.

import Foundation
import TestSupport
import Testing

@Suite struct OneFileMigrationTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let files = ["s.sqlite", "s.xml", "s.text", "s.binary"]
    /// Stores in files of each type, and in a database where there is a server.
    private static let stores = files + (PostgreSQLServer.shared == nil ? [] : ["database"])

    /// The path of a store, or its URL.
    private func place(of store: String) throws -> String {
        guard store == "database" else { return store }
        return try #require(PostgreSQLServer.shared).url(path: UUID().uuidString)
    }

    private static let tag =
        #",{"name":"Tag","attributes":[{"name":"name","type":"String"}],"relationships":["#
        + #"{"name":"pages","destination":"Page","inverse":"tag","toMany":true}]}"#
    private static let link =
        #","relationships":[{"name":"tag","destination":"Tag","inverse":"pages"}]"#

    private static func model(
        _ name: String, _ attributes: String, more: String = "", others: String = ""
    ) -> String {
        #"{"entities":[{"name":"\#(name)","attributes":[\#(attributes)]\#(more)}\#(others)]}"#
    }

    /// Edits of the model, each with an object after it.
    private static let edits = [
        (
            model(
                "Note",
                #"{"name":"title","type":"String"},{"name":"body","type":"String"}"#),
            #""title":"a","body":null"#
        ),
        (
            model(
                "Note",
                #"{"name":"name","type":"String","renamingIdentifier":"title"},"#
                    + #"{"name":"body","type":"String"}"#), #""name":"a","body":null"#
        ),
        (
            model(
                "Page",
                #"{"name":"name","type":"String"},{"name":"body","type":"String"}"#,
                more: #","renamingIdentifier":"Note""#), #""name":"a","body":null"#
        ),
        (
            model(
                "Page",
                #"{"name":"name","type":"String"},{"name":"body","type":"String"}"#,
                more: link, others: tag), #""name":"a","body":null,"tag":null"#
        ),
    ]

    private func start(_ store: String, _ options: String...) throws -> Program {
        try Program(
            ["serve", "m.json", "--port", "0", "--store", store] + options, folder: folder.path)
    }

    private func serve(_ store: String, _ options: String..., ask: (Caller) -> Void) throws {
        let program = try Program(
            ["serve", "m.json", "--port", "0", "--store", store] + options, folder: folder.path)
        let lines = program.lines(3)
        defer {
            program.signal(SIGTERM)
            let (status, errors) = program.end()
            #expect(status == 0, "\(errors)")
        }
        ask(try Caller(try #require(lines.count == 3 ? lines : nil)))
    }

    @Test(arguments: stores)
    func eachEditOfTheFileKeepsTheObjects(_ store: String) throws {
        let store = try place(of: store)
        try folder.write(Self.model("Note", #"{"name":"title","type":"String"}"#), to: "m.json")
        try serve(store) { #expect($0.ask("POST", "/Note", #"{"title":"a"}"#)?.status == 201) }
        for (text, wanted) in Self.edits {
            try folder.write(text, to: "m.json")
            let refused = try start(store).end()
            #expect(refused.status == 1)
            #expect(
                refused.errors.contains("keeps its model: 1 step")
                    && refused.errors.contains("start with --migrate"), "\(refused.errors)")
            try serve(store, "--migrate") { caller in
                let path = text.contains("Page") ? "/Page/1" : "/Note/1"
                let body = caller.ask("GET", path)?.body ?? ""
                #expect(body.contains(wanted), "\(body)")
            }
        }
    }

    /// A service that goes back to its former image must not drop what the newer one has saved.
    @Test(arguments: stores)
    func nothingIsRemovedUnasked(_ store: String) throws {
        let store = try place(of: store)
        try folder.write(Self.edits[0].0, to: "m.json")
        try serve(store) {
            #expect($0.ask("POST", "/Note", #"{"title":"a","body":"b"}"#)?.status == 201)
        }
        try folder.write(Self.model("Note", #"{"name":"title","type":"String"}"#), to: "m.json")
        let refused = try start(store, "--migrate").end()
        #expect(refused.status == 1)
        #expect(
            refused.errors.contains("removes Note.body and its values")
                && refused.errors.contains("serve --migrate does not"), "\(refused.errors)")
        let migrated = try Program.run(
            "migrate", "m.json", "--store", store, folder: folder.path)
        #expect(migrated.status == 0, "\(migrated)")
        try serve(store) { #expect($0.ask("GET", "/Note/1")?.body.contains("body") == false) }
    }

    /// What an edit would lose beside attributes: digits, null, an order, and what a mapping model makes
    /// of values that may be made already.
    @Test(arguments: [
        (
            (#"{"name":"x","type":"Double"}"#, ""), (#"{"name":"x","type":"Float"}"#, ""),
            "removes the digits of Note.x that a Float does not have"
        ),
        (
            (#"{"name":"x","type":"Integer 16"}"#, ""),
            (#"{"name":"x","type":"Integer 16","optional":false,"default":0}"#, ""),
            "removes null from Note.x"
        ),
        (
            (#"{"name":"x","type":"Integer 16"}"#, #","ordered":true"#),
            (#"{"name":"x","type":"Integer 16"}"#, ""), "removes the order of Note.parts"
        ),
        (
            (#"{"name":"x","type":"Integer 16"}"#, ""),
            (#"{"name":"x","type":"Integer 32"}"#, ""), "by the mapping model ./m.mapping.json"
        ),
    ])
    func nothingIsLostUnasked(
        _ before: (String, String), _ after: (String, String), _ line: String
    ) throws {
        func text(_ parts: (String, String)) -> String {
            Self.model(
                "Note", parts.0,
                more: #","relationships":[{"name":"parts","destination":"Part","toMany":true,"#
                    + #""inverse":"note"\#(parts.1)}]"#,
                others: #",{"name":"Part","relationships":[{"name":"note","destination":"Note","#
                    + #""inverse":"parts"}]}"#)
        }
        if line.contains("mapping") {
            try folder.write(
                #"{"mappings":[{"source":"Note","destination":"Note","attributes":{"x":"$source.x * 2"}},"#
                    + #"{"source":"Part","destination":"Part"}]}"#, to: "m.mapping.json")
        }
        try folder.write(text(before), to: "m.json")
        try serve("s.sqlite") { #expect($0.ask("POST", "/Note", "{}")?.status == 201) }
        try folder.write(text(after), to: "m.json")
        let refused = try start("s.sqlite", "--migrate").end()
        #expect(refused.status == 1 && refused.errors.contains(line), "\(refused.errors)")
        #expect(refused.errors.contains("serve --migrate does not"), "\(refused.errors)")
        #expect(
            try Program.run("migrate", "m.json", "--store", "s.sqlite", folder: folder.path).status
                == 0)
    }

    /// What another program has made of the column depends on its type.
    @Test func indexesOfOtherProgramsFollowAChangeOfType() throws {
        try folder.write(Self.model("Note", #"{"name":"x","type":"Integer 64"}"#), to: "m.json")
        try serve("s.sqlite") {
            #expect($0.ask("POST", "/Note", #"[{"x":3},{"x":4},{"x":null}]"#)?.status == 201)
        }
        let store = folder.path + "/s.sqlite"
        for index in ["ZNOTE(ZX / 2)", "ZNOTE(typeof(ZX))", "ZNOTE(ZX) WHERE ZX / 2 > 1"] {
            let database = try RawDatabase(store)
            try database.run("CREATE INDEX i\(UInt32.random(in: 0 ... .max)) ON \(index)")
        }
        for type in ["Double", "Integer 32"] {
            try folder.write(
                Self.model("Note", #"{"name":"x","type":"\#(type)"}"#), to: "m.json")
            let migrated = try Program.run(
                "migrate", "m.json", "--store", "s.sqlite", folder: folder.path)
            #expect(migrated.status == 0, "\(migrated)")
            #expect(try RawDatabase(store).texts("PRAGMA integrity_check") == ["ok"])
        }
    }

    /// A mapping model that does not fit is no reason to remove what it was written for.
    @Test(arguments: [
        (#""attributes":{"name":"$source.titel"}"#, "", "has no titel"),
        (
            #""attributes":{"name":"$source.title"}"#, #""from":"Foo","to":"Bar","#,
            "is not used, and what it may"
        ),
        (#""attributes":{"name":"$source.titel"}"#, #""to":"m","#, "has no titel"),
        (#""attributes":{"name":"$source.titel"}"#, #""from":"Foo","#, "is not used"),
    ])
    func aMappingModelThatDoesNotFitRefusesTheMigration(
        _ attributes: String, _ versions: String, _ message: String
    ) throws {
        try folder.write(Self.model("Note", #"{"name":"title","type":"String"}"#), to: "m.json")
        try serve("s.sqlite") {
            #expect($0.ask("POST", "/Note", #"{"title":"a"}"#)?.status == 201)
        }
        try folder.write(Self.model("Note", #"{"name":"name","type":"String"}"#), to: "m.json")
        try folder.write(
            "{\(versions)\"mappings\":[{\"source\":\"Note\",\"destination\":\"Note\","
                + "\(attributes)}]}", to: "maps/m.mapping.json")
        let store = folder.path + "/s.sqlite"
        let before = try Data(contentsOf: URL(fileURLWithPath: store))
        for command in ["migrate", "serve"] {
            let refused = try Program(
                [command, "m.json", "--store", "s.sqlite", "--mapping", "maps/m.mapping.json"]
                    + (command == "serve" ? ["--migrate", "--port", "0"] : []), folder: folder.path
            ).end()
            #expect(refused.status == 1)
            #expect(refused.errors.contains(message), "\(refused.errors)")
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == before)
        // Without it the plan says how to keep the values.
        let plan = try Program.run(
            "migrate", "m.json", "--store", "s.sqlite", "--plan", folder: folder.path)
        #expect(
            versions.contains("Foo")
                || plan.errors.contains("titel")
                || plan.output.contains(
                    "if it is name now, give that the renaming identifier title"),
            "\(plan)")
    }

    /// No archive of Core Data's can have composites.
    @Test(arguments: stores)
    func aModelWithCompositesIsKeptToo(_ store: String) throws {
        let store = try place(of: store)
        func text(_ more: String) -> String {
            #"{"entities":[{"name":"Shop","attributes":[{"name":"place","type":"Composite","#
                + #""composite":"Place"}\#(more)]}],"composites":[{"name":"Place","attributes":["#
                + #"{"name":"city","type":"String"}]}]}"#
        }
        try folder.write(text(""), to: "m.json")
        try serve(store) {
            #expect($0.ask("POST", "/Shop", #"{"place":{"city":"Ulm"}}"#)?.status == 201)
        }
        try folder.write(text(#",{"name":"size","type":"Integer 16"}"#), to: "m.json")
        try serve(store, "--migrate") {
            let body = $0.ask("GET", "/Shop/1")?.body ?? ""
            #expect(body.contains(#""city":"Ulm""#) && body.contains(#""size":null"#), "\(body)")
        }
    }

    /// Every command reads the model of a store in a file.
    @Test(arguments: files)
    func aStoreIsServedWithTheModelThatItHas(_ store: String) throws {
        try folder.write(Self.edits[0].0, to: "m.json")
        try serve(store) { #expect($0.ask("POST", "/Note", #"{"title":"a"}"#)?.status == 201) }
        try FileManager.default.removeItem(atPath: folder.path + "/m.json")
        let program = try Program(["serve", store, "--port", "0"], folder: folder.path)
        let caller = try Caller(program.lines(3))
        #expect(caller.ask("GET", "/Note/1")?.body.contains(#""title":"a""#) == true)
        program.signal(SIGTERM)
        #expect(program.end().status == 0)
        let contents = try Program.run("model", "contents", store, folder: folder.path)
        #expect(contents.status == 0 && contents.output.contains(#"<entity name="Note""#))
    }

    /// A cache that cannot be read, and one of another store.
    @Test(arguments: [
        ("UPDATE Z_MODELCACHE SET Z_CONTENT = substr(Z_CONTENT, 1, 40)", "or is damaged"),
        ("UPDATE Z_MODELCACHE SET Z_CONTENT = x'00'", "or is damaged"),
        ("DELETE FROM Z_MODELCACHE", "has no model cache"),
        (
            "ATTACH 'other.sqlite' AS o; UPDATE Z_MODELCACHE SET Z_CONTENT = "
                + "(SELECT Z_CONTENT FROM o.Z_MODELCACHE)", "is not that of its data"
        ),
    ])
    func aModelThatIsNotTheStoresIsNamed(_ damage: String, _ message: String) throws {
        try folder.write(Self.model("Other", #"{"name":"title","type":"String"}"#), to: "m.json")
        try serve("other.sqlite") { _ in }
        try folder.write(Self.edits[0].0, to: "m.json")
        try serve("s.sqlite") { _ in }
        let store = folder.path + "/s.sqlite"
        let statement = damage.replacingOccurrences(
            of: "other.sqlite", with: folder.path + "/other.sqlite")
        do {
            let database = try RawDatabase(store)
            try database.run(statement)
        }
        try folder.write(Self.edits[1].0, to: "m.json")
        let before = try Data(contentsOf: URL(fileURLWithPath: store))
        for command in [["serve", "m.json", "--migrate"], ["migrate", "m.json"]] {
            let end = try Program(command + ["--store", "s.sqlite"], folder: folder.path).end()
            #expect(end.status == 1)
            #expect(
                end.errors.contains(message)
                    && end.errors.contains("was not made with the only known version"),
                "\(end.errors)")
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == before)
    }
}
