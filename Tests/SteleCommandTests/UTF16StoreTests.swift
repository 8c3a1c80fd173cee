/// Stores whose texts are in UTF-16, as another program may have made them.

import Foundation
import SteleModel
import SteleModelFiles
import TestSupport
import Testing

@Suite struct UTF16StoreTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path + "/s.sqlite" }

    init() throws { folder = try TemporaryFolder() }

    private static func model(_ more: String = "") -> String {
        #"{"entities":[{"name":"Tag","attributes":[{"name":"label","type":"String"}\#(more)]}]}"#
    }

    private func run(
        _ arguments: String...
    ) throws -> (status: Int32, output: String, errors: String) {
        try Program.run(arguments, folder: folder.path)
    }

    /// Makes a store of an encoding, with one object or those of the rows.
    private func make(
        _ encoding: String, isOfApp: Bool, model: String = Self.model(),
        rows: String = #"{"label":"xü€"}"#
    ) throws {
        try folder.write(model, to: "m.json")
        try folder.write(rows, to: "Tag.ndjson")
        let made = try run("import", "m.json", "--store", "a.sqlite", "Tag.ndjson")
        try #require(made.status == 0, "\(made.errors)")
        let plain = folder.path + "/a.sqlite"
        if isOfApp {
            try makeBareStore(try ModelFile.read(folder.path + "/m.json").model(), at: plain)
        }
        let source = try RawDatabase(plain)
        let target = try RawDatabase(path)
        try target.run("PRAGMA encoding = '\(encoding)'")
        let statements = try source.texts(
            "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL "
                + "ORDER BY type = 'table' DESC, rowid")
        for statement in statements { try target.run(statement) }
        for table in try source.texts("SELECT name FROM sqlite_master WHERE type = 'table'")
        where !table.hasPrefix("sqlite_") {
            let columns = try source.texts("SELECT name FROM pragma_table_info('\(table)')")
            let list = columns.map { "quote(\"\($0)\")" }.joined(separator: " || ',' || ")
            for row in try source.texts("SELECT \(list) FROM \"\(table)\"") {
                try target.run("INSERT INTO \"\(table)\" VALUES (\(row))")
            }
        }
        try #require(target.texts("PRAGMA encoding") == [encoding])
    }

    private func serve(
        _ model: String, _ options: String..., store: String = "s.sqlite",
        ask: (Caller) throws -> Void
    ) throws {
        let program = try Program(
            ["serve", model, "--port", "0", "--store", store] + options, folder: folder.path)
        let lines = program.lines(3)
        try ask(Caller(lines))
        program.signal(SIGTERM)
        let (status, errors) = program.end()
        #expect(status == 0, "\(errors)")
    }

    private static let kinds = ["UTF-16le", "UTF-16be"].flatMap { encoding in
        [false, true].flatMap { isOfApp in [false, true].map { (encoding, isOfApp, $0) } }
    }

    /// One of an app is copied, and one of Stele's is changed in place. Its receipts stay.
    @Test(arguments: kinds)
    func itIsMigrated(_ encoding: String, _ isOfApp: Bool, _ serves: Bool) throws {
        try make(encoding, isOfApp: isOfApp)
        let key = ["Idempotency-Key: k1"]
        try serve("m.json") { (caller) throws in
            let made = try caller.call("POST", "/Tag", #"{"label":"ö"}"#, headers: key)
            #expect(made.hasPrefix("HTTP/1.1 201"), "\(made)")
        }
        let more =
            #",{"name":"n","type":"Integer 16"},{"name":"t","type":"String","#
            + #""optional":false,"default":"ä€"}"#
        try folder.write(Self.model(more), to: "m2.json")
        let plan = try run("migrate", "m2.json", "--store", "s.sqlite", "--plan")
        #expect(plan.status == 0 && plan.output.contains("adds Tag.n"), "\(plan)")
        if !serves {
            let done = try run("migrate", "m2.json", "--store", "s.sqlite")
            try #require(done.status == 0, "\(done)")
        }
        try serve("m2.json", "--migrate") { (caller) throws in
            let one = caller.ask("GET", "/Tag/1?select=label,n,t")?.body
            #expect(one == #"{"label":"xü€","n":null,"t":"ä€"}"#, "\(one ?? "")")
            let again = try caller.call("POST", "/Tag", #"{"label":"ö"}"#, headers: key)
            #expect(again.hasPrefix("HTTP/1.1 201") && again.contains(#""_id":2"#), "\(again)")
            #expect(caller.ask("GET", "/Tag/count")?.body.contains("2") == true)
            let found = caller.ask("GET", "/Tag?select=_id&where=label%20==%20'%C3%B6'")?.body
            #expect(found == #"[{"_id":2}]"#, "\(found ?? "")")
        }
        let found = try run("check", "s.sqlite")
        #expect(found.status == 0, "\(found.output)")
    }

    private static let labels = [
        "a", "ab", "abc", "aé", "b", "é", "éa", "š", "šibenik", "ÿ", "ÿa", "Ā", "Š", "€", "€5",
        "\u{D7FF}", "\u{E000}", "\u{FFFD}x", "😀", "😀a", "😁",
    ]

    /// An attribute with an index and one without.
    private static let indexed =
        #"{"entities":[{"name":"Tag","attributes":[{"name":"label","type":"String","#
        + #""indexed":true},{"name":"code","type":"String"}]}]}"#

    private static let predicates = [
        "NAME BEGINSWITH 'TEXT'", "NOT NAME BEGINSWITH 'TEXT'", "NAME BEGINSWITH[c] 'TEXT'",
        "NAME ENDSWITH 'TEXT'", "NAME CONTAINS 'TEXT'", "NAME LIKE 'TEXT*'",
        "NAME LIKE[c] 'TEXT?*'", "NAME == 'TEXT'", "NAME ==[c] 'TEXT'", "NAME IN[c] {'TEXT', 'b'}",
    ]

    /// What a predicate finds is what it finds in the same store in UTF-8.
    @Test(arguments: ["UTF-16le", "UTF-16be"])
    func predicatesFindTheSameTexts(_ encoding: String) throws {
        let rows = Self.labels.map { #"{"label":"\#($0)","code":"\#($0)"}"# + "\n" }.joined()
        try make(encoding, isOfApp: false, model: Self.indexed, rows: rows)
        let texts = ["a", "ab", "é", "š", "ÿ", "€", "\u{D7FF}", "\u{FFFD}", "😀"]
        var predicates: [String] = []
        for name in ["label", "code"] {
            for text in texts {
                predicates += Self.predicates.map {
                    $0.replacing("NAME", with: name).replacing("TEXT", with: text)
                }
            }
        }
        var found: [String: [String]] = [:]
        for store in ["a.sqlite", "s.sqlite"] {
            try serve("m.json", store: store) { (caller) in
                found[store] = predicates.map {
                    let answer = caller.ask(
                        "GET", "/Tag?sort=_id&select=label&where=" + Self.encoded($0))
                    return "\($0): \(answer?.status ?? 0) \(answer?.body ?? "")"
                }
            }
        }
        let (expected, ours) = (found["a.sqlite"] ?? [], found["s.sqlite"] ?? [])
        #expect(expected.count == predicates.count && ours.count == predicates.count)
        for (one, other) in zip(expected, ours) {
            #expect(one.contains(": 200 ["), "\(one)")
            #expect(one == other)
        }
        let begin = expected.first { $0.hasPrefix("label BEGINSWITH 'ÿ'") }
        #expect(begin?.hasSuffix(#"[{"label":"ÿ"},{"label":"ÿa"}]"#) == true, "\(begin ?? "")")
    }

    /// A text in a query, with all bytes but letters in hexadecimal digits.
    private static func encoded(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            let letter = Character(Unicode.Scalar(byte))
            if byte < 0x80, letter.isLetter {
                encoded.append(letter)
            } else {
                encoded += "%" + String(byte, radix: 16)
            }
        }
        return encoded
    }

    /// A default that is long is written into statements, as a literal of the file's encoding.
    @Test(arguments: ["UTF-8", "UTF-16le", "UTF-16be"])
    func aLongDefaultIsStored(_ encoding: String) throws {
        try make(encoding, isOfApp: false)
        let text = "ä€😀" + String(repeating: "a", count: 99_997)
        let more = #",{"name":"t","type":"String","optional":false,"default":"\#(text)"}"#
        try folder.write(Self.model(more), to: "m2.json")
        let done = try run("migrate", "m2.json", "--store", "s.sqlite")
        try #require(done.status == 0, "\(done.errors.prefix(1_000))")
        let database = try RawDatabase(path)
        #expect(try database.texts("PRAGMA encoding") == [encoding])
        let isStored = try database.texts("SELECT ZT FROM ZTAG") == [text]
        #expect(isStored)
    }

    /// Data of any length get a marker before them.
    @Test(arguments: ["UTF-8", "UTF-16le", "UTF-16be"])
    func dataThatMayBeInFilesAreWhole(_ encoding: String) throws {
        let values = ["YQ==", "YWI=", "YWJj", "YWJjZA==", "YWJjZGU="]
        let rows = values.map { #"{"photo":"\#($0)"}"# + "\n" }.joined()
        let photo = #",{"name":"photo","type":"Binary""#
        try make(encoding, isOfApp: false, model: Self.model(photo + "}"), rows: rows)
        try folder.write(Self.model(photo + #","externalStorage":true}"#), to: "m2.json")
        let done = try run("migrate", "m2.json", "--store", "s.sqlite")
        try #require(done.status == 0, "\(done)")
        let all = try run("export", "m2.json", "--store", "s.sqlite")
        #expect(all.status == 0, "\(all)")
        for value in values {
            #expect(all.output.contains("\"" + value + "\""), "\(value): \(all.output)")
        }
    }

    /// Copies, backups and restores have the same objects.
    @Test(arguments: [false, true]) func itIsCopiedAndRestored(_ isOfApp: Bool) throws {
        try make("UTF-16le", isOfApp: isOfApp)
        try serve("m.json") { (caller) throws in
            #expect(try caller.call("POST", "/Tag", #"{"label":"ö"}"#).hasPrefix("HTTP/1.1 201"))
        }
        let all = try run("export", "m.json", "--store", "s.sqlite")
        #expect(all.status == 0 && all.output.contains("xü€") && all.output.contains("ö"))
        for copy in ["c.sqlite", "c.xml"] {
            let copied = try run("store", "migrate", "m.json", "--store", "s.sqlite", "--to", copy)
            #expect(copied.status == 0, "\(copied)")
            let same = try run("export", "m.json", "--store", copy)
            #expect(same.output == all.output, "\(same)")
        }
        let backup = try run("backup", "s.sqlite", "--to", "backups")
        #expect(backup.status == 0, "\(backup)")
        let made = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/backups")
        let place = "backups/" + (made.first ?? "")
        #expect(try run("check", place + "/s.sqlite").status == 0)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/" + place)
        #expect(files.contains("s.sqlite"))
        try serve("m.json") { (caller) in
            #expect(caller.ask("DELETE", "/Tag/2")?.status == 204)
        }
        let restored = try run("restore", place, "--store", "s.sqlite")
        #expect(restored.status == 0, "\(restored)")
        #expect(try run("export", "m.json", "--store", "s.sqlite").output == all.output)
        let readOnly = try run("export", "m.json", "--store", "s.sqlite", "--read-only")
        #expect(readOnly.output == all.output, "\(readOnly)")
        #expect(try run("check", "s.sqlite").status == 0)
    }
}
