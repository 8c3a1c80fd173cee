// What is told as updated looks different from before.

import FoundationEssentials
import Glibc
import SteleGraph
import SteleJSON
import SteleModel
import StelePersistence
import TestSupport
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleHTTP
@testable import SteleRequests
@testable import SteleService

@Suite struct LiveUpdateTests {
    @Test(arguments: StoreKind.allCases)
    func aRowIsToldWhereItLooksDifferent(_ kind: StoreKind) throws {
        let stage = try LiveStage(kind)
        try stage.people()
        for target in [
            "/Person?sort=name&select=name,team.name", "/Person?sort=name&include=team",
            "/Person?sort=name&select=name,s:abs(salary)",
        ] {
            let listener = try stage.listen(target)
            #expect(try listener.becomes(stage, target))
            // Bo leaves Ann's team: of Ann's row nothing is changed, though her team is.
            try stage.write("PATCH", "/Person/2", #"{"team":2}"#)
            try stage.write("PATCH", "/Person/2", #"{"team":1}"#)
            try stage.write("PATCH", "/Person/3", #"{"salary":-30}"#)
            try stage.write("PATCH", "/Person/3", #"{"salary":30}"#)
            try stage.write("PATCH", "/Team/1", #"{"name":"Greens"}"#)
            try stage.write("PATCH", "/Team/1", #"{"name":"Reds"}"#)
            // Who comes after them is told last.
            try stage.write("POST", "/Person", #"{"name":"Zed"}"#)
            #expect(try listener.becomes(stage, target), "\(target)")
            try stage.write("DELETE", "/Person?where=name%20==%20%22Zed%22")
            #expect(try listener.becomes(stage, target), "\(target)")
            #expect(listener.idle == 0, "\(target)")
        }
    }

    /// A derived value changes without its object's version: of saves that are told together, there
    /// and back again is no change.
    @Test(arguments: StoreKind.allCases)
    func aDerivedValueThatIsAsItWasIsNotTold(_ kind: StoreKind) throws {
        let stage = try LiveStage(kind, derivesSizes: true)
        try stage.people()
        let query = try stage.service.liveQueries.made(
            stage.plan("/Team?where=members.@count%20%3E=%200"), for: [])
        try stage.write("PATCH", "/Person/4", #"{"team":1}"#)
        try stage.write("PATCH", "/Person/4", #"{"team":null}"#)
        #expect(try told(query, stage) == [])
        try stage.write("PATCH", "/Person/4", #"{"team":1}"#)
        let updates = try #require(try told(query, stage).first)
        #expect(updates.contains(#""updates":[{"index":0,"object":{"_id":1,"#), "\(updates)")
        #expect(updates.contains(#""size":3"#), "\(updates)")
        try stage.write("PATCH", "/Team/2", #"{"name":"Greens"}"#)
        try stage.write("PATCH", "/Team/2", #"{"name":"Blues"}"#)
        #expect(try told(query, stage).count == 1, "the version is another one")
    }

    /// What a query that nobody follows tells of all that was saved since, at once.
    private func told(_ query: LiveQuery, _ stage: LiveStage) throws -> [String] {
        let context = ManagedObjectContext(stage.coordinator)
        defer { context.close() }
        let view = SavesView(after: query.token, []) { try context.reader() }
        try view.reader()
        return try query.advance(in: view).compactMap { difference in
            try stage.service.liveQueries.renderer.event(
                difference, of: query, in: view, after: query.token, shown: &query.shown
            ) { context }
        }.map { String(decoding: $0.data, as: UTF8.self) }
    }

    private static let targets = [
        "/Person?sort=name&select=name,team.name", "/Person?sort=-salary&include=team&limit=4",
        "/Team?sort=name&select=name,n:members.@count", "/Team?sort=name&include=members",
        "/Person?sort=name&select=s:abs(salary),m:team.members.@max.salary",
        "/Person?sort=team.name&sectionBy=team.name&select=name,team",
        "/Person?select=_version,team.name",
    ]

    @Test(arguments: StoreKind.allCases)
    func atRandomNothingIsToldThatDoesNotShow(_ kind: StoreKind) throws {
        var numbers = SeededNumbers(
            seed: drawSeed("atRandomNothingIsToldThatDoesNotShow(\(kind))"))
        let stage = try LiveStage(kind)
        try stage.people()
        let listeners = try Self.targets.map { ($0, try stage.listen($0)) }
        for step in 0..<60 {
            let person = Int.random(in: 1...4, using: &numbers)
            let team = Int.random(in: 1...2, using: &numbers)
            let number = Int.random(in: -3...3, using: &numbers)
            let (path, body) =
                switch Int.random(in: 0..<5, using: &numbers) {
                case 0: ("/Person/\(person)", "{\"team\":\(team)}")
                case 1: ("/Person/\(person)", "{\"team\":null}")
                case 2: ("/Person/\(person)", "{\"salary\":\(number)}")
                case 3: ("/Person/\(person)", "{\"name\":\"P\(number)\"}")
                default: ("/Team/\(team)", "{\"name\":\"T\(number)\"}")
                }
            try stage.write("PATCH", path, body)
            // Now and then several saves are told at once.
            guard Int.random(in: 0..<3, using: &numbers) == 0 || step == 59 else { continue }
            for (target, listener) in listeners {
                let list = target.replacing("&sectionBy=team.name", with: "")
                #expect(try listener.becomes(stage, list), "\(target), step \(step)")
            }
        }
        for (target, listener) in listeners {
            #expect(listener.idle == 0, "\(target)")
            #expect(listener.names.dropFirst().allSatisfy { $0 == "change" })
        }
    }

    /// What is embedded through a parent entity, of the subentity that has it.
    @Test func aSubentitysRelationshipIsFollowed() throws {
        let stage = try LiveStage(over: InMemoryStore(model: try drawingModel()))
        try stage.write("POST", "/Canvas", #"{"name":"c","shapes":[]}"#)
        try stage.write(
            "POST", "/Polygon", #"{"name":"p","canvas":1,"vertices":[{"x":1},{"x":2}]}"#)
        try stage.write("POST", "/Circle", #"{"name":"r","canvas":1}"#)
        let targets = ["/Canvas?include=shapes.vertices", "/Shape?include=vertices"]
        let listeners = try targets.map { try stage.listen($0) }
        for (method, path, body) in [
            ("PATCH", "/Vertex/1", #"{"x":5}"#), ("DELETE", "/Vertex/2", ""),
            ("POST", "/Vertex", #"{"x":7,"polygon":1}"#), ("DELETE", "/Polygon/1", ""),
        ] {
            for (target, listener) in zip(targets, listeners) {
                #expect(try listener.becomes(stage, target))
            }
            try stage.write(method, path, body)
        }
        for (target, listener) in zip(targets, listeners) {
            #expect(try listener.becomes(stage, target))
            #expect(listener.names.count == 5)
        }
    }

    /// Who led to what was deleted leads nowhere from that save on.
    @Test func whatNoActionLeavesIsTold() throws {
        var declared = try Staff().model.declaration
        for (index, entity) in declared.entities.enumerated() where entity.name == "Team" {
            for (place, property) in entity.properties.enumerated() {
                guard case .relationship(var it) = property else { continue }
                it.deleteRule = .noAction
                declared.entities[index].properties[place] = .relationship(it)
            }
        }
        let stage = try LiveStage(over: InMemoryStore(model: try Model(declared)))
        try stage.people()
        let targets = [
            "/Person?where=team%20==%20nil", "/Person?where=team%20!=%20nil&sort=team",
            "/Person?include=team", "/Person?select=team,team.name&sort=name",
            "/Person?select=team,n:count()&groupBy=team&sort=team",
        ]
        let listeners = try targets.map { try stage.listen($0) }
        for (target, listener) in zip(targets, listeners) {
            #expect(try listener.becomes(stage, target))
        }
        try stage.write("DELETE", "/Team/1")
        for (target, listener) in zip(targets, listeners) {
            #expect(try listener.becomes(stage, target), "\(target)")
            #expect(listener.names == ["snapshot", "change"])
        }
    }
}
