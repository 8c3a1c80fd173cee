/// Importing: the forms of files, and keys of several attributes.

import Foundation
import SteleModel
import StelePersistence
import SteleService
import TestSupport
import Testing

@Suite struct ImportFormatTests {
    private func model() throws -> Model {
        try makeModel(
            name: "Atlas",
            [
                EntityMaker("Country").attribute("code", .string).attribute("name", .string)
                    .toMany("cities", "City", inverse: "country")
                    .toOne("capital", "City", inverse: "capitalOf")
                    .toMany("friends", "Country", inverse: "friends")
                    .unique("code"),
                EntityMaker("City").attribute("name", .string).attribute("people", .integer64)
                    .attribute("isOld", .boolean).attribute("area", .double)
                    .attribute("tax", .decimal).attribute("founded", .date)
                    .attribute("tag", .uuid).attribute("seal", .binary)
                    .toOne("country", "Country", inverse: "cities")
                    .toMany("capitalOf", "Country", inverse: "capital")
                    .toMany("airports", "Airport", inverse: "city"),
                EntityMaker("Airport").attribute("code", .string)
                    .toOne("city", "City", inverse: "airports"),
            ])
    }

    private static let countries = """
        {"code":"CH","name":"Switzerland"}
        {"code":"US","name":"United States"}
        """

    @Test func aRowOfCellsIsReadByTheTypesOfItsColumns() throws {
        let house = try House(try model())
        let rows =
            "\u{FEFF}name,people,isOld,area,tax,founded,tag,seal,country\r\n"
            + "\"Bern, \"\"old\"\"\nand new\",133883,true,51.6,12.50,1191-01-01T00:00:00Z,"
            + "6B0E7C1A-3D52-4F7B-9B0A-4B1F0C6D1927,YWI=,CH\r\n"
            + "\"\",,,,,,,,\r\n"
            + "Springfield,-5,0,1e3,3,,,,US\n"
        let summary = try house.load([
            ("country.ndjson", Self.countries), ("cities.csv", rows),
        ])
        #expect(summary.objects == ["Country": 2, "City": 3])
        #expect(
            try house.values("City.name")
                == [.string("Bern, \"old\"\nand new"), .string(""), .string("Springfield")])
        #expect(try house.values("City.people") == [.int(133_883), .null, .int(-5)])
        #expect(try house.values("City.isOld") == [.bool(true), .null, .bool(false)])
        #expect(try house.values("City.area") == [.double(51.6), .null, .double(1000)])
        #expect(
            try house.values("City.tax")
                == [.decimal(Decimal(string: "12.5") ?? 0), .null, .decimal(3)])
        #expect(try house.values("City.seal") == [.data([97, 98]), .null, .null])
        #expect(try house.values("City.country") == [.key(1), .null, .key(2)])
    }

    @Test func tabsAndArraysAreRead() throws {
        let house = try House(try model())
        _ = try house.load([
            ("country.tsv", "code\tname\tfriends\nCH\ta,b\t\"[\"\"US\"\"]\"\nUS\t\t\n"),
            (
                "city.json",
                " [ {\"name\":\"[x]\\\"\", \"country\":\"CH\"} ,\n {\"name\":\"b\"}\n]\n"
            ),
        ])
        #expect(try house.values("Country.name") == [.string("a,b"), .null])
        #expect(try house.values("City.name") == [.string("[x]\""), .string("b")])
        #expect(try house.storedMembers("Country.friends", of: 2) == [1])
        _ = try house.load([("City.json", "[]"), ("Airport.json", "{\"code\":\n\"ZRH\"} {}")])
        #expect(try house.all("Airport").count == 2)
    }

    @Test(arguments: [
        ("city.csv", "name,nme\na,b", 2, "no property nme"),
        ("city.csv", "name,people\na,x", 2, "people of City must be an integer"),
        ("city.csv", "name,people\n\n\"a\nb\",1\nc,\"x\"", 5, "people of City"),
        ("city.csv", "name,people\na", 2, "1 cell, and the header 2"),
        ("city.csv", "name,name\na,b", 1, "the column name twice"),
        ("city.csv", "name\n\"a\"b", 2, "after its closing quote"),
        ("city.csv", "name\na\"b\"", 2, "contains a quote"),
        ("city.csv", "name\n\"a\nb", 2, "ends within a quoted cell"),
        ("city.csv", "name\rBern\rThun\r", 1, "end with \\r"),
        ("city.json", "[{\"name\":\"a\"}\n{}]", 2, "where a comma or ] must be"),
        ("city.json", "[{}\n,3]", 2, "must be an array of objects"),
        ("city.json", "[{},\n{\"name\":1}]", 2, "name of City"),
        ("city.json", "[{}", 1, "does not end"), ("city.json", "[{},{", 1, "within an object"),
        ("city.json", "[{}] x", 1, "after the array"),
    ])
    func aBadRecordIsNamed(file: String, text: String, line: Int, words: String) throws {
        let house = try House(try model())
        let error = #expect(throws: ImportError.self) { try house.load([(file, text)]) }
        #expect(
            error?.line == line && error?.file?.hasSuffix("/" + file) == true, "\(error as Any)")
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
        #expect(try house.all("City").isEmpty)
    }

    @Test func aKeyHasSeveralAttributes() throws {
        let house = try House(try model())
        let keys = [("City", "name,country")]
        let cities = """
            {"name":"Bern","country":"CH"}
            {"name":"Bern","country":"US"}
            """
        // The capital comes before the city, and the city names its country by its key.
        let first = #"{"code":"CH","capital":{"name":"Bern","country":"CH"}}"#
        let airports = "code,city.name,city.country\nBRN,Bern,CH\nXXX,,\nFWA,Bern,US\n"
        _ = try house.load(
            [
                ("country.ndjson", first + "\n" + #"{"code":"US"}"#), ("city.ndjson", cities),
                ("airport.csv", airports),
            ], keys: keys)
        #expect(try house.values("Country.capital") == [.key(1), .null])
        #expect(try house.values("Airport.city") == [.key(1), .null, .key(2)])
        // The cities are in the store, and are found there.
        _ = try house.load(
            [("airport.ndjson", #"{"code":"a","city":{"name":"Bern","country":"US"}}"#)],
            keys: keys)
        #expect(try house.values("Airport.city").last == .key(2))
        let again = #expect(throws: ImportError.self) {
            try house.load([("city.ndjson", cities)], keys: keys)
        }
        #expect(again?.message.contains("is already in the store") == true, "\(again as Any)")
    }

    @Test(arguments: [
        ("airport.ndjson", #"{"city":"Bern"}"#, "names a City by name, country"),
        ("airport.ndjson", #"{"city":{"name":"Bern"}}"#, "has no country"),
        ("airport.ndjson", #"{"city":{"name":"a","country":"CH","x":1}}"#, "other keys"),
        ("airport.csv", "city\nBern", "use the columns city.name and city.country"),
        ("airport.csv", "city.name\nBern", "need city.country as well"),
        ("airport.csv", "city.country\nCH", "need city.name as well"),
        ("airport.csv", "city.name,city.country\nBern,", "empty cells in others"),
    ])
    func anIncompleteKeyIsNamed(file: String, text: String, words: String) throws {
        let house = try House(try model())
        let error = #expect(throws: ImportError.self) {
            try house.load([(file, text)], keys: [("City", "name,country")])
        }
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    }

    @Test func aRowOfAnEarlierQueryIsNotASecondObject() throws {
        let house = try House(try model())
        let keys = [("City", "name,country")]
        let places = (0..<50).flatMap { country in (0..<50).map { ("C\(country)", "N\($0)") } }
        func lines(_ line: (String, String) -> String) -> String {
            places.map { line($0.0, $0.1) }.joined(separator: "\n")
        }
        let countries = (0..<50).map { "{\"code\":\"C\($0)\"}" }.joined(separator: "\n")
        let cities = lines { "{\"name\":\"\($1)\",\"country\":\"\($0)\"}" }
        _ = try house.load([("country.ndjson", countries), ("city.ndjson", cities)], keys: keys)
        // More names than one query has; each query asks for all pairs of its names.
        let airports = lines { "{\"city\":{\"name\":\"\($1)\",\"country\":\"\($0)\"}}" }
        let summary = try house.load([("airport.ndjson", airports)], keys: keys)
        #expect(summary.objects == ["Airport": 2_500])
        #expect(Set(try house.values("Airport.city")).count == 2_500)
    }

    @Test func aRequiredDestinationWithoutAnObjectIsAnError() throws {
        let house = try House(
            try makeModel([
                EntityMaker("Country").attribute("name", .string)
                    .toMany("cities", "City", inverse: "country"),
                EntityMaker("City").attribute("name", .string)
                    .toOne("country", "Country", inverse: "cities", isOptional: false),
            ]))
        let city = #"{"_id":1,"_entity":"City","name":"Bern","country":999}"#
        let error = #expect(throws: ImportError.self) { try house.load([("city.ndjson", city)]) }
        #expect(
            error?.message.contains("names a Country whose _id is 999, which does not exist")
                == true, "\(error?.message ?? "")")
    }

    @Test func aKeyThatDoesNotExistIsRefused() throws {
        let model = try model()
        for (entity, key, words) in [
            ("City", "nme", "did you mean name?"), ("Airport", "city", "City has no key"),
            ("City", "airports", "no attribute or to-one relationship airports"),
        ] {
            let error = #expect(throws: ImportError.self) {
                try ImportPlan(model: model, files: [], keys: [(entity, key)])
            }
            #expect(error?.message.contains(words) == true, "\(error as Any)")
        }
    }

    @Test func aRowOfEmptyCellsIsARecord() throws {
        for (file, separator) in [("city.csv", ","), ("city.tsv", "\t")] {
            let house = try House(try model())
            let rows = ["name\(separator)people", separator, "a\(separator)1", "", " "]
            let summary = try house.load([(file, rows.joined(separator: "\r\n"))])
            #expect(summary.objects == ["City": 2])
        }
    }

    @Test func theFormatGoesBeforeTheName() throws {
        let house = try House(try model())
        _ = try house.load([("city.txt", "name\na\n")]) { $0.format = .csv }
        #expect(try house.values("City.name") == [.string("a")])
    }

    @Test(arguments: [
        ("Airport", "an Airport"), ("City", "a City"), ("User", "a User"), ("Unit", "a Unit"),
        ("Order", "an Order"), ("Hour", "an Hour"), ("Umbrella", "an Umbrella"),
    ])
    func theArticleFitsTheName(name: String, words: String) {
        #expect(name.withArticle == words)
    }
}
