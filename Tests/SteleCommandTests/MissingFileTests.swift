// Stores that lack files of external values, as apps leave them.

import Foundation
import TestSupport
import Testing

@Suite struct MissingFileTests {
    private let folder: TemporaryFolder
    private let bytes = [UInt8](repeating: 7, count: 150_000)
    /// The names of the missing files, of the notes 1 and 3; the note 5 has its file.
    private let missing: [String]

    private static func version(_ attributes: String...) -> String {
        let photo = #"{"name":"photo","type":"Binary","externalStorage":true}"#
        let texts = attributes.map { #"{"name":"\#($0)","type":"String"}"# }
        return #"{"entities":[{"name":"Note","attributes":["#
            + ([photo] + texts).joined(separator: ",") + "]}]}"
    }

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(Self.version("title"), to: "Notes/v1.json")
        let large = Data(bytes).base64EncodedString()
        let lines = (1...5).map { number in
            let photo = number % 2 == 1 ? large : "AAEC"
            return #"{"_id":\#(number),"title":"n\#(number)","photo":"\#(photo)"}"#
        }
        try folder.write(lines.joined(separator: "\n"), to: "Note.ndjson")
        let made = try Program.run(
            "import", "Notes", "--store", "s.sqlite", "Note.ndjson", folder: folder.path)
        try #require(made.status == 0, "\(made)")
        let path = folder.path + "/s.sqlite"
        let names = try RawDatabase(path).texts(
            "SELECT substr(ZPHOTO, 2, 36) FROM ZNOTE WHERE Z_PK IN (1, 3) ORDER BY Z_PK")
        try #require(names.count == 2)
        missing = names
        for name in names {
            try FileManager.default.removeItem(
                atPath: folder.path + "/.s_SUPPORT/_EXTERNAL_DATA/" + name)
        }
    }

    private func run(
        _ arguments: String...
    ) throws -> (status: Int32, output: String, errors: String) {
        try Program.run(arguments, folder: folder.path)
    }

    private func serve(_ options: [String] = [], _ ask: (Caller) throws -> Void) throws {
        let program = try Program(
            ["serve", "Notes", "--port", "0", "--store", "s.sqlite"] + options, folder: folder.path)
        try ask(Caller(program.lines(3)))
        program.signal(SIGTERM)
        #expect(program.end().status == 0)
    }

    /// The names of the files in the rows.
    private func references() throws -> [String] {
        try RawDatabase(folder.path + "/s.sqlite").texts(
            "SELECT substr(ZPHOTO, 2, 36) FROM ZNOTE WHERE Z_PK IN (1, 3) ORDER BY Z_PK")
    }

    /// Only the route of the value itself has an error.
    @Test func theValueIsGoneAndTheObjectIsThere() throws {
        try serve { (caller) throws in
            let gone = caller.ask("GET", "/Note/1/photo")
            #expect(gone?.status == 410)
            #expect(gone?.body.contains(#""code":"value.gone""#) == true, "\(gone as Any)")
            #expect(
                gone?.body.contains(
                    "the file of photo of Note 1 is missing beside the store: \(missing[0])")
                    == true,
                "\(gone as Any)")
            #expect(caller.ask("HEAD", "/Note/1/photo")?.status == 410)
            #expect(caller.ask("GET", "/Note/5/photo")?.status == 200)
            let shown = #""photo":{"bytes":null,"href":"/Note/1/photo"}"#
            for path in ["/Note/1", "/Note"] {
                let answer = caller.ask("GET", path)
                #expect(answer?.status == 200 && answer?.body.contains(shown) == true)
            }
            let selected = caller.ask("GET", "/Note?select=title,photo&where=title='n1'")
            #expect(
                selected?.body == #"[{"title":"n1","photo":{"bytes":null}}]"#, "\(selected as Any)")
        }
    }

    @Test func otherAttributesAreWrittenAndTheValueIsMended() throws {
        try serve { (caller) throws in
            let patched = caller.ask("PATCH", "/Note/1", #"{"title":"new"}"#)
            #expect(patched?.status == 200 && patched?.body.contains(#""title":"new""#) == true)
            // What was read can be written back.
            let read = caller.ask("GET", "/Note/1")?.body ?? ""
            #expect(caller.ask("PUT", "/Note/1", read)?.status == 200)
            let names = try references()
            #expect(names == missing)
            #expect(caller.ask("PATCH", "/Note/1", #"{"photo":"AQID"}"#)?.status == 200)
            #expect(caller.ask("GET", "/Note/1/photo")?.status == 200)
            #expect(caller.ask("DELETE", "/Note/3/photo")?.status == 204)
            #expect(caller.ask("GET", "/Note/3/photo")?.status == 404)
        }
        let check = try run("check", "s.sqlite")
        #expect(check.status == 0, "\(check)")
    }

    @Test func anExportGoesOnAndNamesTheValues() throws {
        let said =
            "2 values whose file beside the store is missing, written as null: "
            + "photo of Note 1, photo of Note 3\n"
        for format in ["ndjson", "json", "csv"] {
            let end = try run(
                "export", "Notes", "--store", "s.sqlite", "--entity", "Note", "--format", format)
            #expect(end.status == 3 && end.errors == said, "\(end.errors)")
            #expect(end.output.contains("n5") && end.output.contains("AAEC"))
        }
        let lines = try run("export", "Notes", "--store", "s.sqlite").output.split(separator: "\n")
        #expect(lines.count == 5 && lines.first?.contains(#""photo":null"#) == true)
        try FileManager.default.createDirectory(
            atPath: folder.path + "/out", withIntermediateDirectories: false)
        let files = try run("export", "Notes", "--store", "s.sqlite", "--output", "out")
        #expect(files.status == 3 && files.errors.contains(said), "\(files.errors)")
        #expect(files.errors.contains("5 objects in out/Note.ndjson"), "\(files.errors)")
    }

    @Test func inspectionNamesTheObjects() throws {
        let line =
            "ZNOTE.ZPHOTO: in 2 rows the value is in a file that is not in "
            + ".s_SUPPORT/_EXTERNAL_DATA (first: \(missing[0])): it cannot be read: "
            + "photo of Note 1, photo of Note 3\n"
        for command in ["inspect", "check"] {
            let end = try run(command, "s.sqlite")
            #expect(end.output.contains(line), "\(end.output)")
            #expect(command == "inspect" || end.status == 1)
        }
    }

    /// In place, and by a mapping model in a new store.
    @Test(arguments: [false, true])
    func aMigrationKeepsTheNames(_ hasMapping: Bool) throws {
        try folder.write(Self.version("title", "text"), to: "Notes/v2.json")
        if hasMapping {
            try folder.write(
                #"""
                {"mappings":[{"source":"Note","destination":"Note",
                  "attributes":{"text":"$source.title"}}]}
                """#, to: "notes.mapping.json")
        }
        let line =
            "\n2 values whose file beside the store is missing stays so: "
            + "photo of Note 1, photo of Note 3\n"
        let plan = try run("migrate", "Notes", "--store", "s.sqlite", "--plan")
        #expect(plan.status == 0 && plan.output.contains(line), "\(plan)")
        let done = try run("migrate", "Notes", "--store", "s.sqlite")
        #expect(done.status == 0 && done.output.contains(line), "\(done)")
        #expect(done.output.contains("by the mapping model") == hasMapping)
        #expect(try references() == missing)
        // A restored file is the value again.
        let place = folder.path + "/.s_SUPPORT/_EXTERNAL_DATA/" + missing[0]
        try Data(bytes).write(to: URL(filePath: place))
        try serve { (caller) throws in
            #expect(caller.ask("GET", "/Note/1/photo")?.status == 200)
            #expect(caller.ask("GET", "/Note/3/photo")?.status == 410)
            #expect(caller.ask("GET", "/Note/5/photo")?.status == 200)
        }
    }

    /// A copy keeps the names as well; a store without files would lose the values.
    @Test func aCopyKeepsTheNames() throws {
        let copied = try run(
            "store", "migrate", "Notes", "--store", "s.sqlite", "--to", "copy.sqlite")
        #expect(
            copied.status == 0
                && copied.errors == "2 values whose file beside the store is missing stays so: "
                    + "photo of Note 1, photo of Note 3\n",
            "\(copied)")
        let names = try RawDatabase(folder.path + "/copy.sqlite").texts(
            "SELECT substr(ZPHOTO, 2, 36) FROM ZNOTE WHERE Z_PK IN (1, 3) ORDER BY Z_PK")
        #expect(names == missing)
        let refused = try run("store", "migrate", "Notes", "--store", "s.sqlite", "--to", "c.xml")
        #expect(
            refused.status == 1
                && refused.errors == "stele: s.sqlite has 2 values whose file beside the store is "
                    + "missing, and c.xml has no files: restore them, or delete the values: "
                    + "photo of Note 1, photo of Note 3\n",
            "\(refused)")
    }
}
