// What the disk or another program refuses reaches everybody who waits, and nothing is left behind.

import Foundation
import SteleModel
import StelePersistence
import SteleSQL
import SteleSystem
import TestSupport
import Testing

@testable import SteleSQLite

/// A writer over a connection whose limits a test sets.
private final class WriterStage {
    let folder: TemporaryFolder
    let model: Model
    let connection: Connection
    let queue = WriterQueue()
    private var thread: SystemThread?
    private let writer: Writer

    init() throws {
        folder = try TemporaryFolder()
        model = try sampleModel("League")
        try SQLiteStore.open(path: folder.store, model: model).close()
        connection = try Connection(path: folder.store, creates: false)
        let schema = try StoreFile.prepare(connection, path: folder.store, model: model).schema
        let translator = CurrentTranslator(FetchTranslator(schema: schema))
        let transactions = SQLiteTransactions(
            connection, schema: schema, translator: translator,
            search: ForeignSearch(
                schema, translator, known: ForeignValues(),
                open: { () throws(StoreError) in throw .closed }, changed: {}, failed: { _ in }),
            watch: CommitWatch(connection), presence: StorePresence([]),
            damage: StoreDamage(),
            checkpointer: Checkpointer(views: ReaderPool(path: folder.store, isMapped: false)),
            changedElsewhere: {})
        writer = try transactions.makeWriter(queue) { nil }
    }

    /// Jobs that are queued before are one batch.
    func start() throws {
        nonisolated(unsafe) let writer = writer
        thread = SystemThread(name: "test") { writer.run() }
    }

    func stop() {
        queue.close()
        thread?.join()
    }

    func job(_ name: String, bytes: Int = 0) throws -> WriterJob {
        let team = try #require(model.entity(named: "Team"))
        var request = SaveRequest(readToken: 0)
        request.author = "author of \(name)"
        request.changes = [
            ObjectChange(
                .insert, entity: team.index, key: -1,
                values: team.row([
                    "name": .string(name),
                    "city": .string(String(repeating: "x", count: bytes)),
                ]))
        ]
        let job = WriterJob(.save(request))
        try queue.add(job)
        return job
    }

    /// A save that changes an object that is not there, which is told when its rows are written.
    func half(_ name: String) throws -> WriterJob {
        let team = try #require(model.entity(named: "Team"))
        var request = SaveRequest(readToken: 0)
        let values = team.row(["name": .string("half \(name)")])
        let missing = Snapshot(entity: team.index, key: 9_999, version: 1, values: values)
        request.changes = [
            ObjectChange(.insert, entity: team.index, key: -1, values: values),
            ObjectChange(
                .update, entity: team.index, key: 9_999, before: missing, values: values,
                changedSlots: [0]),
            ObjectChange(.insert, entity: team.index, key: -2, values: values),
        ]
        let job = WriterJob(.save(request))
        try queue.add(job)
        return job
    }

    func roomFor(pages: Int) throws {
        guard case .string(let text) = try connection.single("PRAGMA page_count"),
            let count = Int(text)
        else { throw StoreError.closed }
        try connection.run("PRAGMA max_page_count = \(count + pages)")
    }

    func texts(_ sql: String) throws -> [String] { try RawDatabase(folder.store).texts(sql) }
}

private func outcome(_ job: WriterJob) -> Result<SaveResult, any Error> {
    Result { try job.wait() }
}

@Suite struct WriterFailureTests {
    /// A trigger of another program refuses one save of a batch, also where it ends the transaction of
    /// all. The others are saved once, as they were answered.
    @Test(arguments: ["ABORT", "FAIL", "ROLLBACK"])
    func aTriggerRefusesOneSaveAndNoOther(_ kind: String) throws {
        let stage = try WriterStage()
        try stage.connection.run(
            "CREATE TRIGGER app BEFORE INSERT ON ZTEAM WHEN new.ZNAME LIKE '%bad%' BEGIN "
                + "SELECT RAISE(\(kind), 'no such name'); END")
        let names = (0..<9).map { $0 % 4 == 2 ? "bad \($0)" : "\($0)" }
        let jobs = try names.map { try stage.job($0) }
        try stage.start()
        for (name, job) in zip(names, jobs) {
            switch outcome(job) {
            case .success: #expect(!name.contains("bad"), "\(kind) \(name)")
            case .failure(StoreError.refused(let text)):
                #expect(name.contains("bad") && text.contains("no such name"), "\(kind) \(text)")
                #expect(text.hasPrefix("a new Team: "), "\(text)")
            case .failure(let error): Issue.record("\(kind) \(name): \(error)")
            }
        }
        stage.stop()
        let saved = names.filter { !$0.contains("bad") }
        #expect(try stage.texts("SELECT ZNAME FROM ZTEAM ORDER BY ZNAME") == saved)
        #expect(
            try stage.texts("SELECT COUNT(*) FROM ATRANSACTION") == ["\(saved.count)"], "\(kind)")
    }

    @Test func aFullDiskRefusesWhoIsTooLargeAndNobodyElse() throws {
        let stage = try WriterStage()
        try stage.roomFor(pages: 20)
        let jobs = try (0..<12).map { index in
            try stage.job("\(index)", bytes: index % 3 == 1 ? 400_000 : 10)
        }
        try stage.start()
        for (index, job) in jobs.enumerated() {
            switch outcome(job) {
            case .success: #expect(index % 3 != 1)
            case .failure(StoreError.noRoom): #expect(index % 3 == 1)
            case .failure(let error): Issue.record(error)
            }
        }
        stage.stop()
        #expect(try stage.texts("SELECT Z_PK FROM ZTEAM ORDER BY 1") == (1...8).map(String.init))
        #expect(
            try stage.texts("SELECT Z_PK FROM ATRANSACTION ORDER BY 1") == (1...8).map(String.init))
        #expect(try stage.texts("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16002") == ["8"])
        #expect(try stage.texts("SELECT ZNAME FROM ATRANSACTIONSTRING").count == 9)
        #expect(try stage.texts("PRAGMA integrity_check") == ["ok"])
    }

    /// Refused after its first row is written, in the middle of a batch that has no savepoints, and
    /// again in one that has them.
    @Test func aRefusedSaveInABatchLeavesNothingAndFailsAlone() throws {
        let stage = try WriterStage()
        var jobs: [(job: WriterJob, isRefused: Bool)] = []
        for index in 0..<30 {
            let isRefused = index % 10 == 4
            jobs.append(
                (isRefused ? try stage.half("\(index)") : try stage.job("\(index)"), isRefused))
        }
        try stage.start()
        for (job, isRefused) in jobs {
            switch outcome(job) {
            case .success: #expect(!isRefused)
            case .failure(StoreError.conflicts): #expect(isRefused)
            case .failure(let error): Issue.record(error)
            }
        }
        let late = try [stage.job("30"), stage.half("31"), stage.job("32")]
        #expect(try late[0].wait().token == 28)
        #expect(throws: StoreError.self) { try late[1].wait() }
        #expect(try late[2].wait().token == 29)
        stage.stop()
        #expect(try stage.texts("SELECT Z_PK FROM ZTEAM ORDER BY 1") == (1...29).map(String.init))
        #expect(try stage.texts("SELECT COUNT(*) FROM ZTEAM WHERE ZNAME LIKE '%half%'") == ["0"])
        #expect(
            try stage.texts("SELECT Z_PK FROM ATRANSACTION ORDER BY 1") == (1...29).map(String.init)
        )
        #expect(try stage.texts("SELECT COUNT(*) FROM ACHANGE") == ["29"])
        #expect(try stage.texts("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16002") == ["29"])
    }

    @Test func manyWhoJoinABatchThatFailsAreEachAnsweredOnce() throws {
        let stage = try WriterStage()
        try stage.roomFor(pages: 60)
        try stage.start()
        nonisolated(unsafe) let it = stage
        let group = DispatchGroup()
        for thread in 0..<16 {
            DispatchQueue.global().async(group: group) {
                for index in 0..<20 {
                    let large = (thread + index) % 4 == 0
                    do {
                        let job = try it.job("\(thread)-\(index)", bytes: large ? 400_000 : 10)
                        switch outcome(job) {
                        case .success: if large { Issue.record("saved without room") }
                        case .failure(StoreError.noRoom):
                            if !large { Issue.record("refused beside a large one") }
                        case .failure(let error): Issue.record(error)
                        }
                    } catch { Issue.record(error) }
                }
            }
        }
        group.wait()
        stage.stop()
        #expect(try stage.texts("SELECT COUNT(*) FROM ZTEAM") == ["240"])
        #expect(try stage.texts("SELECT MAX(Z_PK) FROM ZTEAM") == ["240"])
    }

    @Test func aFailedBatchDoesNotForgetWhatAnotherProgramDid() throws {
        let stage = try WriterStage()
        let first = try stage.job("first")
        try stage.start()
        #expect(try first.wait().token == 1)
        try RawDatabase(stage.folder.store).run(
            "BEGIN; INSERT INTO ZTEAM (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (2, 2, 1, 'foreign'), "
                + "(3, 2, 1, 'foreign'); UPDATE Z_PRIMARYKEY SET Z_MAX = 3 WHERE Z_ENT = 2; COMMIT")
        nonisolated(unsafe) let connection = stage.connection
        try stage.roomFor(pages: 10)
        let large = try stage.job("large", bytes: 400_000)
        #expect(throws: StoreError.self) { try large.wait() }
        let next = try stage.job("next")
        let result = try next.wait()
        #expect(result.changes.map(\.key) == [4])
        _ = connection
        stage.stop()
    }

    @Test func aLockedFileKeepsABatchWaitingOnceAndNotOncePerSave() throws {
        let stage = try WriterStage()
        try stage.connection.run("PRAGMA busy_timeout = 300")
        let jobs = try (0..<20).map { try stage.job("\($0)") }
        let other = try RawDatabase(stage.folder.store)
        try other.run("BEGIN IMMEDIATE")
        let start = DispatchTime.now()
        try stage.start()
        for job in jobs {
            guard case .failure(StoreError.busy) = outcome(job) else {
                Issue.record("not busy")
                continue
            }
        }
        // Twenty waits would take six seconds.
        #expect(DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds < 3_000_000_000)
        try other.run("ROLLBACK")
        let after = try stage.job("after")
        #expect(try after.wait().token == 1)
        stage.stop()
    }

    @Test func savesThatWaitWhenTheStoreIsClosedAreStillWrittenAndLaterOnesRefused() throws {
        let stage = try WriterStage()
        let jobs = try (0..<600).map { try stage.job("\($0)") }
        stage.queue.close()
        #expect(throws: StoreError.self) { try stage.job("late") }
        try stage.start()
        for job in jobs { _ = try job.wait() }
        stage.stop()
        #expect(try stage.texts("SELECT COUNT(*) FROM ZTEAM") == ["600"])
    }
}
