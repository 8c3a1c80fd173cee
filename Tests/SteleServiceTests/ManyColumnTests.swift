// Columns of select with many values: key paths over to-many relationships.

import SteleHTTP
import TestSupport
import Testing

@testable import SteleRequests
@testable import SteleService

@Suite struct ManyColumnTests {
    /// Two leagues; the first has two teams with people, in which an age and a name are missing.
    private static func filled() throws -> ServiceFixture {
        let people = try ServiceFixture(TestModels.people())
        let made = people.post(
            "/League",
            """
            [{"name":"A","teams":[
                {"name":"T1","people":[{"name":"Ann","age":30},{"name":"Bo"}]},
                {"name":"T2","people":[{"name":"Cy","age":50}]}]},
             {"name":"B","teams":[{"name":"T3","people":[]}]}]
            """)
        #expect(made.status == 201, "\(made.text)")
        #expect(people.post("/Person", #"{"name":"Di"}"#).status == 201)
        return people
    }

    @Test(
        "A path over to-many relationships is a list of its values",
        arguments: [
            (
                "/Team?select=name,people.name&sort=name",
                #"[{"name":"T1","people.name":["Ann","Bo"]},{"name":"T2","people.name":["Cy"]},"#
                    + #"{"name":"T3","people.name":[]}]"#
            ),
            ("/Team?select=ages:people.age&sort=name&limit=1", #"[{"ages":[30,null]}]"#),
            (
                "/League?select=teams.people.name,teams.people,name&sort=name",
                #"[{"teams.people.name":["Ann","Bo","Cy"],"teams.people":[1,2,3],"name":"A"},"#
                    + #"{"teams.people.name":[],"teams.people":[],"name":"B"}]"#
            ),
            (
                "/Person?select=name,team.people.name,team.league.teams.name&sort=name",
                #"[{"name":"Ann","team.people.name":["Ann","Bo"],"team.league.teams.name":["T1","T2"]},"#
                    + #"{"name":"Bo","team.people.name":["Ann","Bo"],"team.league.teams.name":["T1","T2"]},"#
                    + #"{"name":"Cy","team.people.name":["Cy"],"team.league.teams.name":["T1","T2"]},"#
                    + #"{"name":"Di","team.people.name":[],"team.league.teams.name":[]}]"#
            ),
            // Beside the relationship itself, embedded and not.
            (
                "/Team?select=people,people.age&sort=name&limit=1",
                #"[{"people":[1,2],"people.age":[30,null]}]"#
            ),
            (
                "/Team?select=people.age&include=league&sort=name&limit=1",
                #"[{"people.age":[30,null],"league":{"_id":1,"_entity":"League","_version":1,"name":"A"}}]"#
            ),
            ("/League/1?select=teams.people.age", #"{"teams.people.age":[30,null,50]}"#),
            (
                "/League/1/teams?select=people._id&sort=-name",
                #"[{"people._id":[3]},{"people._id":[1,2]}]"#
            ),
        ])
    func lists(_ target: String, _ expected: String) throws {
        let answer = try Self.filled().get(target)
        #expect(answer.status == 200)
        #expect(answer.text == expected)
    }

    /// A to-one relationship that leads to no object gives a null, as in @count and ANY.
    @Test(arguments: [false, true])
    func aMissingToOneGivesNull(_ inMemory: Bool) throws {
        let people = try ServiceFixture(TestModels.people(), inMemory: inMemory)
        _ = people.post("/Team", #"{"name":"T","people":[{"name":"Ann"},{"name":"Bo"}]}"#)
        for (path, expected, count) in [
            ("people.team.league", "[null,null]", 2), ("people.team.league.name", "[null,null]", 2),
            ("people.team.league.teams", "[]", 0), ("people.team.name", #"["T","T"]"#, 2),
        ] {
            let both = "/Team?select=v:\(path),n:\(path).@count"
            #expect(people.get(both).text == #"[{"v":\#(expected),"n":\#(count)}]"#, "\(path)")
            let editor = try Editor(people)
            #expect(editor.patch("/Person/1", #"{"age":1}"#).status == 200)
            #expect(editor.get(both).text == people.get(both).text, "\(path) in a context")
        }
        #expect(
            people.get("/Team?select=people.team.league&format=csv").text
                == "people.team.league\r\n\"[null,null]\"\r\n")
        #expect(
            people.get("/Team/count?where=ANY%20people.team.league==nil").text == #"{"count":1}"#)
    }

    /// A total over no members is a row, as over no objects.
    @Test func totalsOfNoMembersAreARow() throws {
        let zoo = try ServiceFixture.zoo()
        #expect(zoo.post("/Page", #"{"title":"empty"}"#).status == 201)
        for list in ["tags", "notes", "blocks"] {
            #expect(zoo.get("/Page/1/\(list)?select=n:count()").text == #"[{"n":0}]"#)
            #expect(zoo.get("/Page/1/\(list)").text == "[]")
            #expect(zoo.get("/Page/1/\(list)/count").text == #"{"count":0}"#)
        }
    }

    @Test func csvHasThemAsJSON() throws {
        let answer = try Self.filled().get("/Team?select=name,people.age&sort=name&format=csv")
        #expect(
            answer.text
                == "name,people.age\r\nT1,\"[30,null]\"\r\nT2,[50]\r\nT3,[]\r\n")
    }

    @Test(
        "What is no path of relationships to values is refused",
        arguments: [
            ("/Team?select=people.name&distinct=true", 400, "has many values"),
            ("/Team?select=people.name,n:count()&groupBy=name", 400, "groupBy"),
            (
                "/Team?select=SUBQUERY(people,$p,$p.age%20%3E%201)", 501,
                "a collection that is no path"
            ),
            ("/Team?select=people.nothing", 400, "nothing"),
        ])
    func refused(_ target: String, _ status: Int, _ words: String) throws {
        let answer = try Self.filled().get(target)
        #expect(answer.status == status && answer.text.contains(words), "\(answer.text)")
    }

    @Test func valuesAreBoundedLikeEmbeddedObjects() throws {
        let people = try ServiceFixture(TestModels.people()) { $0.limits.includedObjects = 3 }
        #expect(
            people.post(
                "/Team", #"[{"people":[{"age":1},{"age":2}]},{"people":[{"age":3},{"age":4}]}]"#
            ).status == 201)
        #expect(people.get("/Team?select=people.age&limit=1").text == #"[{"people.age":[1,2]}]"#)
        let answer = people.get("/Team?select=people.age")
        #expect(answer.status == 400 && answer.text.contains("more than 3 objects"))
    }

    /// They are values of the unsaved state in an editing context.
    @Test func anEditingContextShowsUnsavedValues() throws {
        let people = try Self.filled()
        let made = people.post("/contexts", "")
        let id = try #require(made.text.firstMatch(of: /"context":"([^"]+)"/)?.1)
        #expect(people.post("/contexts/\(id)/Person", #"{"name":"Eve","team":1}"#).status == 201)
        let answer = people.get("/contexts/\(id)/Team?select=people.name&sort=name&limit=1")
        #expect(answer.text == #"[{"people.name":["Ann","Bo","Eve"]}]"#)
    }
}
