// One file, and several processes that write it: two services, and a program that uses SQLite alone.

import Foundation
import SteleSystem
import TestSupport
import Testing

@Suite struct SharedFileTests {
    private let store: BesideStore

    init() throws { store = try BesideStore() }

    /// Nothing is lost, no key is given out twice, and each service shows what all have written.
    @Test func twoServicesAndAnotherProgramWriteAtOnce() throws {
        let (servers, callers) = try serve(2)
        #expect(BesideStore.post("first", callers[0]) == 201)
        let rounds = 40
        let crew = Crew<[Int?]>()
        for (number, caller) in callers.enumerated() {
            for writer in 0..<2 {
                crew.start {
                    (0..<rounds).map { BesideStore.post("s\(number)w\(writer)n\($0)", caller) }
                }
            }
            // A value of another property of the object that the other program counts in.
            crew.start {
                (0..<rounds).map {
                    caller.ask("PATCH", "/Thing/1", #"{"name":"p\#(number)n\#($0)"}"#)?.status
                }
            }
        }
        crew.start { [path = store.path] in
            do {
                let other = try RawDatabase(path)
                try other.run("PRAGMA busy_timeout = 20000")
                for _ in 0..<rounds {
                    try other.run(
                        "BEGIN IMMEDIATE; UPDATE ZTHING SET ZCOUNT = ZCOUNT + 1, Z_OPT = Z_OPT + 1 "
                            + "WHERE Z_PK = 1")
                    usleep(5_000)
                    try other.run("COMMIT")
                }
                return []
            } catch {
                Issue.record(error)
                return [nil]
            }
        }
        let statuses = crew.reported().joined()
        #expect(statuses.allSatisfy { $0 == 201 || $0 == 200 }, "\(Array(statuses))")
        let count = 1 + 4 * rounds
        for caller in callers {
            #expect(caller.ask("GET", "/Thing/count")?.body == #"{"count":\#(count)}"#)
            let first = try #require(caller.ask("GET", "/Thing/1")?.json as? [String: Any])
            #expect(first["count"] as? Int == 1 + rounds)
        }
        let histories = try callers.map { try $0.history().map { Torture.text($0["transaction"]) } }
        #expect(histories[0].count == count + 2 * rounds)
        #expect(histories[0] == histories[1])
        for server in servers {
            server.signal(SIGTERM)
            #expect(server.end().status == 0)
        }
        let names = try RawDatabase(store.path).texts("SELECT ZNAME FROM ZTHING WHERE Z_PK > 1")
        #expect(Set(names).count == count - 1)
        let seen = try Program.run("inspect", store.path, "--model", store.model)
        #expect(seen.status == 0, "\(seen.output)\(seen.errors)")
    }

    /// Reading goes on while another program holds the file, and writing after it.
    @Test func aLockOfAnotherProgramIsWaitedForWithinABound() throws {
        let (servers, callers) = try serve(1)
        #expect(BesideStore.post("first", callers[0]) == 201)
        let other = try RawDatabase(store.path)
        try other.run("BEGIN IMMEDIATE; UPDATE ZTHING SET ZCOUNT = 7")
        let began = ContinuousClock.now
        let refused = callers[0].ask("POST", "/Thing", #"{"name":"second"}"#)
        let waited = ContinuousClock.now - began
        #expect(refused?.status == 503)
        #expect(refused?.body.contains(#""code":"service.busy""#) == true, "\(refused?.body ?? "")")
        #expect(waited > .seconds(1) && waited < .seconds(20), "\(waited)")
        let first = try #require(callers[0].ask("GET", "/Thing/1")?.json as? [String: Any])
        #expect(first["count"] as? Int == 1)
        let crew = Crew<Int?>()
        crew.start { [caller = callers[0]] in BesideStore.post("third", caller) }
        usleep(300_000)
        try other.run("COMMIT")
        #expect(crew.reported() == [201])
        let now = try #require(callers[0].ask("GET", "/Thing/1")?.json as? [String: Any])
        #expect(now["count"] as? Int == 7)
        servers[0].signal(SIGTERM)
        #expect(servers[0].end().status == 0)
        #expect(
            try RawDatabase(store.path).texts("SELECT ZNAME FROM ZTHING") == ["first", "third"])
    }

    private func serve(_ count: Int) throws -> (servers: [Program], callers: [Caller]) {
        let servers = try (0..<count).map { _ in try Program(store.arguments) }
        return (servers, try servers.map { try Caller($0.lines(2)) })
    }
}
