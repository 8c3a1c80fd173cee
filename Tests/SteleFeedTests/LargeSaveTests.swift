// Saves whose events are more than a stream's buffer: who reads has all of them, and who does not
// is broken off.

import Glibc
import SteleHTTP
import SteleJSON
import StelePersistence
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct LargeSaveTests {
    private func people(_ stage: Stage, _ keys: ClosedRange<Int>) -> [HistoryChange] {
        keys.map { stage.staff.insert(stage.staff.person, Int64($0)) }
    }

    /// The ids of all changes told, in their order.
    private func ids(_ client: Client) throws -> [Int] {
        try client.events.flatMap { event -> [Int] in
            let changes = try #require(try JSONDocument(event.data).root["changes"])
            return (0..<changes.count).compactMap { changes[$0]?["_id"]?.integer.map(Int.init) }
        }
    }

    /// The larger one is more than the letter box holds, and comes from the history.
    @Test(arguments: [3_000, 20_000])
    func aClientThatReadsAtOnceReceivesAllParts(count: Int) throws {
        let stage = try Stage { $0.bufferBytes = 64 << 10 }
        let clients = try (0..<3).map { _ in try stage.connect(values: true) }
        let filtered = try stage.connect(entities: [stage.staff.team])
        stage.store.commit(people(stage, 1...count))
        stage.store.commit(people(stage, count + 1...count + 1))
        for client in clients {
            #expect(client.wait { $0.lastEventID == "7f3a09c1-2" })
            #expect(try ids(client) == Array(1...count + 1))
        }
        // They are live again.
        stage.store.commit([stage.staff.insert(stage.staff.team, 1)])
        for client in clients + [filtered] {
            #expect(client.wait { $0.lastEventID == "7f3a09c1-3" })
        }
        #expect(filtered.told == ["7f3a09c1-3"])
    }

    /// Each by itself is less than the buffer, and all together are many times as much.
    @Test func aClientThatReadsAtOnceReceivesAllSavesOfAnotherProgram() throws {
        let stage = try Stage { $0.bufferBytes = 64 << 10 }
        let client = try stage.connect(values: true)
        for save in 0..<40 {
            stage.store.commit(people(stage, save * 100 + 1...save * 100 + 100), isForeign: true)
        }
        #expect(client.wait { $0.lastEventID == "7f3a09c1-40" })
        #expect(try ids(client) == Array(1...4_000))
        stage.store.commit(people(stage, 4_001...4_001))
        #expect(client.wait { $0.lastEventID == "7f3a09c1-41" })
    }

    /// It takes him far longer than the patience to make room for more.
    @Test func aClientThatReadsSlowlyReceivesAllParts() throws {
        let stage = try Stage {
            $0.bufferBytes = 512 << 10
            $0.stallSeconds = 0.4
        }
        let slow = try stage.connect(values: true)
        stage.store.commit(people(stage, 1...5_000))
        // Without reading, or little may be left to be slow with.
        for _ in 0..<6_000 where slow.stream.queuedBytes < 32 << 10 { usleep(5_000) }
        #expect(slow.stream.queuedBytes >= 32 << 10)
        let start = ContinuousClock.now
        for _ in 0..<200 where slow.lastEventID != "7f3a09c1-1" {
            slow.read(atMost: 2 << 10)
            usleep(20_000)
        }
        #expect(ContinuousClock.now - start > .seconds(2))
        #expect(slow.wait { $0.lastEventID == "7f3a09c1-1" })
        #expect(try ids(slow) == Array(1...5_000))
    }

    @Test func aClientThatNeverReadsALargeSaveIsDisconnected() throws {
        let stage = try Stage {
            $0.bufferBytes = 64 << 10
            $0.stallSeconds = 0.2
        }
        let silent = try stage.connect(values: true)
        let good = try stage.connect(values: true)
        stage.store.commit(people(stage, 1...3_000))
        #expect(good.wait { $0.lastEventID == "7f3a09c1-1" })
        #expect(silent.stream.queuedBytes <= 64 << 10)
        for _ in 0..<2_000 where silent.stream.send([]) { usleep(5_000) }
        #expect(!silent.stream.send([]) && silent.stream.queuedBytes == 0)
        // By its token it has all of it again.
        let back = try stage.connect(lastEventID: "7f3a09c1-0", values: true)
        #expect(back.wait { $0.lastEventID == "7f3a09c1-1" })
        #expect(try ids(back) == Array(1...3_000))
    }
}
