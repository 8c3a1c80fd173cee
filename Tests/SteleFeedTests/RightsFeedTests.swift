// The change feed and live queries of readers who do not see everything.

import FoundationEssentials
import Glibc
import Logging
import SteleGraph
import SteleJSON
import SteleModel
import StelePersistence
import TestSupport
import Testing

@testable import SteleHTTP
@testable import SteleRequests
@testable import SteleService

@Suite struct RightsFeedTests {
    /// A change of one object, and what four readers are told of it.
    struct Case: Sendable, CustomStringConvertible {
        let write: (method: String, target: String, body: String)
        let told: [String: [String]]
        var description: String { "\(write.method) \(write.target) \(write.body)" }

        init(
            _ method: String, _ target: String, _ body: String = "", ann: [String] = [],
            bob: [String] = [], guest: [String] = [], root: [String]? = nil
        ) {
            write = (method, target, body)
            told = ["ann": ann, "bob": bob, "": guest].merging(
                root.map { ["root": $0] } ?? [:]
            ) { $1 }
        }
    }

    static let cases: [Case] = [
        // The object's own values.
        Case(
            "PATCH", "/Document/1", #"{"pages":11}"#, ann: ["update Document 1 pages"],
            root: ["update Document 1 pages"]),
        Case("PATCH", "/Document/2", #"{"pages":21}"#, bob: ["update Document 2 pages"]),
        Case(
            "PATCH", "/Document/3", #"{"pages":31}"#, ann: ["update Document 3 pages"],
            bob: ["update Document 3 pages"], guest: ["update Document 3 pages"]),
        Case(
            "POST", "/Document", #"{"title":"n","owner":2}"#,
            bob: ["insert Document 6", "update Account 2 documents"]),
        Case(
            "POST", "/Document", #"{"title":"n","owner":2,"isPublic":true}"#,
            ann: ["insert Document 6", "update Account 2 documents"],
            bob: ["insert Document 6", "update Account 2 documents"],
            guest: ["insert Document 6"]),
        // It enters a sight, and what depends on it with it.
        Case(
            "PATCH", "/Document/2", #"{"isPublic":true}"#,
            ann: ["insert Document 2", "insert Comment 2"],
            bob: ["update Document 2 isPublic"], guest: ["insert Document 2"],
            root: ["update Document 2 isPublic"]),
        // It leaves a sight.
        Case(
            "PATCH", "/Document/3", #"{"isPublic":false}"#,
            ann: ["delete Document 3", "delete Comment 3", "delete Comment 4"],
            bob: ["update Document 3 isPublic"], guest: ["delete Document 3"]),
        // Its owner is another.
        Case(
            "PATCH", "/Document/1", #"{"owner":2}"#,
            ann: ["delete Document 1", "delete Comment 1", "update Account 1 documents"],
            bob: ["insert Document 1", "insert Comment 1", "update Account 2 documents"]),
        // What the rule leads to changes, and the objects themselves do not.
        Case(
            "PATCH", "/Account/1", #"{"login":"eve"}"#,
            ann: ["update Account 1 login", "delete Document 1", "delete Comment 1"],
            bob: ["update Account 1 login"], root: ["update Account 1 login"]),
        // Deletes.
        Case(
            "DELETE", "/Document/1",
            ann: [
                "delete Document 1", "delete Comment 1", "update Document 4 source",
                "update Account 1 documents,comments", "update Tag 1 documents",
            ]),
        Case(
            "DELETE", "/Comment/2",
            bob: ["delete Comment 2", "update Account 2 comments", "update Document 2 comments"]),
        Case(
            "DELETE", "/Comment/4",
            ann: ["delete Comment 4", "update Account 2 comments", "update Document 3 comments"],
            bob: ["delete Comment 4", "update Account 2 comments", "update Document 3 comments"]),
        // Entities without a right.
        Case("POST", "/Folder", #"{"name":"new"}"#, root: ["insert Folder 2"]),
        Case(
            "POST", "/Tag", #"{"name":"new"}"#, ann: ["insert Tag 3"], bob: ["insert Tag 3"],
            root: ["insert Tag 3"]),
    ]

    @Test(arguments: [StoreKind.sqlite, .memory], cases)
    func eachReaderIsToldWhatItSees(_ kind: StoreKind, _ it: Case) throws {
        let stage = try RightsStage(kind)
        let start = try stage.token
        let streams = try it.told.keys.map { ($0, try stage.stream($0, "/changes")) }
        try stage.write(it.write.method, it.write.target, it.write.body)
        for (who, told) in it.told {
            #expect(try Set(stage.changes(who, since: start)) == Set(told), "\(who): \(it)")
        }
        for (who, client) in streams {
            let told = try #require(it.told[who])
            var events: [String] = []
            for _ in 0..<(told.isEmpty ? 1 : 1_000) {
                client.read()
                events = try client.events.filter { $0.name == "save" }.flatMap { event in
                    RightsStage.short(.array([JSONValue(try JSONDocument(event.data).root)]))
                }
                if events.count >= told.count { break }
                usleep(5_000)
            }
            #expect(Set(events) == Set(told), "\(who), stream: \(it)")
        }
    }

    /// Values lead to nothing that is not seen.
    @Test(arguments: [StoreKind.sqlite, .memory])
    func valuesLeadToNothingThatIsNotSeen(_ kind: StoreKind) throws {
        let stage = try RightsStage(kind)
        let start = try stage.token
        try stage.write("PATCH", "/Document/3", #"{"source":1}"#)
        func told(_ who: String) throws -> [String] {
            try stage.changes(who, since: start, "&values=true&updated=source&entity=Document")
        }
        #expect(try told("ann") == ["update Document 3 source source 1 was {source:null}"])
        #expect(try told("bob") == ["update Document 3 source source null was {source:2}"])
        #expect(try told("") == [])
        let second = try stage.token
        try stage.write("PUT", "/Document/2/tags", "[]")
        #expect(try stage.changes("ann", since: second, "&entity=Document") == [])
        #expect(try stage.changes("ann", since: second, "&values=true") == [])
    }

    /// The history keeps no orders, so a reorder alone is told only where all members are seen.
    @Test(arguments: [StoreKind.sqlite, .memory], [#""text == 'c4'""#, "true"])
    func aReorderOfHiddenMembersIsNotTold(_ kind: StoreKind, _ rule: String) throws {
        let role = #"{"Document": {"read": true}, "Comment": {"read": \#(rule)}}"#
        let stage = try RightsStage(kind, rights: RightsModel.rights(role: role))
        try stage.write("POST", "/Comment", #"{"text":"c5","document":3,"author":1}"#)
        let all = rule == "true" ? ["update Document 3 comments"] : []
        for (pages, order) in ["[5,3,4]", "[5,4,3]", "[4,5,3]"].enumerated() {
            let start = try stage.token
            let client = try stage.stream("ann", "/changes")
            try stage.write("PUT", "/Document/3/comments", order)
            #expect(try stage.changes("root", since: start) == ["update Document 3 comments"])
            #expect(try stage.changes("ann", since: start) == all, "\(order)")
            #expect(try stage.changes("ann", since: start, "&updated=comments") == all)
            // A save that all are told ends the wait for nothing.
            try stage.write("PATCH", "/Document/1", #"{"pages":\#(pages)}"#)
            #expect(client.wait { $0.text.contains("pages") })
            #expect(client.text.contains("comments") == !all.isEmpty, "\(client.text)")
        }
        // Members that come and go are told as before.
        let start = try stage.token
        try stage.write("PUT", "/Document/3/comments", "[3,4]")
        let told = try stage.changes("ann", since: start)
        #expect(told.contains("update Document 3 comments") == (rule == "true"), "\(told)")
        let second = try stage.token
        try stage.write("PUT", "/Document/3/comments", "[3]")
        #expect(try stage.changes("ann", since: second).contains("update Document 3 comments"))
    }

    /// Of two linked objects that one save deletes, neither is judged without the other.
    @Test(arguments: [StoreKind.sqlite, .memory])
    func aDeletedObjectIsJudgedWithItsLinks(_ kind: StoreKind) throws {
        let role = #"{"Document": {"read": "tags.@count == 1"}, "Tag": {"read": true}}"#
        let stage = try RightsStage(kind, rights: RightsModel.rights(role: role))
        let start = try stage.token
        // Document 2 has two tags, so it is hidden; document 1 has the first, so it is seen.
        try stage.write(
            "POST", "/transactions",
            """
            [{"op":"delete","object":"Document/2"},{"op":"delete","object":"Tag/2"},
             {"op":"delete","object":"Document/1"}]
            """)
        let told = try stage.changes("ann", since: start, "&values=true")
        #expect(!told.contains { $0.contains("Document 2") }, "\(told)")
        #expect(told.contains { $0.hasPrefix("delete Document 1") }, "\(told)")
        #expect(told.contains { $0.hasPrefix("delete Tag 2") }, "\(told)")
    }

    /// Rows of a list that is followed lead to nothing that is not seen, also those of one save.
    @Test(arguments: [StoreKind.sqlite, .memory])
    func rowsLeadToNothingThatIsNotSeen(_ kind: StoreKind) throws {
        let stage = try RightsStage(kind)
        let client = try stage.stream("press", "/Document?sort=title")
        let ann = try stage.stream("ann", "/Document?sort=title&sectionBy=source.title")
        func events(_ client: Client, _ count: Int) -> [ServerEvent] {
            for _ in 0..<1_000 {
                client.read()
                if client.events.count >= count { break }
                usleep(5_000)
            }
            return client.events
        }
        #expect(events(client, 1).count == 1 && events(ann, 1).count == 1)
        try stage.write("PATCH", "/Document/4", #"{"source":2,"owner":1,"folder":1,"pages":9}"#)
        let change = try #require(events(client, 2).last)
        #expect(change.name == "change" && change.data.contains(#""pages":9"#))
        for name in ["source", "owner", "folder"] {
            #expect(change.data.contains("\"\(name)\":null"), "\(change.data)")
        }
        // Sections are of what is seen.
        #expect(events(ann, 2).count == 2 && !ann.text.contains("\"b2\""), "\(ann.text)")
        // A destination that leaves the sight leaves the row.
        try stage.write("PATCH", "/Document/4", #"{"source":3}"#)
        #expect(try #require(events(ann, 3).last).data.contains(#""source":3"#))
        try stage.write("PATCH", "/Document/3", #"{"isPublic":false}"#)
        let gone = events(ann, 4).dropFirst(3).map(\.data).joined()
        #expect(gone.contains(#""source":null"#), "\(gone)")
    }

    /// A ticket opens one stream with the rights of its sender.
    @Test func aTicketOpensOneStream() throws {
        let stage = try RightsStage(.memory)
        let made = stage.ask("ann", "POST", "/tickets")
        #expect(made.status == 201)
        let json = JSONValue(try JSONDocument(LiveStage.text(made)).root)
        guard case .string(let ticket)? = json["ticket"] else { throw Stage.NoStream() }
        let client = try stage.stream("", "/changes?ticket=\(ticket)&entity=Document")
        try stage.write("PATCH", "/Document/2", #"{"pages":21}"#)
        try stage.write("PATCH", "/Document/1", #"{"pages":11}"#)
        for _ in 0..<1_000 where client.events.isEmpty {
            client.read()
            usleep(5_000)
        }
        #expect(client.events.map(\.data).joined().contains(#""_id":1"#), "\(client.text)")
        #expect(!client.text.contains(#""_id":2"#))
        for target in ["/changes?ticket=\(ticket)", "/changes?ticket=x", "/Document?ticket="] {
            let again = stage.ask("", "GET", target, accept: "text/event-stream")
            #expect(again.status == 401, "\(target)")
        }
        // Lists that are followed take one, too.
        let second = JSONValue(
            try JSONDocument(LiveStage.text(stage.ask("bob", "POST", "/tickets"))).root)
        guard case .string(let other)? = second["ticket"] else { throw Stage.NoStream() }
        let listener = Listener(try stage.stream("", "/Document?sort=title&ticket=\(other)"))
        for _ in 0..<1_000 where listener.rows.isEmpty {
            try listener.read()
            usleep(5_000)
        }
        #expect(listener.rows[""]?.count == 4)
    }

    @Test func streamsOfUsersWhoseNamesOnlyLookTheSameAreTwo() throws {
        let stage = try RightsStage(.memory)
        let tokens = ["Kim", "\u{212A}im"].enumerated().map { index, name in
            """
            {"name": "u\(index)", "role": "member", "user": "\(name)",
             "sha256": "\(Secret.hexadecimal(Secret.hash("token-u\(index)".utf8)))"}
            """
        }
        let rights = RightsModel.rights.replacing(
            "\"tokens\": [", with: "\"tokens\": [\(tokens.joined(separator: ",")),")
        #expect(try stage.service.replace(RightsFile(rights)))
        let clients = try (0..<2).map { try stage.stream("u\($0)", "/changes?entity=Document") }
        for (index, name) in ["Kim", "\u{212A}im"].enumerated() {
            try stage.write(
                "POST", "/Document", "{\"title\":\"of \(index)\",\"owner\":{\"login\":\"\(name)\"}}"
            )
        }
        for (index, client) in clients.enumerated() {
            #expect(client.wait { !$0.events.isEmpty })
            usleep(200_000)
            client.read()
            let told = client.events.filter { $0.name == "save" }
            #expect(told.count == 1, "\(index): \(client.text)")
        }
        #expect(clients[0].text != clients[1].text)
    }

    @Test(arguments: ["/changes", "/Document?sort=title"])
    func aStreamTellsNothingByRightsThatHaveEnded(_ target: String) throws {
        let stage = try RightsStage(.memory)
        let clients = try ["ann", "root"].map { try stage.stream($0, target) }
        for client in clients { #expect(client.wait { !$0.text.isEmpty }) }
        if target != "/changes" {
            for client in clients { #expect(client.wait { $0.text.contains("_id") }) }
        }
        let texts = clients.map(\.text)
        #expect(try stage.service.replace(RightsFile(RightsModel.rights + " ")))
        // One that comes back shows when the others would have been told.
        let control = try stage.stream("root", target)
        #expect(control.wait { !$0.text.isEmpty })
        for number in 0..<2 {
            try stage.write("PATCH", "/Document/1", "{\"title\":\"new \(number)\"}")
            #expect(control.wait { $0.events.count > number })
        }
        for (client, text) in zip(clients, texts) {
            client.read()
            #expect(client.text == text && !client.stream.send([]))
        }
    }
}
