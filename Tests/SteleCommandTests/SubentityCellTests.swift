// Tables of cells: properties of one name in two subentities.

import SteleGraph
import SteleModel
import SteleService
import TestSupport
import Testing

@Suite struct SubentityCellTests {
    enum Kind: String, CaseIterable, Sendable {
        case text, number, bytes, json, derived, transient, composite, toOne, toMany, ordered
        /// A to-many whose members have the link, so that NDJSON leaves it out.
        case owner

        func adding(to entity: EntityMaker, _ name: String) -> EntityMaker {
            switch self {
            case .text: entity.attribute("r", .string)
            case .number: entity.attribute("r", .integer32)
            case .bytes: entity.attribute("r", .binary)
            case .json: entity.attribute("r", .transformable)
            case .derived:
                entity.attribute("r", .string) { $0.derivationExpression = "uppercase:(n)" }
            case .transient: entity.attribute("r", .string) { $0.isTransient = true }
            case .composite: entity.attribute("r", .composite) { $0.compositeName = "Spot" }
            case .toOne: entity.toOne("r", "Place")
            case .toMany: entity.toMany("r", "Place", inverse: "of\(name)")
            case .ordered: entity.toMany("r", "Place", inverse: "of\(name)", ordered: true)
            case .owner: entity.toMany("r", "Place", inverse: "of\(name)")
            }
        }

        func addingInverse(to place: EntityMaker, _ name: String) -> EntityMaker {
            switch self {
            case .toMany, .ordered: place.toMany("of\(name)", name, inverse: "r")
            case .owner: place.toOne("of\(name)", name, inverse: "r")
            default: place
            }
        }

        /// Two values, the second of which is the emptiest.
        var values: [String] {
            switch self {
            case .text: [#""x,y""#, #""""#]
            case .number: ["-7", "null"]
            case .bytes: [#""AQI=""#, #""""#]
            case .json: [#"{"city":[1]}"#, "null"]
            case .derived, .transient: ["null", "null"]
            case .composite: [#"{"city":"Rome","high":2.5}"#, #"{"city":"","high":null}"#]
            case .toOne: ["2", "null"]
            case .toMany, .owner: ["[1,2]", "[]"]
            case .ordered: ["[2,1]", "[]"]
            }
        }
    }

    private func model(_ a: Kind, _ b: Kind) throws -> Model {
        var place = EntityMaker("Place").attribute("city", .string)
        place = a.addingInverse(to: place, "A")
        place = b.addingInverse(to: place, "B")
        return try makeModel(
            [
                EntityMaker("P").attribute("n", .string),
                a.adding(to: EntityMaker("A", parent: "P"), "A"),
                b.adding(to: EntityMaker("B", parent: "P"), "B"), place,
            ],
            composites: [
                CompositeDescription(
                    "Spot", [.init(optional: "city", .string), .init(optional: "high", .double)])
            ])
    }

    @Test(arguments: Kind.allCases, Kind.allCases)
    func propertiesOfOneNameAreReadByTheEntityOfTheRow(_ a: Kind, _ b: Kind) throws {
        let model = try model(a, b)
        let house = try House(model)
        let places = #"{"_id":1,"city":"x"}"# + "\n" + #"{"_id":2}"#
        let rows = [("A", a.values), ("B", b.values)].flatMap { name, values in
            values.map { #""_entity":"\#(name)","n":"v","r":\#($0)}"# }
        }
        let lines = rows.enumerated().map { "{\"_id\":\($0.offset + 1),\($0.element)\n" }
        _ = try house.load([("Place.ndjson", places), ("P.ndjson", lines.joined())])
        let tables = [
            ("P.csv", try house.exported(.csv, ["P"])),
            ("Place.csv", try house.exported(.csv, ["Place"])),
        ]
        let header = tables[0].1.prefix { $0 != "\r\n" }.split(separator: ",")
        #expect(Set(header).count == header.count, "\(header)")
        let before = try graph(house)
        let other = try House(model)
        _ = try other.load(tables)
        #expect(try graph(other) == before, "\(a) and \(b)")
        // The tables say the same of objects that are there.
        _ = try other.load(tables) {
            $0.onConflict = .update
            $0.isAgain = true
        }
        #expect(try graph(other) == before, "\(a) and \(b)")
    }

    private func graph(_ house: House) throws -> [String] {
        let text = try house.exported().replacing(/"_version":\d+/, with: "")
        return text.split(separator: "\n").map(String.init).sorted()
    }

    @Test func aCompositeInBothFormsIsAnError() throws {
        let house = try House(try model(.composite, .text))
        _ = try house.load([("A.csv", "r,r.city\n\"{\"\"city\"\":\"\"x\"\"}\",\n,y\n,\n")])
        #expect(try house.values("A.r.city") == [.string("x"), .string("y"), .null])
        let error = #expect(throws: ImportError.self) {
            try house.load([("A.csv", "r,r.city\n{},y\n")])
        }
        #expect(error?.column == "r" && error?.line == 2, "\(error as Any)")
        #expect(error?.message.contains("r has a value here and in r.city") == true)
    }
}
