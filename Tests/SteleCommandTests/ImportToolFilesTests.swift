// Importing: files as other programs write them.

import Foundation
import SteleGraph
import SteleJSON
import SteleModel
import StelePersistence
import SteleService
import TestSupport
import Testing

@Suite struct ImportToolFilesTests {
    static func model() throws -> Model {
        try makeModel(
            name: "Crew",
            [
                EntityMaker("Team").attribute("code", .string)
                    .toMany("people", "Person", inverse: "team").unique("code"),
                EntityMaker("Person").attribute("name", .string).attribute("age", .integer16)
                    .attribute("big", .integer64).attribute("ok", .boolean)
                    .attribute("score", .double).attribute("tax", .decimal)
                    .attribute("born", .date).attribute("tag", .uuid).attribute("note", .string)
                    .attribute("raw", .binary).attribute("prefs", .transformable)
                    .toOne("team", "Team", inverse: "people"),
            ])
    }

    private func house() throws -> House {
        let house = try House(Self.model())
        _ = try house.load([("team.csv", "_id,code\n1,A\n2,B\n")])
        return house
    }

    @Test(arguments: ToolFile.all)
    func filesOfOtherToolsAreRead(_ file: ToolFile) throws {
        let house = try house()
        let summary = try house.load([(file.name, file.text)]) { $0 = file.options }
        #expect(summary.objects == ["Person": 3])
        #expect(try house.all("Person").map(\.key) == [1, 2, 3])
        #expect(try house.values("Person.name") == [.string("Ann"), file.empty, .string("Cy")])
        #expect(try house.values("Person.age") == [.int(30), .null, .int(-5)])
        #expect(try house.values("Person.big") == [.int(file.big), .null, .int(3)])
        #expect(try house.values("Person.ok") == [.bool(true), .null, .bool(false)])
        #expect(try house.values("Person.score") == [.double(1.5), .null, .double(1e19)])
        #expect(
            try house.values("Person.tax")
                == [
                    .decimal(Decimal(string: "12.5") ?? 0), .null,
                    .decimal(Decimal(string: "0.1") ?? 0),
                ])
        #expect(
            try house.values("Person.born") == [
                .date(736_246_800), .null, .date(-31_622_400.876544),
            ])
        #expect(try house.values("Person.team") == [.key(1), .null, .key(2)])
        #expect(
            try house.values("Person.note")
                == [.string("a \"q\", b"), .string("line\nbreak"), .string("x;y\tz")])
    }

    @Test func wordsOfBooleansAreRead() throws {
        let house = try house()
        let words = [
            "True", "TRUE", "t", "yes", "Y", "on", "1", "1.0", "False", "f", "NO", "n", "Off", "0",
            "0.0",
        ]
        _ = try house.load([("person.csv", "ok,name\n" + words.map { "\($0),x\n" }.joined())])
        #expect(
            try house.values("Person.ok")
                == Array(repeating: .bool(true), count: 8)
                + Array(repeating: .bool(false), count: 7))
    }

    @Test func integersWrittenWithADecimalPointAreImported() throws {
        let house = try house()
        let lines = """
            {"_id":7.0,"age":"3.0","big":9007199254740993.0,"team":1.0}
            {"_id":8,"big":"9.007199254740993e15","team":{"_id":2.0}}
            """
        _ = try house.load([("person.ndjson", lines)])
        #expect(try house.all("Person").map(\.key) == [7, 8])
        #expect(
            try house.values("Person.big")
                == Array(repeating: .int(9_007_199_254_740_993), count: 2))
        #expect(try house.values("Person.team") == [.key(1), .key(2)])
        for (text, reason) in [
            ("1.5", "must be an integer"), (".", "must be an integer"),
            ("0x1", "must be an integer"),
            ("9223372036854775808.0", "must be at most 9223372036854775807"),
            ("1e19", "must be at most 9223372036854775807"),
        ] {
            let error = #expect(throws: ImportError.self) {
                try house.load([("person.csv", "big,name\n\(text),x\n")])
            }
            #expect(error?.message.contains(reason) == true, "\(error as Any)")
        }
    }

    /// As VisiData and csvkit write all values, Miller Booleans and null, and SQLite Booleans.
    @Test(arguments: [
        #"{"_id":"7","name":"a","age":"3","ok":"true","score":"","team":"2"}"#,
        #"{"_id":"7.0","name":"a","age":"3.0","ok":"True","born":"","team":"2.0"}"#,
        #"{"_id":7,"name":"a","age":3,"ok":1,"tax":"","team":2}"#,
        #"{"_id":7,"name":"a","age":3,"ok":1.0,"tag":"","team":2.0}"#,
    ])
    func jsonOfProgramsWithoutTypesIsRead(record: String) throws {
        let house = try house()
        let none = #"{"_id":"8","name":"","age":"","ok":"","team":""}"#
        _ = try house.load([("person.ndjson", record + "\n" + none)])
        #expect(try house.all("Person").map(\.key) == [7, 8])
        #expect(try house.values("Person.name") == [.string("a"), .string("")])
        #expect(try house.values("Person.age") == [.int(3), .null])
        #expect(try house.values("Person.ok") == [.bool(true), .null])
        #expect(try house.values("Person.team") == [.key(2), .null])
        for name in ["score", "born", "tax", "tag"] {
            #expect(try house.values("Person.\(name)") == [.null, .null])
        }
    }

    /// A text is the key of its destination where `_id` is a number.
    @Test func aTextThatLooksLikeANumberIsAKey() throws {
        let house = try house()
        _ = try house.load([
            ("team.ndjson", #"{"_id":3,"code":"1"}"#),
            ("person.ndjson", #"{"_id":7,"team":"1"}"#),
        ])
        #expect(try house.values("Person.team") == [.key(3)])
        for (name, value) in [("ok", "2"), ("ok", #""x""#), ("_id", #""""#), ("_id", #""x""#)] {
            #expect(throws: ImportError.self) {
                try house.load([("person.ndjson", "{\"\(name)\":\(value)}")])
            }
        }
    }

    @Test func anEmptyQuotedCellIsATextWhereTheTypeIsOne() throws {
        let house = try house()
        _ = try house.load([("person.csv", "name,age,raw,prefs,team\n\"\",\"\",\"\",\"\",A\n")])
        #expect(try house.values("Person.name") == [.string("")])
        #expect(try house.values("Person.raw") == [.data([])])
        #expect(try house.values("Person.age") == [.null])
        #expect(try house.values("Person.prefs") == [.null])
    }

    @Test func textsForNullAreGivenOnceOrByColumn() throws {
        let house = try house()
        let rows = "name,note,age\nNA,NA,NA\n\"NA\",\"NA\",\"NA\"\n,,\n-,-,1\n"
        _ = try house.load([("person.csv", rows)]) { $0.nulls = [(nil, "NA"), ("note", "-")] }
        #expect(
            try house.values("Person.name") == [.null, .string("NA"), .string(""), .string("-")])
        #expect(
            try house.values("Person.note") == [.string("NA"), .string("NA"), .string(""), .null])
        #expect(try house.values("Person.age") == [.null, .null, .null, .int(1)])
        let unknown = #expect(throws: ImportError.self) {
            try house.load([("person.csv", rows)]) { $0.nulls = [("nme", "-")] }
        }
        #expect(unknown?.message.contains("did you mean name") == true, "\(unknown as Any)")
    }

    @Test(arguments: ["csv", "tsv"])
    func everyLineOfAFileOfOneColumnIsARecord(ending: String) throws {
        let house = try house()
        // As DuckDB and polars write a, null, the empty text, a blank and b.
        let summary = try house.load([("person.\(ending)", "name\na\n\n\"\"\n \nb\n")])
        #expect(summary.total == 5)
        #expect(
            try house.values("Person.name")
                == [.string("a"), .null, .string(""), .string(" "), .string("b")])
    }

    @Test func aBackslashInAFileOfTabsIsToldByAnOption() throws {
        let text = "name\tnote\nC:\\temp\tx\n"
        let house = try house()
        let error = #expect(throws: ImportError.self) { try house.load([("person.tsv", text)]) }
        #expect(
            error?.line == 2 && error?.message.contains("--escapes backslash") == true,
            "\(error as Any)")
        _ = try house.load([("person.tsv", text)]) { $0.escapes = .quotes }
        _ = try house.load([("person.tsv", text)]) {
            $0.escapes = .backslash
            $0.isAgain = true
        }
        #expect(try house.values("Person.name") == [.string("C:\\temp"), .string("C:\temp")])
        // `\\N` is the text, and `\N` is null.
        _ = try house.load([
            ("person.tsv", "name\tnote\n\\\\N\t\\N\n\t\\q\\\\\n".replacing("\\q", with: "\\r"))
        ]) {
            $0.escapes = .backslash
            $0.nulls = [(nil, "\\N")]
        }
        #expect(try house.values("Person.name").suffix(2) == [.string("\\N"), .string("")])
        #expect(try house.values("Person.note").suffix(2) == [.null, .string("\r\\")])
        let unknown = #expect(throws: ImportError.self) {
            try house.load([("person.tsv", "name\na\\q\n")]) { $0.escapes = .backslash }
        }
        #expect(unknown?.message.contains("\\q, which is no escape") == true, "\(unknown as Any)")
    }

    @Test func refusedValuesNameFileLineColumnAndOption() throws {
        let house = try house()
        for (file, text, column, words) in [
            ("person.csv", "name,age\nAnn,NA\n", "age", "not \"NA\" (--null NA reads it as null)"),
            ("person.csv", "name,score\nAnn,NaN\n", "score", "(--null NaN reads it as null)"),
            ("person.csv", "name,score\nAnn,inf\n", "score", "(--null inf reads it as null)"),
            ("person.csv", "name,tax\nAnn,-inf\n", "tax", "(--null=-inf reads it as null)"),
            ("person.csv", "_id,name\nx,Ann\n", "_id", "not x"),
            ("person.csv", "name,ok\nAnn,maybe\n", "ok", "not \"maybe\""),
            ("person.csv", "name,born\nAnn,2024-05-01 09:00:00\n", "born", "--time-zone"),
            ("person.csv", "name,born\nAnn,1714554000\n", "born", "--dates seconds"),
            ("person.ndjson", "{}\n{\"born\":1714554000000}", nil, "--dates milliseconds reads"),
            ("person.ndjson", "{}\n{\"born\":\"2024-05-01T09:00:00\"}", nil, "--time-zone"),
            ("person.csv", "name,note\nAnn,a\u{0}b\n", "note", "U+0000"),
        ] as [(String, String, String?, String)] {
            let error = #expect(throws: ImportError.self) { try house.load([(file, text)]) }
            #expect(error?.line == 2 && error?.column == column, "\(error as Any)")
            #expect(error?.description.contains(words) == true, "\(error as Any)")
            let place = column.map { "\(file) line 2, column \($0): " } ?? "\(file) line 2: "
            #expect(error?.description.contains(place) == true, "\(error as Any)")
        }
        let index = #expect(throws: ImportError.self) {
            try house.load([("person.csv", ",name\n0,a\n")])
        }
        #expect(index?.message.contains("--ignore-unknown") == true, "\(index as Any)")
        let bars = #expect(throws: ImportError.self) {
            try house.load([("person.csv", "name|age\nx|1\n")])
        }
        #expect(bars?.message.contains("--separator '|'") == true, "\(bars as Any)")
        #expect(try house.all("Person").isEmpty)
    }

    @Test func allBadCellsAreListed() throws {
        let house = try house()
        let rows = "name,age,score\na,x,y\nb,1,2\nc,z,\nd\n"
        let lines = "{\"age\":\"q\",\"ok\":3}\n{\"age\":[]}\nnot JSON\n"
        let files = [("person.csv", rows), ("person.ndjson", lines)]
        let error = try #require(throws: ImportError.self) { try house.load(files) }
        let all = [error] + error.others
        #expect(all.map(\.line) == [2, 2, 4, 5, 1, 1, 2, 3], "\(error)")
        #expect(all.map(\.column) == ["age", "score", "age", nil, nil, nil, nil, nil])
        #expect(error.description.split(separator: "\n").count == 8, "\(error)")
        let few = try #require(throws: ImportError.self) {
            try house.load(files) { $0.mostErrors = 2 }
        }
        #expect(few.others.count == 1 && few.description.contains("--errors 20"), "\(few)")
        // The rest of a file is not looked at where it is not known where its records begin.
        let torn = try #require(throws: ImportError.self) {
            try house.load([("person.csv", "name,age\na,x\n\"b\"c,1\nd,y\n")])
        }
        #expect(([torn] + torn.others).map(\.line) == [2, 3], "\(torn)")
        let many = "age,name\n" + (0..<250).map { "x\($0),a\n" }.joined()
        let first = try #require(throws: ImportError.self) {
            try house.load([("person.csv", many)])
        }
        #expect(first.others.count == 99)
        #expect(try house.all("Person").isEmpty)
    }

    @Test(arguments: [
        ("person.csv", "name,note\nAnn,a\u{0}b\n"), ("person.csv", "name,note\nAnn,\"a\u{0}b\"\n"),
        ("person.csv", "name,prefs\nAnn,\"\"\"a\\u0000\"\"\"\n"), ("person.csv", "na\u{0}me\nx\n"),
        ("person.tsv", "name\tnote\nAnn\ta\u{0}b\n"), ("person.csv", "name,team\nAnn,A\u{0}\n"),
        ("person.ndjson", "{}\n{\"note\":\"a\\u0000b\"}\n"),
        ("person.ndjson", "{\"note\":\"a\u{0}b\"}\n"),
        ("person.json", "[{},\n{\"note\":\"a\\u0000b\"}]"),
    ])
    func textWithANulIsRefusedInEachForm(file: String, text: String) throws {
        let house = try house()
        let error = #expect(throws: ImportError.self) { try house.load([(file, text)]) }
        #expect(error?.message.contains("U+0000") == true && error?.line != nil, "\(error as Any)")
        #expect(try house.all("Person").isEmpty)
        #expect(try house.exported().contains(#""code":"A""#))
    }

    /// The table that is written of what was read is read as the same.
    @Test(arguments: [DataFormat.csv, .ndjson, .json])
    func anExportIsImportedUnchanged(_ format: DataFormat) throws {
        let house = try house()
        let awkward =
            "name,raw,prefs,note\n\"\",\"\",\"\"\"\"\"\",NA\n,,null,\"\\N\"\n\"NA\",YQ==,{},\"a\tb;\"\n"
        _ = try house.load([("person.csv", awkward)])
        let exported = try house.exported(format, ["Person"])
        let other = try self.house()
        _ = try other.load([("Person.\(format.rawValue)", exported)])
        for name in ["name", "raw", "prefs", "note"] {
            #expect(try other.values("Person.\(name)") == house.values("Person.\(name)"), "\(name)")
        }
    }

    @Test func valuesWithinACompositeAreReadAsOthersAre() throws {
        let price = CompositeDescription(
            "Price", [.init(optional: "amount", .decimal), .init(optional: "since", .date)])
        let house = try House(
            try makeModel(
                [EntityMaker("Item").attribute("price", .composite) { $0.compositeName = "Price" }],
                composites: [price]))
        let amount = "0.1234567890123456789"
        _ = try house.load([
            ("item.ndjson", "{\"price\":{\"amount\":\(amount),\"since\":1714554000}}"),
            ("Item.csv", "price.amount,price.since\n\(amount),2024-05-01 11:00:00\n"),
        ]) {
            $0.dates = .seconds
            $0.timeZone = ZoneRules(offset: 7200)
        }
        let decimal = Value.decimal(try #require(Decimal(string: amount)))
        #expect(try house.values("Item.price.amount") == [decimal, decimal])
        #expect(try house.values("Item.price.since") == [.date(736_246_800), .date(736_246_800)])
        let exported = try house.exported(.ndjson)
        let other = try House(house.model)
        _ = try other.load([("item.ndjson", exported)])
        #expect(try other.values("Item.price.amount") == [decimal, decimal])
    }

    // MARK: The program

    @Test func theProgramTakesTheOptions() throws {
        let folder = try TemporaryFolder()
        let model =
            #"{"entities":[{"name":"Stay","attributes":[{"name":"name","type":"String"},"#
            + #"{"name":"from","type":"Date"},{"name":"nights","type":"Integer 16"}]}]}"#
        try folder.write(model, to: "M.json")
        func load(_ text: String, _ options: String...) throws -> (
            status: Int32, output: String, errors: String
        ) {
            try folder.write(text, to: "Stay.csv")
            return try Program.run(
                ["import", "M.json", "--store", "s.sqlite", "Stay.csv", "--again"] + options,
                folder: folder.path)
        }
        let rows = "name|from|nights\nAnn|2024-07-01 09:00:00|NA\n-|1999-01-01|2.0\n"
        let bad = try load(rows, "--separator", "|")
        #expect(bad.status == 1, "\(bad.output)")
        #expect(bad.errors.contains("Stay.csv line 2, column from: from of Stay must be a date"))
        #expect(bad.errors.contains("--time-zone UTC"))
        #expect(bad.errors.contains("line 2, column nights: nights of Stay must be an integer"))
        let one = try load(rows, "--separator", "|", "--errors", "1")
        #expect(one.errors.contains("(the first 1 error: --errors 10 lists more)"), "\(one.errors)")
        let good = try load(
            rows, "--separator", "|", "--null", "NA", "--null", "name=-", "--time-zone", "+02:00")
        #expect(good.status == 0, "\(good.errors)")
        let numbers = try load("name,from\nBo,1714554000000\n", "--dates", "milliseconds")
        #expect(numbers.status == 0, "\(numbers.errors)")
        let tabs = try load(
            "name\tnights\na\\tb\t\\N\n", "--format", "tsv", "--escapes", "backslash")
        #expect(tabs.status == 0, "\(tabs.errors)")
        let stored = try Program.run(
            ["export", "M.json", "--store", "s.sqlite", "--format", "csv"], folder: folder.path)
        #expect(
            stored.output.replacing("\r\n", with: "\n") == """
                _id,_entity,_version,name,from,nights
                1,Stay,1,Ann,2024-07-01T07:00:00Z,
                2,Stay,1,,1998-12-31T22:00:00Z,2
                3,Stay,1,Bo,2024-05-01T09:00:00Z,
                4,Stay,1,a\tb,,

                """, "\(stored.output)")
        for (option, value, words) in [
            ("--time-zone", "Mars/Olympus", "no time zone Mars/Olympus"),
            ("--time-zone", "../../etc/passwd", "no time zone"), ("--time-zone", "+2", "no offset"),
            ("--separator", "ab", "one ASCII character"), ("--separator", "\"", "no quote"),
            ("--errors", "0", "a number from 1"), ("--null", "nme=x", "did you mean name"),
            ("--dates", "days", "'seconds'"), ("--escapes", "no", "'backslash'"),
        ] {
            let refused = try load(rows, option, value)
            #expect(
                refused.status != 0 && refused.errors.contains(words),
                "\(option): \(refused.errors)")
        }
    }
}
