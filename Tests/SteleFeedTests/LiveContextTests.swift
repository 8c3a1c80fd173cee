// Live queries in editing contexts: what a listener is told leads to what the list gives there.

import SteleJSON
import StelePersistence
import SteleSystem
import TestSupport
import Testing

@testable import SteleFeed
@testable import SteleHTTP
@testable import SteleRequests
@testable import SteleService

@Suite struct LiveContextTests {
    /// A context of a stage, by its address.
    private static func context(_ stage: LiveStage, below parent: String = "") throws -> String {
        let response = stage.ask("POST", "\(parent)/contexts")
        let id = try JSONDocument(LiveStage.text(response)).root["context"]?.string
        return "/contexts/\(try #require(id))"
    }

    @Test(
        arguments: [StoreKind.memory, .sqlite],
        [
            "/Person?sort=name", "/Person?where=salary%20%3E%2015&sort=-salary&limit=2",
            "/Person?where=team.name%20==%20%22Reds%22&sort=-name",
            "/Person?sort=name&include=team", "/Person?sort=name&select=name,team.name",
            "/Team?sort=name&select=name,members.name", "/Team/1/members?sort=salary",
            "/Person?select=team.name,n:count()&groupBy=team.name", "/Person?select=n:count()",
            "/Person?select=name&distinct=true&sort=name",
        ])
    func unsavedChangesAreTold(_ kind: StoreKind, _ list: String) throws {
        let stage = try LiveStage(kind)
        try stage.people()
        let context = try Self.context(stage)
        let listener = try stage.listen(context + list)
        #expect(try listener.becomes(stage, context + list))
        for (method, path, body) in [
            ("PATCH", "\(context)/Person/1", #"{"salary":25}"#),
            ("PATCH", "\(context)/Person/2", #"{"team":2}"#),
            ("POST", "\(context)/Person", #"{"name":"Aa","salary":22,"team":1}"#),
            ("PATCH", "\(context)/Team/1", #"{"name":"Zebras"}"#),
            // Of others, in the store.
            ("PATCH", "/Person/4", #"{"name":"Bb"}"#), ("POST", "/Person", #"{"name":"Zz"}"#),
            ("DELETE", "\(context)/Person/3", ""), ("POST", "\(context)/undo", ""),
            ("POST", "\(context)/redo", ""), ("POST", "\(context)/save", ""),
            ("PATCH", "\(context)/Person/1", #"{"salary":1}"#),
            ("POST", "\(context)/rollback", ""),
        ] {
            try stage.write(method, path, body)
            #expect(
                try listener.becomes(stage, context + list),
                "\(method) \(path): \(listener.objects().compact)")
        }
        #expect(!listener.names.dropFirst().contains("snapshot"))
        #expect(listener.names.count > 3 && listener.idle == 0)
    }

    /// The store's own live queries are told of the save alone.
    @Test func theStoreIsToldOfTheSave() throws {
        let stage = try LiveStage()
        try stage.people()
        let context = try Self.context(stage)
        let inside = try stage.listen("\(context)/Person?sort=name")
        let outside = try stage.listen("/Person?sort=name")
        #expect(
            try inside.wait { inside.rows[""] != nil } && outside.wait { outside.rows[""] != nil })
        try stage.write("POST", "\(context)/Person", #"{"name":"Aa"}"#)
        #expect(try inside.becomes(stage, "\(context)/Person?sort=name"))
        #expect(inside.rows[""]?.first?["object"]?["_id"] == "t1")
        #expect(outside.names == ["snapshot"])
        try stage.write("POST", "\(context)/save")
        #expect(try outside.wait { outside.names.last == "change" })
        // The row stays, and has its permanent id.
        #expect(try inside.becomes(stage, "/Person?sort=name"))
        #expect(inside.names == ["snapshot", "change", "change"])
        let last = try #require(inside.client.events.last?.data)
        #expect(last.contains(#""deletes":[],"inserts":[],"moves":[],"updates":[{"index":0"#))
    }

    @Test func sectionsComeAndGo() throws {
        let stage = try LiveStage()
        try stage.people()
        let context = try Self.context(stage)
        let list = "\(context)/Person?sectionBy=team.name&sort=-salary"
        let listener = try stage.listen(list)
        let first: [JSONValue] = [.null, "Blues", "Reds"]
        #expect(try listener.wait { listener.sections[""] == first })
        #expect(listener.rows[""]?.map { $0["section"] ?? "-" } == first + ["Reds"])
        try stage.write("PATCH", "\(context)/Person/4", #"{"team":2}"#)
        #expect(try listener.wait { listener.sections[""] == ["Blues", "Reds"] })
        try stage.write("PATCH", "\(context)/Team/1", #"{"name":"Ants"}"#)
        #expect(try listener.wait { listener.sections[""] == ["Ants", "Blues"] })
        let sections = listener.rows[""]?.map { $0["section"] ?? "-" }
        #expect(sections == ["Ants", "Ants", "Blues", "Blues"])
    }

    /// A child shows what its parent has, and its save is a change of the parent.
    @Test func parentsAndChildrenAreTold() throws {
        let stage = try LiveStage()
        try stage.people()
        let parent = try Self.context(stage)
        let child = try Self.context(stage, below: parent)
        let above = try stage.listen("\(parent)/Person?sort=name")
        let below = try stage.listen("\(child)/Person?sort=name")
        try stage.write("PATCH", "\(parent)/Person/1", #"{"name":"Parent"}"#)
        #expect(try above.becomes(stage, "\(parent)/Person?sort=name"))
        #expect(try below.becomes(stage, "\(child)/Person?sort=name"))
        try stage.write("PATCH", "\(child)/Person/2", #"{"name":"Child"}"#)
        #expect(try below.becomes(stage, "\(child)/Person?sort=name"))
        #expect(above.names == ["snapshot", "change"])
        try stage.write("POST", "\(child)/save")
        #expect(try above.becomes(stage, "\(parent)/Person?sort=name"))
        #expect(above.names == ["snapshot", "change", "change"])
    }

    @Test func aStreamEndsWithItsContextOrItsObject() throws {
        let stage = try LiveStage()
        try stage.people()
        let context = try Self.context(stage)
        let members = try stage.listen("\(context)/Team/1/members")
        let people = try stage.listen("\(context)/Person")
        try stage.write("DELETE", "\(context)/Team/1")
        #expect(try members.wait { members.names.last == "error" })
        #expect(members.client.text.contains(#""status":404"#))
        try stage.write("DELETE", context)
        #expect(try people.wait { people.names.last == "error" })
        #expect(people.client.text.contains("context.gone"), "\(people.client.text)")
    }

    @Test func anOpenStreamKeepsItsContext() throws {
        let clock = TestTime()
        let stage = try LiveStage { options in
            options.heartbeatSeconds = 0.02
            options.clock = { clock.now }
        }
        try stage.people()
        let context = try Self.context(stage)
        let listener = try stage.listen("\(context)/Person?sort=name")
        for _ in 0..<4 {
            let beats = listener.client.text.ranges(of: ":\n\n").count
            clock.pass(600)
            #expect(
                try listener.wait {
                    listener.client.text.ranges(of: ":\n\n").count > beats + 1
                })
        }
        #expect(stage.ask("GET", context).status == 200)
        #expect(!listener.names.contains("error"))
    }

    /// Addresses and conditions that name an unsaved object name it after its save, too.
    @Test func temporaryIDsAreFollowedThroughTheSave() throws {
        let stage = try LiveStage()
        let context = try Self.context(stage)
        try stage.write("POST", "\(context)/Team", #"{"name":"New"}"#)
        try stage.write("POST", "\(context)/Person", #"{"name":"Aa","team":"t1"}"#)
        let lists = ["\(context)/Team/t1/members", "\(context)/Person?where=team%20==%20%22t1%22"]
        let listeners = try lists.map { try stage.listen($0) }
        for (list, it) in zip(lists, listeners) { #expect(try it.becomes(stage, list)) }
        try stage.write("POST", "\(context)/save")
        for (list, it) in zip(lists, listeners) { #expect(try it.becomes(stage, list)) }
        try stage.write("PATCH", "/Person/1", #"{"name":"Bb"}"#)
        for (list, it) in zip(lists, listeners) {
            #expect(try it.becomes(stage, list))
            #expect(it.rows[""]?.count == 1, "\(list)")
            #expect(!it.names.contains("error"))
        }
    }

    /// A group is the same row whether the context has unsaved changes or not.
    @Test func groupsKeepTheirRows() throws {
        let stage = try LiveStage(.sqlite)
        try stage.people()
        let context = try Self.context(stage)
        let list = "\(context)/Person?select=team._id,n:count()&groupBy=team._id"
        let listener = try stage.listen(list)
        #expect(try listener.becomes(stage, list))
        try stage.write("PATCH", "\(context)/Person/4", #"{"team":2}"#)
        #expect(try listener.becomes(stage, list))
        let data = try #require(listener.client.events.last?.data)
        #expect(data.contains(#""inserts":[],"moves":[],"updates":["#), "\(data)")
        #expect(!data.hasSuffix(#""updates":[]}"#), "\(data)")
    }

    @Test func whatAnotherProgramSavesIsTold() throws {
        let stage = try LiveStage(.sqlite)
        try stage.people()
        let list = "\(try Self.context(stage))/Person?sort=name"
        let listener = try stage.listen(list)
        #expect(try listener.wait { listener.rows[""] != nil })
        try stage.changeElsewhere("UPDATE ZPERSON SET ZNAME = 'Elsewhere' WHERE Z_PK = 1")
        #expect(
            try listener.wait {
                listener.rows[""]?.contains { $0["object"]?["name"] == "Elsewhere" } == true
            })
    }

    @Test func thereAreAtMostSixteen() throws {
        let stage = try LiveStage()
        let context = try Self.context(stage)
        let listeners = try (0..<ContextQueries.most).map { _ in
            try stage.listen("\(context)/Person")
        }
        let (status, text) = try stage.refusal("\(context)/Person")
        #expect(status == 422 && text.contains("at most 16 live queries"))
        listeners[0].client.stream.closed()
        #expect(try stage.listen("\(context)/Person").wait { true })
    }

    /// Seconds that pass as told.
    private final class TestTime: Sendable {
        private let seconds = Mutex(1_000.0)
        var now: Double { seconds.withLock { $0 } }
        func pass(_ more: Double) { seconds.withLock { $0 += more } }
    }
}
