/// Live queries of a served store, over a socket and over a kill.

import Foundation
import TestSupport
import Testing

@Suite struct LiveServeTests {
    /// Another server cannot know what was written while there was none: it sends the whole, and
    /// from there on what is missed.
    @Test func resumingOnAnotherServerShowsItsRows() throws {
        let first = try StaffServer()
        try first.write("POST", "/Team", #"[{"name":"Crew"},{"name":"Ants"}]"#)
        let path = "/Team?sort=name&select=name,city"
        let live = try SocketSubscriber(first.caller, path)
        let known = try #require(live.stream.lastID)
        first.kill()
        try first.changeElsewhere("UPDATE ZTEAM SET ZCITY = 'Bath' WHERE Z_PK = 1")
        let second = try first.another()
        defer { second.kill() }
        let moved = try SocketSubscriber(second.caller, path, lastEventID: known)
        #expect(try moved.wait { $0.place == 1 && $0.lastData.contains("Bath") })
        #expect(moved.events.map(\.name) == ["snapshot"])
        let seen = try #require(moved.stream.lastID)
        try second.write("PATCH", "/Team/1", #"{"name":"Aces"}"#)
        try second.write("DELETE", "/Team/2")
        let back = try SocketSubscriber(second.caller, path, lastEventID: seen)
        #expect(try back.wait { $0.place == 3 && !$0.events.isEmpty })
        #expect(back.events.allSatisfy { $0.name == "change" }, "\(back.events)")
        try second.write("PATCH", "/Team/1", #"{"city":"York"}"#)
        #expect(try back.wait { $0.place == 4 })
        #expect(
            back.lastData.contains(#""updates":[{"index":0,"object":{"name":"Aces","city":"York"}"#)
        )
    }

    @Test func aListIsFollowedOverAKillOfTheServer() throws {
        let league = samplePath("League")
        let folder = String(try temporaryFile("").dropLast("/file".count))
        let arguments = ["serve", league, "--port", "0"]
        let first = try Program(arguments, folder: folder)
        let caller = try Caller(first.lines(3))
        _ = try caller.call("POST", "/Team", #"[{"name":"Crew"},{"name":"Ants"}]"#)
        let path = "/Team?sort=name&select=name&limit=2"
        let one = try StreamCaller(caller, path)
        #expect(one.wait { $0.contains("event: snapshot") && $0.contains("Crew") })
        _ = try caller.call("POST", "/Team", #"{"name":"Bees"}"#)
        #expect(one.wait { $0.contains("event: change") && $0.hasSuffix("\n\n\r\n") })
        let change = try #require(one.events.last)
        #expect(
            change.contains(
                """
                data: {"deletes":[{"index":1,"_id":1}],"inserts":[
                data: {"index":1,"object":{"name":"Bees"}}]
                """))
        let id = try #require(
            change.split(separator: "\n").first { $0.hasPrefix("id: ") }?.dropFirst(4))
        first.signal(SIGKILL)
        _ = first.end()
        let second = try Program(arguments, folder: folder)
        let again = try Caller(second.lines(3))
        // What was written while there was no server, nobody can tell: the whole comes again.
        let same = try StreamCaller(again, path, lastEventID: String(id))
        _ = try again.call("DELETE", "/Team/2")
        #expect(same.wait { $0.contains("event: change") && $0.hasSuffix("\n\n\r\n") })
        #expect(same.text.contains("event: snapshot"))
        // So it does for an id that is none of a live query.
        let old = id.prefix { $0 != "-" } + "-1"
        let late = try StreamCaller(
            again, "/live?q.teams=\(path.replacing("&", with: "%26"))", lastEventID: String(old))
        #expect(late.wait { $0.contains("event: teams.snapshot") && $0.contains("Bees") })
        second.signal(SIGTERM)
        #expect(!same.wait { _ in false })
        #expect(same.text.hasSuffix("0\r\n\r\n"))
        #expect(second.end().status == 0)
    }
}
