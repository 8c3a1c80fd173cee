// Live queries that take long: they keep nobody waiting but one another, and lose nothing.

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

@Suite struct SlowLiveTests {
    private func stage(
        _ kind: StoreKind = .memory, _ change: (inout Limits) -> Void = { _ in }
    ) throws -> LiveStage {
        let stage = try LiveStage(kind) {
            $0.limits.liveJudging = JudgingLimits(
                nanoseconds: 6_000_000, nanosecondsAChange: 50_000, matchNanoseconds: 6_000_000)
            change(&$0.limits)
        }
        try stage.people()
        return stage
    }

    /// A slow query, different for each number.
    private static func slow(_ number: Int = 0) -> String {
        "/Person?where=name%20MATCHES%20%22(a%2B)%2B$%22%20AND%20salary%20%3E%20-\(number + 1)"
            + "&sort=name"
    }

    private static func milliseconds(since start: UInt64) -> UInt64 {
        (MonotonicClock.now - start) / 1_000_000
    }

    private func load(_ stage: LiveStage, _ lane: LiveLane) -> Int {
        stage.service.liveQueries.load(of: lane).queries
    }

    @Test(arguments: [StoreKind.sqlite, .memory])
    func nobodyWaitsForASlowQuery(_ kind: StoreKind) throws {
        let stage = try stage(kind)
        let plain = try stage.listen("/Person?sort=name")
        let slow = try (0..<5).map { try stage.listen(Self.slow($0)) }
        #expect(try plain.becomes(stage, "/Person?sort=name"))
        for listener in slow { #expect(try listener.wait { listener.rows[""] != nil }) }
        let start = MonotonicClock.now
        for number in 1...12 {
            try stage.write(
                "PATCH", "/Person/1", "{\"name\":\"\(SlowName.slower)\",\"salary\":\(number)}")
        }
        #expect(try plain.wait { plain.objects().compact.contains("\"salary\":12") })
        // On one thread it was five times 12 times what a match takes.
        #expect(Self.milliseconds(since: start) < 1_000)
        for _ in 0..<2_000 where load(stage, .slow) < 5 { usleep(5_000) }
        #expect(load(stage, .slow) == 5 && load(stage, .shared) == 1)
        try stage.write("PATCH", "/Person/1", #"{"name":"aaa"}"#)
        for (number, listener) in slow.enumerated() {
            #expect(try listener.becomes(stage, Self.slow(number)))
            #expect(listener.rows[""]?.count == 1 && !listener.names.contains("error"))
        }
        // One that joins finds it there, or where it has come back since.
        let late = try stage.listen(Self.slow())
        #expect(try late.becomes(stage, Self.slow()))
        #expect(load(stage, .slow) + load(stage, .shared) == 6)
    }

    /// What was slow once is not slow for good.
    @Test func aQueryThatIsQuickAgainComesBack() throws {
        let stage = try stage()
        let listener = try stage.listen(Self.slow())
        #expect(try listener.wait { listener.rows[""] != nil })
        try stage.write("PATCH", "/Person/1", "{\"name\":\"\(SlowName.slower)\"}")
        for _ in 0..<1_000 where load(stage, .slow) == 0 { usleep(5_000) }
        #expect(load(stage, .slow) == 1 && load(stage, .shared) == 0)
        var number = 0
        for _ in 0..<100 where load(stage, .shared) == 0 {
            number += 1
            try stage.write("PATCH", "/Person/1", "{\"name\":\"aa\",\"salary\":\(number)}")
            usleep(100_000)
        }
        #expect(load(stage, .slow) == 0 && load(stage, .shared) == 1)
        #expect(try listener.becomes(stage, Self.slow()))
        try stage.write("PATCH", "/Person/2", #"{"name":"aaa"}"#)
        #expect(try listener.becomes(stage, Self.slow()))
        #expect(listener.rows[""]?.count == 2 && !listener.names.contains("error"))
    }

    @Test func aQueryEndsWhereASaveTakesTooLong() throws {
        let stage = try stage {
            $0.slowLiveJudging = JudgingLimits(
                nanoseconds: 60_000_000, nanosecondsAChange: 0, matchNanoseconds: 10_000_000_000)
        }
        let listener = try stage.listen(Self.slow())
        #expect(try listener.wait { listener.rows[""] != nil })
        let people = (0..<10).map { _ in "{\"name\":\"\(SlowName.slower)\"}" }
        // Reading a query as a whole, as after its move, has no such limit.
        for _ in 0..<10 where listener.names.last != "error" {
            try stage.write("POST", "/Person", "[\(people.joined(separator: ","))]")
            for _ in 0..<200 where listener.names.last != "error" {
                usleep(5_000)
                try listener.read()
            }
        }
        #expect(listener.names.last == "error")
        let problem = try JSONDocument(try #require(listener.client.events.last).data).root
        #expect(
            problem["code"]?.string == "service.busy" && problem["status"]?.integer == 503,
            "\(problem)")
        #expect(!listener.client.stream.send([0x3A]))
    }

    /// A stream of several queries is followed by one thread: its client comes back once.
    @Test func aStreamOfSeveralQueriesComesBack() throws {
        let stage = try stage()
        let target =
            "/live?q.all=/Person%3Fsort%3Dname&q.slow="
            + "/Person%3Fwhere%3Dname%2520MATCHES%2520%2522(a%252B)%252B$%2522"
        let listener = try stage.listen(target)
        #expect(try listener.becomes(stage, "/Person?sort=name", "all"))
        try stage.write("PATCH", "/Person/1", "{\"name\":\"\(SlowName.slower)\"}")
        for _ in 0..<1_000 where listener.client.stream.send([]) {
            try listener.read()
            usleep(5_000)
        }
        #expect(!listener.names.contains { $0.hasSuffix("error") })
        let again = try stage.listen(target, resuming: listener)
        #expect(try again.becomes(stage, "/Person?sort=name", "all"))
        try stage.write("PATCH", "/Person/2", #"{"name":"aaa"}"#)
        #expect(try again.becomes(stage, "/Person?sort=name", "all"))
        #expect(try again.wait { again.rows["slow"]?.count == 1 })
        try stage.write("PATCH", "/Person/1", "{\"name\":\"\(SlowName.slower)!\"}")
        #expect(try again.becomes(stage, "/Person?sort=name", "all"))
        #expect(again.client.stream.send([]))
    }

    @Test func stoppingDoesNotWaitForSlowQueries() throws {
        let stage = try stage()
        let listeners = try (0..<100).map { try stage.listen(Self.slow($0)) }
        for listener in listeners { #expect(try listener.wait { listener.rows[""] != nil }) }
        for number in 1...12 {
            try stage.write(
                "PATCH", "/Person/1", "{\"name\":\"\(SlowName.slower)\",\"salary\":\(number)}")
        }
        let start = MonotonicClock.now
        stage.service.liveQueries.stop()
        #expect(Self.milliseconds(since: start) < 2_000)
        for listener in listeners {
            try listener.read()
            #expect(!listener.names.contains("error"))
            #expect(!listener.client.stream.send([0x3A]))
        }
    }
}
