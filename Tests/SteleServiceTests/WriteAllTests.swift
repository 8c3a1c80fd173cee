// PATCH and DELETE of all objects that match: as if each were saved, and all or none.

import SteleJSON
import StelePersistence
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct WriteAllTests {
    /// A league of one team and as many players, with parts of ten objects.
    static func league(_ players: Int, inMemory: Bool) throws -> ServiceFixture {
        let league = try ServiceFixture(TestModels.league(), inMemory: inMemory) {
            $0.limits.objectsPerPart = 10
        }
        let all = (1...players).map { #"{"name":"P\#($0)","goals":\#($0)}"# }
        #expect(
            league.post("/Team", #"{"name":"Crew","players":[\#(all.joined(separator: ","))]}"#)
                .status == 201)
        return league
    }

    static func count(_ fixture: ServiceFixture, _ path: String) throws -> JSONValue? {
        try fixture.get(path).json["count"]
    }

    @Test(arguments: [false, true])
    func everyObjectThatMatchesIsChangedInOneTransaction(_ inMemory: Bool) throws {
        let league = try Self.league(45, inMemory: inMemory)
        let before = league.coordinator.currentToken
        let changed = league.patch("/Player?where=goals%20%3E%205", #"{"country":"GB","goals":7}"#)
        #expect(changed.status == 200, "\(changed.text)")
        #expect(changed.text == #"{"updated":40}"#)
        #expect(league.coordinator.currentToken == before + 1)
        #expect(try Self.count(league, "/Player/count?where=country=='GB'%20AND%20goals==7") == 40)
        #expect(try league.get("/Player/45").json["_version"] == 2)
        #expect(try league.get("/Player/7").json["_version"] == 2)
        #expect(try league.get("/Player/5").json["_version"] == 1)
        let reader = try league.coordinator.store.reader()
        defer { reader.close() }
        let history = try reader.history(after: before, limit: 9, values: true)
        let save = try #require(history.first)
        #expect(history.count == 1 && save.changes.count == 40)
        #expect(save.contextName == "PATCH /Player")
        let goals = try #require(
            league.service.model.entity(named: "Player")?.attribute(named: "goals"))
        let last = try #require(save.changes.last { $0.key == 45 })
        #expect(last.version == 2)
        #expect(last.before?.contains(.slot(goals.slot, .int(45))) ?? false)
        #expect(last.snapshot?.values[goals.slot] == .int(7))
        // Nothing to change makes no save.
        #expect(league.patch("/Player?where=goals==7", #"{"goals":7}"#).text == #"{"updated":40}"#)
        #expect(league.patch("/Player?where=goals==700", #"{"goals":7}"#).text == #"{"updated":0}"#)
        #expect(league.coordinator.currentToken == before + 1)
    }

    /// A reading keeps its plan for others of its shape; a write's `where` is its own.
    @Test(arguments: [false, true])
    func aWriteOfTheSameShapeAsAReadingTakesItsOwnWhere(_ inMemory: Bool) throws {
        let league = try Self.league(45, inMemory: inMemory)
        for bound in [5, 6] {
            let list = league.get("/Player?where=goals%20%3E%20\(bound)&select=_id&count=true")
            #expect(list["Total-Count"] == "\(45 - bound)")
        }
        let changed = league.patch("/Player?where=goals%20%3E%2040", #"{"country":"GB"}"#)
        #expect(changed.text == #"{"updated":5}"#)
        #expect(league.ask("DELETE", "/Player?where=goals%20%3E%2043").text == #"{"deleted":2}"#)
        #expect(try Self.count(league, "/Player/count") == 43)
    }

    @Test(arguments: [false, true])
    func everyObjectThatMatchesIsDeletedWithItsHistory(_ inMemory: Bool) throws {
        let league = try Self.league(45, inMemory: inMemory)
        let before = league.coordinator.currentToken
        #expect(league.ask("DELETE", "/Player?where=goals%20%3E%205").text == #"{"deleted":40}"#)
        #expect(try Self.count(league, "/Player/count") == 5)
        #expect(try Self.count(league, "/Team/1/players/count") == 5)
        #expect(league.get("/Player/45").status == 404)
        let reader = try league.coordinator.store.reader()
        defer { reader.close() }
        let history = try reader.history(after: before, limit: 9, values: true)
        let deleted = try #require(history.first).changes.filter { $0.kind == .delete }
        #expect(history.count == 1 && deleted.count == 40)
        let name = try #require(
            league.service.model.entity(named: "Player")?.attribute(named: "name"))
        #expect(deleted.allSatisfy { $0.snapshot?.values[name.slot] == .string("P\($0.key)") })
        #expect(deleted.allSatisfy { $0.version == 1 })
        // Cascades go as far as they do for one.
        #expect(league.ask("DELETE", "/Team?where=TRUEPREDICATE").text == #"{"deleted":1}"#)
        #expect(try Self.count(league, "/Player/count") == 0)
    }

    @Test(arguments: [false, true])
    func nothingIsChangedWhereOneObjectCannotBe(_ inMemory: Bool) throws {
        let league = try Self.league(45, inMemory: inMemory)
        let before = league.coordinator.currentToken
        _ = league.patch("/Player/45", #"{"number":9}"#)
        // The last of five parts fails.
        let patch = league.ask(
            "PATCH", "/Player?where=TRUEPREDICATE",
            #"[{"op":"test","path":"/number","value":null},{"op":"replace","path":"/goals","value":0}]"#,
            [("Content-Type", "application/json-patch+json")])
        #expect(patch.status == 409, "\(patch.text)")
        #expect(try Self.count(league, "/Player/count?where=goals==0") == 0)
        let invalid = league.patch("/Player?where=TRUEPREDICATE", #"{"number":100}"#)
        #expect(invalid.status == 422, "\(invalid.text)")
        #expect(league.patch("/Player?where=TRUEPREDICATE", #"{"_version":1}"#).status == 409)
        #expect(league.coordinator.currentToken == before + 1)
        // A save after a refused one is whole.
        #expect(league.patch("/Player/1", #"{"goals":3}"#).status == 200)
        #expect(league.coordinator.currentToken == before + 2)
    }

    @Test(arguments: [false, true])
    func denyLooksAtWhatStays(_ inMemory: Bool) throws {
        let zoo = try ServiceFixture(TestModels.zoo(), inMemory: inMemory) {
            $0.limits.objectsPerPart = 2
        }
        _ = zoo.post("/Page", #"[{"title":"a"},{"title":"b"},{"title":"c","blocks":[{}]}]"#)
        let denied = zoo.ask("DELETE", "/Page?where=TRUEPREDICATE")
        #expect(denied.status == 409 && denied.code == "1600")
        #expect(try Self.count(zoo, "/Page/count") == 3)
        #expect(zoo.ask("DELETE", "/Page?where=blocks.@count==0").text == #"{"deleted":2}"#)
        #expect(zoo.ask("DELETE", "/Block?where=TRUEPREDICATE").text == #"{"deleted":1}"#)
        #expect(zoo.ask("DELETE", "/Page?where=TRUEPREDICATE").text == #"{"deleted":1}"#)
    }

    @Test func whereIsRequiredAndSubentitiesCount() throws {
        let zoo = try ServiceFixture.zoo()
        _ = zoo.post("/Shape", #"[{"_entity":"Circle"},{"_entity":"Square"},{"_entity":"Square"}]"#)
        for method in ["PATCH", "DELETE"] {
            let answer = zoo.ask(method, "/Shape", "{}")
            #expect(answer.status == 400)
            #expect(answer.hint.contains("TRUEPREDICATE"), "\(answer.text)")
            #expect(zoo.ask(method, "/Shape?where=colr==1", "{}").code == "predicate.unknown-key")
            #expect(zoo.ask(method, "/Shape?where=", "{}").status == 400)
            #expect(zoo.ask(method, "/Shape?limit=1&where=TRUEPREDICATE", "{}").status == 400)
        }
        #expect(
            zoo.patch("/Square?where=color=='black'", #"{"color":"red"}"#).text
                == #"{"updated":2}"#)
        #expect(
            zoo.patch("/Shape?where=color==$C&var.C=red", #"{"color":"blue"}"#).text
                == #"{"updated":2}"#)
        #expect(
            zoo.ask("DELETE", "/Shape?where=TRUEPREDICATE&subentities=false").text
                == #"{"deleted":0}"#)
        let silent = zoo.ask(
            "DELETE", "/Shape?where=TRUEPREDICATE", nil, [("Prefer", "return=minimal")])
        #expect(silent.status == 204 && silent["Preference-Applied"] == "return=minimal")
        #expect(try Self.count(zoo, "/Shape/count") == 0)
    }

    @Test(arguments: [false, true])
    func nestedObjectsAreMadeForEachAndUniquenessHolds(_ inMemory: Bool) throws {
        let league = try Self.league(25, inMemory: inMemory)
        #expect(
            league.patch("/Player?where=goals%20%3C%2013", #"{"team":{"name":"Own"}}"#).text
                == #"{"updated":12}"#)
        #expect(try Self.count(league, "/Team/count") == 13)
        #expect(try Self.count(league, "/Team/1/players/count") == 13)
        let zoo = try ServiceFixture(TestModels.zoo(), inMemory: inMemory) {
            $0.limits.objectsPerPart = 2
        }
        let tags = (0..<40).map { #"{"name":"t\#($0)"}"# }.joined(separator: ",")
        _ = zoo.post("/Tag", "[\(tags)]")
        let twice = zoo.patch("/Tag?where=TRUEPREDICATE", #"{"name":"same"}"#)
        #expect(twice.status == 409 && twice.code == "133021", "\(twice.text)")
        #expect(try Self.count(zoo, "/Tag/count?where=name=='same'") == 0)
        #expect(
            zoo.patch("/Tag?where=TRUEPREDICATE", #"{"name":null}"#).text == #"{"updated":40}"#)
    }
}
