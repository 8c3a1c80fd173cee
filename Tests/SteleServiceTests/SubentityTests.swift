// What only subentities have, asked for through their parent.

import SteleHTTP
import SteleJSON
import SteleModel
import TestSupport
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct SubentityTests {
    /// Circles and polygons, whose own to-ones stand in one slot, and each with a fetched property
    /// at one place.
    private func canvas(_ inMemory: Bool) throws -> ServiceFixture {
        let fixture = try ServiceFixture(
            try makeModel(
                name: "Shapes",
                [
                    EntityMaker("Canvas").attribute("name", .string)
                        .toMany("shapes", "Shape", inverse: "canvas", ordered: true),
                    EntityMaker("Shape", isAbstract: true).attribute("color", .string)
                        .toOne("canvas", "Canvas", inverse: "shapes"),
                    EntityMaker("Circle", parent: "Shape")
                        .toOne("style", "Style", inverse: "circle")
                        .fetched("alike", "Circle", "style.name == $FETCH_SOURCE.style.name"),
                    EntityMaker("Ring", parent: "Circle"),
                    EntityMaker("Polygon", parent: "Shape")
                        .toOne("center", "Vertex", inverse: "centered")
                        .fetched("others", "Shape", "SELF != $FETCH_SOURCE")
                        .toMany("vertices", "Vertex", inverse: "polygon", ordered: true)
                        .toMany("parts", "Vertex"),
                    EntityMaker("Group", parent: "Shape").toMany("parts", "Style"),
                    EntityMaker("Style").attribute("name", .string)
                        .toOne("circle", "Circle", inverse: "style"),
                    EntityMaker("Vertex").attribute("x", .integer16)
                        .toOne("polygon", "Polygon", inverse: "vertices")
                        .toOne("centered", "Polygon", inverse: "center"),
                ]), inMemory: inMemory)
        for (target, body) in [
            ("/Vertex", #"[{"x":1},{"x":2},{"x":3}]"#), ("/Style", #"[{"name":"s"},{"name":"t"}]"#),
            ("/Canvas", #"{"name":"c"}"#),
            (
                "/Shape",
                """
                [{"_entity":"Circle","canvas":1,"style":2},
                 {"_entity":"Polygon","canvas":1,"vertices":[2,1],"center":1},
                 {"_entity":"Ring","canvas":1,"style":1},{"_entity":"Group","canvas":1},
                 {"_entity":"Polygon","canvas":1}]
                """
            ),
        ] {
            let made = fixture.post(target, body)
            #expect(made.status == 201, "\(made.text)")
        }
        return fixture
    }

    private static let vertices = """
        "vertices":[{"_id":2,"_entity":"Vertex","_version":2,"x":2,"polygon":2,"centered":null},\
        {"_id":1,"_entity":"Vertex","_version":2,"x":1,"polygon":2,"centered":2}]
        """
    /// The shapes with their vertices.
    private static let shapes = [
        (1, "Circle", #","style":2"#), (2, "Polygon", #","center":1,\#(vertices)"#),
        (3, "Ring", #","style":1"#), (4, "Group", ""),
        (5, "Polygon", #","center":null,"vertices":[]"#),
    ].map { key, entity, more in
        #"{"_id":\#(key),"_entity":"\#(entity)","_version":1,"color":null,"canvas":1\#(more)}"#
    }

    @Test(arguments: [false, true])
    func whatASubentityHasIsIncludedWhereItIs(_ inMemory: Bool) throws {
        let service = try canvas(inMemory)
        let all = "[" + Self.shapes.joined(separator: ",") + "]"
        let canvas = #"{"_id":1,"_entity":"Canvas","_version":1,"name":"c","shapes":\#(all)}"#
        let editor = try Editor(service)
        #expect(editor.patch("/Canvas/1", #"{"name":"c"}"#).status == 200)
        let ways: [(String) -> Answer] = [{ service.get($0) }, { editor.get($0) }]
        for get in ways {
            #expect(get("/Shape?include=vertices").text == all)
            #expect(get("/Canvas?include=shapes.vertices").text == "[\(canvas)]")
            #expect(get("/Canvas/1?include=shapes.vertices").text == canvas)
            #expect(get("/Canvas/1/shapes?include=vertices").text == all)
            #expect(get("/Shape/2?include=vertices").text == Self.shapes[1])
            #expect(get("/Shape/1?include=vertices").text == Self.shapes[0])
            #expect(
                get("/Canvas?select=name,shapes&include=shapes.vertices").text
                    == #"[{"name":"c","shapes":\#(all)}]"#)
        }
        let lines = Self.shapes.map { $0 + "\n" }.joined()
        #expect(service.get("/Shape?include=vertices&format=ndjson&limit=5").text == lines)
    }

    /// Keys of one slot are told apart, and so are fetched properties at one place.
    @Test(arguments: [false, true])
    func whatStandsInTheSamePlaceIsNotMixedUp(_ inMemory: Bool) throws {
        let service = try canvas(inMemory)
        let style = #""style":{"_id":2,"_entity":"Style","_version":2,"name":"t","circle":1}"#
        let answer = service.get("/Shape?include=style.circle,vertices").text
        #expect(answer.contains(style.replacing(#""circle":1}"#, with: #""circle":{"_id":1,"#)))
        #expect(answer.contains(#""center":1"#) && answer.contains(Self.vertices))
        let centers = service.get("/Shape?include=center").text
        #expect(centers.contains(#""center":{"_id":1,"_entity":"Vertex""#))
        #expect(centers.contains(#""style":2"#) && centers.contains(#""style":1"#))
        let fetched = service.get("/Canvas?include=shapes.alike").text
        #expect(fetched.components(of: #""alike":[{"_id":"#) == 2 && !fetched.contains("others"))
        let others = service.get("/Shape?include=others").text
        #expect(others.components(of: #""others":["#) == 2 && !others.contains("alike"))
    }

    @Test func whatNoneOfTheFamilyHasIsRefused() throws {
        let service = try canvas(true)
        for (target, detail, hint) in [
            ("/Canvas?include=shapes.vertice", "not a relationship of Shape", "mean vertices?"),
            ("/Shape?include=nothing", "not a relationship of Shape", "relationships are canvas"),
            ("/Shape?include=vertices.x", "x of Vertex, an attribute", ""),
            ("/Shape?include=parts", "subentities Group, Polygon each", "a request for each"),
            ("/Canvas?include=shapes.parts", "subentities Group, Polygon each", ""),
            (
                "/Shape?select=color&include=vertices", "a property of a subentity of Shape",
                "leave select out"
            ),
        ] {
            let answer = service.get(target)
            #expect(answer.status == 400 && answer.detail.contains(detail), "\(answer.text)")
            #expect(answer.hint.contains(hint) || hint.isEmpty, "\(answer.text)")
        }
        for target in ["/Shape?select=vertices", "/Shape?where=vertices.@count%20%3E%200"] {
            let answer = service.get(target)
            #expect(answer.code == "predicate.unknown-key", "\(answer.text)")
            #expect(answer.hint.contains("its subentity Polygon"))
        }
    }
}

extension String {
    fileprivate func components(of part: String) -> Int { ranges(of: part).count }
}
