/// Importing: references in any order, each save whole, errors that name their line.

import Foundation
import SteleGraph
import SteleModel
import StelePredicates
import SteleSQLite
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct ImportTests {
    /// Place (code, name; within: Place, required for Room; beside: Places) and Room below it.
    private func model() throws -> Model {
        var place = EntityDescription(name: "Place")
        var name = AttributeDescription(name: "name", type: .string)
        name.isOptional = true
        var within = RelationshipDescription(name: "within", destinationName: "Place")
        within.isOptional = true
        within.maximumCount = 1
        within.inverseName = "holds"
        within.inverseEntityName = "Place"
        var holds = RelationshipDescription(name: "holds", destinationName: "Place")
        holds.isOptional = true
        holds.isToMany = true
        holds.inverseName = "within"
        holds.inverseEntityName = "Place"
        var beside = RelationshipDescription(name: "beside", destinationName: "Place")
        beside.isOptional = true
        beside.isToMany = true
        beside.inverseName = "beside"
        beside.inverseEntityName = "Place"
        place.properties = [
            .attribute(AttributeDescription(name: "code", type: .string)), .attribute(name),
            .relationship(within), .relationship(holds), .relationship(beside),
        ]
        place.uniquenessConstraints = [["code"]]
        var room = EntityDescription(name: "Room")
        room.parentName = "Place"
        var key = EntityDescription(name: "Key")
        var opens = RelationshipDescription(name: "opens", destinationName: "Key")
        opens.maximumCount = 1
        opens.inverseName = "opener"
        opens.inverseEntityName = "Key"
        var opener = RelationshipDescription(name: "opener", destinationName: "Key")
        opener.isOptional = true
        opener.isToMany = true
        opener.inverseName = "opens"
        opener.inverseEntityName = "Key"
        key.properties = [
            .attribute(AttributeDescription(name: "tag", type: .integer32)),
            .relationship(opens), .relationship(opener),
        ]
        var declaration = ManagedObjectModel(name: "House")
        declaration.entities = [place, room, key]
        return try Model(declaration)
    }

    private final class House {
        let model: Model
        let store: SQLiteStore
        let coordinator: PersistentStoreCoordinator
        private let folder: String

        init(_ model: Model) throws {
            self.model = model
            folder = String(try temporaryFile("").dropLast("/file".count))
            store = try SQLiteStore.open(path: "\(folder)/house.sqlite", model: model)
            coordinator = PersistentStoreCoordinator(store: store)
        }

        deinit {
            store.close()
            try? FileManager.default.removeItem(atPath: folder)
        }

        func load(
            _ files: [(String, String)], keys: [(String, String)] = [], ignoring: Bool = false
        ) throws -> Import.Summary {
            let paths = try files.map { (try temporaryFile($0.1, name: $0.0), String?.none) }
            let plan = try ImportPlan(
                model: model, files: paths.map { (path: $0.0, entity: $0.1) },
                keys: keys.map { (entity: $0.0, attribute: $0.1) }, ignoresUnknownKeys: ignoring)
            return try Import(coordinator, plan).run()
        }

        /// For each code, the codes at the other end.
        func ends(_ name: String) throws -> [String: [String]] {
            let context = ManagedObjectContext(coordinator)
            defer { context.close() }
            let entity = try #require(model.entity(named: "Place"))
            let code = try #require(entity.attribute(named: "code"))
            let relationship = try #require(entity.relationship(named: name))
            var found: [String: [String]] = [:]
            for object in try context.fetch(FetchRequest(entity: entity)) {
                let others =
                    relationship.isToMany
                    ? try object.members(relationship)
                    : [try object.toOne(relationship)].compactMap { $0 }
                guard case .string(let own) = object.value(code) else { continue }
                found[own] = others.compactMap {
                    if case .string(let other) = $0.value(code) { other } else { nil }
                }.sorted()
            }
            return found
        }
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
        ("{\"code\":\"a\",\"_id\":5}", 1, "_id"),
    ])
    func aBadLineIsNamed(text: String, line: Int, words: String) throws {
        let house = try House(try model())
        let error = #expect(throws: ImportError.self) {
            try house.load([("place.ndjson", text)])
        }
        #expect(error?.line == line && error?.file?.hasSuffix("/place.ndjson") == true)
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    }

    @Test func anErrorLeavesWholeBatchesAlone() throws {
        let house = try House(try model())
        var lines = (0..<3_000).map { "{\"code\":\"p\($0)\"}" }
        lines[2_500] = "{\"code\":7}"
        let path = try temporaryFile(lines.joined(separator: "\n"), name: "place.ndjson")
        let plan = try ImportPlan(model: house.model, files: [(path, nil)])
        let work = Import(house.coordinator, plan)
        let error = #expect(throws: ImportError.self) { try work.run() }
        #expect(error?.line == 2_501)
        #expect(work.summary.total == 2_000)
        #expect(try house.ends("within").count == 2_000)
    }

    @Test func filesAndKeysThatTheModelLacksAreRefused() throws {
        let model = try model()
        #expect(throws: ImportError.self) {
            try ImportPlan(model: model, files: [("things.ndjson", nil)])
        }
        #expect(throws: ImportError.self) {
            try ImportPlan(model: model, files: [("x", "Plaice")])
        }
        #expect(throws: ImportError.self) {
            try ImportPlan(model: model, files: [], keys: [("Place", "cod")])
        }
        let house = try House(model)
        let error = #expect(throws: ImportError.self) {
            try house.load([("key.ndjson", "{\"tag\":1,\"opens\":1}")])
        }
        #expect(error?.message.contains("--key Key.ATTRIBUTE") == true)
        _ = try house.load(
            [("place.ndjson", "{\"code\":\"a\",\"colour\":\"red\"}")], ignoring: true)
    }

    @Test func theWorldComesInOneCommand() throws {
        let shared =
            ProcessInfo.processInfo.environment["STELE_SHARED"]
            .map { URL(fileURLWithPath: $0) }
            ?? packageRoot.appendingPathComponent("../shared")
        let files = ["cities", "countries", "continents"].map {
            shared.appendingPathComponent("data/world/\($0).ndjson").path
        }
        guard FileManager.default.fileExists(atPath: files[0]) else { return }
        let world = packageRoot.appendingPathComponent("Config/Models/World.xcdatamodeld").path
        let model = try ModelFile.read(world).model()
        let house = try House(model)
        let plan = try ImportPlan(model: model, files: files.map { ($0, nil) })
        let summary = try Import(house.coordinator, plan).run()
        #expect(summary.objects == ["Continent": 7, "Country": 250, "City": 34_006])
        let context = ManagedObjectContext(house.coordinator)
        defer { context.close() }
        let country = try #require(model.entity(named: "Country"))
        let neighbours = try #require(country.relationship(named: "neighbours"))
        var links = 0
        for object in try context.fetch(FetchRequest(entity: country)) {
            for other in try object.members(neighbours) {
                links += 1
                #expect(try other.hasMember(neighbours, key: object.id.key))
            }
        }
        #expect(links == 646)
    }
}
