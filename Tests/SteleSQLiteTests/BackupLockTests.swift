// Copies of a store that another program is writing without a log.

import FoundationEssentials
import Glibc
import SteleModel
import StelePersistence
import SteleSystem
import TestSupport
import Testing

@testable import SteleSQLite

@Suite struct BackupLockTests {
    /// Each of the other program's transactions sets all rows of a table to one number.
    @Test(arguments: ["PERSIST", "DELETE", "TRUNCATE"])
    func aCopyIsOfOneMoment(_ mode: String) throws {
        let folder = try TemporaryFolder()
        let model = try sampleModel("League")
        try SQLiteStore.open(path: folder.store, model: model).close()
        let writer = try RawDatabase(folder.store)
        try writer.run(
            """
            PRAGMA journal_mode = \(mode); PRAGMA synchronous = OFF;
            CREATE TABLE W (a, b);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
            INSERT INTO W SELECT 0, hex(randomblob(200)) FROM n
            """)
        let isDone = Atomic<Bool>(false)
        let path = folder.store
        let thread = SystemThread(name: "writer") {
            guard let other = try? RawDatabase(path) else { return }
            try? other.run("PRAGMA busy_timeout = 5000; PRAGMA synchronous = OFF")
            var number = 0
            while !isDone.load(ordering: .acquiring) {
                number += 1
                try? other.run("UPDATE W SET a = \(number)")
                usleep(500)
            }
        }
        defer {
            isDone.store(true, ordering: .releasing)
            thread?.join()
        }
        for round in 0..<30 {
            let place = "\(folder.path)/\(round)"
            try FileManager.default.createDirectory(
                atPath: place, withIntermediateDirectories: false)
            let backup = try SQLiteStore.backUp(path: path, to: place)
            let copy = try RawDatabase(try #require(backup.files.first))
            #expect(try copy.texts("SELECT COUNT(DISTINCT a) FROM W") == ["1"], "\(round)")
            #expect(try copy.texts("PRAGMA integrity_check") == ["ok"], "\(round)")
            let still = try StoreLook.stillCopy(of: path)
            let read = try Connection(uri: still.uri, of: path)
            #expect(try read.single("SELECT COUNT(DISTINCT a) FROM W") == .string("1"), "\(round)")
        }
    }

    /// A path is a path, also where SQLite would read it as a URI.
    @Test func aNameThatBeginsWithFileIsNoURI() throws {
        #expect(Connection.name(of: "file:u.sqlite") == "./file:u.sqlite")
        #expect(Connection.name(of: "/a/file:u.sqlite") == "/a/file:u.sqlite")
    }

    /// What is no file in the folder of external files is not read.
    @Test func linksAndPipesAreNoExternalFiles() throws {
        let folder = try TemporaryFolder()
        try folder.write("secret", to: "secret")
        let (link, pipe, file) = (
            ExternalData(UUID(), in: folder.path), ExternalData(UUID(), in: folder.path),
            ExternalData(UUID(), in: folder.path)
        )
        try FileManager.default.createSymbolicLink(
            atPath: link.path, withDestinationPath: folder.path + "/secret")
        #expect(mkfifo(pipe.path, 0o600) == 0)
        try folder.write("value", to: file.identifier.uuidString)
        for other in [link, pipe] { #expect(other.bytes == nil && other.count == nil) }
        #expect(file.bytes == Array("value".utf8) && file.count == 5)
    }
}
