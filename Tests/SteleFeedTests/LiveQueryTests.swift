// Live queries: what a listener is told leads to what the list gives, from any moment on.

import Glibc
import SteleJSON
import StelePersistence
import SteleSystem
import TestSupport
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleHTTP
@testable import SteleRequests
@testable import SteleService

@Suite struct LiveQueryTests {
    @Test(arguments: StoreKind.allCases)
    func aSaveIsToldInTheContractsWords(_ kind: StoreKind) throws {
        let stage = try LiveStage(kind)
        try stage.people()
        let start = try stage.place
        let listener = try stage.listen("/Person?where=salary%20%3E%2015&sort=-salary&limit=2")
        #expect(try listener.wait { listener.rows[""] != nil })
        try stage.write("PATCH", "/Person/2", #"{"salary":35}"#)
        #expect(try listener.wait { listener.names.count == 2 })
        let end = try stage.place
        // A mark and the transaction.
        let id = try #require(listener.client.lastEventID.split(separator: "-").first)
        #expect(id.wholeMatch(of: /[0-9a-f]{8}/) != nil)
        let expected = """
            retry: 2000

            event: snapshot
            id: \(id)-\(start)
            data: {"rows":[{"object":{"_id":4,"_entity":"Employee","_version":1,"name":"Di","salary":40,"team":null}},
            data: {"object":{"_id":3,"_entity":"Employee","_version":1,"name":"Cy","salary":30,"team":2}}]}

            :
            id: \(id)-\(start)

            event: change
            id: \(id)-\(end)
            data: {"deletes":[{"index":1,"_id":3}],"inserts":[
            data: {"index":1,"object":\
            {"_id":2,"_entity":"Person","_version":2,"name":"Bo","salary":35,"team":1}}],"moves":[],"updates":[]}


            """
        #expect(listener.client.text == expected)
    }

    @Test(
        arguments: StoreKind.allCases,
        [
            "/Person?sort=name", "/Person?where=salary%20%3E%2015&sort=salary&limit=2",
            "/Person?where=team.name%20==%20%22Reds%22&sort=-name",
            "/Person?sort=team.name,name&limit=3&offset=1",
            "/Person?sort=name&include=team", "/Person?sort=name&select=name,team.name",
            "/Team?where=members.@count%20%3E%200&sort=name&include=members",
            "/Team?sort=name&select=name,members", "/Employee?sort=salary",
            "/Team?sort=name&select=name,members.name",
            "/Person?sort=name&select=team.members.salary",
            "/Team?where=SUBQUERY(members,$m,$m.salary%20%3E%201).@count%20%3E%200&include=members",
            "/Team?where=SUBQUERY(members,$m,$m.salary%20%3E%201).@sum.salary%20%3E%200"
                + "&include=members",
            "/Person?select=team.name,n:count(),s:sum(salary)&groupBy=team.name&sort=-count()",
            "/Person?select=n:count()", "/Person?select=name&distinct=true&sort=name",
            "/Team/1/members", "/Team/1/members?where=salary%20%3E%2015&sort=-name&limit=2",
            "/Team/1/members?select=n:count(),s:sum(salary)",
            "/Team/1/members?select=name,team.name&include=team",
        ])
    func whatIsToldLeadsToWhatTheListGives(_ kind: StoreKind, _ target: String) throws {
        let stage = try LiveStage(kind)
        try stage.people()
        let listener = try stage.listen(target)
        #expect(try listener.becomes(stage, target))
        for (method, path, body) in [
            ("PATCH", "/Person/1", #"{"salary":25}"#), ("PATCH", "/Person/2", #"{"team":2}"#),
            ("PATCH", "/Team/1", #"{"name":"Zebras"}"#), ("DELETE", "/Person/3", ""),
            ("POST", "/Person", #"{"name":"Aa","salary":22,"team":1}"#),
            (
                "POST", "/Employee",
                #"[{"name":"Ee","salary":5},{"name":"Ff","salary":99,"team":2}]"#
            ),
            ("PATCH", "/Person/4", #"{"name":"Bo"}"#), ("DELETE", "/Team/2", ""),
        ] {
            try stage.write(method, path, body)
            #expect(try listener.becomes(stage, target), "\(method) \(path)")
        }
        #expect(
            listener.names.first == "snapshot" && !listener.names.dropFirst().contains("snapshot"))
        #expect(listener.names.count > 2)
        #expect(listener.idle == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func sectionsComeAndGo(_ kind: StoreKind) throws {
        let stage = try LiveStage(kind)
        try stage.people()
        let listener = try stage.listen("/Person?sectionBy=team.name&sort=-salary")
        let first: [JSONValue] = [.null, "Blues", "Reds"]
        #expect(try listener.wait { listener.sections[""] == first })
        #expect(listener.rows[""]?.map { $0["section"] ?? "-" } == first + ["Reds"])
        try stage.write("PATCH", "/Person/4", #"{"team":2}"#)
        #expect(try listener.wait { listener.sections[""] == ["Blues", "Reds"] })
        try stage.write("PATCH", "/Team/1", #"{"name":"Ants"}"#)
        #expect(try listener.wait { listener.sections[""] == ["Ants", "Blues"] })
        let sections = listener.rows[""]?.map { $0["section"] ?? "-" }
        #expect(sections == ["Ants", "Ants", "Blues", "Blues"])
    }

    private static let three =
        "/live?q.people=/Person%3Fsort%3Dname&q.rich=/Person%3Fwhere%3Dsalary%2520%253E%252015"
        + "&q.teams=/Team"

    @Test func severalQueriesShareAStream() throws {
        let stage = try LiveStage()
        try stage.people()
        let listener = try stage.listen(Self.three)
        #expect(try listener.becomes(stage, "/Person?sort=name", "people"))
        #expect(try listener.becomes(stage, "/Team", "teams"))
        try stage.write("PATCH", "/Person/1", #"{"salary":16,"name":"Zo"}"#)
        #expect(try listener.becomes(stage, "/Person?sort=name", "people"))
        #expect(try listener.becomes(stage, "/Person?where=salary%20%3E%2015", "rich"))
        // The place moves on when all queries are told.
        let place = try stage.place
        #expect(try listener.wait { listener.place == place })
        try stage.write("PATCH", "/Team/1", #"{"name":"Ants"}"#)
        let again = try stage.listen(Self.three, resuming: listener)
        #expect(try again.becomes(stage, "/Team", "teams"))
        #expect(!again.names.contains { $0.hasSuffix("snapshot") })
    }

    /// A line that is lost between two events of one save.
    @Test(arguments: StoreKind.allCases)
    func whateverTheLastEventWasNothingIsToldTwice(_ kind: StoreKind) throws {
        let stage = try LiveStage(kind)
        try stage.people()
        let listener = try stage.listen(Self.three)
        #expect(try listener.becomes(stage, "/Team", "teams"))
        let place = try stage.place
        #expect(try listener.wait { listener.place == place })
        try stage.write("PATCH", "/Person/1", #"{"salary":16,"name":"Zo","team":2}"#)
        try stage.write("DELETE", "/Team/1")
        try stage.write("POST", "/Person", #"{"name":"Al","salary":99}"#)
        let end = try stage.place
        #expect(try listener.wait { listener.place == end })
        let events = listener.client.events
        #expect(events.allSatisfy { !$0.id.isEmpty } && events.count > 6)
        for last in events.indices {
            let back = try stage.listen(Self.three, lastEventID: events[last].id)
            for event in events[...last] { try back.show(event) }
            for (name, target) in [
                ("people", "/Person?sort=name"), ("rich", "/Person?where=salary%20%3E%2015"),
                ("teams", "/Team"),
            ] {
                #expect(try back.becomes(stage, target, name), "\(name) after \(events[last].id)")
            }
        }
    }

    @Test func oneQueryUnderTwoNamesIsToldOnceUnderEach() throws {
        let stage = try LiveStage(.sqlite)
        try stage.people()
        let listener = try stage.listen("/live?q.a=/Person&q.b=/Person")
        #expect(try listener.becomes(stage, "/Person", "a"))
        #expect(try listener.becomes(stage, "/Person", "b"))
        try stage.write("PATCH", "/Person/1", #"{"name":"Zo"}"#)
        #expect(try listener.wait { listener.names.count == 4 })
        // Another program has changed the store and left no history: the rows are read anew.
        try stage.changeElsewhere("UPDATE ZPERSON SET ZNAME = 'Yo' WHERE Z_PK = 1")
        #expect(try listener.wait { listener.names.count == 6 })
        // What comes after it shows that nothing else came before.
        try stage.write("PATCH", "/Person/1", #"{"name":"Zu"}"#)
        #expect(try listener.wait { listener.names.count == 8 })
        #expect(
            listener.names == [
                "a.snapshot", "b.snapshot", "a.change", "b.change", "a.snapshot", "b.snapshot",
                "a.change", "b.change",
            ])
        #expect(try listener.becomes(stage, "/Person", "a"))
        #expect(try listener.becomes(stage, "/Person", "b"))
    }

    /// A query is read where it is asked for, and followed from a moment later on.
    @Test func whatAnotherProgramDoesBeforeAQueryIsFollowedIsShown() throws {
        let stage = try LiveStage(.sqlite)
        try stage.people()
        let queries = stage.service.liveQueries
        let query = try queries.made(stage.plan("/Person?sort=name"), for: [])
        try stage.changeElsewhere("UPDATE ZPERSON SET ZNAME = 'Zo' WHERE Z_PK = 1")
        #expect(stage.store.noticesForeignChange())
        queries.note(followed: query.plan.key)
        queries.inbox.put { $0.built.append(query) }
        let listener = try stage.listen("/Person?sort=name")
        #expect(try listener.becomes(stage, "/Person?sort=name"))
    }

    @Test(arguments: StoreKind.allCases)
    func resumingReportsMissedChanges(_ kind: StoreKind) throws {
        let stage = try LiveStage(kind)
        try stage.people()
        let target = "/Person?sort=name"
        let first = try stage.listen(target)
        #expect(try first.becomes(stage, target))
        let before = try stage.listen(target)
        #expect(try before.becomes(stage, target))
        try stage.write("PATCH", "/Person/1", #"{"name":"Zo"}"#)
        try stage.write("DELETE", "/Person/2")
        #expect(try first.becomes(stage, target))
        let again = try stage.listen(target, resuming: before)
        #expect(try again.wait { again.names.count == 2 })
        #expect(again.names == ["change", "change"])
        #expect(again.rows == first.rows)
        #expect(again.client.lastEventID == first.client.lastEventID)
        // What cannot be told is told as a whole.
        let own = String(first.client.lastEventID.prefix { $0 != "-" })
        let generation = stage.store.generation
        for id in [
            "nonsense", "\(generation)-999", "0000-1", "\(generation)-1", "\(generation)--1",
            "\(own)-999", "\(own)-1", "\(own)-", "\(own)--1", own, "\(own)-9999999999999999999",
            try stage.token,
        ] {
            let other = try stage.listen(target, lastEventID: id)
            #expect(try other.becomes(stage, target), "\(id)")
            #expect(other.names.first == "snapshot", "\(id)")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aRestartLosesNothing(_ kind: StoreKind) throws {
        let stage = try LiveStage(kind)
        try stage.people()
        let target = "/Person?sort=name"
        let first = try stage.listen(target)
        #expect(try first.becomes(stage, target))
        try stage.restart()
        #expect(first.client.stream.send([0x3A]) == false)
        let same = try stage.listen(target, resuming: first)
        try stage.write("PATCH", "/Person/1", #"{"name":"Zo"}"#)
        #expect(try same.wait { same.names == ["change"] })
        try stage.restart()
        try stage.write("PATCH", "/Person/2", #"{"name":"Zz"}"#)
        let late = try stage.listen(target, resuming: same)
        #expect(try late.becomes(stage, target))
    }

    /// What is told of a query is made of the history, where that has all that decides of its rows.
    @Test(
        arguments: StoreKind.allCases,
        [
            ("/Person?sort=name", true),
            ("/Person?where=salary%20%3E%2015&sort=-salary&limit=2", true),
            ("/Person?where=name%20!=%20%22Cy%22&sort=salary&offset=1", true),
            ("/Person?sort=name&include=team", true),
            ("/Person?sort=name&select=name,team.name", true),
            ("/Employee?where=team%20==%202", true), ("/Person?sort=team.name", false),
            ("/Person?where=team.name%20==%20%22Reds%22", false),
            ("/Person?where=_version%20%3E%201", false),
            ("/Person?select=n:count(),s:sum(salary)", false),
        ])
    func resumingAfterARestartReportsMissedChanges(
        _ kind: StoreKind, _ query: (target: String, isTold: Bool)
    ) throws {
        let stage = try LiveStage(kind)
        try stage.people()
        let first = try stage.listen(query.target)
        #expect(try first.becomes(stage, query.target))
        try stage.restart()
        try stage.write("PATCH", "/Person/1", #"{"name":"Zo","salary":25}"#)
        try stage.write("PATCH", "/Person/2", #"{"salary":5,"team":2}"#)
        try stage.write("POST", "/Employee", #"{"name":"Ee","salary":35,"team":2}"#)
        try stage.write("PATCH", "/Team/2", #"{"name":"Greens"}"#)
        try stage.write("DELETE", "/Person/4")
        let again = try stage.listen(query.target, resuming: first)
        #expect(try again.becomes(stage, query.target))
        #expect(again.names.first == (query.isTold ? "change" : "snapshot"), "\(again.names)")
        // What he lacks has been purged.
        _ = stage.ask("DELETE", "/changes?before=\(try stage.token)")
        try stage.restart()
        let late = try stage.listen(query.target, resuming: first)
        #expect(try late.becomes(stage, query.target))
        #expect(late.names == ["snapshot"])
    }

    @Test func whatCannotBeFollowedIsRefusedWithTheWayOut() throws {
        let stage = try LiveStage { $0.limits.liveRows = 3 }
        try stage.people()
        for (target, status, words) in [
            ("/Person?where=salary%20%3E%20random()", 400, "var."),
            ("/Person", 400, "add a limit"), ("/Person?limit=4", 400, "at most 3"),
            ("/Person?limit=2&count=true", 400, "count is for pages"),
            ("/Person?limit=2&sectionBy=members", 400, "members"),
            ("/Person?limit=2&sectionBy=-name", 400, "one key path"),
            ("/Person?limit=2&sectionBy=nope", 400, "sectionBy: "),
            ("/Person?limit=2&sectionBy=(", 400, "sectionBy: "),
            ("/Person?limit=2&sectionBy=members", 400, "sectionBy: "),
            ("/Person?limit=2&where=salary%20%3E%20$x&var.x=much", 400, "no usable value"),
            ("/live?q.a=/Team/1", 400, "/Team?where=_id == 1"),
            ("/live?q.a=/Team/1/members/count", 400, "/Team?where=_id == 1"),
            ("/live?q.a=/Team/count", 400, "/Team?select=n:count()"),
            ("/Person?wher=1", 400, "where"), ("/Team/9/members", 404, "there is no Team 9"),
            ("/Team/1/members?count=true", 400, "count is for pages"),
            ("/live", 400, "q.NAME"), ("/live?q.=/Team", 400, "no usable name"),
            ("/live?q.a=/Team&q.a=/Team", 400, "twice"), ("/live?q.a=/Teem", 404, "q.a"),
            ("/live?q.a=/Team/1", 400, "q.a"), ("/live?q.a=/live", 400, "q.a"),
            ("/live?q.a=/Person%3Fwhere%3Dx", 400, "q.a"), ("/live?people=/Team", 400, "people"),
            ("/Person?select=n:count()&sectionBy=name", 400, "groupBy"),
        ] {
            let (given, text) = try stage.refusal(target)
            #expect(given == status && text.contains(words), "\(target): \(given) \(text)")
        }
        let plain = stage.ask("GET", "/Person?sectionBy=name")
        #expect(plain.status == 400 && LiveStage.text(plain).contains("text/event-stream"))
        // A query that grows beyond the bound ends with the reason.
        let listener = try stage.listen("/Person?where=salary%20%3E%2015")
        #expect(try listener.wait { listener.rows[""]?.count == 3 })
        try stage.write("PATCH", "/Person/1", #"{"salary":99}"#)
        #expect(try listener.wait { listener.names.last == "error" })
    }
}
