// What clients and the log are told where the tables under a node are others.

import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: PostgreSQLServer.shared != nil), .timeLimit(.minutes(30)))
struct RestoredDatabaseTests {
    private let folder: TemporaryFolder
    private let server: PostgreSQLServer
    private let schema = "r" + String(UInt64.random(in: 0 ... .max), radix: 16)

    init() throws {
        folder = try TemporaryFolder()
        server = try #require(PostgreSQLServer.shared)
        try server.sql("CREATE SCHEMA \(schema)")
    }

    private func serve(_ model: String) throws -> (program: Program, lines: [String]) {
        let program = try Program(
            ["serve", model, "--port", "0", "--store", server.url(schema: schema)],
            folder: folder.path)
        return (program, program.lines(3))
    }

    /// The ETag of an object.
    private func tag(_ caller: Caller, _ path: String) throws -> String {
        let answer = try caller.call("GET", path)
        let line = answer.split(separator: "\r\n").first { $0.lowercased().hasPrefix("etag: ") }
        return String(try #require(line, "\(answer)").dropFirst(6))
    }

    /// Its numbers and versions are given a second time, to other saves.
    @Test func aDumpThatIsRestoredUnderANodeIsNotServedByIt() throws {
        try folder.write(
            #"{"entities":[{"name":"Person","attributes":[{"name":"name","type":"String"}]}]}"#,
            to: "Staff/v1.json")
        let (old, lines) = try serve("Staff")
        let before = try Caller(lines)
        #expect(before.ask("POST", "/Person", #"{"name":"Ann"}"#)?.status == 201)
        try server.run("pg_dump", "-Fc", "-n", schema, "-f", "\(folder.path)/dump")
        let feed = try SocketSubscriber(before, "/changes")
        #expect(before.ask("PATCH", "/Person/1", #"{"name":"Bea"}"#)?.status == 200)
        #expect(try feed.wait { !$0.events.isEmpty })
        let place = try #require(feed.stream.lastID)
        let (one, all) = (try tag(before, "/Person/1"), try tag(before, "/Person"))
        try server.run("pg_restore", "--clean", "\(folder.path)/dump")
        for path in ["/Person/1", "/Person", "/changes", "/readyz"] {
            let answer = before.ask("GET", path)
            #expect(answer?.status == 503, "\(path)")
            #expect(answer?.body.contains("store.gone") == true, "\(answer?.body ?? "")")
        }
        #expect(before.ask("POST", "/Person", #"{"name":"Cy"}"#)?.status == 503)
        #expect(try !feed.wait { _ in false })
        let last = try #require(feed.events.last)
        #expect(String(decoding: last.data, as: UTF8.self).contains("store.gone"))
        old.signal(SIGTERM)
        let said = old.end()
        #expect(said.status == 0 && said.errors.contains("store.gone"), "\(said.errors)")
        #expect(said.errors.contains("made again"), "\(said.errors)")

        let (new, told) = try serve("Staff")
        defer {
            new.signal(SIGTERM)
            #expect(new.end().status == 0)
        }
        let after = try Caller(told)
        #expect(after.ask("PATCH", "/Person/1", #"{"name":"Dee"}"#)?.status == 200)
        for (path, tag) in [("/Person/1", one), ("/Person", all)] {
            let answer = try after.call("GET", path, headers: ["If-None-Match: \(tag)"])
            #expect(answer.contains(" 200 ") && answer.contains("Dee"), "\(answer)")
        }
        let resumed = try SocketSubscriber(after, "/changes", lastEventID: place)
        #expect(try resumed.wait { !$0.events.isEmpty })
        #expect(resumed.events.first?.name == "expired")
    }

    /// As pandas does it: `to_sql(if_exists="replace")`.
    @Test func aFollowedTableThatIsMadeAgainIsTold() throws {
        let tables = "t" + schema
        let creation =
            "CREATE TABLE \(tables).item (id int PRIMARY KEY, name text); "
            + "INSERT INTO \(tables).item VALUES (1, 'one')"
        try server.sql("CREATE SCHEMA \(tables); \(creation)")
        let made = try Program.run(
            "model", "from", server.url(schema: tables), "--output", "Shop.xcdatamodeld",
            folder: folder.path)
        #expect(made.status == 0, "\(made.errors)")
        let (node, lines) = try serve("Shop.xcdatamodeld")
        let caller = try Caller(lines)
        #expect(caller.ask("POST", "/Item", #"{"id":2,"name":"two"}"#)?.status == 201)
        #expect(caller.ask("GET", "/readyz")?.status == 200)
        try server.sql("DROP TABLE \(tables).item; \(creation)")
        for (method, path, body) in [
            ("GET", "/readyz", nil), ("POST", "/Item", #"{"id":3,"name":"three"}"#),
            ("DELETE", "/Item/2", nil),
        ] {
            let answer = caller.ask(method, path, body)
            #expect(answer?.status == 503, "\(path)")
            let said = answer?.body ?? ""
            #expect(said.contains("store.unavailable") && said.contains("made again"), "\(said)")
        }
        #expect(caller.ask("GET", "/Item/2")?.status == 200)
        #expect(try server.sql("SELECT name FROM \(tables).item") == ["one"])
        node.signal(SIGTERM)
        let said = node.end()
        #expect(said.errors.contains("store.unavailable"), "\(said.errors)")
        #expect(try serve("Shop.xcdatamodeld").program.end().status == 1)
    }
}
