// Filters that take long to judge: they keep nobody waiting but themselves, and lose nothing.

import Glibc
import SteleJSON
import SteleModel
import StelePersistence
import StelePredicates
import SteleSystem
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleHTTP
@testable import SteleRequests
@testable import SteleService

@Suite struct SlowFilterTests {
    /// A slow filter, different for each number.
    private static func slow(_ number: Int = 0) -> String {
        "name MATCHES \"(a+)+$\" AND salary > -\(number + 1)"
    }

    private static func milliseconds(since start: UInt64) -> UInt64 {
        (MonotonicClock.now - start) / 1_000_000
    }

    @Test func nobodyWaitsForASlowFilter() throws {
        var limits = Limits()
        limits.slowFeedJudging.matchNanoseconds = 60_000_000
        let stage = try Stage(limits: limits)
        let plain = try stage.connect()
        let cheap = try stage.connect(where: "salary > 1")
        let slow = try (0..<5).map { try stage.connect(where: Self.slow($0)) }
        let start = MonotonicClock.now
        for key in 1...40 {
            let name = key % 10 == 0 ? SlowName.endless : key % 2 == 0 ? "aaa" : SlowName.slow
            stage.store.commit([stage.staff.insert(stage.staff.person, Int64(key), name: name)])
        }
        #expect(plain.wait(for: 40) && cheap.wait(for: 40))
        // On the feed's thread it was five times 40 times what a match takes.
        #expect(Self.milliseconds(since: start) < 2_000)
        // Those on which the predicate fails are told, too.
        let matching = stride(from: 2, through: 40, by: 2).map { "7f3a09c1-\($0)" }
        for client in slow {
            // Their threads have a low priority, and a busy machine keeps them waiting.
            #expect((0..<6).contains { _ in client.wait(for: 20) })
            #expect(client.told == matching)
        }
        // They stay where they are, and hear of what comes.
        stage.store.commit([stage.staff.insert(stage.staff.person, 41, name: "aa")])
        #expect(slow.allSatisfy { $0.wait(for: 21) } && plain.wait(for: 41))
        #expect(slow.allSatisfy { $0.told == matching + ["7f3a09c1-41"] })
    }

    /// A turn may tell several times, and what a slow filter used up before is none of another's.
    @Test func noSaveIsLostAfterASlowFilterInTheSameTurn() throws {
        let stage = try Stage()
        let saves = try (1...3).map { number in
            stage.store.commit([
                stage.staff.insert(stage.staff.person, Int64(number), name: "a")
            ])
            return try #require(
                try stage.store.reader().history(
                    after: Int64(number - 1), limit: 1, values: false
                ).first)
        }
        let time = JudgingTime(
            shared: JudgingLimits(nanoseconds: 0, nanosecondsAChange: 0, matchNanoseconds: 1))
        time.begin(changes: 1)
        #expect(!time.isLeft())
        time.endAsSlow()
        let told = try stage.feed.renderer.events(
            of: saves, ChangeFilter(entities: nil, values: false), in: time)
        #expect(told.last == 3)
        let text = told.buffers.map { String(decoding: $0, as: UTF8.self) }.joined()
        #expect(text.components(separatedBy: "event: save").count == 4, "\(text)")
    }

    /// A history that is full of slow names; one reads it by a slow filter, others by none.
    @Test func aResumingStreamDoesNotWaitForASlowFilter() throws {
        let stage = try Stage()
        for key in 1...100 {
            stage.store.commit([
                stage.staff.insert(
                    stage.staff.person, Int64(key),
                    name: key == 50 ? "aaa" : key < 50 ? SlowName.slow : "b")
            ])
        }
        let slow = try (0..<3).map { try stage.connect(since: "0", where: Self.slow($0)) }
        let start = MonotonicClock.now
        let plain = try stage.connect(since: "0")
        #expect(plain.wait(for: 100))
        #expect(Self.milliseconds(since: start) < 2_000)
        for client in slow {
            #expect(client.wait(for: 1))
            #expect(client.told == ["7f3a09c1-50"])
            #expect(!client.stream.isClosed)
        }
    }

    /// The rest of a save that takes too long is told, the stream ends with the reason, and its
    /// client goes on after that save.
    @Test func aStreamEndsWhereASaveTakesTooLong() throws {
        var limits = Limits()
        limits.slowFeedJudging = JudgingLimits(
            nanoseconds: 60_000_000, nanosecondsAChange: 0, matchNanoseconds: 20_000_000)
        let stage = try Stage(limits: limits)
        let plain = try stage.connect()
        let slow = try stage.connect(where: Self.slow())
        stage.store.commit([stage.staff.insert(stage.staff.person, 1, name: "aaa")])
        let names = (0..<20).map { $0 % 4 == 0 ? SlowName.endless : "b" }
        stage.store.commit(
            names.enumerated().map {
                stage.staff.insert(stage.staff.person, Int64(10 + $0), name: $1)
            })
        stage.store.commit([stage.staff.insert(stage.staff.person, 2, name: "aa")])
        #expect(plain.wait(for: 3))
        #expect(slow.wait { $0.events.last?.name == "error" })
        #expect(slow.told == ["7f3a09c1-1", "7f3a09c1-2"])
        #expect(slow.lastEventID == "7f3a09c1-2")
        // Known not to match are those before the time was over.
        let told = try #require(try slow.data(1)["changes"]?.count)
        #expect(told > 5 && told < 20, "\(told)")
        let problem = try slow.data(2)
        #expect(problem["code"]?.string == "service.busy" && problem["status"]?.integer == 503)
        #expect(problem["detail"]?.string?.contains("where=\(Self.slow())") == true)
        #expect(!slow.stream.send([0x3A]))
        let again = try stage.connect(lastEventID: slow.lastEventID, where: Self.slow())
        #expect(again.wait(for: 1))
        #expect(again.told == ["7f3a09c1-3"])
    }

    @Test func stoppingDoesNotWaitForSlowFilters() throws {
        let stage = try Stage()
        let slow = try (0..<100).map { try stage.connect(where: Self.slow($0)) }
        for key in 1...20 {
            stage.store.commit([
                stage.staff.insert(stage.staff.person, Int64(key), name: SlowName.endless)
            ])
        }
        usleep(300_000)
        let start = MonotonicClock.now
        stage.feed.stop()
        #expect(Self.milliseconds(since: start) < 2_000)
        #expect(slow.allSatisfy { !$0.stream.send([0x3A]) })
    }

    /// What is not known to be visible is not told, and is not taken for told either.
    @Test func aRuleThatTakesTooLongLeaksNothing() throws {
        let stage = try Stage()
        let rule = try PredicateCheck(model: stage.staff.model, entity: stage.staff.person)
            .check(Predicate(format: "NOT name MATCHES \"(a+)+$\""))
        let rules = stage.staff.model.entities.map { entity in
            stage.staff.person.isKind(entity.index) ? rule : nil
        }
        let sight = Sight(name: "slow", model: stage.staff.model, rules: rules)
        let client = try stage.connect(seenBy: sight)
        let plain = try stage.connect()
        stage.store.commit([stage.staff.insert(stage.staff.person, 1, name: "Ann")])
        stage.store.commit([stage.staff.insert(stage.staff.person, 2, name: "aaa")])
        stage.store.commit([stage.staff.insert(stage.staff.person, 3, name: SlowName.slow)])
        stage.store.commit([stage.staff.insert(stage.staff.person, 4, name: SlowName.endless)])
        stage.store.commit([stage.staff.insert(stage.staff.person, 5, name: "Bo")])
        #expect(plain.wait(for: 5))
        #expect(client.wait { $0.events.last?.name == "error" })
        #expect(client.told == ["7f3a09c1-1", "7f3a09c1-3"])
        #expect(client.lastEventID == "7f3a09c1-3")
        #expect(!client.text.contains("\"_id\":4"))
        let hint = try #require(try client.data(2)["hint"]?.string)
        #expect(hint.contains("since=7f3a09c1-4"))
        let again = try stage.connect(lastEventID: client.lastEventID, seenBy: sight)
        #expect(again.wait(for: 1))
        #expect(again.events.map(\.name) == ["error"])
        let beyond = try stage.connect(since: "7f3a09c1-4", seenBy: sight)
        #expect(beyond.wait(for: 1))
        #expect(beyond.told == ["7f3a09c1-5"])
    }

    @Test func whatIsSlowIsTriedAgainLaterEachTime() {
        let slow = SlowOnes<Int>()
        #expect(!slow.has(1))
        slow.note(1)
        #expect(slow.has(1) && !slow.has(2))
        usleep(1_100_000)
        #expect(!slow.has(1))
        slow.note(1)
        usleep(1_100_000)
        #expect(slow.has(1))
    }
}
