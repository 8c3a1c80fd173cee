// A PostgreSQL server of the tests' own, in a folder that is removed with it.

import Foundation
import StelePostgreSQL
import SteleSystem

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A server in a folder of its own, reached by a socket in it. It ends with the process, also one
/// that is killed: its shell waits for the end of a pipe that only this process writes to.
package final class PostgreSQLServer: Sendable {
    /// The folder of the data and the socket.
    package let folder: String
    /// The user that the server runs as: PostgreSQL refuses root.
    private static let user = "postgres"

    /// The folder with Debian's programs of the newest version; nil without them.
    package static let programs: String? = {
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        return versions.compactMap { Int($0) }.max().map { "\(root)/\($0)/bin" }
    }()

    /// The server that all tests of the process share; nil where PostgreSQL is not installed.
    package static let shared: PostgreSQLServer? = {
        guard programs != nil else {
            print("PostgreSQL is not installed: its tests are skipped")
            return nil
        }
        do { return try PostgreSQLServer() } catch {
            print("the server of PostgreSQL does not start: \(error)")
            return nil
        }
    }()

    /// Makes a database cluster and starts a server.
    /// - Parameter settings: in addition to those of a server whose data need not survive.
    package convenience init(
        _ settings: [String] = ["fsync=off", "synchronous_commit=off"]
    ) throws {
        try self.init(settings) {
            "initdb -D \($0)/data -A trust -U postgres -E UTF8 --locale=C --no-sync"
        }
    }

    /// Makes a standby of a server and starts it.
    package convenience init(standbyOf server: PostgreSQLServer) throws {
        try self.init(["fsync=off"]) {
            "pg_basebackup -h \(server.folder) -U postgres -D \($0)/data -R -X stream -c fast "
                + "--no-sync"
        }
    }

    /// - Parameter command: makes the cluster in the folder `data` of a folder.
    private init(_ settings: [String], _ command: (String) -> String) throws {
        let bin = try Self.programs ?? { throw Failure("PostgreSQL is not installed") }()
        folder = "/tmp/stele-postgresql-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o755])
        if getuid() == 0 { try Self.run("/bin/chown", [Self.user, folder]) }
        try Self.runAsUser("\(bin)/\(command(folder))")
        let own = [
            "max_connections=1000", "listen_addresses=", "unix_socket_directories=\(folder)",
            "log_min_messages=panic",
        ]
        let options = (settings + own).map { "-c \($0)" }.joined(separator: " ")
        let start = "\(bin)/postgres -D \(folder)/data \(options)"
        // The pipe ends with this process. A shell beside the server waits for that, and stops the
        // server by SIGINT, a fast shutdown. It has no child to wait for, because this process's
        // threads block SIGCHLD, and children inherit that.
        try Self.start(
            Self.asUser(
                "exec 3<&0; (read line <&3; kill -INT $$; "
                    + "while kill -0 $$ 2>/dev/null; do sleep 0.1; done; rm -rf \(folder)) & "
                    + "exec \(start) 3<&-"),
            folder)
        for _ in 0..<200 {
            if (try? sql("SELECT 1")) != nil { return }
            usleep(50_000)
        }
        throw Failure("it does not answer")
    }

    /// Stops the server, as the end of the process does.
    package func stop() {
        let pipe = Self.pipes.withLock { $0.removeValue(forKey: folder) }
        try? pipe?.fileHandleForWriting.close()
        for _ in 0..<200 {
            if (try? sql("SELECT 1")) == nil { return }
            usleep(50_000)
        }
    }

    /// The URL of a schema.
    package func url(schema: String) -> String {
        "postgresql://postgres@/postgres?host=\(folder)&options=-csearch_path%3D\(schema)"
    }

    /// Returns the URL of the schema that stands for a path, which is made where there is none.
    package func url(path: String) throws -> String {
        var hash: UInt64 = 14_695_981_039_346_656_037
        for byte in path.utf8 { hash = (hash ^ UInt64(byte)) &* 1_099_511_628_211 }
        let schema = "s" + String(hash, radix: 16)
        try sql("CREATE SCHEMA IF NOT EXISTS \(schema)")
        return url(schema: schema)
    }

    /// Runs SQL by psql, and returns the rows that it prints.
    @discardableResult
    package func sql(_ text: String, schema: String = "public") throws -> [String] {
        let output = try Self.run(
            "/usr/bin/psql", [url(schema: schema), "-qAtX", "-v", "ON_ERROR_STOP=1", "-c", text])
        return output.split(separator: "\n").map(String.init)
    }

    /// Runs a program of PostgreSQL's on the server, such as `pg_dump`.
    /// - Returns: what it prints.
    @discardableResult
    package func run(_ program: String, _ arguments: String...) throws -> String {
        let bin = try Self.programs ?? { throw Failure("PostgreSQL is not installed") }()
        return try Self.run(
            "\(bin)/\(program)", ["-h", folder, "-U", "postgres", "-d", "postgres"] + arguments)
    }

    /// Keeps a standby from taking in what the server sends it.
    package func pauseReplay() throws {
        try sql("SELECT pg_wal_replay_pause()")
        for _ in 0..<200 {
            if try sql("SELECT pg_get_wal_replay_pause_state()") == ["paused"] { return }
            usleep(20_000)
        }
        throw Failure("the replay is not paused")
    }

    /// Lets it go on.
    package func resumeReplay() throws { try sql("SELECT pg_wal_replay_resume()") }

    // MARK: Processes

    private struct Failure: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }

    private static func asUser(_ command: String) -> [String] {
        getuid() == 0
            ? ["/usr/sbin/runuser", "-u", user, "--", "/bin/sh", "-c", command]
            : ["/bin/sh", "-c", command]
    }

    private static func runAsUser(_ command: String) throws {
        let words = asUser(command)
        try run(words[0], Array(words.dropFirst()))
    }

    @discardableResult
    private static func run(_ program: String, _ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.currentDirectoryURL = URL(filePath: "/tmp")
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        let message = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(String(decoding: message, as: UTF8.self))
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The writing ends of the servers' pipes by their folders, open until the process ends.
    private static let pipes = Mutex<[String: Pipe]>([:])

    private static func start(_ words: [String], _ folder: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: words[0])
        process.arguments = Array(words.dropFirst())
        process.currentDirectoryURL = URL(filePath: "/tmp")
        let pipe = Pipe()
        process.standardInput = pipe
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        // Child processes of other tests must not keep it open.
        _ = fcntl(pipe.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
        pipes.withLock { $0[folder] = pipe }
    }
}
