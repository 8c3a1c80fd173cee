// Ids of live queries: who comes back shows what is there, whatever was done to the store meanwhile.

import FoundationEssentials
import Glibc
import SteleJSON
import StelePersistence
import SteleSystem
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleHTTP
@testable import SteleRequests
@testable import SteleService

@Suite struct LiveResumeTests {
    private static let rename = "UPDATE ZPERSON SET ZNAME = 'Yo' WHERE Z_PK = 1"

    /// One that lets go of a query as soon as nobody listens.
    private func forgetfulStage() throws -> LiveStage {
        let stage = try LiveStage(.sqlite) {
            $0.limits.liveIdleSeconds = 0.01
            $0.heartbeatSeconds = 0.01
        }
        try stage.people()
        return stage
    }

    /// The result was read anew at the very save that he knows.
    @Test func resumingAfterAChangeWithoutHistorySendsASnapshot() throws {
        let stage = try LiveStage(.sqlite)
        try stage.people()
        let target = "/Person?sort=name"
        let stays = try stage.listen(target)
        let leaves = try stage.listen(target)
        #expect(try stays.becomes(stage, target) && leaves.becomes(stage, target))
        try stage.changeElsewhere(Self.rename)
        #expect(try stays.becomes(stage, target))
        let back = try stage.listen(target, resuming: leaves)
        #expect(try back.becomes(stage, target))
        #expect(back.names == ["snapshot"])
        // From here on nothing is unknown.
        try stage.write("PATCH", "/Person/2", #"{"salary":21}"#)
        #expect(try stays.becomes(stage, target))
        let again = try stage.listen(target, resuming: back)
        #expect(try again.becomes(stage, target))
        #expect(again.names == ["change"])
    }

    /// The same where nobody has followed the query meanwhile.
    @Test func resumingAQueryThatWasReleasedSendsASnapshot() throws {
        let stage = try forgetfulStage()
        let target = "/Person?sort=name"
        let first = try stage.listen(target)
        #expect(try first.becomes(stage, target))
        first.client.stream.drop()
        try stage.changeElsewhere(Self.rename)
        let back = try stage.listen(target, resuming: first)
        #expect(try back.becomes(stage, target))
        #expect(back.names == ["snapshot"])
    }

    /// The query was let go after his request had found it, before the thread had his stream.
    @Test func resumingAQueryThatIsBeingReleasedReportsMissedChanges() throws {
        let stage = try LiveStage(.sqlite)
        try stage.people()
        let target = "/Person?sort=name"
        let first = try stage.listen(target)
        #expect(try first.becomes(stage, target))
        try stage.restart()
        try stage.write("PATCH", "/Person/2", #"{"salary":21}"#)
        // The thread runs, and does not know the query.
        let other = try stage.listen("/Team")
        #expect(try other.becomes(stage, "/Team"))
        let stream = EventStream(capacity: .max)
        let arrival = LiveArrival(
            stream: stream, parts: [.init(plan: try stage.plan(target), prefix: "")],
            known: LiveID(first.client.lastEventID), since: 0)
        #expect(stage.service.liveQueries.inbox.put { $0.arrivals.append(arrival) })
        let back = Listener(Client(stream), first)
        #expect(try back.becomes(stage, target))
        #expect(back.names == ["change"])
    }

    /// What he has missed would take too long to find out: a large text was changed again and again.
    @Test func resumingAfterTooManyChangesSendsASnapshot() throws {
        let stage = try forgetfulStage()
        let target = "/Person?sort=name&select=name"
        let first = try stage.listen(target)
        #expect(try first.becomes(stage, target))
        let place = first.client.lastEventID
        first.client.stream.drop()
        let text = String(repeating: "x", count: 300_000)
        for number in 0..<60 {
            try stage.write("PATCH", "/Person/1", #"{"name":"\#(number)\#(text)"}"#)
        }
        let back = try stage.listen(target, lastEventID: place)
        #expect(try back.becomes(stage, target))
        #expect(back.names == ["snapshot"])
        // A little is told as it was.
        back.client.stream.drop()
        for number in 0..<5 {
            try stage.write("PATCH", "/Person/2", #"{"name":"\#(number)"}"#)
        }
        let again = try stage.listen(target, resuming: back)
        #expect(try again.becomes(stage, target))
        #expect(Set(again.names) == ["change"])
    }

    /// What another program did while there was no server.
    @Test func resumingOnANewServerSendsASnapshot() throws {
        let stage = try LiveStage(.sqlite)
        try stage.people()
        let target = "/Person?sort=name"
        let first = try stage.listen(target)
        #expect(try first.becomes(stage, target))
        try stage.restart { try stage.changeElsewhere(Self.rename) }
        let back = try stage.listen(target, resuming: first)
        #expect(try back.becomes(stage, target))
        try stage.write("PATCH", "/Person/2", #"{"salary":21}"#)
        #expect(try back.becomes(stage, target))
        #expect(back.names == ["snapshot", "change"])
    }

    /// Nobody has touched the store while there was no server.
    @Test func resumingAfterAQuietRestartReportsNothing() throws {
        let stage = try LiveStage(.sqlite) { $0.heartbeatSeconds = 0.05 }
        try stage.people()
        let (target, both) = ("/Person?sort=name", "/live?q.people=/Person&q.teams=/Team")
        let rows = "/Person?select=team.name,n:count()&groupBy=team.name"
        var listeners = try [target, both, rows].map { try stage.listen($0) }
        for listener in listeners { #expect(try listener.wait { listener.place != nil }) }
        // Also what was told as a change is known.
        try stage.write("PATCH", "/Person/2", #"{"name":"Zo"}"#)
        #expect(try listeners[0].becomes(stage, target))
        let place = try stage.place
        for listener in listeners { #expect(try listener.wait { listener.place == place }) }
        for _ in 0..<2 {
            try stage.reopen()
            listeners = try zip([target, both, rows], listeners).map {
                try stage.listen($0, resuming: $1)
            }
            for listener in listeners {
                #expect(try listener.wait { listener.place != nil })
                #expect(listener.names.isEmpty, "\(listener.names)")
            }
        }
        // An id from before both is as good, and the new server's saves are told.
        try stage.write("PATCH", "/Person/1", #"{"salary":11}"#)
        #expect(try listeners[0].becomes(stage, target))
        #expect(listeners[0].names == ["change"])
    }

    /// What the new server saved before he came back is in the history.
    @Test func whatTheNewServerSavedMeanwhileIsTold() throws {
        let stage = try LiveStage(.sqlite)
        try stage.people()
        let target = "/Person?sort=name"
        let first = try stage.listen(target)
        #expect(try first.becomes(stage, target))
        try stage.reopen()
        try stage.write("PATCH", "/Person/2", #"{"salary":21}"#)
        let back = try stage.listen(target, resuming: first)
        #expect(try back.becomes(stage, target))
        #expect(back.names == ["change"])
    }

    /// What nobody vouches for is read anew.
    @Test(arguments: ["changed", "killed", "put back", "copied back"])
    func aRestartThatMayNotBeQuietBringsTheWhole(_ what: String) throws {
        let stage = try LiveStage(.sqlite)
        try stage.people()
        let target = "/Person?sort=name"
        var first = try stage.listen(target)
        #expect(try first.becomes(stage, target))
        let files = FileManager.default
        let (path, copy) = (stage.path, stage.path + ".copy")
        defer { for ending in ["", "-seal"] { unlink(copy + ending) } }
        try stage.reopen {
            switch what {
            case "changed": try stage.changeElsewhere(Self.rename)
            case "killed": unlink(path + "-seal")
            default:
                for ending in ["", "-seal"] {
                    try files.copyItem(atPath: path + ending, toPath: copy + ending)
                }
            }
        }
        if what.hasSuffix("back") {
            first = try stage.listen(target, resuming: first)
            try stage.write("PATCH", "/Person/2", #"{"name":"Lost"}"#)
            #expect(try first.becomes(stage, target))
            try stage.reopen {
                for ending in ["", "-seal"] {
                    if what == "put back", ending == "-seal" { continue }
                    try files.removeItem(atPath: path + ending)
                    try files.copyItem(atPath: copy + ending, toPath: path + ending)
                }
            }
            try stage.write("PATCH", "/Person/1", #"{"name":"Other"}"#)
        }
        let back = try stage.listen(target, resuming: first)
        #expect(try back.wait { back.place != nil } && back.becomes(stage, target))
        #expect(back.names == ["snapshot"])
    }

    /// Another program's change while the server ran ends what was known before it, and not after.
    @Test func whatWasToldAfterAnotherProgramsChangeIsKnown() throws {
        let stage = try LiveStage(.sqlite)
        try stage.people()
        let target = "/Person?sort=name"
        let stays = try stage.listen(target)
        let leaves = try stage.listen(target)
        #expect(try stays.becomes(stage, target) && leaves.becomes(stage, target))
        let old = leaves.client.lastEventID
        try stage.changeElsewhere(Self.rename)
        #expect(try stays.becomes(stage, target))
        try stage.reopen()
        let back = try stage.listen(target, resuming: stays)
        #expect(try back.wait { back.place != nil })
        #expect(back.names.isEmpty, "\(back.names)")
        let late = try stage.listen(target, lastEventID: old)
        #expect(try late.becomes(stage, target))
        #expect(late.names == ["snapshot"])
    }

    /// A query that shows nothing of the change is not sent again, and its ids are good again.
    @Test func aQueryThatAChangeDoesNotConcernContinues() throws {
        let stage = try LiveStage(.sqlite)
        try stage.people()
        let both = "/live?q.people=/Person&q.teams=/Team"
        let teams = try stage.listen("/Team")
        let shared = try stage.listen(both)
        let people = try stage.listen("/Person")
        #expect(try teams.becomes(stage, "/Team") && people.becomes(stage, "/Person"))
        #expect(try shared.wait { shared.names.count == 2 })
        let old = (teams.client.lastEventID, shared.client.lastEventID)
        try stage.changeElsewhere(Self.rename)
        #expect(try people.becomes(stage, "/Person"))
        #expect(try teams.wait { teams.client.lastEventID != old.0 })
        #expect(try shared.wait { shared.client.lastEventID != old.1 })
        #expect(teams.names == ["snapshot"])
        #expect(shared.names == ["people.snapshot", "teams.snapshot", "people.snapshot"])
        for (target, former) in [("/Team", teams), (both, shared)] {
            let back = try stage.listen(target, resuming: former)
            #expect(try back.wait { back.place != nil })
            #expect(back.names.isEmpty, "\(target): \(back.names)")
        }
    }

    /// An id is of the queries that its stream shows.
    @Test func anIDOfAnotherQueryIsNone() throws {
        let stage = try LiveStage()
        try stage.people()
        let people = try stage.listen("/Person?sort=name")
        #expect(try people.wait { people.place != nil })
        for target in ["/Team", "/Person?sort=-name", "/Person?sort=name&limit=1"] {
            let other = try stage.listen(target, lastEventID: people.client.lastEventID)
            #expect(try other.becomes(stage, target), "\(target)")
        }
        let both = try stage.listen(
            "/live?q.people=/Person%3Fsort=name&q.teams=/Team",
            lastEventID: people.client.lastEventID)
        #expect(try both.wait { both.place != nil })
        #expect(both.names == ["people.snapshot", "teams.snapshot"])
    }

    /// What the feed has told says nothing of what a live query has, nor the other way round.
    @Test func anIDOfTheFeedIsNone() throws {
        let stage = try LiveStage()
        try stage.people()
        let people = try stage.listen("/Person?sort=name")
        #expect(try people.becomes(stage, "/Person?sort=name"))
        let other = try stage.listen("/Person?sort=name", lastEventID: stage.token)
        #expect(try other.becomes(stage, "/Person?sort=name"))
        #expect(other.names == ["snapshot"])
        let feed = try stage.listen("/changes", lastEventID: people.client.lastEventID)
        #expect(feed.client.wait { !$0.events.isEmpty })
        #expect(feed.client.events.map(\.name) == ["expired"])
    }
}
