// History that is deleted while streams are read.

import SteleHTTP
import SteleJSON
import StelePersistence
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct KeepingTests {
    private func grown(_ stage: Stage, to count: Int) {
        for key in 1...count {
            stage.store.commit([stage.staff.insert(stage.staff.person, Int64(key))])
        }
    }

    /// Who was reading what is deleted is told so, and goes on from now.
    @Test func aStreamThatLosesItsPlaceExpires() throws {
        let stage = try Stage {
            $0.bufferBytes = 64 << 10
            $0.stallSeconds = 20
        }
        grown(stage, to: 3_000)
        let client = try stage.connect(since: "7f3a09c1-1", values: true)
        // It waits for room, some way into the history.
        #expect(client.wait(for: 1))
        stage.store.purge(through: 2_990)
        #expect(client.wait { $0.events.contains { $0.name == "expired" } })
        let told = client.told
        #expect(told.first == "7f3a09c1-2" && told.count < 2_900)
        stage.store.commit([stage.staff.insert(stage.staff.person, 9_999)])
        #expect(client.wait { $0.told.last == "7f3a09c1-3001" })
        #expect(client.told.count == told.count + 1, "what is between is gone")
    }

    @Test func oldHistoryGoesByItself() throws {
        let stage = try Stage {
            $0.historyBytes = 10
            $0.historySeconds = nil
            $0.keepSeconds = 0.02
        }
        grown(stage, to: 1_500)
        let client = try stage.connect()
        #expect(client.wait { _ in stage.store.state.withLock { $0.saves.count <= 10 } })
    }

    @Test func aClientDeletesByToken() throws {
        let stage = try Stage()
        grown(stage, to: 1_200)
        func delete(_ query: String) throws -> Int {
            try stage.feed.delete(Query(query, for: Parameter.purge, limits: Limits())).status
        }
        func refusal(_ query: String) -> Problem? {
            do {
                _ = try delete(query)
                return nil
            } catch { return error as? Problem }
        }
        #expect(refusal("")?.hint == "DELETE /changes?before=7f3a09c1-1200")
        let foreign = refusal("before=ffff0000-3")
        #expect(foreign?.status == 410)
        #expect(foreign?.hint?.contains("before=7f3a09c1-1200") == true)
        #expect(refusal("before=yesterday")?.status == 400)
        #expect(try delete("before=0") == 204)
        #expect(stage.store.state.withLock { $0.saves.first?.number } == 1)
        #expect(try delete("before=7f3a09c1-1100") == 204)
        #expect(stage.store.state.withLock { $0.saves.first?.number } == 1_100)
        // A token of no save yet is a mistake, and nothing goes for it.
        let future = refusal("before=7f3a09c1-99999")
        #expect(future?.status == 410)
        #expect(future?.hint?.contains("before=7f3a09c1-1200") == true)
        #expect(stage.store.state.withLock { $0.saves.first?.number } == 1_100)
        #expect(try delete("before=7f3a09c1-1200") == 204)
        #expect(stage.store.state.withLock { $0.saves.map(\.number) } == [1_200])
    }
}
