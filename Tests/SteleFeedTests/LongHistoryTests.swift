// Streams that resume beside a long history: answered at once, kept alive, moved on, and in nobody's
// way.

import Glibc
import SteleHTTP
import SteleJSON
import StelePersistence
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleHTTP
@testable import SteleRequests
@testable import SteleService

@Suite struct LongHistoryTests {
    private static let saves = 3_000

    /// A history of people; each reading of it takes a while.
    private func stage(_ change: (inout ChangeFeed.Options) -> Void = { _ in }) throws -> Stage {
        let stage = try Stage {
            $0.heartbeatSeconds = 0.1
            change(&$0)
        }
        for key in 1...Self.saves {
            stage.store.commit([stage.staff.insert(stage.staff.person, Int64(key))])
        }
        stage.store.state.withLock { $0.microsecondsARead = 50_000 }
        return stage
    }

    private func reads(_ stage: Stage) -> Int { stage.store.reads.withLock { $0 } }

    private func number(_ client: Client) -> Int {
        Int(client.lastEventID.split(separator: "-").last ?? "") ?? -1
    }

    @Test func aStreamWithoutMatchingEventsBeginsAtOnceAndMovesItsPlace() throws {
        let stage = try stage()
        let client = try stage.connect(since: "7f3a09c1-0", entities: [stage.staff.team])
        client.read()
        #expect(client.text == "retry: 2000\nid: 7f3a09c1-0\n\n")
        #expect(reads(stage) < 10)
        var places: [Int] = []
        #expect(
            client.wait {
                if number($0) != places.last { places.append(number($0)) }
                return number($0) == Self.saves
            })
        #expect(places == places.sorted() && places.count > 3, "\(places)")
        #expect(client.events.isEmpty && client.text.contains("\n:\nid: "))
        // It is live now, and has lost nothing on the way.
        stage.store.commit([stage.staff.insert(stage.staff.team, 1)])
        #expect(client.wait(for: 1))
        #expect(client.told == ["7f3a09c1-\(Self.saves + 1)"])
    }

    /// A place that it was given while it was told nothing is as good as an event's.
    @Test func aStreamCutOffDuringAnEventLosesNothing() throws {
        let stage = try stage { $0.heartbeatSeconds = 0.01 }
        stage.store.state.withLock { $0.microsecondsARead = 2_000 }
        let teams = [700, 701, 1_500, 2_999].map { "7f3a09c1-\($0)" }
        stage.store.state.withLock { state in
            for number in [700, 701, 1_500, 2_999] {
                state.saves[number - 1].changes = [
                    stage.staff.insert(stage.staff.team, Int64(number))
                ]
            }
        }
        var told: [String] = []
        var place = "7f3a09c1-0"
        var stops = 0
        while place != "7f3a09c1-\(Self.saves)", stops < 1_000 {
            let client = try stage.connect(lastEventID: place, entities: [stage.staff.team])
            let before = place
            #expect(client.wait { $0.lastEventID != before })
            told += client.told
            place = client.lastEventID
            client.stream.closed()
            stops += 1
        }
        #expect(told == teams)
        #expect(stops > 4, "\(stops)")
    }

    @Test func aCommentKeepsTheLineWhileOnePageTakesLong() throws {
        let stage = try stage { $0.heartbeatSeconds = 0.05 }
        stage.store.state.withLock { $0.microsecondsARead = 600_000 }
        let client = try stage.connect(since: "7f3a09c1-0", entities: [stage.staff.team])
        #expect(client.wait { $0.text.contains("\n\n:\n\n:\n\n:\n\n") })
        #expect(reads(stage) <= 1)
    }

    @Test func aLargeSaveDoesNotWaitForThoseWhoResume() throws {
        let stage = try stage { $0.bufferBytes = 64 << 10 }
        stage.store.state.withLock { $0.microsecondsARead = 200_000 }
        let live = try stage.connect(values: true)
        #expect(live.wait { !$0.lastEventID.isEmpty })
        let resuming = try (0..<8).map { _ in
            try stage.connect(
                since: "7f3a09c1-0", entities: [stage.staff.team], where: "name == 'Zoe'")
        }
        stage.store.commit(
            (1...2_000).map { stage.staff.insert(stage.staff.person, Int64(10_000 + $0)) })
        #expect(live.wait { $0.lastEventID == "7f3a09c1-\(Self.saves + 1)" })
        // Nor do they wait for one another: all of them are on their way.
        for client in resuming { client.read() }
        #expect(resuming.allSatisfy { number($0) < Self.saves })
        #expect(resuming.allSatisfy { one in one.wait { number($0) > 0 } })
        #expect(resuming.contains { number($0) < Self.saves })
    }

    @Test func aStreamWhoseClientHasGoneReadsNoHistory() throws {
        let stage = try stage { $0.heartbeatSeconds = 15 }
        let client = try stage.connect(since: "7f3a09c1-0", entities: [stage.staff.team])
        client.stream.closed()
        // The turn that it is in, and no other.
        usleep(300_000)
        let before = reads(stage)
        usleep(300_000)
        #expect(reads(stage) == before && before < 12, "\(before)")
    }
}
