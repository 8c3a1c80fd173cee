// What ends a migration in the middle leaves the old store or the new one, and nothing between.

import Foundation
import SteleMigration
import SteleModel
import StelePersistence
import SteleSQL
import SteleSystem
import TestSupport
import Testing

@testable import SteleSQLite

/// A store whose migration copies a table, changes the type of a column, and makes indexes. It does
/// not fit into the cache, so that pages are written before the commit.
enum MigrationStore {
    static let rows = 20_000

    static func source() throws -> Model {
        try makeModel([
            EntityMaker("Item").attribute("a", .string).attribute("b", .integer64)
                .attribute("c", .double).attribute("filler", .string).toOne(
                    "owner", "Owner", inverse: "items"),
            EntityMaker("Owner").attribute("name", .string).attribute("level", .integer16)
                .toMany("items", "Item", inverse: "owner"),
        ])
    }

    static func destination() throws -> Model {
        try makeModel([
            EntityMaker("Item").attribute("a", .string).attribute("filler", .string)
                .toOne("owner", "Owner", inverse: "items")
                .index("byA", on: "a"),
            EntityMaker("Keeper").attribute("name", .string),
            EntityMaker("Owner").attribute("name", .string).attribute("level", .double)
                .attribute("rank", .integer64) { $0.defaultValue = .int(3) }
                .toMany("items", "Item", inverse: "owner", ordered: true),
        ])
    }

    static func create(at path: String) throws {
        try SQLiteStore.open(path: path, model: try source()).close()
        try RawDatabase(path).run(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
            INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZA, ZB, ZC, ZFILLER, ZOWNER)
            SELECT i, 1, 1, 'item ' || i, i, i / 2.0, hex(zeroblob(250)), 1 + i % 100 FROM n;
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
            INSERT INTO ZOWNER (Z_PK, Z_ENT, Z_OPT, ZNAME) SELECT i, 2, 1, 'owner ' || i FROM n;
            UPDATE Z_PRIMARYKEY SET Z_MAX = \(rows) WHERE Z_ENT = 1;
            UPDATE Z_PRIMARYKEY SET Z_MAX = 100 WHERE Z_ENT = 2;
            """)
    }

    @discardableResult
    static func migrate(_ path: String) throws -> Bool {
        let (source, destination) = (try source(), try destination())
        return try SQLiteStore.migrate(
            path: path, from: source, to: destination,
            by: try .inferred(from: source, to: destination))
    }

    /// Checks that a file is the whole old store or the whole new one.
    static func check(_ path: String, isNew: Bool) throws {
        let raw = try RawDatabase(path)
        #expect(try raw.texts("PRAGMA integrity_check") == ["ok"])
        let sum = rows * (rows + 1) / 2
        let expected =
            isNew
            ? ["\(rows) \(sum) 1", "100 3", "4"]
            : ["\(rows) \(sum) \(sum)", "100 2", "2"]
        let third = isNew ? "MAX(Z_FOK_OWNER > 0)" : "SUM(ZB)"
        let found = try raw.texts(
            "SELECT COUNT(*) || ' ' || SUM(substr(ZA, 6)) || ' ' || \(third) FROM ZITEM")
        let owners = try raw.texts(
            "SELECT COUNT(*) || ' ' || MAX(\(isNew ? "ZRANK" : "Z_ENT")) FROM ZOWNER")
        let entities = try raw.texts(
            "SELECT COUNT(*) + \(isNew ? 1 : 0) FROM Z_PRIMARYKEY WHERE Z_ENT < 16001")
        #expect(found + owners + entities == expected)
        #expect(try raw.texts("SELECT name FROM sqlite_master WHERE name GLOB 'STELE_NEW*'") == [])
    }
}

@Suite struct MigrationFaultTests {
    private func prepared() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try MigrationStore.create(at: folder.store)
        return folder
    }

    @Test func aFullDiskLeavesTheOldStore() throws {
        let folder = try prepared()
        let before = try contentLines(folder.store)
        let models = (try MigrationStore.source(), try MigrationStore.destination())
        let mapping = try MappingModel.inferred(from: models.0, to: models.1)
        let pages = Int(try RawDatabase(folder.store).texts("PRAGMA page_count")[0]) ?? 0
        var failures = 0
        while true {
            let connection = try Connection(path: folder.store, creates: false)
            try connection.run("PRAGMA max_page_count = \(pages + 400 * failures)")
            let result = Result {
                try SQLiteStore.migrate(
                    connection, folder.store, from: models.0, to: models.1, by: mapping
                ) { _ in }
            }
            guard case .failure(let error) = result else { break }
            failures += 1
            guard case StoreError.noRoom = error else { throw error }
            let now = try contentLines(folder.store)
            #expect(now == before, "failure \(failures)")
        }
        #expect(failures > 3)
        try MigrationStore.check(folder.store, isNew: true)
    }

    @Test func theProgressRisesToTheTotal() throws {
        let folder = try prepared()
        let models = (try MigrationStore.source(), try MigrationStore.destination())
        var all: [MigrationProgress] = []
        try SQLiteStore.migrate(
            path: folder.store, from: models.0, to: models.1,
            by: try .inferred(from: models.0, to: models.1)
        ) { all.append($0) }
        let last = try #require(all.last)
        #expect(last.done == last.total)
        // The items are copied, and get two indexes; the owners get a default and a number.
        #expect(last.total >= Int(2 * MigrationStore.rows))
        #expect(zip(all, all.dropFirst()).allSatisfy { $0.done <= $1.done })
        #expect(all.count < 100)
    }

    /// Runs in a child process of the next test.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["STELE_MIGRATION_CHILD"] != nil))
    func childMigrates() throws {
        let path = try #require(ProcessInfo.processInfo.environment["STELE_MIGRATION_CHILD"])
        try MigrationStore.migrate(path)
    }

    private func child(_ path: String) throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = [
            "--testing-library", "swift-testing", "--filter", "MigrationFaultTests.childMigrates",
        ]
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["STELE_MIGRATION_CHILD": path]) { $1 }
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    /// Waits until the child has opened the store.
    private func waitForOpening(_ process: Process, _ path: String) {
        while process.isRunning, access(path + "-wal", F_OK) != 0 { usleep(200) }
    }

    /// STELE_MIGRATION_KILLS sets the number of kills.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["STELE_MIGRATION_CHILD"] == nil))
    func aKilledMigrationLeavesTheOldStoreOrTheNewOne() throws {
        var random = SeededNumbers(seed: drawSeed("migration kills"))
        let given = ProcessInfo.processInfo.environment["STELE_MIGRATION_KILLS"]
        let kills = given.flatMap { Int($0) } ?? 4
        let whole = try prepared()
        let first = try child(whole.store)
        waitForOpening(first, whole.store)
        let start = MonotonicClock.now
        first.waitUntilExit()
        let microseconds = Int((MonotonicClock.now - start) / 1_000)
        #expect(first.terminationStatus == 0)
        try MigrationStore.check(whole.store, isNew: true)
        var outcomes = (old: 0, new: 0)
        for _ in 0..<kills {
            let folder = try prepared()
            let process = try child(folder.store)
            waitForOpening(process, folder.store)
            usleep(UInt32(random.below(microseconds)))
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            let isNew =
                try RawDatabase(folder.store).texts(
                    "SELECT COUNT(*) FROM Z_PRIMARYKEY WHERE Z_NAME = 'Keeper'") == ["1"]
            try MigrationStore.check(folder.store, isNew: isNew)
            if isNew { outcomes.new += 1 } else { outcomes.old += 1 }
            #expect(try MigrationStore.migrate(folder.store) == !isNew)
            try MigrationStore.check(folder.store, isNew: true)
            try SQLiteStore.open(
                path: folder.store, model: try MigrationStore.destination()
            ).close()
        }
        print("migration kills: \(outcomes.old) left the old store, \(outcomes.new) the new one")
    }
}
