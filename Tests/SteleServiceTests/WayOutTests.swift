// What an answer says of the way out, and of the place in a body of several objects.

import SteleJSON
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct WayOutTests {
    /// The `at` of each entry of `errors`.
    private static func places(_ answer: Answer) throws -> [String] {
        guard case .array(let entries)? = try answer.json["errors"] else { return [] }
        return entries.compactMap { entry in
            if case .string(let at)? = entry["at"] { at } else { nil }
        }
    }

    /// An object of another store is none of this one's, though one here has its number.
    @Test func anIDOfAnotherStoreIsRefused() throws {
        let league = try ServiceFixture.league()
        _ = league.post("/Team", #"{"name":"A","players":[{"name":"P"}]}"#)
        let own = league.coordinator.store.identifier
        let ask = { (route: String, key: String, store: String, entity: String) in
            league.get(
                "\(route)where=\(encoded("\(key) == 'x-coredata://\(store)/\(entity)/p1'"))")
        }
        let other = "00000000-0000-0000-0000-000000000000"
        for (route, key, entity) in [
            ("/Team?", "SELF", "Team"), ("/Player?", "team", "Team"),
            ("/changes?entity=Player&", "team", "Team"),
        ] {
            // The second time a plan for others of its shape is there.
            for _ in 0..<2 {
                let good = ask(route, key, own, entity)
                #expect(good.status == 200 && good.text.contains("\"_id\":1"), "\(good.text)")
            }
            let wrong = ask(route, key, other, entity)
            #expect(wrong.status == 400 && wrong.detail.contains(other), "\(wrong.text)")
            #expect(wrong.detail.contains(own) && wrong.hint.contains("/\(entity)/42"))
        }
        let variable = league.get(
            "/Player?where=\(encoded("team == $t"))&var.t=x-coredata://\(other)/Team/p1")
        #expect(variable.status == 400, "\(variable.text)")
    }

    @Test(
        "A mistake in a body of several objects is told with its JSON pointer",
        arguments: [
            ("/Player", #"[{"name":"A"},{"name":"B","number":"x"}]"#, ["/1/number"]),
            ("/Player", #"[{"name":"A"},{"nmae":"B"}]"#, ["/1/nmae"]),
            ("/Player", #"[{"name":"A"},{"name":"B","number":100}]"#, ["/1/number"]),
            ("/Player", #"[{"name":""},{"name":"B","number":0}]"#, ["/0/name", "/1/number"]),
            ("/Team", #"{"name":"T","players":[{"name":"A"},{"name":""}]}"#, ["/players/1/name"]),
            ("/Team", #"{"name":"T","players":[{"name":"A","a/b~":1}]}"#, ["/players/0/a~1b~0"]),
            (
                "/Team", #"[{"name":"S"},{"name":"T","players":[{"name":"A","goals":true}]}]"#,
                ["/1/players/0/goals"]
            ),
            ("/Player", #"{"name":"A","team":{"founded":1}}"#, ["/team/name"]),
            ("/Player", #"{"name":"A","number":"x"}"#, []),
            ("/Player", #"{"name":"A","number":100}"#, []),
        ])
    func pointers(_ target: String, _ body: String, _ expected: [String]) throws {
        let answer = try ServiceFixture.league().post(target, body)
        #expect(answer.status == 422 || answer.status == 400, "\(answer.text)")
        #expect(try Self.places(answer).sorted() == expected, "\(answer.text)")
    }

    @Test(
        "The hint says what would work",
        arguments: [
            ("POST", "/Player/3", "PATCH /Player/3 changes it; POST /Player makes one"),
            ("GET", "/Player?sort=name%20desc", "descending is sort=-name"),
            ("GET", "/Player?sort=goals,%2Bname", "ascending is sort=name"),
            ("GET", "/Player?page=2", "offset or after"),
            ("GET", "/Player?filter=a", "where"),
            ("GET", "/Player?order=name", "sort"),
            ("GET", "/Player?fields=name", "select"),
            ("GET", "/Team?where=players%3E5", "count(players) > 5"),
        ])
    func hints(_ method: String, _ target: String, _ expected: String) throws {
        let answer = try ServiceFixture.league().ask(method, target, method == "GET" ? nil : "{}")
        #expect(answer.hint.contains(expected), "\(answer.text)")
    }

    @Test func whatTheHintForAToManySaysWorks() throws {
        let league = try ServiceFixture.league()
        #expect(league.post("/Team", #"{"name":"T","players":[{"name":"A"}]}"#).status == 201)
        let found = league.get("/Team/count?where=" + encoded("count(players) > 0"))
        #expect(found.text == #"{"count":1}"#)
        let through = league.get("/Player/count?where=" + encoded("count(team.players) > 0"))
        #expect(through.text == #"{"count":1}"#, "\(through.text)")
    }

    @Test func aDeniedDeleteNamesTheListOfWhatIsInTheWay() throws {
        let zoo = try ServiceFixture.zoo()
        #expect(zoo.post("/Page", #"{"title":"P","blocks":[{}]}"#).status == 201)
        let answer = zoo.ask("DELETE", "/Page/1")
        #expect(answer.code == "1600")
        #expect(answer.hint == "delete or move them first: GET /Page/1/blocks")
        #expect(zoo.get("/Page/1/blocks").status == 200)
        // In an editing context it is deleted already, and has no list any more.
        let editor = try Editor(zoo)
        #expect(editor.ask("DELETE", "/Page/1").status == 204)
        let refused = editor.post("/save")
        #expect(refused.code == "1600" && refused.status == 409)
        #expect(
            refused.hint == "undo the deletion, or also delete or move the destinations of blocks")
        #expect(editor.post("/undo").status == 200)
        #expect(try editor.state("hasChanges") == false)
        #expect(editor.get("/Page/1/blocks").status == 200)
    }

    @Test func aMissingTokenNamesTheHeader() throws {
        let league = try ServiceFixture(TestModels.league()) { $0.token = "secret" }
        for given in [nil, "secret"] {
            let answer = league.get("/Player", given.map { [("Authorization", $0)] } ?? [])
            #expect(answer.status == 401 && answer.hint == "send Authorization: Bearer TOKEN")
            if given == "secret" { #expect(answer.detail.contains("begin with Bearer")) }
        }
        let wrong = league.get("/Player", [("Authorization", "Bearer wrong")])
        #expect(wrong.status == 401 && wrong.detail.contains("the token is wrong"))
        #expect(wrong.hint == "send a token that the service knows, or a new one of its issuer")
    }

    @Test func aFormatThatIsNotThereNamesThoseThatAre() throws {
        let answer = try ServiceFixture.league().get("/Player", [("Accept", "image/png")])
        #expect(answer.status == 406)
        let all = "application/json, application/x-ndjson, text/csv, text/event-stream"
        #expect(answer.detail == "Accept names none of \(all)")
        let changes = try ServiceFixture.league().get("/changes", [("Accept", "text/csv")])
        #expect(changes.status == 406)
        #expect(changes.detail == "Accept names none of application/json, text/event-stream")
    }

    @Test func whatCannotBeFollowedNamesWhatCan() throws {
        let league = try ServiceFixture.league()
        let accept = [("Accept", "text/event-stream")]
        for (path, way) in [
            ("/Player/1", "GET /Player?where=_id == 1 as text/event-stream"),
            ("/Player/count", "GET /Player as text/event-stream"),
        ] {
            let answer = league.get(path, accept)
            #expect(answer.status == 406 && answer.hint.hasSuffix(way), "\(path): \(answer.hint)")
            #expect(answer.detail.contains("only lists, /live and /changes"))
        }
        // What it says is so, and who takes JSON, too, gets that.
        let stream = league.get("/Player?where=_id%20==%201", accept)
        #expect(
            stream.status == 200 && stream["Content-Type"] == "text/event-stream; charset=utf-8")
        let either = "text/event-stream, application/json;q=0.1"
        let json = league.get("/Player/1", [("Accept", either)])
        #expect(json.status == 404)
        #expect(
            league.get("/changes", accept)["Content-Type"] == "text/event-stream; charset=utf-8")
        let preferred = "text/event-stream;q=0.5, application/json"
        let changes = league.get("/changes", [("Accept", preferred)])
        #expect(changes["Content-Type"] == "application/json")
    }
}
