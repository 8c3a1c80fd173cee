/// What a stream tells: order, once each, from where, in which words.

import Glibc
import SteleJSON
import StelePersistence
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleHTTP
@testable import SteleRequests
@testable import SteleService

@Suite struct StreamTests {
    @Test func aSaveIsToldInTheContractsWords() throws {
        let stage = try Stage()
        let client = try stage.connect()
        let salary = stage.staff.slot("salary", stage.staff.employee)
        stage.store.commit([
            stage.staff.update(
                stage.staff.employee, 42, version: 4, before: [.slot(salary, .double(1))])
        ])
        #expect(client.wait(for: 1))
        let expected = """
            retry: 2000
            id: 7f3a09c1-0

            id: 7f3a09c1-1
            event: save
            data: {"transaction":"7f3a09c1-1","at":"2025-11-21T10:00:00.123Z","author":"ann",\
            "context":"PATCH /Person/{id}","changes":[{"change":"update","entity":"Employee",\
            "_id":42,"_version":4,"updated":["salary"]}]}


            """
        #expect(client.text == expected)
    }

    @Test func valuesTellTheObjectAndWhatItWas() throws {
        let stage = try Stage()
        let client = try stage.connect(values: true)
        let staff = stage.staff
        stage.store.commit([
            staff.update(
                staff.person, 7,
                before: [
                    .slot(staff.slot("name", staff.person), .string("Ann")),
                    .slot(staff.slot("team", staff.person), .key(2)),
                ]),
            staff.update(
                staff.team, 3,
                before: [
                    .members(relationship: staff.team.toManys[0].index, added: [7], removed: [9])
                ]),
            staff.delete(staff.person, 9),
        ])
        #expect(client.wait(for: 1))
        let changes = try #require(try client.data(0)["changes"])
        #expect(changes[0]?["object"]?["name"]?.string == "Bo")
        #expect(changes[0]?["before"]?["name"]?.string == "Ann")
        #expect(changes[0]?["before"]?["team"]?.integer == 2)
        #expect(changes[1]?["updated"]?[0]?.string == "members")
        #expect(changes[1]?["before"]?["members"]?["added"]?[0]?.integer == 7)
        #expect(changes[1]?["before"]?["members"]?["removed"]?[0]?.integer == 9)
        #expect(changes[2]?["change"]?.string == "delete")
        #expect(changes[2]?["object"]?["_version"]?.integer == 4)
        #expect(changes[2]?["before"] == nil)
    }

    @Test func whatNobodyKeptIsToldAsUnknown() throws {
        let stage = try Stage()
        let plain = try stage.connect()
        let full = try stage.connect(values: true)
        var change = stage.staff.update(stage.staff.person, 7, before: nil)
        change.snapshot = nil
        change.version = nil
        stage.store.commit([change])
        #expect(plain.wait(for: 1) && full.wait(for: 1))
        let told = try #require(try plain.data(0)["changes"]?[0])
        #expect(told["values"]?.string == "unknown" && told["updated"]?.isNull == true)
        #expect(told["object"] == nil && told["_version"]?.isNull == true)
        let values = try #require(try full.data(0)["changes"]?[0])
        #expect(values["object"]?.isNull == true && values["before"]?.isNull == true)
        #expect(values["values"]?.string == "unknown")
    }

    @Test func valuesThatTheBroadcastLeftOutComeFromTheStore() throws {
        let stage = try Stage()
        let client = try stage.connect(values: true)
        stage.store.commit([stage.staff.insert(stage.staff.person, 1)], withoutSnapshots: true)
        #expect(client.wait(for: 1))
        #expect(try client.data(0)["changes"]?[0]?["object"]?["name"]?.string == "Ann")
    }

    @Test func entitiesFilterWithTheirSubentities() throws {
        let stage = try Stage()
        let client = try stage.connect(entities: [stage.staff.person])
        let other = try stage.connect(entities: [stage.staff.employee])
        stage.store.commit([stage.staff.insert(stage.staff.team, 1)])
        stage.store.commit([
            stage.staff.insert(stage.staff.employee, 1), stage.staff.insert(stage.staff.team, 2),
        ])
        stage.store.commit([stage.staff.insert(stage.staff.person, 2)])
        #expect(client.wait(for: 2) && other.wait(for: 1))
        #expect(client.told == ["7f3a09c1-2", "7f3a09c1-3"])
        #expect(other.told == ["7f3a09c1-2"])
        #expect(try client.data(0)["changes"]?.count == 1)
    }

    @Test func aHeartbeatMovesAFilteredStreamsPosition() throws {
        let stage = try Stage { $0.heartbeatSeconds = 0.05 }
        let filtered = try stage.connect(entities: [stage.staff.team])
        let whole = try stage.connect()
        for key in 1...5 {
            stage.store.commit([stage.staff.insert(stage.staff.person, Int64(key))])
        }
        #expect(filtered.wait { $0.lastEventID == "7f3a09c1-5" })
        #expect(filtered.events.isEmpty)
        #expect(whole.wait { $0.text.contains("\n:\n\n") })
        #expect(whole.told.count == 5)
    }

    @Test func aLargeSaveComesInPartsWithTheIDOnTheLast() throws {
        let stage = try Stage()
        let client = try stage.connect()
        stage.store.commit((1...2_500).map { stage.staff.insert(stage.staff.person, Int64($0)) })
        #expect(client.wait(for: 3))
        let counts = try (0..<3).map { try client.data($0)["changes"]?.count }
        #expect(counts == [1_000, 1_000, 500])
        for index in 0..<3 {
            let part = try client.data(index)
            #expect(part["part"]?.integer == Int64(index + 1) && part["of"]?.integer == 3)
        }
        #expect(client.events.map(\.id) == ["7f3a09c1-0", "7f3a09c1-0", "7f3a09c1-1"])
        #expect(client.told == ["7f3a09c1-1", "7f3a09c1-1", "7f3a09c1-1"])
    }

    @Test func anObjectLargerThanAPartIsToldWithoutItsValues() throws {
        let stage = try Stage { $0.bufferBytes = 64 << 10 }
        let client = try stage.connect(values: true)
        let name = String(repeating: "x", count: 100_000)
        stage.store.commit([
            stage.staff.insert(stage.staff.person, 1),
            stage.staff.insert(stage.staff.person, 2, name: name),
        ])
        #expect(client.wait(for: 1))
        let changes = try #require(try client.data(0)["changes"])
        #expect(changes[0]?["object"]?["_id"]?.integer == 1)
        #expect(changes[1]?["values"]?.string == "omitted" && changes[1]?["object"] == nil)
    }

    @Test func savesOfAnotherProgramAreToldFromTheHistory() throws {
        let stage = try Stage()
        let client = try stage.connect()
        stage.store.commit([stage.staff.insert(stage.staff.person, 1)])
        stage.store.commit([stage.staff.insert(stage.staff.person, 2)], isForeign: true)
        #expect(client.wait(for: 2))
        stage.store.commit([stage.staff.insert(stage.staff.person, 3)], isForeign: true)
        stage.store.commit([stage.staff.insert(stage.staff.person, 4)])
        #expect(client.wait(for: 4))
        #expect(client.told == (1...4).map { "7f3a09c1-\($0)" })
    }

    @Test func aHistoryThatCannotBeReadIsReadLater() throws {
        let stage = try Stage()
        let client = try stage.connect()
        stage.store.commit([stage.staff.insert(stage.staff.person, 1)])
        #expect(client.wait(for: 1))
        stage.store.state.withLock { $0.readsLeft = 0 }
        for key in 2...3 {
            stage.store.commit(
                [stage.staff.insert(stage.staff.person, Int64(key))], isForeign: true)
        }
        usleep(100_000)
        client.read()
        #expect(client.events.count == 1)
        stage.store.state.withLock { $0.readsLeft = .max }
        #expect(client.wait(for: 3))
        #expect(client.told == (1...3).map { "7f3a09c1-\($0)" })
    }

    /// It is noticed where nobody is told yet, and between a stream's look at the history and its
    /// joining.
    @Test(arguments: [false, true])
    func aSaveOfAnotherProgramIsToldToWhoJoinsMeanwhile(isNoticedBefore: Bool) throws {
        let stage = try Stage()
        stage.store.commit([stage.staff.insert(stage.staff.person, 1)])
        stage.store.commit([stage.staff.insert(stage.staff.person, 2)], isForeign: true)
        #expect(stage.store.noticesForeignChange())
        if isNoticedBefore {
            stage.feed.inbox.put { _ in }
            usleep(100_000)
        }
        let client = Client(EventStream(capacity: 1 << 20))
        let filter = ChangeFilter(entities: nil, values: false)
        let arrival = Arrival(stream: client.stream, filter: filter, position: 1)
        #expect(stage.feed.inbox.put { $0.arrivals.append(arrival) })
        #expect(client.wait(for: 1))
        #expect(client.told == ["7f3a09c1-2"])
    }

    /// The client reconnects. A stream without a loop would send nothing.
    @Test func aStreamWhoseHistoryCannotBeSentIsBrokenOff() throws {
        let stage = try Stage { $0.bufferBytes = 16 << 10 }
        stage.store.commit([stage.staff.insert(stage.staff.person, 1)])
        stage.store.state.withLock {
            $0.saves[0].contextName = String(repeating: "x", count: 20_000)
        }
        let client = try stage.connect(since: "0")
        for _ in 0..<1_000 where client.stream.send([]) {
            client.read()
            usleep(5_000)
        }
        #expect(!client.stream.send([]))
    }

    @Test func stoppingEndsEveryStream() throws {
        let stage = try Stage()
        stage.store.commit([stage.staff.insert(stage.staff.person, 1)])
        let live = try stage.connect()
        let resumed = try stage.connect(since: "0")
        #expect(resumed.wait(for: 1))
        stage.feed.stop()
        let late = try stage.connect()
        for client in [live, resumed, late] {
            client.read()
            #expect(!client.stream.send([0x3A]))
        }
    }
}
