/// A new version whose properties allow less: bounds, patterns and counts.

import Foundation
import SteleModel
import SteleModelFiles
import TestSupport
import Testing

@Suite struct NarrowedPropertyTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(
        _ arguments: String...
    ) throws -> (status: Int32, output: String, errors: String) {
        try Program.run(arguments, folder: folder.path)
    }

    private static func model(
        _ n: String = "", _ label: String = "", _ kids: String = "", more: String = ""
    ) -> String {
        """
        {"entities":[{"name":"Tag","attributes":[{"name":"n","type":"Integer 32"\(n)},\
        {"name":"label","type":"String"\(label)}\(more)],"relationships":[\
        {"name":"kids","destination":"Kid","inverse":"tag","toMany":true\(kids)}]},\
        {"name":"Kid","relationships":[{"name":"tag","destination":"Tag","inverse":"kids"}]}]}
        """
    }

    private static let added = #",{"name":"more","type":"String"}"#
    private static let warning =
        "\nvalues and members of before are not checked: those that a narrowed property does not "
        + "allow stay, and refuse the next change of their object\n"

    private func make() throws {
        try folder.write(
            Self.model(#","minimum":1,"maximum":50"#, "", #","maximumCount":9"#), to: "m.json")
        try folder.write(
            #"{"_id":1,"n":42,"label":"x"}"# + "\n" + #"{"_id":2,"n":7,"label":"abc"}"#,
            to: "Tag.ndjson")
        try folder.write((1...3).map { "{\"_id\":\($0),\"tag\":1}\n" }.joined(), to: "Kid.ndjson")
        let made = try run("import", "m.json", "--store", "s.sqlite", "Tag.ndjson", "Kid.ndjson")
        try #require(made.status == 0, "\(made.errors)")
    }

    /// What is wider, or as it was, is not named.
    @Test func thePlanNamesWhatIsNarrower() throws {
        try make()
        for (n, label, kids, lines) in [
            (
                #","minimum":5,"maximum":10"#, #","minimum":2,"regularExpression":"[a-z]+""#,
                #","maximumCount":2"#,
                [
                    "     - narrows Tag.kids: a maximum count",
                    "     - narrows Tag.label: a minimum, a pattern",
                    "     - narrows Tag.n: a minimum, a maximum",
                ]
            ),
            (#","minimum":0,"maximum":60"#, "", #","maximumCount":12"#, []),
            ("", "", "", []), (#","minimum":1,"maximum":50"#, "", #","maximumCount":9"#, []),
            (
                #","maximum":49"#, "", #","minimumCount":1"#,
                [
                    "     - narrows Tag.kids: a minimum count",
                    "     - narrows Tag.n: a maximum",
                ]
            ),
        ] {
            try folder.write(Self.model(n, label, kids, more: Self.added), to: "m2.json")
            let plan = try run("migrate", "m2.json", "--store", "s.sqlite", "--plan")
            let found = plan.output.split(separator: "\n").map(String.init)
                .filter { $0.contains("narrows ") }.sorted()
            #expect(plan.status == 0 && found == lines, "\(plan)")
            #expect(plan.output.contains(Self.warning) == !lines.isEmpty, "\(plan.output)")
        }
    }

    /// Bounds of an attribute that has another type now are compared as numbers.
    @Test func thePlanComparesBoundsOfAnotherType() throws {
        try make()
        let cases: [(bounds: String, lines: [String])] = [
            (#","minimum":1,"maximum":50"#, []), (#","minimum":0.5,"maximum":50.5"#, []),
            (#","minimum":1.5,"maximum":50"#, ["     - narrows Tag.n: a minimum"]),
            (#","minimum":1,"maximum":49.5"#, ["     - narrows Tag.n: a maximum"]),
        ]
        for (bounds, lines) in cases {
            let model = Self.model(bounds, "", #","maximumCount":9"#)
                .replacing("Integer 32", with: "Double")
            try folder.write(model, to: "m2.json")
            let plan = try run("migrate", "m2.json", "--store", "s.sqlite", "--plan")
            let found = plan.output.split(separator: "\n").map(String.init)
                .filter { $0.contains("narrows ") }
            #expect(plan.status == 0 && found == lines, "\(plan)")
        }
    }

    /// A property that has moved into a parent is named under the parent. Decimals are compared with
    /// all their digits.
    @Test func thePlanNamesWhatHasMovedIntoAParent() throws {
        func decimal(_ least: String, _ most: String) -> String {
            #""attributes":[{"name":"d","type":"Decimal","minimum":"\#(least)","maximum":"\#(most)"}]"#
        }
        func integer(_ bounds: String) -> String {
            #""attributes":[{"name":"x","type":"Integer 32"\#(bounds)}]"#
        }
        try folder.write(
            """
            {"entities":[{"name":"P"},{"name":"A","parent":"P",\(integer(""))},\
            {"name":"B","parent":"P",\(integer(#","minimum":5"#))},\
            {"name":"C",\(decimal("0.1", "0.3"))}]}
            """, to: "m.json")
        try folder.write(
            """
            {"entities":[{"name":"Base","abstract":true,\
            \(decimal("0.10000000000000000001", "0.30000000000000000001"))},\
            {"name":"P",\(integer(#","minimum":5,"maximum":9"#))},{"name":"A","parent":"P"},\
            {"name":"B","parent":"P"},{"name":"C","parent":"Base"}]}
            """, to: "m2.json")
        try folder.write(#"{"x":1}"#, to: "A.ndjson")
        let made = try run("import", "m.json", "--store", "s.sqlite", "A.ndjson")
        try #require(made.status == 0, "\(made.errors)")
        let plan = try run("migrate", "m2.json", "--store", "s.sqlite", "--plan")
        let found = plan.output.split(separator: "\n").map(String.init)
            .filter { $0.contains("narrows ") }.sorted()
        #expect(
            plan.status == 0
                && found == [
                    "     - narrows Base.d: a minimum", "     - narrows P.x: a minimum, a maximum",
                ], "\(plan)")
    }

    /// In place the values stay, and the next change of their object is refused.
    @Test func aMigrationInPlaceLeavesTheValues() throws {
        try make()
        try folder.write(
            Self.model(
                #","maximum":10"#, #","minimum":2"#, #","maximumCount":2"#, more: Self.added),
            to: "m2.json")
        let done = try run("migrate", "m2.json", "--store", "s.sqlite")
        #expect(done.status == 0 && done.output.contains(Self.warning), "\(done)")
        let program = try Program(
            ["serve", "m2.json", "--port", "0", "--store", "s.sqlite"], folder: folder.path)
        let caller = try Caller(program.lines(3))
        let one = caller.ask("GET", "/Tag/1")?.body
        #expect(one?.contains(#""n":42,"label":"x""#) == true, "\(one ?? "")")
        let refused = caller.ask("PATCH", "/Tag/1", #"{"more":"y"}"#)
        #expect(refused?.status == 422, "\(refused as Any)")
        let mended = caller.ask("PATCH", "/Tag/1", #"{"n":1,"label":"xy","kids":[1]}"#)
        #expect(mended?.status == 200, "\(mended as Any)")
        program.signal(SIGTERM)
        #expect(program.end().status == 0)
    }

    /// A store of an app gets a new store, which has the values as they are.
    @Test func aNewStoreHasTheValues() throws {
        try make()
        try makeBareStore(
            try ModelFile.read(folder.path + "/m.json").model(), at: folder.path + "/s.sqlite")
        try folder.write(
            Self.model(
                #","maximum":10"#, #","minimum":2"#, #","maximumCount":2"#, more: Self.added),
            to: "m2.json")
        for options in [["--plan"], []] {
            let end = try Program.run(
                ["migrate", "m2.json", "--store", "s.sqlite"] + options, folder: folder.path)
            #expect(end.status == 0 && end.output.contains(Self.warning), "\(end)")
        }
        let migrated = try RawDatabase(folder.path + "/s.sqlite")
        #expect(
            try migrated.texts("SELECT ZN || ZLABEL FROM ZTAG ORDER BY Z_PK") == ["42x", "7abc"])
        #expect(try migrated.texts("SELECT count(*) FROM ZKID WHERE ZTAG = 1") == ["3"])
    }

    /// So does a copy.
    @Test(arguments: ["c.sqlite", "c.xml", "c.binary", "c.text"])
    func aCopyHasTheValues(_ to: String) throws {
        try make()
        try RawDatabase(folder.path + "/s.sqlite").run("UPDATE ZTAG SET ZN = 99 WHERE Z_PK = 2")
        let end = try run("store", "migrate", "m.json", "--store", "s.sqlite", "--to", to)
        #expect(end.status == 0, "\(end)")
        let export = try run("export", "m.json", "--store", to)
        #expect(export.output.contains(#""n":99"#), "\(export)")
    }

    /// A number that the type does not have is in SQLite alone. The errors of a copy to another store
    /// name the store, and the objects.
    @Test(arguments: ["c.sqlite", "c.xml", "c.binary", "c.text"])
    func aCopyNamesTheStoreAndTheObjects(_ to: String) throws {
        try make()
        let path = folder.path + "/s.sqlite"
        func copy() throws -> (status: Int32, output: String, errors: String) {
            try run("store", "migrate", "m.json", "--store", "s.sqlite", "--to", to)
        }
        try RawDatabase(path).run("UPDATE ZTAG SET ZN = 3000000000 WHERE Z_PK = 2")
        let one = try copy()
        if to == "c.sqlite" {
            #expect(one.status == 0, "\(one)")
            let database = try RawDatabase(folder.path + "/" + to)
            #expect(
                try database.texts("SELECT ZN FROM ZTAG ORDER BY Z_PK") == ["42", "3000000000"])
            return
        }
        #expect(
            one.status == 1
                && one.errors
                    == "stele: s.sqlite: Tag 2: n of Tag is too large: 3000000000, and the model "
                    + "allows at most 2147483647\n",
            "\(one)")
        try RawDatabase(path).run("UPDATE ZTAG SET ZN = 3000000000")
        let both = try copy()
        #expect(
            both.status == 1
                && both.errors.hasPrefix(
                    "stele: s.sqlite: 2 values are not valid:\n- Tag 1: n of Tag")
                && both.errors.contains("- Tag 2: n of Tag"), "\(both)")
    }
}
