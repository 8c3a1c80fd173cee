/// Resuming: nothing lost, nothing twice, wherever a client was cut off.

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

@Suite struct ResumeTests {
    private func tokens(_ range: ClosedRange<Int>) -> [String] { range.map { "7f3a09c1-\($0)" } }

    @Test(arguments: [false, true])
    func aStreamResumesAtEachPosition(byHeader: Bool) throws {
        let stage = try Stage()
        for key in 1...40 {
            stage.store.commit([stage.staff.insert(stage.staff.person, Int64(key))])
        }
        for position in 0..<40 {
            let token = "7f3a09c1-\(position)"
            // The header wins over the address, which a browser repeats.
            let client =
                byHeader
                ? try stage.connect(since: "7f3a09c1-39", lastEventID: token)
                : try stage.connect(since: token)
            #expect(client.wait(for: 40 - position))
            #expect(client.told == tokens(position + 1...40))
        }
        let newest = try stage.connect(since: "7f3a09c1-40")
        stage.store.commit([stage.staff.insert(stage.staff.person, 41)])
        #expect(newest.wait(for: 1))
        #expect(newest.told == tokens(41...41))
    }

    @Test func zeroIsFromTheOldestKept() throws {
        let stage = try Stage()
        let empty = try stage.connect(since: "0")
        for key in 1...10 {
            stage.store.commit([stage.staff.insert(stage.staff.person, Int64(key))])
        }
        #expect(empty.wait(for: 10))
        stage.store.purge(through: 4)
        let client = try stage.connect(since: "0")
        #expect(client.wait(for: 6))
        #expect(client.told == tokens(5...10))
        #expect(client.text.hasPrefix("retry: 2000\nid: 7f3a09c1-4\n\n"))
    }

    @Test(arguments: [
        "7f3a09c1-2", "ffffffff-5", "7f3a09c1-99", "hello", "7f3a09c1-05", "7f3a09c1--1", "-5", "",
        "7f3a09c1-99999999999999999999", "00", "7f3a09c1-5 ",
    ])
    func aTokenThatCannotBeUsedExpiresAndGoesOnFromNow(token: String) throws {
        let stage = try Stage()
        for key in 1...10 {
            stage.store.commit([stage.staff.insert(stage.staff.person, Int64(key))])
        }
        stage.store.purge(through: 4)
        let client = try stage.connect(since: token)
        #expect(client.wait(for: 1))
        #expect(client.events.first?.name == "expired")
        #expect(client.events.first?.id == "7f3a09c1-10")
        #expect(try client.data(0)["code"]?.integer == 134301)
        stage.store.commit([stage.staff.insert(stage.staff.person, 11)])
        #expect(client.wait(for: 2))
        #expect(client.told == tokens(11...11))
    }

    @Test func aLongHistoryWaitsForASlowClientAndLosesNothing() throws {
        let stage = try Stage { $0.bufferBytes = 64 << 10 }
        for key in 1...3_000 {
            stage.store.commit([stage.staff.insert(stage.staff.person, Int64(key))])
        }
        let client = try stage.connect(since: "0", values: true)
        // It reads nothing yet: what waits stays within the buffer.
        usleep(100_000)
        #expect(client.stream.queuedBytes <= 24 << 10)
        for key in 3_001...3_100 {
            stage.store.commit([stage.staff.insert(stage.staff.person, Int64(key))])
        }
        #expect(client.wait(for: 3_100))
        #expect(client.told == tokens(1...3_100))
    }

    @Test func aClientThatTakesNothingOfOldHistoryIsBrokenOff() throws {
        let stage = try Stage {
            $0.bufferBytes = 64 << 10
            $0.stallSeconds = 0.1
        }
        for key in 1...2_000 {
            stage.store.commit([stage.staff.insert(stage.staff.person, Int64(key))])
        }
        let client = try stage.connect(since: "0")
        for _ in 0..<1_000 where client.stream.queuedBytes > 0 { usleep(5_000) }
        #expect(client.stream.queuedBytes == 0)
    }

    @Test func aSlowClientIsDroppedWhileOthersGoOn() throws {
        let stage = try Stage { $0.bufferBytes = 32 << 10 }
        let slow = try stage.connect()
        let quick = try stage.connect()
        let heavy = (1...50).map { stage.staff.insert(stage.staff.person, Int64($0)) }
        for save in 1...100 {
            stage.store.commit(heavy)
            #expect(quick.wait(for: save))
        }
        #expect(quick.told == tokens(1...100))
        #expect(!slow.stream.send([]))
        // It comes back by its token and has all again.
        let back = try stage.connect(lastEventID: "7f3a09c1-0")
        #expect(back.wait(for: 100))
        #expect(back.told == tokens(1...100))
    }

    @Test func fiftySubscribersThatComeAndGoHaveTheHistory() throws {
        var seed = SeededNumbers(seed: drawSeed("fiftySubscribersThatComeAndGoHaveTheHistory"))
        let stage = try Stage()
        let (staff, store) = (stage.staff, stage.store)
        let writer = SystemThread(name: "writer") {
            for key in 1...500 {
                store.commit([
                    staff.insert(key % 3 == 0 ? staff.team : staff.person, Int64(key))
                ])
                if key % 7 == 0 { usleep(300) }
            }
        }
        var clients = try (0..<50).map { index in
            try Subscriber(stage, isFiltered: index % 5 == 0)
        }
        let teams = (1...500).filter { $0 % 3 == 0 }.map { "7f3a09c1-\($0)" }
        for _ in 0..<5_000 {
            for index in clients.indices {
                clients[index].client.read()
                if seed.next() % 40 == 0 { try clients[index].comeBack(stage) }
            }
            if clients.allSatisfy({ $0.isDone(whole: 500, filtered: teams.count) }) { break }
            usleep(200)
        }
        writer?.join()
        for subscriber in clients {
            #expect(subscriber.told == (subscriber.isFiltered ? teams : tokens(1...500)))
        }
    }
}

/// A client that loses its connection now and then.
private struct Subscriber {
    let isFiltered: Bool
    var client: Client
    private var before: [String] = []

    init(_ stage: Stage, isFiltered: Bool) throws {
        self.isFiltered = isFiltered
        client = try stage.connect(
            since: "0", entities: isFiltered ? [stage.staff.team] : nil)
    }

    var told: [String] { before + client.told }

    func isDone(whole: Int, filtered: Int) -> Bool {
        before.count + client.events.count >= (isFiltered ? filtered : whole)
    }

    /// What waits in the old stream is lost with it.
    mutating func comeBack(_ stage: Stage) throws {
        before = told
        client.stream.drop()
        client = try stage.connect(
            since: "0", lastEventID: client.lastEventID,
            entities: isFiltered ? [stage.staff.team] : nil)
    }
}
