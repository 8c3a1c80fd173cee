// What other programs may do with a store's files is no damage, and what no program does is.

import Foundation
import SteleModel
import StelePersistence
import SteleSystem
import TestSupport
import Testing

@testable import SteleSQLite

@Suite struct DamageCheckTests {
    private let folder: TemporaryFolder
    private let model: Model
    private let team: Entity

    init() throws {
        folder = try TemporaryFolder()
        model = try sampleModel("League")
        team = try #require(model.entity(named: "Team"))
    }

    /// Commits, rollbacks, checkpoints and other lengths of the file, in any order.
    @Test func otherProgramsDoNoDamage() throws {
        let seed = drawSeed("other programs")
        var numbers = SeededNumbers(seed: seed)
        let store = try SQLiteStore.open(path: folder.store, model: model)
        defer { store.close() }
        let connection = try Connection(path: folder.store, creates: false)
        _ = try connection.single("SELECT COUNT(*) FROM sqlite_master")
        let damage = StoreDamage()
        let check = DamageCheck(connection, damage)
        var others = [try RawDatabase(folder.store)]
        let long = String(repeating: "x", count: 3_000)
        for step in 0..<400 {
            let other = numbers.pick(others, or: others[0])
            switch numbers.below(14) {
            case 0, 1, 2:
                for _ in 0...numbers.below(4) {
                    _ = try store.insert(team, ["name": .string("\(step)"), "city": .string(long)])
                }
            case 3: try other.run("UPDATE ZTEAM SET ZCITY = '\(step)' WHERE Z_PK % 3 = 0")
            case 4: try other.run("DELETE FROM ZTEAM WHERE Z_PK % 5 = 0")
            case 5:
                // Its pages do not fit in memory, so that they are in the log without a commit.
                try other.run(
                    "PRAGMA cache_size = 2; BEGIN; UPDATE ZTEAM SET ZCITY = '\(long)'; ROLLBACK")
            case 6: try other.run("PRAGMA wal_checkpoint(\(numbers.pick("PASSIVE", "FULL")))")
            case 7: try other.run("PRAGMA wal_checkpoint(\(numbers.pick("RESTART", "TRUNCATE")))")
            case 8: try other.run("VACUUM")
            case 9: try other.run("PRAGMA incremental_vacuum; PRAGMA journal_size_limit = 0")
            case 10: others.append(try RawDatabase(folder.store))
            case 11: try setAnotherTime(&numbers)
            case 12: try copyAndLink()
            default: if others.count > 1 { others.removeLast() }
            }
            if numbers.one(in: 2) { _ = check.look() }
            if numbers.one(in: 3) { _ = check.beforeCopying() }
            #expect(!damage.isKnown, "seed \(seed), step \(step)")
            try store.checkPresence()
        }
    }

    /// As `touch` and `chmod` do.
    private func setAnotherTime(_ numbers: inout SeededNumbers) throws {
        let date = Date(timeIntervalSince1970: Double(numbers.below(2_000_000_000)))
        try FileManager.default.setAttributes(
            [.modificationDate: date, .posixPermissions: numbers.one(in: 2) ? 0o644 : 0o600],
            ofItemAtPath: folder.store)
    }

    /// As `cp`, `ln` and `mv` do.
    private func copyAndLink() throws {
        let others = ["copy", "link", "moved"].map { folder.store + $0 }
        try FileManager.default.copyItem(atPath: folder.store, toPath: others[0])
        try FileManager.default.linkItem(atPath: folder.store, toPath: others[1])
        try FileManager.default.moveItem(atPath: folder.store, toPath: others[2])
        try FileManager.default.moveItem(atPath: others[2], toPath: folder.store)
        for other in others { unlink(other) }
    }

    /// Looks while other programs commit and copy the log into the file.
    @Test func changesByOtherProgramsAreNoDamage() throws {
        let store = try SQLiteStore.open(path: folder.store, model: model)
        defer { store.close() }
        let connection = try Connection(path: folder.store, creates: false)
        _ = try connection.single("SELECT COUNT(*) FROM sqlite_master")
        let damage = StoreDamage()
        let check = DamageCheck(connection, damage)
        let isOver = Atomic<Bool>(false)
        let path = folder.store
        let threads = (0..<3).map { thread in
            SystemThread(name: "other") {
                var number = 0
                while !isOver.load(ordering: .acquiring) {
                    number += 1
                    guard let other = try? RawDatabase(path) else { continue }
                    let change =
                        thread == 0
                        ? "INSERT INTO ZTEAM (ZNAME, ZCITY) VALUES ('a', hex(randomblob(9000)))"
                        : "DELETE FROM ZTEAM WHERE Z_PK % 3 = \(number % 3)"
                    let mode = ["PASSIVE", "FULL", "RESTART", "TRUNCATE"][number % 4]
                    try? other.run("PRAGMA synchronous = OFF; PRAGMA busy_timeout = 100; \(change)")
                    try? other.run("PRAGMA wal_checkpoint(\(mode))")
                    if number % 50 == 0 { try? other.run("VACUUM") }
                }
            }
        }
        let end = MonotonicClock.deadline(in: 4)
        while MonotonicClock.now < end {
            #expect(!check.look() && !check.beforeCopying())
            try check.beforeWriting(isForeign: true)
        }
        isOver.store(true, ordering: .releasing)
        for thread in threads { thread?.join() }
    }

    /// A byte at any place of what is committed is found by a look, and by the next save.
    @Test func aChangedByteOfTheLogIsFound() throws {
        let seed = drawSeed("a changed byte")
        var numbers = SeededNumbers(seed: seed)
        let store = try SQLiteStore.open(path: folder.store, model: model)
        for number in 0..<30 { _ = try store.insert(team, ["name": .string("\(number)")]) }
        let log = URL(filePath: folder.store + "-wal")
        let whole = try Data(contentsOf: log)
        for _ in 0..<40 {
            let connection = try Connection(path: folder.store, creates: false)
            _ = try connection.single("SELECT COUNT(*) FROM sqlite_master")
            let damage = StoreDamage()
            let check = DamageCheck(connection, damage)
            #expect(!check.look())
            var changed = whole
            let place = numbers.below(whole.count)
            changed[place] ^= UInt8(1 << numbers.below(8))
            try write(changed, to: log)
            #expect(check.look(), "seed \(seed): byte \(place) of \(whole.count)")
            try write(whole, to: log)
            connection.leaveLog()
        }
        // A time that is later than that of the last save.
        usleep(20_000)
        var changed = whole
        changed[whole.count / 2] ^= 1
        try write(changed, to: log)
        for _ in 0..<2 {
            let error = #expect(throws: StoreError.self) {
                try store.insert(team, ["name": .string("later")])
            }
            guard case .damaged(let text)? = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(text.contains("-wal is damaged"), "\(text)")
        }
        #expect(throws: StoreError.self) { try store.checkPresence() }
        // It goes on reading, and leaves the files as they are.
        #expect(try store.newest(ObjectID(root: team.root, key: 30)) != nil)
        store.close()
        #expect(try Data(contentsOf: log) == changed)
    }

    /// A changed byte of what a checkpoint would copy is found before it does: of the last frame of
    /// each page. What no checkpoint copies may stay.
    @Test func aChangedByteIsFoundBeforeItIsCopied() throws {
        let seed = drawSeed("a changed byte to copy")
        var numbers = SeededNumbers(seed: seed)
        let store = try SQLiteStore.open(path: folder.store, model: model)
        defer { store.close() }
        let connection = try Connection(path: folder.store, creates: false)
        // The log has more frames than the first block of its index.
        try connection.run("PRAGMA wal_autocheckpoint = 0")
        for number in 0..<1_200 {
            try connection.run(
                "INSERT INTO ZTEAM (ZNAME, ZCITY) VALUES ('\(number)', hex(randomblob(9000)));")
        }
        defer { connection.leaveLog() }
        let log = URL(filePath: folder.store + "-wal")
        let whole = try Data(contentsOf: log)
        let frameBytes = 24 + 4_096
        let count = (whole.count - 32) / frameBytes
        func number(at place: Int) -> Int {
            whole[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
        }
        var lasts: [Int: Int] = [:]
        for frame in 0..<count { lasts[number(at: 32 + frame * frameBytes)] = frame }
        #expect(count > 5_000 && lasts.count < count)
        let copied = Set(lasts.values)
        var (found, left) = (0, 0)
        for _ in 0..<60 {
            let damage = StoreDamage()
            let check = DamageCheck(connection, damage)
            let frame = numbers.below(count)
            let place = 32 + frame * frameBytes + numbers.below(frameBytes)
            let byte = whole[place]
            try write(Data([byte ^ UInt8(1 << numbers.below(8))]), to: log, at: place)
            if check.beforeCopying() {
                found += 1
            } else {
                left += 1
                #expect(!copied.contains(frame), "seed \(seed): byte \(place), frame \(frame)")
            }
            try write(Data([byte]), to: log, at: place)
        }
        #expect(found > 0 && left > 0, "seed \(seed)")
    }

    /// Beside a view of an older state, a checkpoint leaves the pages that were written after it, and
    /// does not copy what the view reads of them: of a page it copies the last frame or none.
    @Test func aCheckpointCopiesTheLastFrameOfAPageOrNone() throws {
        let seed = drawSeed("checkpoints beside views")
        var numbers = SeededNumbers(seed: seed)
        let pageBytes = 4_096
        let file = URL(filePath: folder.store)
        let log = URL(filePath: folder.store + "-wal")
        let writer = try RawDatabase(folder.store)
        try writer.run("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0")
        try writer.run("CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB)")
        for _ in 0..<40 { try writer.run("INSERT INTO t (b) VALUES (randomblob(3500))") }
        var (copied, left) = (0, 0)
        for round in 0..<20 {
            try writer.run("PRAGMA wal_checkpoint(TRUNCATE)")
            let view = try RawDatabase(folder.store)
            let (first, count) = (numbers.below(30), 30 + numbers.below(30))
            for change in 0..<count {
                if change == first { try view.run("BEGIN; SELECT COUNT(*) FROM t") }
                let key = 1 + numbers.below(40)
                try writer.run("UPDATE t SET b = randomblob(3500) WHERE a = \(key)")
            }
            let (before, frames) = (try Data(contentsOf: file), try Data(contentsOf: log))
            try writer.run("PRAGMA wal_checkpoint(PASSIVE)")
            let after = try Data(contentsOf: file)
            var lasts: [Int: Data] = [:]
            for place in stride(from: 32, to: frames.count, by: 24 + pageBytes) {
                let page = frames[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
                lasts[page] = frames[place + 24..<place + 24 + pageBytes]
            }
            for (page, last) in lasts {
                let place = (page - 1) * pageBytes
                let now = after.dropFirst(place).prefix(pageBytes)
                let isLast = now.elementsEqual(last)
                let isOld = now.elementsEqual(before.dropFirst(place).prefix(pageBytes))
                #expect(isLast || isOld, "seed \(seed), round \(round), page \(page)")
                if isLast { copied += 1 } else { left += 1 }
            }
        }
        #expect(copied > 0 && left > 0, "seed \(seed)")
    }

    /// Writes into the file that is there.
    private func write(_ bytes: Data, to file: URL, at place: Int = 0) throws {
        let handle = try FileHandle(forUpdating: file)
        try handle.seek(toOffset: UInt64(place))
        try handle.write(contentsOf: bytes)
        try handle.close()
    }
}
