/// Importing: references in any order, each save whole, errors that name their line.

import Foundation
import SteleGraph
import SteleModel
import StelePredicates
import SteleSQLite
import TestSupport
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct ImportTests {
    /// Place (code, name; within: Place, required for Room; beside: Places) and Room below it.
    private func model() throws -> Model {
        try makeModel(
            name: "House",
            [
                EntityMaker("Place").attribute("code", .string) { $0.isOptional = false }
                    .attribute("name", .string)
                    .toOne("within", "Place", inverse: "holds")
                    .toMany("holds", "Place", inverse: "within")
                    .toMany("beside", "Place", inverse: "beside")
                    .unique("code"),
                EntityMaker("Room", parent: "Place"),
                EntityMaker("Key").attribute("tag", .integer32) { $0.isOptional = false }
                    .toOne("opens", "Key", inverse: "opener", isOptional: false)
                    .toMany("opener", "Key", inverse: "opens"),
            ])
    }

    @Test func referencesMayGoForwardAndToThemselves() throws {
        let house = try House(try model())
        let summary = try house.load([
            (
                "places.ndjson",
                """
                {"code":"a","within":"z","beside":["a","b","r"]}
                {"code":"b","holds":["a2"],"beside":[]}

                {"_entity":"Room","code":"z","within":"z"}
                {"code":"a2","within":null}
                """
            ), ("rooms.ndjson", "{\"code\":\"r\",\"within\":\"a\"}"),
        ])
        #expect(summary.objects == ["Place": 3, "Room": 2])
        #expect(
            try house.ends("within") == ["a": ["z"], "b": [], "z": ["z"], "a2": ["b"], "r": ["a"]])
        #expect(
            try house.ends("beside")
                == ["a": ["a", "b", "r"], "b": ["a"], "z": [], "a2": [], "r": ["a"]])
    }

    @Test func aNameThatTwoOfOneBatchBearNamesNothing() throws {
        let house = try House(try model())
        let keys = [("Place", "name")]
        let twice = """
            {"code":"a","name":"x"}
            {"code":"b","name":"x"}
            {"code":"c","name":"y","within":"x"}
            """
        let error = try #require(throws: ImportError.self) {
            try house.load([("place.ndjson", twice)], keys: keys)
        }
        #expect("\(error)".contains("more than one Place is named \"x\""), "\(error)")
        // Nor where they are of different batches, whichever was asked for first.
        func fillers(_ mark: String) -> String {
            (0..<2_500).map { #"{"code":"\#(mark)\#($0)"}"# }.joined(separator: "\n")
        }
        let apart = try House(try model())
        let lines = [
            #"{"code":"1","name":"x"}"#, fillers("p"), #"{"code":"2","within":"x"}"#, fillers("q"),
            #"{"code":"3","name":"x"}"#, fillers("r"), #"{"code":"4","within":"x"}"#,
        ]
        #expect(throws: ImportError.self) {
            try apart.load([("place.ndjson", lines.joined(separator: "\n"))], keys: keys)
        }
        // Nor does one of the batch go before one of the store.
        _ = try house.load([("place.ndjson", #"{"code":"d","name":"z"}"#)], keys: keys)
        let again = """
            {"code":"e","name":"z"}
            {"code":"f","name":"w","within":"z"}
            """
        #expect(throws: ImportError.self) {
            try house.load([("place.ndjson", again)], keys: keys)
        }
    }

    @Test func referencesCrossBatchesInBothDirections() throws {
        let house = try House(try model())
        let count = 5_000
        let lines = (0..<count).map { index in
            "{\"code\":\"p\(index)\",\"within\":\"p\(count - 1 - index)\"}"
        }
        let summary = try house.load([("place.ndjson", lines.joined(separator: "\n"))])
        #expect(summary.total == count)
        let within = try house.ends("within")
        #expect(within.count == count)
        for index in 0..<count { #expect(within["p\(index)"] == ["p\(count - 1 - index)"]) }
    }

    @Test func whatMustHaveItsDestinationWaitsForIt() throws {
        let house = try House(try model())
        // The later ones hold the earlier ones; the last is its own.
        let lines = (0..<4_500).map { "{\"tag\":\($0),\"opens\":\(min($0 + 2_100, 4_499))}" }
        let summary = try house.load(
            [("keys.ndjson", lines.joined(separator: "\n"))], keys: [("Key", "tag")])
        #expect(summary.objects == ["Key": 4_500])
    }

    @Test func whatIsThereFromAnEarlierImportCanBeNamed() throws {
        let house = try House(try model())
        _ = try house.load([("place.ndjson", "{\"code\":\"a\"}")])
        _ = try house.load([("place.ndjson", "{\"code\":\"b\",\"within\":\"a\"}")])
        #expect(try house.ends("holds") == ["a": ["b"], "b": []])
    }

    /// A name is its bytes: composed and decomposed letters name two.
    @Test func namesThatAreWrittenOtherwiseNameTwo() throws {
        let house = try House(try model())
        let lines = #"""
            {"code":"\u00e1"}
            {"code":"a\u0301"}
            {"code":"b","within":"\u00e1"}
            {"code":"c","within":"a\u0301"}
            """#
        _ = try house.load([("place.ndjson", lines)])
        // Nor are they mixed up where both are looked up in the store.
        let later = #"""
            {"code":"d","within":"a\u0301"}
            {"code":"e","within":"\u00e1"}
            """#
        _ = try house.load([("place.ndjson", later)])
        let ends = try house.ends("within").mapValues { $0.map { Array($0.utf8) } }
        let (composed, decomposed) = (Array("\u{E1}".utf8), Array("a\u{301}".utf8))
        #expect(ends["b"] == [composed] && ends["c"] == [decomposed])
        #expect(ends["d"] == [decomposed] && ends["e"] == [composed])
    }

    @Test(arguments: [
        (
            "{\"code\":\"a\"}\n{\"code\":\"b\",\"within\":\"q\"}", 2,
            "within names a Place whose code is \"q\""
        ),
        ("{\"code\":\"a\",\"nmae\":\"x\"}", 1, "did you mean name?"),
        ("{\"code\":\"a\"}\n\n{\"code\":\"a\"}", 3, "code \"a\""),
        ("{\"code\":\"a\"}\n{\"name\":\"x\"}", 2, "code"),
        ("{\"code\":5}", 1, "code of Place"),
        ("[1]", 1, "the line must be an object"),
        ("{\"code\":\"a\"", 1, "not JSON"),
        ("{\"code\":\"a\",\"beside\":\"b\"}", 1, "must be an array"),
        ("{\"code\":\"a\",\"beside\":[null]}", 1, "contains null"),
        ("{\"code\":\"a\",\"_entity\":\"Key\"}", 1, "_entity"),
        ("{\"code\":\"a\",\"_id\":0}", 1, "_id"),
    ])
    func aBadLineIsNamed(text: String, line: Int, words: String) throws {
        let house = try House(try model())
        let error = #expect(throws: ImportError.self) {
            try house.load([("place.ndjson", text)])
        }
        #expect(error?.line == line && error?.file?.hasSuffix("/place.ndjson") == true)
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    }

    @Test func anErrorLeavesTheStoreAsItWas() throws {
        let house = try House(try model())
        var lines = (0..<3_000).map { "{\"code\":\"p\($0)\"}" }
        lines[2_500] = "{\"code\":7}"
        let path = try temporaryFile(lines.joined(separator: "\n"), name: "place.ndjson")
        var plan = try ImportPlan(model: house.model, files: [(path, nil)])
        plan.recordsPerBatch = 2_000
        let work = Import(house.coordinator, plan)
        let error = #expect(throws: ImportError.self) { try work.run() }
        #expect(error?.line == 2_501)
        #expect(try house.ends("within").isEmpty)
    }

    @Test func filesAndKeysThatTheModelLacksAreRefused() throws {
        let model = try model()
        #expect(throws: ImportError.self) {
            try ImportPlan(model: model, files: [("x", "Plaice")])
        }
        #expect(throws: ImportError.self) {
            try ImportPlan(model: model, files: [], keys: [("Place", "cod")])
        }
        let house = try House(model)
        let unnamed = #expect(throws: ImportError.self) {
            try house.load([("things.ndjson", "{\"code\":\"a\"}")])
        }
        #expect(unnamed?.message.contains("name the entity: ENTITY=") == true)
        let error = #expect(throws: ImportError.self) {
            try house.load([("key.ndjson", "{\"tag\":1,\"opens\":1}")])
        }
        #expect(error?.message.contains("--key Key.ATTRIBUTE") == true)
        _ = try house.load(
            [("place.ndjson", "{\"code\":\"a\",\"colour\":\"red\"}")]
        ) { $0.ignoresUnknownKeys = true }
    }

    /// Imports the three files of a folder into a store of the World model.
    private func importWorld(_ folder: String) throws -> (House, Import.Summary) {
        let house = try House(try sampleModel("World"))
        let files = ["cities", "countries", "continents"].map { "\(folder)/\($0).ndjson" }
        let plan = try ImportPlan(model: house.model, files: files.map { ($0, nil) })
        return (house, try Import(house.coordinator, plan).run())
    }

    /// How many links `neighbours` has; each is there in both directions.
    private func neighbourLinks(_ house: House) throws -> Int {
        let context = house.context()
        defer { context.close() }
        let neighbours = try house.relationship("Country.neighbours")
        var links = 0
        for object in try context.fetch(FetchRequest(entity: try house.entity("Country"))) {
            for other in try object.members(neighbours) {
                links += 1
                #expect(try other.hasMember(neighbours, key: object.objectID.key))
            }
        }
        return links
    }

    @Test func threeFilesThatNameEachOtherAreImportedTogether() throws {
        let folder = try TemporaryFolder()
        try folder.write(
            #"""
            {"geonameId":1,"name":"Bern","country":"CH"}
            {"geonameId":2,"name":"Vaduz","country":"LI"}
            {"geonameId":3,"name":"Thun","country":"CH"}
            """#, to: "cities.ndjson")
        try folder.write(
            #"""
            {"iso":"AT","name":"Austria","continent":"EU","neighbours":["CH","LI"]}
            {"iso":"CH","name":"Switzerland","continent":"EU","neighbours":["AT","LI"]}
            {"iso":"LI","name":"Liechtenstein","continent":"EU","neighbours":["CH","AT"]}
            {"iso":"NZ","name":"New Zealand","continent":"OC","neighbours":[]}
            """#, to: "countries.ndjson")
        try folder.write(
            #"""
            {"code":"EU","name":"Europe"}
            {"code":"OC","name":"Oceania"}
            """#, to: "continents.ndjson")
        let (house, summary) = try importWorld(folder.path)
        #expect(summary.objects == ["Continent": 2, "Country": 4, "City": 3])
        #expect(try neighbourLinks(house) == 6)
        #expect(try house.storedMembers("Country.cities", of: 2) == [1, 3])
        #expect(try house.storedMembers("Continent.countries", of: 1) == [1, 2, 3])
    }

    @Test(.enabled(if: sharedFolder != nil, "the shared data is not here"))
    func theWorldIsImportedInOneCommand() throws {
        let folder = try #require(sharedFolder).appending(path: "data/world").path
        let (house, summary) = try importWorld(folder)
        #expect(summary.objects == ["Continent": 7, "Country": 250, "City": 34_006])
        #expect(try neighbourLinks(house) == 646)
    }
}
