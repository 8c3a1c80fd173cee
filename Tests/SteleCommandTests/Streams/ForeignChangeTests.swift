// What another program does to the file: noticed, told where its history is kept, and cached no more.

import Foundation
import SteleDifferential
import TestSupport
import Testing

@Suite struct ForeignChangeTests {
    @Test func twoServersOverOneStoreTellTheSame() throws {
        let a = try StaffServer()
        let b = try a.another()
        defer { for one in [a, b] { one.kill() } }
        var numbers = SeededNumbers(seed: drawSeed("twoServersOverOneStoreTellTheSame"))
        try a.write("POST", "/Person", #"[{"name":"Ann","age":1},{"name":"Bo","age":2}]"#)
        let path = "/changes?values=true&entity=Person&since=0"
        let streams = try [a, b].map { try SocketSubscriber($0.caller, path) }
        let list = "/Person?sort=-age&select=_id,age"
        let live = try [a, b].map { try SocketSubscriber($0.caller, list) }
        for age in 10...40 {
            let (one, other) = numbers.one(in: 2) ? (a, b) : (b, a)
            let id = 1 + numbers.below(2)
            // Both have it in their caches, and neither believes them.
            for server in [a, b] { _ = try server.read("/Person/\(id)") }
            try one.write("PATCH", "/Person/\(id)", "{\"age\":\(age)}")
            #expect(try one.read("/Person/\(id)").contains("\"age\":\(age)"))
            #expect(try other.read("/Person/\(id)").contains("\"age\":\(age)"))
        }
        let numbersTold = (1...32).map { Int64($0) }
        for stream in streams {
            #expect(try stream.wait { $0.saves.count >= 32 })
            #expect(stream.saves == numbersTold)
        }
        #expect(streams[0].events.map(\.data) == streams[1].events.map(\.data))
        // A place of one server is a place of the other.
        let token = try #require(streams[0].stream.lastID)
        let middle = token.prefix { $0 != "-" } + "-20"
        let back = try SocketSubscriber(b.caller, path, lastEventID: String(middle))
        #expect(try back.wait { $0.saves.count >= 12 })
        #expect(back.saves == Array(numbersTold.dropFirst(20)))
        let place = Torture.number(token)
        for stream in live {
            #expect(try stream.wait { $0.place == place && $0.lastData.contains("\"age\":40") })
        }
    }

    /// A program that keeps Core Data's history and nothing of Stele's, such as an app.
    @Test func anUpdateWithoutOldValuesIsToldToAll() throws {
        let server = try StaffServer()
        defer { server.kill() }
        try server.write("POST", "/Team", #"[{"name":"A"},{"name":"B"}]"#)
        _ = try server.read("/Team/1")
        let streams = try [
            "", "?entity=Team&updated=city", "?entity=Team&where=city%20==%20%22Nowhere%22",
            "?values=true",
        ].map { try SocketSubscriber(server.caller, "/changes" + $0) }
        let people = try SocketSubscriber(server.caller, "/changes?entity=Person")
        let live = try SocketSubscriber(server.caller, "/Team?sort=city")
        // 16001 is Core Data's CHANGE, 16002 TRANSACTION; entities count by their names.
        try server.changeElsewhere(
            """
            BEGIN;
            UPDATE ZTEAM SET ZCITY = 'Rome', Z_OPT = Z_OPT + 1 WHERE Z_PK = 1;
            INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) VALUES (2, 16002, 700000000.5);
            INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS)
            SELECT 3, 16001, 1, Z_ENT, 1, 2, x'02' FROM ZTEAM WHERE Z_PK = 1;
            UPDATE Z_PRIMARYKEY SET Z_MAX = 2 WHERE Z_ENT = 16002;
            UPDATE Z_PRIMARYKEY SET Z_MAX = 3 WHERE Z_ENT = 16001;
            COMMIT;
            """)
        #expect(try server.read("/Team/1").contains("Rome"))
        for stream in streams {
            #expect(try stream.wait { $0.saves == [2] })
            #expect(
                stream.lastData.contains(
                    #""_id":1,"_version":null,"updated":null,"values":"unknown""#),
                "\(stream.lastData)")
        }
        #expect(try live.wait { $0.events.count > 1 && $0.lastData.contains("Rome") })
        #expect(live.events.allSatisfy { $0.name == "snapshot" })
        let json = try server.read("/changes?updated=name")
        #expect(json.contains(#""updated":null"#), "\(json)")
        // Our own saves go on behind it.
        try server.write("PATCH", "/Team/1", #"{"city":"York"}"#)
        #expect(try streams[1].wait { $0.saves == [2, 3] })
        #expect(try live.wait { $0.events.last?.name == "change" && $0.lastData.contains("York") })
        #expect(try people.wait { Torture.number($0.stream.lastID ?? "") == 3 })
        #expect(people.events.isEmpty)
    }

    /// No history: nothing for the feed to tell, but what is shown is what is there.
    @Test func aChangeWithoutHistoryReachesLiveQueries() throws {
        let server = try StaffServer()
        defer { server.kill() }
        try server.write("POST", "/Team", #"{"name":"A"}"#)
        try server.write("POST", "/Person", #"{"name":"Ann"}"#)
        _ = try server.read("/Team/1")
        let teams = try SocketSubscriber(server.caller, "/Team")
        let people = try SocketSubscriber(server.caller, "/Person")
        let feed = try SocketSubscriber(server.caller, "/changes")
        #expect(try people.wait { $0.events.count == 1 })
        try server.changeElsewhere("UPDATE ZTEAM SET ZCITY = 'Rome'")
        #expect(try teams.wait { $0.lastData.contains("Rome") })
        #expect(try server.read("/Team/1").contains("Rome"))
        try server.write("PATCH", "/Person/1", #"{"age":7}"#)
        #expect(try people.wait { $0.events.last?.name == "change" })
        // Who already shows what is there is not sent it again.
        #expect(people.events.map(\.name) == ["snapshot", "change"])
        #expect(try feed.wait { $0.saves == [3] })
    }
}
