// The limits of live queries: listeners that do not read, and queries without listeners.

import Glibc
import SteleJSON
import SteleSystem
import StelePersistence
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleHTTP
@testable import SteleRequests
@testable import SteleService

@Suite struct LiveLimitTests {
    @Test func aThousandStreamsOfOneQueryShareItsBytes() throws {
        let stage = try LiveStage()
        try stage.people()
        let listeners = try (0..<1_000).map { _ in try stage.listen("/Person?sort=name") }
        try stage.write("PATCH", "/Person/1", #"{"name":"Zo"}"#)
        for listener in listeners {
            #expect(try listener.becomes(stage, "/Person?sort=name"))
        }
    }

    @Test func aListenerThatReadsNothingIsDisconnectedAlone() throws {
        let stage = try LiveStage()
        try stage.people()
        let slow = try stage.listen("/Person?sort=name")
        let quick = try stage.listen("/Person?sort=name")
        let name = String(repeating: "x", count: 300_000)
        for number in 0..<20 {
            try stage.write("PATCH", "/Person/1", #"{"name":"\#(name)\#(number)"}"#)
            #expect(try quick.becomes(stage, "/Person?sort=name"))
        }
        #expect(!slow.client.stream.send([0x3A]))
    }

    @Test func theHeartbeatMovesThePlace() throws {
        let stage = try LiveStage { $0.heartbeatSeconds = 0.05 }
        try stage.people()
        let listener = try stage.listen("/Team")
        #expect(try listener.becomes(stage, "/Team"))
        try stage.write("PATCH", "/Person/1", #"{"salary":11}"#)
        let place = try stage.place
        #expect(try listener.wait { listener.place == place })
        #expect(listener.names == ["snapshot"])
    }

    /// A stream that is refused for its second query has already made its first.
    @Test func aQueryThatNobodyListensToIsLetGo() throws {
        let stage = try LiveStage {
            $0.limits.liveQueries = 1
            $0.limits.liveIdleSeconds = 0.01
            $0.heartbeatSeconds = 0.01
        }
        try stage.people()
        #expect(try stage.refusal("/live?q.a=/Team&q.b=/Person").status == 503)
        var listener: Listener?
        for _ in 0..<5_000 where listener == nil {
            listener = try? stage.listen("/Person")
            if listener == nil { usleep(2_000) }
        }
        #expect(try listener?.becomes(stage, "/Person") == true)
    }

    /// Queries without listeners are kept for resuming, until another needs their place.
    @Test func queriesThatWereLeftMakeRoom() throws {
        let stage = try LiveStage { $0.limits.liveQueries = 16 }
        try stage.people()
        let stays = try stage.listen("/Person?sort=name")
        #expect(try stays.becomes(stage, "/Person?sort=name"))
        for number in 0..<100 {
            let target = "/Person?where=_id%20%3E%20\(number)&sort=name"
            var guest: Listener?
            // Queries are released in the next round.
            for _ in 0..<1_000 where guest == nil {
                guest = try? stage.listen(target)
                if guest == nil { usleep(1_000) }
            }
            let listener = try #require(guest, "\(number)")
            #expect(try listener.becomes(stage, target))
            listener.client.stream.drop()
            listener.client.stream.closed()
        }
        try stage.write("PATCH", "/Person/1", #"{"name":"Zoe"}"#)
        #expect(try stays.becomes(stage, "/Person?sort=name"))
        #expect(stays.names == ["snapshot", "change"])
    }

    /// All listeners leave at once, and no round runs in between.
    @Test(arguments: [(8, 2_000_000), (1_000, 40)])
    func queriesThatWereLeftAtOnceMakeRoom(queries: Int, rows: Int) throws {
        let stage = try LiveStage {
            $0.limits.liveQueries = queries
            $0.limits.liveRowsInAll = rows
        }
        try stage.people()
        let guests = try (0..<8).map { number in
            let target = "/Person?where=_id%20%3E%20-\(number)"
            let guest = try stage.listen(target)
            #expect(try guest.becomes(stage, target))
            return guest
        }
        // All listeners are still there.
        let all = "/Person?select=_id,_version,name,salary"
        if rows > 40 { #expect(try stage.refusal(all).status == 503) }
        try stage.write("POST", "/Person", #"[{"name":"e"},{"name":"f"}]"#)
        for guest in guests {
            #expect(try guest.wait { guest.rows[""]?.count == 6 })
            guest.client.stream.drop()
            guest.client.stream.closed()
        }
        for target in [all, "/Person", "/Team"] {
            #expect(try stage.listen(target).becomes(stage, target), "\(target)")
        }
    }

    /// A new listener receives a recent snapshot; a few changes may follow it.
    @Test func aNewcomersSnapshotIsYoung() throws {
        let stage = try LiveStage()
        try stage.people()
        let target = "/Person?where=_id%20==%201&select=_id,name"
        let first = try stage.listen(target)
        #expect(try first.becomes(stage, target))
        for number in 0..<100 {
            try stage.write("PATCH", "/Person/1", #"{"name":"n\#(number)"}"#)
        }
        #expect(try first.becomes(stage, target))
        let second = try stage.listen(target)
        #expect(try second.becomes(stage, target))
        #expect(second.names.first == "snapshot" && second.names.count < 40)
    }

    /// Each change by another program sends a snapshot; a client that reads none is disconnected.
    @Test func aListenerThatReadsNothingIsDisconnectedWhenSnapshotsRepeat() throws {
        let stage = try LiveStage(.sqlite) { $0.heartbeatSeconds = 0.05 }
        let name = String(repeating: "x", count: 400_000)
        try stage.write(
            "POST", "/Person",
            "[" + (0..<4).map { #"{"name":"\#(name)\#($0)"}"# }.joined(separator: ",") + "]")
        let slow = try stage.listen("/Person")
        let query = try stage.listen("/Person?limit=1&select=_id,salary")
        #expect(try query.wait { query.rows[""] != nil })
        for salary in 1...8 {
            try stage.changeElsewhere("UPDATE ZPERSON SET ZSALARY = \(salary) WHERE Z_PK = 1")
            _ = stage.store.noticesForeignChange()
            #expect(try query.becomes(stage, "/Person?limit=1&select=_id,salary"))
        }
        #expect(!slow.client.stream.send([0x3A]))
    }

    @Test func whatAllQueriesHoldTogetherIsBounded() throws {
        let stage = try LiveStage { $0.limits.liveRowsInAll = 5 }
        try stage.people()
        let listener = try stage.listen("/Person")
        #expect(try listener.becomes(stage, "/Person"))
        let (status, text) = try stage.refusal("/Team")
        #expect(status == 503 && text.contains("live queries hold 4 rows"), "\(text)")
        #expect(try stage.listen("/Person").becomes(stage, "/Person"))
        // A smaller request succeeds after the refusal.
        #expect(try stage.refusal("/Team").status == 503)
        #expect(try stage.listen("/Team?where=_id%20==%201").wait { true })
    }

    /// The queries of a request that is not answered yet are not released for its own next one.
    @Test func queriesOfOneStreamCountTogether() throws {
        let stage = try LiveStage { $0.limits.liveRowsInAll = 20 }
        try stage.people()
        for attempt in 0..<20 {
            let queries = (0..<12).map {
                "q.a\($0)=/Person%3Fwhere%3D_id%2520%253E%2520-\($0 + 12 * attempt)"
            }
            let (status, text) = try stage.refusal("/live?" + queries.joined(separator: "&"))
            #expect(status == 503 && text.contains("of at most 20"), "\(attempt): \(text)")
            #expect(stage.service.liveQueries.figures.rows <= 20)
        }
    }
}
