// A pooler between a node and the server.

import Foundation
import SteleModel
import StelePersistence
import StelePostgreSQL
import StelePredicates
import TestSupport
import Testing

@Suite(
    .enabled(
        if: PostgreSQLServer.shared != nil
            && FileManager.default.isExecutableFile(atPath: "/usr/sbin/pgbouncer")),
    .timeLimit(.minutes(5)))
struct PoolerTests {
    let server: PostgreSQLServer
    let model: Model

    init() throws {
        server = try #require(PostgreSQLServer.shared)
        model = try makeModel([EntityMaker("Person").attribute("name", .string)])
    }

    /// Starts PgBouncer, and calls a closure with the URL of a new database behind it.
    private func pooled(_ mode: String, _ body: (_ url: String) throws -> Void) throws {
        let name = "d" + String(UInt64.random(in: 0 ... .max), radix: 16)
        try server.sql("CREATE DATABASE \(name) TEMPLATE template0 ENCODING 'UTF8'")
        let folder = try TemporaryFolder()
        let own = folder.path
        try """
        [databases]
        \(name) = host=\(server.folder) user=postgres
        [pgbouncer]
        listen_addr =
        unix_socket_dir = \(own)
        auth_type = any
        pool_mode = \(mode)
        ignore_startup_parameters = extra_float_digits
        logfile = \(own)/log
        pidfile = \(own)/pid
        """.write(toFile: "\(own)/pgbouncer.ini", atomically: true, encoding: .utf8)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/setpriv")
        // PgBouncer refuses root, too.
        process.arguments =
            (getuid() == 0 ? ["--reuid=postgres", "--clear-groups"] : [])
            + ["/usr/sbin/pgbouncer", "-q", "\(own)/pgbouncer.ini"]
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: own)
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        defer {
            // Other signals are blocked in the threads of the tests, and in their children.
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        let socket = "\(own)/.s.PGSQL.6432"
        for _ in 0..<100 where !FileManager.default.fileExists(atPath: socket) { usleep(50_000) }
        try body("postgresql://postgres@/\(name)?host=\(own)&port=6432")
    }

    @Test func sessionModeServes() throws {
        try pooled("session") { url in
            let store = try PostgreSQLStore.open(url: url, model: model)
            defer { store.close() }
            var request = SaveRequest(readToken: 0)
            request.changes = [
                ObjectChange(
                    .insert, entity: 0, key: -1,
                    values: model.entities[0].row(["name": .string("Ann")]))
            ]
            #expect(try store.save(request).token == 1)
            let reader = try store.reader()
            defer { reader.close() }
            #expect(try reader.count(FetchRequest(entity: model.entities[0])) == 1)
        }
    }

    @Test func transactionModeIsRefused() throws {
        try pooled("transaction") { url in
            do {
                try PostgreSQLStore.open(url: url, model: model).close()
                Issue.record("it is opened")
            } catch {
                #expect("\(error)".contains("a pooler in transaction mode is between"), "\(error)")
            }
        }
    }
}
