/// Importing: numbers are judged by the type of their attribute, ids too.

import SteleModel
import SteleService
import TestSupport
import Testing

@Suite struct ImportNumberTests {
    private func house() throws -> House {
        try House(
            makeModel(
                name: "Atlas",
                [
                    EntityMaker("City").attribute("name", .string).attribute("people", .integer64)
                        .attribute("area", .double).attribute("width", .float)
                        .attribute("notes", .transformable)
                        .toOne("twin", "City", inverse: "twins")
                        .toMany("twins", "City", inverse: "twin")
                ]))
    }

    @Test(arguments: ["ndjson", "json"])
    func numbersInFullDigitsAreTaken(_ form: String) throws {
        let house = try house()
        let record =
            #"{"area":10000000000000000000,"width":-9223372036854775809,"people":5.0,"#
            + #""notes":{"n":18446744073709551616}}"#
        try house.load([("city.\(form)", form == "json" ? "[\(record)]" : record)])
        #expect(try house.values("City.area") == [.double(1e19)])
        #expect(try house.values("City.width") == [.double(-0x1p63)])
        #expect(try house.values("City.people") == [.int(5)])
        #expect(
            try house.values("City.notes") == [.data(Array(#"{"n":18446744073709551616}"#.utf8))])
    }

    @Test(arguments: [
        ("city.ndjson", #"{"people":9223372036854775808}"#),
        ("city.ndjson", #"{"people":1e19}"#), ("city.json", #"[{"people":9223372036854775808}]"#),
        ("city.csv", "people\n9223372036854775808\n"),
    ])
    func anIntegerBeyond64BitsIsRefusedWithItsKey(_ file: String, _ text: String) throws {
        let house = try house()
        let error = #expect(throws: ImportError.self) { try house.load([(file, text)]) }
        #expect(
            error?.message.contains("people of City must be at most 9223372036854775807") == true,
            "\(String(describing: error))")
        #expect(error?.line == (file == "city.csv" ? 2 : 1))
    }

    @Test func numbersInCellsHaveTheGrammarOfBodies() throws {
        let house = try house()
        for (text, number) in [("+5", 5), (".5", 0.5), ("-.5", -0.5), ("1.", 1), ("-1.e2", -100)] {
            let isWhole = number == number.rounded()
            _ = try house.load([
                ("city.csv", "area,width,people\n\(text),\(text),\(isWhole ? text : "")\n")
            ]) { $0.isAgain = true }
            #expect(try house.values("City.area").last == .double(number), "\(text)")
            #expect(try house.values("City.width").last == .double(number), "\(text)")
            let people: Value = isWhole ? .int(Int64(number)) : .null
            #expect(try house.values("City.people").last == people, "\(text)")
        }
        for text in ["0x10", "1;5", ".", "+", "--1", "1e", "nan"] {
            for column in ["area", "people"] {
                #expect(throws: ImportError.self) {
                    try house.load([("city.csv", "\(column),name\n\(text),a\n")])
                }
            }
        }
    }

    @Test func aValueOfJSONHasTheDepthThatEveryFormCarries() throws {
        func value(_ levels: Int) -> String {
            String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        }
        let house = try house()
        _ = try house.load([("city.csv", "notes,name\n\(value(64)),a\n")])
        for format in [DataFormat.ndjson, .json, .csv] {
            let other = try self.house()
            _ = try other.load([
                ("City.\(format.rawValue)", try house.exported(format, ["City"]))
            ])
            #expect(try other.values("City.notes") == house.values("City.notes"))
        }
        for (file, text) in [
            ("city.csv", "notes,name\n\(value(65)),a\n"),
            ("city.ndjson", "{\"notes\":\(value(65))}"),
        ] {
            let error = #expect(throws: ImportError.self) { try house.load([(file, text)]) }
            #expect(
                error?.message.contains("notes of City nests arrays and objects deeper than 64")
                    == true, "\(error as Any)")
        }
    }

    @Test func idsMayHaveAFractionOfZeros() throws {
        let house = try house()
        try house.load([
            (
                "city.ndjson",
                #"{"_id":7.0,"name":"a","twin":8e0}"# + "\n" + #"{"_id":8.0,"name":"b"}"#
            )
        ])
        #expect(try house.all("City").map(\.key) == [7, 8])
        #expect(try house.values("City.twin") == [.key(8), .null])
    }
}
