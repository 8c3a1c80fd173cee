// The file that is left beside a damaged store, and what it says.

import Foundation
import SteleModel
import StelePersistence
import TestSupport
import Testing

@testable import SteleSQLite

@Suite struct DamageMarkTests {
    private let folder: TemporaryFolder
    private let model: Model

    init() throws {
        folder = try TemporaryFolder()
        model = try sampleModel("League")
        try SQLiteStore.open(path: folder.store, model: model).close()
    }

    private var mark: URL { URL(filePath: folder.store + DamageMark.ending) }

    /// What the opening of the store says; nil where it is opened.
    private func refusal() throws -> String? {
        do throws(StoreError) {
            try SQLiteStore.open(path: folder.store, model: model).close()
            return nil
        } catch {
            guard case .incompatible(code: 134080, let text) = error else { throw error }
            return text
        }
    }

    @Test func theMarkRefusesTheStoreWithWhatWasFound() throws {
        DamageMark.leave(beside: folder.store, "\(folder.store)-wal is damaged: some")
        let text = try #require(try refusal())
        #expect(text.contains("was found to be damaged (\(folder.store)-wal is damaged: some)"))
        unlink(mark.path)
        #expect(try refusal() == nil)
    }

    /// A copy without the saves behind the damage would be taken for a good one.
    @Test func aStoreThatIsFoundDamagedIsNotBackedUp() throws {
        let copies = folder.path + "/copies"
        try FileManager.default.createDirectory(
            atPath: copies, withIntermediateDirectories: false)
        DamageMark.leave(beside: folder.store, "\(folder.store)-wal is damaged: some")
        #expect {
            try SQLiteStore.backUp(path: folder.store, to: copies)
        } throws: { error in
            "\(error)".contains("damaged: some") && "\(error)".contains("Recovery")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: copies) == [])
        unlink(mark.path)
        #expect(try SQLiteStore.backUp(path: folder.store, to: copies).bytes > 0)
    }

    /// Where the disk is full, the mark has the beginning of its text, or nothing.
    @Test(arguments: [0, 10]) func aMarkThatIsCutIsOne(_ bytes: Int) throws {
        DamageMark.leave(beside: folder.store, "some")
        truncate(mark.path, off_t(bytes))
        #expect(try refusal()?.contains("it is not known how") == true)
    }

    /// Another program's file of that name is no damage, but no mark could be left beside it.
    @Test func anotherFileOfThatNameIsNoDamage() throws {
        try Data(contentsOf: URL(filePath: folder.store)).write(to: mark)
        #expect(DamageMark.finding(folder.store) == nil)
        let text = try #require(try refusal())
        #expect(text.contains("\(mark.path) is another file"), "\(text)")
        #expect(!text.contains("was found to be damaged") && text.utf8.count < 500, "\(text)")
        unlink(mark.path)
        // Opening these would wait for ever, or read a folder.
        mkfifo(mark.path, 0o600)
        #expect(try refusal()?.contains("is another file") == true)
        unlink(mark.path)
        mkdir(mark.path, 0o700)
        #expect(try refusal()?.contains("is another file") == true)
        rmdir(mark.path)
        #expect(try refusal() == nil)
    }

    @Test func notMoreThanTheBeginningIsRead() throws {
        DamageMark.leave(beside: folder.store, String(repeating: "x", count: 100_000))
        #expect(try #require(try refusal()).utf8.count < 6_000)
    }

    /// Nothing mends a log, and sqlite3 would drop the saves in it.
    @Test func theWayOutIsThatOfTheDamage() throws {
        func said(_ text: String) throws -> String {
            DamageMark.leave(beside: folder.store, text)
            defer { unlink(mark.path) }
            return try #require(try refusal())
        }
        let ofLog = try said("\(folder.store)-wal is damaged: some")
        let missing = try said("\(folder.store)-wal is missing: some")
        let ofFile = try said("\(folder.store) is damaged: some")
        for text in [ofLog, missing, ofFile] {
            #expect(text.contains("Keep a copy of all its files (\(folder.store), -wal, -shm)"))
            #expect(text.contains("stele restore"), "\(text)")
            #expect(text.contains("remove \(mark.path) and \(folder.store)-shm"), "\(text)")
        }
        #expect(!ofLog.contains("salvage") && !missing.contains("salvage"))
        // Of the history's own file the index is another one.
        let history = "\(folder.store)-stele"
        try "".write(toFile: history, atomically: true, encoding: .utf8)
        let ofHistory = try said("\(history)-wal is missing: some")
        #expect(ofHistory.contains("remove \(mark.path) and \(history)-shm"), "\(ofHistory)")
        #expect(ofHistory.contains("(\(folder.store) and \(history), -wal, -shm)"))
        unlink(history)
        #expect(ofFile.contains("salvage the rows from the copy"), "\(ofFile)")
    }

    /// What the next opening mends leaves no mark, and what is found after it does.
    @Test func lastingDamageLeavesAMarkAlsoWhereItIsNotTheFirst() throws {
        let damage = StoreDamage(folder.store)
        damage.note("the index was cut", isLasting: false)
        #expect(access(mark.path, F_OK) != 0)
        damage.note("the log was cut")
        damage.note("the file was cut")
        let text = try String(contentsOf: mark, encoding: .utf8)
        #expect(text.contains("the log was cut") && !text.contains("the file was cut"), "\(text)")
        let error = #expect(throws: StoreError.self) { try damage.check() }
        #expect(error?.sentence.contains("the index was cut") == true)
    }
}
