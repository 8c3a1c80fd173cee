// A log that is missing beside the index of a killed program: it was removed, unless another program
// has copied it into the store's file.

import Foundation
import SteleModel
import StelePersistence
import SteleSystem
import TestSupport
import Testing

@testable import SteleSQLite

@Suite struct LeftLogTests {
    private let folder: TemporaryFolder
    private let model: Model
    private let team: Entity

    init() throws {
        folder = try TemporaryFolder()
        model = try sampleModel("League")
        team = try #require(model.entity(named: "Team"))
    }

    /// The files of a store as a kill leaves them.
    private func leave(
        _ name: String, copiesLog: Bool = false
    ) throws -> (path: String, older: Data) {
        let (source, path) = (folder.path + "/source-\(name)", folder.path + "/\(name)")
        let store = try SQLiteStore.open(path: source, model: model)
        defer { store.close() }
        // The tables are in the file.
        try RawDatabase(source).run("PRAGMA wal_checkpoint(RESTART)")
        let older = try Data(contentsOf: URL(filePath: source))
        for number in 0..<5 { _ = try store.insert(team, ["name": .string("\(number)")]) }
        if copiesLog { try RawDatabase(source).run("PRAGMA wal_checkpoint(FULL)") }
        // The index last, as in a service.
        for ending in ["", "-wal", "-shm"] {
            try Data(contentsOf: URL(filePath: source + ending))
                .write(to: URL(filePath: path + ending))
        }
        // The file system's clock has steps.
        usleep(20_000)
        return (path, older)
    }

    private func count(_ path: String) throws -> Int {
        let store = try SQLiteStore.open(path: path, model: model)
        defer { store.close() }
        let reader = try store.reader()
        defer { reader.close() }
        return try reader.count(.init(entity: team))
    }

    @Test func aMissingLogWithSavesIsFound() throws {
        let (path, _) = try leave("removed")
        unlink(path + "-wal")
        let before = try FolderState(folder.path)
        let found = DamageMark.finding(path)
        #expect(found?.contains("removed-wal is missing") == true, "\(found ?? "")")
        #expect(try FolderState(folder.path) == before)
        #expect(throws: StoreError.self) { try count(path) }
        for ending in [DamageMark.ending, "-shm"] { unlink(path + ending) }
        #expect(try count(path) == 0)
    }

    /// A kill between the last checkpoint and the removal of the index leaves it.
    @Test func aMissingLogThatIsInTheFileIsNoDamage() throws {
        let (path, _) = try leave("copied", copiesLog: true)
        unlink(path + "-wal")
        #expect(try count(path) == 5)
    }

    /// A program that needs no index leaves the old one, and removes the log.
    @Test func aProgramThatIsAloneMayRemoveTheLog() throws {
        let (path, _) = try leave("alone")
        try RawDatabase(path).run(
            "PRAGMA locking_mode = EXCLUSIVE; SELECT COUNT(*) FROM sqlite_master")
        #expect(access(path + "-wal", F_OK) != 0 && access(path + "-shm", F_OK) == 0)
        #expect(try count(path) == 5)
    }

    /// An older copy is put there, and the log removed that does not belong to it.
    @Test(arguments: [true, false]) func aCopyThatIsPutBackIsNoDamage(isMoved: Bool) throws {
        let (path, older) = try leave("older")
        let other = URL(filePath: path + "-other")
        try older.write(to: other)
        usleep(20_000)
        unlink(path + "-wal")
        if isMoved { rename(other.path, path) } else { try older.write(to: URL(filePath: path)) }
        #expect(try count(path) == 0)
    }

    /// Without a store's file there is nothing that lacks the log.
    @Test func anIndexAloneIsNoStore() throws {
        let (path, _) = try leave("new")
        for ending in ["", "-wal"] { unlink(path + ending) }
        #expect(try count(path) == 0)
    }

    @Test func anIndexOfBeforeTheMachinesStartSaysNothing() throws {
        let (path, _) = try leave("early")
        unlink(path + "-wal")
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)],
            ofItemAtPath: path + "-shm")
        #expect(try count(path) == 0)
    }

    /// The service's own checkpoints do not make the file younger than its index.
    @Test func aLogThatIsMissingAfterACheckpointIsFound() throws {
        let store = try SQLiteStore.open(path: folder.store, model: model)
        defer { store.close() }
        func size() -> Int {
            var found = stat()
            return stat(folder.store, &found) == 0 ? Int(found.st_size) : 0
        }
        let long = String(repeating: "x", count: 2_000_000)
        for number in 0..<20 {
            _ = try store.insert(team, ["name": .string("\(number)"), "city": .string(long)])
        }
        let end = MonotonicClock.deadline(in: 30)
        while size() < 30_000_000, MonotonicClock.now < end { usleep(20_000) }
        #expect(size() >= 30_000_000)
        // The checkpoint has two steps.
        usleep(500_000)
        _ = try store.insert(team, ["name": .string("later")])
        unlink(folder.store + "-wal")
        #expect(LeftLog.fault(of: folder.store)?.contains("is missing") == true)
    }
}
