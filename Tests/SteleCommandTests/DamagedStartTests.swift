// A store that was damaged under a service, or after its end, is not opened again before somebody
// has seen to it: SQLite would drop the saves behind the damage.

import Foundation
import TestSupport
import Testing

@Suite struct DamagedStartTests {
    private let folder: TemporaryFolder
    private let seed = drawSeed("damaged start")
    private static let saves = 60
    private static let ofLog: [StoreFault] = [
        .logCutToNothing, .logCut, .logHeader, .logSalt, .logFrame, .logEnd,
    ]

    init() throws { folder = try TemporaryFolder() }

    private var store: String { folder.path + "/s.sqlite" }
    private let serving = ["serve", samplePath("League"), "--store", "s.sqlite", "--port", "0"]

    /// Starts a service and saves teams, which are in the log alone.
    /// - Parameter isNew: whether the tables are in the log as well.
    private func start(isNew: Bool = false) throws -> (program: Program, caller: Caller) {
        if !isNew {
            let first = try Program(serving, folder: folder.path)
            _ = first.lines(3)
            end(first, by: SIGTERM)
        }
        let program = try Program(serving, folder: folder.path)
        let caller = try Caller(program.lines(3))
        for number in 0..<Self.saves { try #require(try post("\(number)", caller)) }
        return (program, caller)
    }

    /// Whether a team is saved.
    private func post(_ name: String, _ caller: Caller) throws -> Bool {
        try caller.call("POST", "/Team", #"{"name":"\#(name)"}"#).contains(" 201 ")
    }

    private func end(_ program: Program, by signal: Int32) {
        program.signal(signal)
        _ = program.end()
    }

    private func strike(_ fault: StoreFault) throws {
        var numbers = SeededNumbers(seed: seed)
        try fault.strike(store, &numbers)
    }

    private func files() -> [Data?] {
        ["", "-wal", "-shm"].map { try? Data(contentsOf: URL(filePath: store + $0)) }
    }

    private func run(_ arguments: [String]) throws -> (status: Int32, text: String) {
        let program = try Program(arguments, folder: folder.path)
        let (status, errors) = program.end()
        return (status, program.text + errors)
    }

    /// Checks that no start changes the files, that they can be read, and the way out.
    private func expectRefusal(
        _ comment: Comment, saying part: String = "s.sqlite-wal is damaged"
    ) throws {
        let before = files()
        for _ in 0..<2 {
            let (status, text) = try run(serving)
            #expect(status == 1, "\(comment): \(text)")
            for part in ["was found to be damaged (", part, "stele restore"] {
                #expect(text.contains(part), "\(comment): \(text)")
            }
        }
        let (status, checked) = try run(["check", "s.sqlite", "--model", samplePath("League")])
        #expect(status == 1 && checked.contains("was found to be damaged"), "\(checked)")
        #expect(try run(["inspect", "s.sqlite"]).text.contains("was found to be damaged"))
        let exporting = ["export", samplePath("League"), "--store", "s.sqlite", "--read-only"]
        let exported = try run(exporting + ["--entity", "Team", "--output", "teams.ndjson"])
        #expect(exported.status == 0, "\(comment): \(exported.text)")
        #expect(files() == before, "\(comment)")
        unlink(folder.path + "/teams.ndjson")
        for ending in ["-damaged", "-shm"] { unlink(store + ending) }
        let program = try Program(serving, folder: folder.path)
        let caller = try Caller(program.lines(3))
        #expect(try post("later", caller), "\(comment)")
        end(program, by: SIGTERM)
        #expect(!FileManager.default.fileExists(atPath: store + "-damaged"))
    }

    @Test(arguments: [SIGTERM, SIGKILL], [StoreFault.logFrame, .logCut, .logCutToNothing])
    func noticedDamageIsNotForgotten(_ signal: Int32, _ fault: StoreFault) throws {
        let (program, caller) = try start()
        try strike(fault)
        #expect(try !post("later", caller))
        end(program, by: signal)
        try expectRefusal("\(fault), \(signal), seed \(seed)")
    }

    /// The service has no time to notice it.
    @Test(arguments: ofLog) func aLogThatWasDamagedAfterAKillIsNoticed(_ fault: StoreFault) throws {
        end(try start().program, by: SIGKILL)
        try strike(fault)
        try expectRefusal("\(fault), seed \(seed)")
    }

    /// The saves in it are in no other file.
    @Test(arguments: [true, false]) func aLogThatIsRemovedIsNoticed(isEnded: Bool) throws {
        let (program, caller) = try start()
        if isEnded { end(program, by: SIGKILL) }
        unlink(store + "-wal")
        if !isEnded {
            #expect(try !post("later", caller))
            end(program, by: SIGKILL)
        }
        try expectRefusal("removed: \(isEnded)", saying: "s.sqlite-wal is missing")
    }

    /// What a kill leaves is no damage: also with a log that was restarted, and without an index.
    @Test func aKillIsNoDamage() throws {
        var count = 0
        for round in 0..<6 {
            let (program, caller) = try start()
            count += Self.saves
            #expect(caller.ask("GET", "/Team/count")?.body.contains("\(count)") ?? false)
            end(program, by: SIGKILL)
            switch round % 3 {
            case 1:
                try RawDatabase(store).run("PRAGMA wal_checkpoint(RESTART); DELETE FROM ZTEAM")
                count = 0
            case 2: unlink(store + "-shm")
            default: break
            }
        }
    }

    /// A restore puts a store there that is whole, and keeps the damaged one, whose damage was noticed
    /// or not.
    @Test(arguments: [true, false]) func aBackupTakesThePlace(ofANewStore isNew: Bool) throws {
        let (program, caller) = try start(isNew: isNew)
        #expect(try run(["backup", "s.sqlite", "--to", "kept"]).status == 0)
        let kept = try #require(
            FileManager.default.contentsOfDirectory(atPath: folder.path + "/kept").first)
        if !isNew { end(program, by: SIGKILL) }
        try strike(.logFrame)
        if isNew {
            #expect(try !post("later", caller))
            end(program, by: SIGTERM)
        }
        let damaged = files()
        let (status, text) = try run(["restore", "kept/\(kept)", "--store", "s.sqlite"])
        #expect(status == 0, "\(text)")
        let replaced = URL(filePath: store + "-replaced-1/s.sqlite")
        #expect(try Data(contentsOf: replaced) == damaged[0])
        #expect(try Data(contentsOf: URL(filePath: replaced.path + "-wal")) == damaged[1])
        let again = try Program(serving, folder: folder.path)
        defer { end(again, by: SIGTERM) }
        #expect(try post("later", try Caller(again.lines(3))))
    }
}
