// `where` and `updated`: what is told of a save, and to whom.

import SteleHTTP
import SteleJSON
import SteleModel
import StelePersistence
import StelePredicates
import TestSupport
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct FilterTests {
    private func answer(_ stage: Stage, _ query: String) throws -> JSONNode {
        let request = Request(method: "GET", path: "/changes", query: query)
        let parsed = try Query(query, for: Parameter.changes, limits: Limits())
        guard case .bytes(let bytes) = try stage.feed.answer(request, parsed, as: .json).body else {
            throw Stage.NoStream()
        }
        return try JSONDocument(bytes).root
    }

    /// Each change told, as its kind, its id and how it crosses.
    private func told(_ stage: Stage, _ query: String) throws -> [String] {
        let node = try answer(stage, query)
        return (0..<node.count).flatMap { save -> [String] in
            guard let changes = node[save]?["changes"] else { return [] }
            return (0..<changes.count).compactMap { changes[$0].map(Self.short) }
        }
    }

    private static func short(_ change: JSONNode) -> String {
        "\(change["change"]?.string ?? "?") \(change["_id"]?.integer ?? 0)"
            + (change["enters"]?.bool == true ? " enters" : "")
            + (change["leaves"]?.bool == true ? " leaves" : "")
    }

    private func refusal(_ stage: Stage, _ query: String) -> (message: String, hint: String?)? {
        do {
            _ = try answer(stage, query)
            return nil
        } catch let problem as Problem {
            return (problem.detail, problem.hint)
        } catch let error as PredicateError {
            return (error.message, error.hint)
        } catch {
            return nil
        }
    }

    /// What it was has the version that it had; what leaves no row a new version has the same.
    @Test(arguments: StoreKind.allCases)
    func versionsAreThoseOfThen(_ kind: StoreKind) throws {
        let stage = try LiveStage(kind)
        try stage.write("POST", "/Team", #"{"name":"Reds"}"#)
        try stage.write("POST", "/Person", #"{"name":"a"}"#)
        try stage.write("PATCH", "/Person/1", #"{"name":"b"}"#)
        try stage.write("PATCH", "/Person/1", #"{"name":"c"}"#)
        func told(_ condition: String) throws -> [String] {
            let text = LiveStage.text(
                stage.ask("GET", "/changes?entity=Person&where=" + condition))
            let node = try JSONDocument(text).root
            return (0..<node.count).compactMap { node[$0]?["changes"]?[0].map(Self.short) }
        }
        #expect(try told("_version%20==%202") == ["update 1 enters", "update 1 leaves"])
        #expect(try told("_version%20%3E%201") == ["update 1 enters", "update 1"])
        #expect(try told("NOT%20_version%20%3E%201") == ["insert 1", "update 1 leaves"])
        #expect(try told("_version%20==%203") == ["update 1 enters"])
        #expect(try told("name%20==%20'b'") == ["update 1 enters", "update 1 leaves"])
    }

    /// Ann comes as `name`, becomes Bo by each update, and goes as Cy.
    private func history() throws -> Stage {
        let stage = try Stage()
        let staff = stage.staff
        let name = staff.slot("name", staff.person)
        let salary = staff.slot("salary", staff.person)
        stage.store.commit([staff.insert(staff.person, 1), staff.insert(staff.team, 9)])
        stage.store.commit([
            staff.update(staff.person, 1, before: [.slot(name, .string("Ann"))]),
            staff.update(staff.employee, 2, before: [.slot(salary, .double(9))]),
        ])
        stage.store.commit([staff.update(staff.person, 3, before: nil)])
        stage.store.commit([staff.delete(staff.person, 1)])
        return stage
    }

    @Test func anObjectIsJudgedAfterTheSaveAndBeforeIt() throws {
        let stage = try history()
        #expect(
            try told(stage, "entity=Person&where=name == \"Ann\"")
                == ["insert 1", "update 1 leaves", "update 3"])
        #expect(
            try told(stage, "entity=Person&where=name == \"Bo\"")
                == ["update 1 enters", "update 2", "update 3"])
        #expect(
            try told(stage, "entity=Person&where=name == \"Cy\"") == ["update 3", "delete 1"])
        #expect(
            try told(stage, "entity=Person&where=salary > 5") == ["update 2 leaves", "update 3"])
        #expect(
            try told(stage, "entity=Employee&where=salary > $least&var.least=5")
                == ["update 2 leaves"])
    }

    @Test func theIdOfANeighbourIsKnownAndNothingElseOfIt() throws {
        let stage = try history()
        for text in ["team == 3", "team._id == 3", "team IN {3, 4}"] {
            #expect(try told(stage, "entity=Person&where=\(text)").count == 5, "\(text)")
        }
        #expect(try told(stage, "entity=Person&where=team == 4") == ["update 3"])
        for text in [
            "team.name == \"A\"", "team.members.@count > 1", "team.team == 3",
            "{SELF}[0].team.name == \"A\"", "{SELF, 2}[1].name == \"A\"",
        ] {
            #expect(refusal(stage, "entity=Person&where=\(text)") != nil, "\(text)")
        }
        let refused = refusal(stage, "entity=Person&where=team.name == \"A\"")
        #expect(refused?.message.contains("team.name leads to other objects") == true)
        #expect(refused?.hint?.contains("team == 3") == true)
        #expect(
            refusal(stage, "entity=Team&where=ANY members.name == \"A\"")?.message
                .contains("leads to other objects") == true)
    }

    @Test func anUpdateIsToldByItsKeys() throws {
        let stage = try history()
        #expect(try told(stage, "updated=salary") == ["update 2", "update 3"])
        #expect(try told(stage, "entity=Person&updated=name") == ["update 1", "update 3"])
        #expect(
            try told(stage, "entity=Person&updated=name,salary")
                == ["update 1", "update 2", "update 3"])
        #expect(
            try told(stage, "entity=Person&updated=name&where=name == \"Ann\"")
                == ["update 1 leaves", "update 3"])
        #expect(try told(stage, "entity=Team&updated=members") == [])
    }

    @Test func aMistakeIsNamed() throws {
        let stage = try history()
        #expect(
            refusal(stage, "where=name == 1")?.message.contains("needs the parameter entity")
                == true)
        #expect(refusal(stage, "entity=Person&where=nam == \"A\"")?.hint?.contains("name") == true)
        #expect(refusal(stage, "entity=Person&where=name >")?.message.hasPrefix("where: ") == true)
        #expect(
            refusal(stage, "entity=Person&where=now() == now()")?.hint?.contains("var.") == true)
        #expect(refusal(stage, "entity=Person&updated=salery")?.hint == "did you mean salary?")
        #expect(refusal(stage, "entity=Team&updated=salary") != nil)
        #expect(refusal(stage, "updated=")?.message == "updated has an empty name")
        #expect(refusal(stage, "var.x=1")?.message.contains("nothing reads $x") == true)
    }

    /// The next page asks for the same.
    @Test func aPagesLinkKeepsTheFilter() throws {
        let stage = try Stage()
        for key in 1...9 {
            stage.store.commit([
                stage.staff.insert(
                    stage.staff.person, Int64(key), name: key % 2 == 0 ? "Ann" : "Bo")
            ])
        }
        let query = "entity=Person&where=name%20==%20%22Ann%22&limit=2"
        let request = Request(method: "GET", path: "/changes", query: query)
        let parsed = try Query(query, for: Parameter.changes, limits: Limits())
        let response = try stage.feed.answer(request, parsed, as: .json)
        let link = response.headers.first { $0.name == "Link" }?.value
        #expect(link == "</changes?\(query)&since=7f3a09c1-4>; rel=\"next\"")
        #expect(try told(stage, "\(query)&since=7f3a09c1-4") == ["insert 6", "insert 8"])
    }

    @Test func aStreamTellsWhatThePageTells() throws {
        let stage = try history()
        let early = try stage.connect(
            since: "0", entities: [stage.staff.person], where: "name == \"Bo\"")
        let live = try stage.connect(
            entities: [stage.staff.person], where: "name == \"Bo\"")
        let staff = stage.staff
        stage.store.commit([staff.insert(staff.person, 7)])
        stage.store.commit(
            [
                staff.update(
                    staff.person, 7,
                    before: [.slot(staff.slot("name", staff.person), .string("Ann"))])
            ], withoutSnapshots: true)
        #expect(early.wait(for: 3) && live.wait(for: 1))
        let changes = try early.events.map { event in
            try JSONDocument(event.data).root["changes"].map { list in
                (0..<list.count).compactMap { list[$0].map(Self.short) }
            }
        }
        #expect(changes == [["update 1 enters", "update 2"], ["update 3"], ["update 7 enters"]])
        #expect(live.told == ["7f3a09c1-6"])
        #expect(!live.text.contains("\"object\""), "values were not asked for")
    }

    /// Texts that Swift takes for the same are two filters.
    @Test func equalTextsOfOtherBytesAreNotShared() throws {
        let staff = try Staff()
        let conditions = try ["name == \"\u{E9}\"", "name == \"e\u{301}\""].map {
            try ChangeCondition($0, variables: [], entities: [staff.person], model: staff.model)
        }
        #expect(conditions[0] != conditions[1])
    }
}
