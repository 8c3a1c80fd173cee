// Live queries whose store cannot be read for a while, or not at all.

import Glibc
import SteleJSON
import StelePersistence
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleHTTP
@testable import SteleRequests
@testable import SteleService

@Suite struct LiveFaultTests {
    private func stage(
        _ change: (inout Service.Options) -> Void = { _ in }
    ) throws -> (LiveStage, FaultyStore) {
        let store = FaultyStore(InMemoryStore(model: try Staff().model))
        let stage = try LiveStage(over: store, change)
        try stage.people()
        return (stage, store)
    }

    @Test(arguments: [StoreError.busy("as told"), .deadline(seconds: 1), .failed("as told")])
    func whatPassesIsWaitedFor(_ error: StoreError) throws {
        let (stage, store) = try stage()
        let target = "/Person?where=team.name%20!=%20nil&sort=name"
        let listener = try stage.listen(target)
        #expect(try listener.becomes(stage, target))
        // A result that cannot be read anew, and one that cannot be moved on.
        store.fail(2, error)
        store.changeElsewhere()
        #expect(try listener.wait { store.failures == 2 })
        try stage.write("PATCH", "/Person/1", #"{"name":"Zo"}"#)
        #expect(try listener.becomes(stage, target))
        store.fail(1, error)
        try stage.write("PATCH", "/Person/1", #"{"name":"Za"}"#)
        #expect(try listener.becomes(stage, target))
        #expect(store.failures == 1)
        let joining = try stage.listen(target, resuming: listener)
        try stage.write("PATCH", "/Person/2", #"{"name":"Zu"}"#)
        #expect(try listener.becomes(stage, target) && joining.becomes(stage, target))
        #expect(!listener.names.contains("error") && !joining.names.contains("error"))
    }

    /// A proxy would cut off who hears nothing for a minute.
    @Test func aWaitingListenerReceivesHeartbeats() throws {
        let (stage, store) = try stage { $0.heartbeatSeconds = 0.02 }
        let target = "/Person?sort=name"
        let first = try stage.listen(target)
        #expect(try first.becomes(stage, target))
        store.fail(.max, .busy("as told"))
        store.changeElsewhere()
        #expect(try first.wait { store.failures > 0 })
        let waiting = try stage.listen(target)
        #expect(try waiting.wait { waiting.client.text.hasPrefix(":\n\n:\n\n:\n\n") })
        #expect(waiting.names.isEmpty)
        store.fail(0, .busy("as told"))
        #expect(try waiting.becomes(stage, target))
        #expect(waiting.names == ["snapshot"])
    }

    @Test func whatDoesNotPassEndsTheStreamWithTheReason() throws {
        let (stage, store) = try stage { $0.limits.liveRetrySeconds = 0.6 }
        let people = try stage.listen("/Person?sort=name")
        #expect(try people.becomes(stage, "/Person?sort=name"))
        store.fail(1, .invalid("as told"))
        store.changeElsewhere()
        #expect(try people.wait { people.names.last == "error" })
        #expect(store.failures == 1)
        let teams = try stage.listen("/Team")
        #expect(try teams.becomes(stage, "/Team"))
        // It may have passed at any time, and did not; nobody asks without a pause.
        store.fail(.max, .busy("as told"))
        store.changeElsewhere()
        #expect(try teams.wait { teams.names.last == "error" })
        #expect((2...4).contains(store.failures), "\(store.failures)")
    }

    /// A query that was let go between a request and its arrival: who waits for it is told why he
    /// does not get it, and it is asked for once.
    @Test func whatCannotBeBuiltIsToldToAllWhoWait() throws {
        let (stage, store) = try stage()
        let plan = try stage.plan("/Person?sort=name")
        stage.service.liveQueries.note(followed: plan.key)
        store.fail(.max, .busy("as told"))
        let listener = try stage.listen(
            "/live?q.a=/Person%3Fsort=name&q.b=/Person%3Fsort=name")
        #expect(try listener.wait { listener.names == ["a.error", "b.error"] })
        #expect(store.failures == 1)
        store.fail(0, .busy("as told"))
        let again = try stage.listen("/Person?sort=name")
        #expect(try again.becomes(stage, "/Person?sort=name"))
    }
}
