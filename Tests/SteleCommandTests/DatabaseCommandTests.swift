// The commands on a store in a database, as a user runs them.

import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: PostgreSQLServer.shared != nil), .timeLimit(.minutes(30)))
struct DatabaseCommandTests {
    private let folder: TemporaryFolder
    private let url: String

    private static let versions = [
        #"{"entities":[{"name":"Person","attributes":[{"name":"name","type":"String"}]}]}"#,
        #"{"entities":[{"name":"Human","renamingIdentifier":"Person","attributes":["#
            + #"{"name":"name","type":"String"},{"name":"age","type":"Integer 16"}]}]}"#,
        #"{"entities":[{"name":"Human","attributes":[{"name":"title","type":"String"},"#
            + #"{"name":"age","type":"Integer 16"}]}]}"#,
    ]

    init() throws {
        folder = try TemporaryFolder()
        url = try #require(PostgreSQLServer.shared).url(path: UUID().uuidString)
        try add(1)
    }

    /// Makes a version the newest.
    private func add(_ version: Int) throws {
        try folder.write(Self.versions[version - 1], to: "Staff/v\(version).json")
    }

    private func stele(
        _ arguments: String...
    ) throws -> (status: Int32, output: String, errors: String) {
        try Program.run(arguments, folder: folder.path)
    }

    private func serve(_ options: String...) throws -> (program: Program, lines: [String]) {
        let program = try Program(
            ["serve", "Staff", "--port", "0", "--store", url] + options, folder: folder.path)
        return (program, program.lines(3))
    }

    private func end(_ program: Program) {
        program.signal(SIGTERM)
        #expect(program.end().status == 0)
    }

    @Test func objectsAreImportedAndExported() throws {
        try folder.write(#"{"name":"Ann"}"# + "\n" + #"{"name":"Bo"}"#, to: "Person.ndjson")
        let dry = try stele("import", "Staff", "Person.ndjson", "--store", url, "--dry-run")
        #expect(dry.status != 0 && dry.errors.contains("has no store in its schema"))
        #expect(try stele("import", "Staff", "Person.ndjson", "--store", url).status == 0)
        let again = try stele(
            "import", "Staff", "Person.ndjson", "--store", url, "--dry-run", "--again")
        #expect(again.status == 0, "\(again.errors)")
        let (status, output, errors) = try stele("export", "Staff", "--store", url)
        #expect(status == 0, "\(errors)")
        #expect(output.contains("Ann") && output.split(separator: "\n").count == 2, "\(output)")
        let typed = try stele("export", "Staff", "--store", url, "--store-type", "xml")
        #expect(typed.status != 0 && typed.errors.contains("store-type is for stores in files"))
        let backedUp = try stele("backup", url)
        #expect(backedUp.status != 0 && backedUp.errors.contains("pg_dump"), "\(backedUp)")
    }

    @Test func aNodeMigratesTheStoreAndTheOthersSayThatItIsGone() throws {
        let (old, lines) = try serve()
        defer { end(old) }
        let before = try Caller(lines)
        #expect(before.ask("POST", "/Person", #"[{"name":"Ann"},{"name":"Bo"}]"#)?.status == 201)
        let feed = try SocketSubscriber(before, "/changes")
        let live = try SocketSubscriber(before, "/Person")
        let place = try #require(feed.stream.lastID)
        try add(2)
        let refused = try serve().program.end()
        #expect(refused.status == 1)
        #expect(refused.errors.contains("the entity Person becomes Human"), "\(refused.errors)")
        #expect(refused.errors.contains("stele migrate Staff --store URL"), "\(refused.errors)")
        #expect(before.ask("GET", "/Person/1")?.status == 200)

        let (new, told) = try serve("--migrate")
        defer { end(new) }
        let after = try Caller(told)
        for path in ["/Person/1", "/Person", "/readyz", "/changes"] {
            let answer = before.ask("GET", path)
            #expect(answer?.status == 503, "\(path)")
            #expect(answer?.body.contains("store.gone") == true, "\(answer?.body ?? "")")
        }
        #expect(before.ask("POST", "/Person", #"{"name":"Cy"}"#)?.status == 503)
        #expect(before.ask("GET", "/healthz")?.status == 200)
        for stream in [feed, live] {
            #expect(try !stream.wait { _ in false })
            let last = try #require(stream.events.last)
            #expect(
                last.name == "error"
                    && String(decoding: last.data, as: UTF8.self).contains("store.gone"))
        }
        #expect(
            after.ask("GET", "/Human?select=_id,name,age")?.body
                == #"[{"_id":1,"name":"Ann","age":null},{"_id":2,"name":"Bo","age":null}]"#)
        let resumed = try SocketSubscriber(after, "/changes", lastEventID: place)
        #expect(after.ask("POST", "/Human", #"{"name":"Cy"}"#)?.body.contains(#""_id":3"#) == true)
        #expect(try resumed.wait { !$0.events.isEmpty })
        #expect(after.ask("GET", "/model/versions")?.body.contains("v1") == true)
    }

    /// A mapping with an expression makes a new store, which takes the place of the old one.
    @Test func aMappingWithExpressionsIsCarriedOut() throws {
        try add(2)
        let (old, lines) = try serve()
        defer { end(old) }
        let before = try Caller(lines)
        #expect(
            before.ask("POST", "/Human", #"[{"name":"Ann","age":4},{"name":"Bo"}]"#)?.status == 201)
        #expect(before.ask("DELETE", "/Human/2")?.status == 204)
        try add(3)
        try folder.write(
            #"{"from":"v2","to":"v3","mappings":[{"source":"Human","destination":"Human","#
                + #""attributes":{"title":"'Dr ' + $source.name"}}]}"#, to: "titles.mapping.json")
        let plan = try stele("migrate", "Staff", "--store", url, "--plan")
        #expect(plan.status == 0 && plan.output.contains("by the mapping model"), "\(plan)")
        let (new, told) = try serve("--migrate")
        defer { end(new) }
        let after = try Caller(told)
        #expect(
            after.ask("GET", "/Human?select=_id,title,age")?.body
                == #"[{"_id":1,"title":"Dr Ann","age":4}]"#)
        #expect(after.ask("POST", "/Human", #"{"title":"Cy"}"#)?.body.contains(#""_id":3"#) == true)
        let gone = before.ask("GET", "/Human")
        #expect(gone?.status == 503 && gone?.body.contains("store.gone") == true, "\(gone as Any)")
        let done = try stele("migrate", "Staff", "--store", url)
        #expect(done.status == 0 && !done.output.contains("migrated in"), "\(done)")
    }

    /// A save of another node is a difference, and a stream goes on where it was on another node.
    @Test func aLiveQueryFollowsTheSavesOfOtherNodes() throws {
        let (one, first) = try serve()
        let (two, second) = try serve()
        defer {
            end(one)
            end(two)
        }
        let (here, there) = (try Caller(first), try Caller(second))
        #expect(here.ask("POST", "/Person", #"[{"name":"Bo"},{"name":"Di"}]"#)?.status == 201)
        let live = try SocketSubscriber(there, "/Person?sort=name&select=name")
        #expect(try live.wait { $0.events.contains { $0.name == "snapshot" } })
        #expect(here.ask("POST", "/Person", #"{"name":"Ann"}"#)?.status == 201)
        #expect(there.ask("POST", "/Person", #"{"name":"Cy"}"#)?.status == 201)
        #expect(here.ask("PATCH", "/Person/1", #"{"name":"Ed"}"#)?.status == 200)
        func texts(_ stream: SocketSubscriber) -> [String] {
            stream.events.map { String(decoding: $0.data, as: UTF8.self) }
        }
        #expect(try live.wait { texts($0).contains { $0.contains("Ed") } })
        #expect(live.events.filter { $0.name == "snapshot" }.count == 1, "\(texts(live))")
        #expect(texts(live).contains { $0.contains(#""inserts""#) && $0.contains("Ann") })
        let place = try #require(live.stream.lastID)
        #expect(there.ask("DELETE", "/Person/2")?.status == 204)
        let moved = try SocketSubscriber(here, "/Person?sort=name&select=name", lastEventID: place)
        #expect(try moved.wait { texts($0).contains { $0.contains(#""deletes""#) } })
        #expect(!moved.events.contains { $0.name == "snapshot" }, "\(texts(moved))")
    }

    /// A save is in the next read with its token, also where another node answers it, and again.
    @Test func readsWithATokenHaveTheSave() throws {
        let primary = try PostgreSQLServer(["fsync=off"])
        let standby = try PostgreSQLServer(standbyOf: primary)
        defer {
            standby.stop()
            primary.stop()
        }
        let store = try primary.url(path: UUID().uuidString)
        let replica = store.replacing(primary.folder, with: standby.folder)
        let nodes = try (0..<2).map { _ in
            try Program(
                ["serve", "Staff", "--port", "0", "--store", store, "--replica", replica],
                folder: folder.path)
        }
        defer { nodes.forEach(end) }
        let callers = try nodes.map { try Caller($0.lines(3)) }
        func token(_ answer: String) -> String? {
            answer.split(separator: "\r\n").first { $0.hasPrefix("History-Token: ") }
                .map { String($0.dropFirst("History-Token: ".count)) }
        }
        for round in 1...20 {
            let (here, there) = (callers[round % 2], callers[1 - round % 2])
            let key = ["Idempotency-Key: k\(round)"]
            let made = try here.call("POST", "/Person", #"{"name":"Ann"}"#, headers: key)
            let repeated = try there.call("POST", "/Person", #"{"name":"Ann"}"#, headers: key)
            for answer in [made, repeated] {
                let field = ["History-Token: \(try #require(token(answer)))"]
                for caller in callers {
                    let count = try caller.call("GET", "/Person/count", headers: field)
                    #expect(count.hasSuffix(#"{"count":\#(round)}"#), "\(count)")
                    let one = try caller.call("GET", "/Person/\(round)", headers: field)
                    #expect(one.contains(" 200 "), "\(one)")
                }
            }
        }
        func count(_ field: String) throws -> String {
            try callers[1].call("GET", "/Person/count", headers: ["History-Token: \(field)"])
        }
        let end = ContinuousClock.now + .seconds(30)
        while try !count("0").hasSuffix(#"{"count":20}"#), ContinuousClock.now < end {
            usleep(10_000)
        }
        try standby.pauseReplay()
        let made = try callers[0].call("POST", "/Person", #"{"name":"Bo"}"#)
        #expect(try count(token(made) ?? "").hasSuffix(#"{"count":21}"#))
        #expect(try count("0").hasSuffix(#"{"count":20}"#))
        // Without a token, and with one of another store, the newest state is read.
        #expect(try count("12345678-3").hasSuffix(#"{"count":21}"#))
        #expect(callers[1].ask("GET", "/Person/count")?.body == #"{"count":21}"#)
        for path in ["/Person", "/Person/1"] {
            let wrong = try callers[0].call("GET", path, headers: ["History-Token: x"])
            #expect(wrong.contains(" 400 ") && wrong.contains("is not a token"), "\(wrong)")
        }
        let metrics = callers[1].ask("GET", "/metrics")?.body ?? ""
        #expect(!metrics.contains("stele_database_replica_reads_total 0\n"), "\(metrics)")
        let file = try stele("serve", "Staff", "--store", "s.sqlite", "--replica", replica)
        #expect(file.status == 1 && file.errors.contains("replica is for a store in a database"))
        try standby.resumeReplay()
    }
}
