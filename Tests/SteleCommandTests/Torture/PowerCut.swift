/// A process under Tests/UnsyncedWrites, and the loss of what it has not synced.

import Foundation
import SteleDifferential
import TestSupport

/// A folder whose files lose what was not synced when the machine lost power.
///
/// A process with `environment` records what its writes replace; after it was killed, `cut` takes
/// the files back.
final class PowerCut {
    /// What a cut takes.
    enum Loss: CaseIterable {
        /// Nothing that was not synced is on the disk.
        case all
        /// Pieces of 4 KiB are there or not, in any order, and some are torn at a sector.
        case some
        /// Only the process has died, not the machine. What is not synced may be lost next time.
        case none
    }

    struct Failure: Error { let text: String }

    /// What cuts have done so far.
    struct Counts: CustomStringConvertible {
        var cuts = 0
        var lost = 0
        var kept = 0
        var torn = 0
        var removed = 0

        var description: String {
            "\(cuts) cuts lost \(lost) unsynced pieces, kept \(kept), tore \(torn) and removed "
                + "\(removed) new files"
        }
    }

    private static let library = PreloadedLibrary("UnsyncedWrites")

    private let folder: String
    private let logs: TemporaryFolder
    private(set) var counts = Counts()
    /// The file of the trace, in which a line is a write, a sync or an answer.
    var trace: String { logs.path + "/trace" }

    /// - Parameter folder: the folder with the files, and nothing else that is written.
    init(_ folder: String) throws {
        // As the kernel names it.
        self.folder = URL(fileURLWithPath: folder).resolvingSymlinksInPath().path
        logs = try TemporaryFolder()
        _ = try Self.library.path.get()
    }

    /// For a process whose writes are recorded.
    /// - Parameters:
    ///   - delay: milliseconds that a sync takes longer, so that more kills come before its end.
    ///   - lies: whether a sync does nothing.
    func environment(
        delay: Int = 0, traced: Bool = false, lies: Bool = false
    ) throws -> [String: String] {
        var all = [
            "LD_PRELOAD": try Self.library.path.get(), "UNSYNCED_FOLDER": folder,
            "UNSYNCED_LOG": logs.path, "UNSYNCED_DELAY": String(delay),
        ]
        if traced { all["UNSYNCED_TRACE"] = trace }
        if lies { all["UNSYNCED_LIES"] = "1" }
        return all
    }

    /// Takes the files to what they may be after the cut. No process may have them open.
    func cut(_ loss: Loss, _ numbers: inout SeededNumbers) throws {
        let files = (FileManager.default.enumerator(atPath: folder)?.allObjects as? [String] ?? [])
            .map { folder + "/" + $0 }
        for path in files where path.hasSuffix("-shm") && loss != .none { unlink(path) }
        for path in files {
            var status = stat()
            guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
            let log = "\(logs.path)/\(status.st_ino).undo"
            guard let bytes = FileManager.default.contents(atPath: log) else { continue }
            let records = UndoLog(bytes)
            if loss == .none {
                // The process died while it wrote this: the file itself was not changed.
                truncate(log, off_t(records.end))
            } else {
                try take(records.unsynced, from: path, loss, &numbers)
            }
        }
        guard loss != .none else { return }
        counts.cuts += 1
        for path in try newFiles() where loss == .all || numbers.one(in: 2) {
            if unlink(path) == 0 { counts.removed += 1 }
        }
        for name in try FileManager.default.contentsOfDirectory(atPath: logs.path)
        where name.hasSuffix(".undo") || name == "names" {
            unlink(logs.path + "/" + name)
        }
    }

    /// The files whose folder was not synced after they were made.
    private func newFiles() throws -> [String] {
        let lines = try String(contentsOfFile: logs.path + "/names", encoding: .utf8)
        var made: [String] = []
        for line in lines.split(separator: "\n") {
            let path = String(line.dropFirst())
            if line.hasPrefix("+") {
                made.append(path)
            } else {
                made.removeAll { ($0 as NSString).deletingLastPathComponent == path }
            }
        }
        return made
    }

    private func take(
        _ writes: [UndoLog.Write], from path: String, _ loss: Loss,
        _ numbers: inout SeededNumbers
    ) throws {
        let file = open(path, O_RDWR)
        guard file >= 0 else { throw Failure(text: "\(path) cannot be opened") }
        defer { close(file) }
        func put(_ bytes: Data, at offset: Int) throws {
            let count = bytes.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, offset) }
            guard count == bytes.count else { throw Failure(text: "\(path) cannot be written") }
        }
        for write in writes.reversed() {
            let start = write.isTruncation ? min(write.offset, write.oldSize) : write.offset
            if !write.old.isEmpty { try put(write.old, at: start) }
            guard ftruncate(file, write.oldSize) == 0 else {
                throw Failure(text: "\(path) cannot be cut")
            }
        }
        for write in writes {
            guard loss == .some else {
                counts.lost += 1
                continue
            }
            if write.isTruncation {
                if numbers.one(in: 2) { ftruncate(file, write.offset) }
                continue
            }
            var rest = write.new
            var offset = write.offset
            while !rest.isEmpty {
                var piece = Data(rest.prefix(4_096))
                rest = Data(rest.dropFirst(piece.count))
                defer { offset += 4_096 }
                if numbers.one(in: 2) {
                    counts.lost += 1
                    continue
                }
                if piece.count > 512, numbers.one(in: 4) {
                    piece = Data(piece.prefix(512 * (1 + numbers.below(piece.count / 512))))
                    counts.torn += 1
                }
                counts.kept += 1
                try put(piece, at: offset)
            }
        }
    }
}

/// The records of a file; Tests/UnsyncedWrites/UnsyncedWrites.c describes their form.
private struct UndoLog {
    struct Write {
        let isTruncation: Bool
        let offset: Int
        let oldSize: Int
        let old: Data
        let new: Data
    }

    /// What is not on the disk for certain, in order.
    let unsynced: [Write]
    /// Where the last record that is whole ends.
    let end: Int

    private static let headSize = 40
    private static let mark: UInt32 = 0x5354_4c45

    init(_ bytes: Data) {
        var writes: [(place: Int, write: Write)] = []
        var synced = 0
        var place = 0
        while bytes.count - place >= Self.headSize {
            let head = bytes[bytes.startIndex + place..<bytes.startIndex + place + Self.headSize]
            let (words, numbers) = head.withUnsafeBytes { head in
                (
                    (0..<2).map { head.loadUnaligned(fromByteOffset: 4 * $0, as: UInt32.self) },
                    (1..<5).map {
                        Int(head.loadUnaligned(fromByteOffset: 8 * $0, as: UInt64.self))
                    }
                )
            }
            precondition(words[0] == Self.mark, "the log of a file's writes is damaged")
            let start = bytes.startIndex + place + Self.headSize
            let middle = start + numbers[1]
            let end = middle + (words[1] == 1 ? numbers[2] : 0)
            guard end <= bytes.endIndex else { break }
            if words[1] == 3 {
                synced = numbers[0]
            } else {
                writes.append(
                    (
                        place,
                        Write(
                            isTruncation: words[1] == 2, offset: numbers[0], oldSize: numbers[3],
                            old: Data(bytes[start..<middle]), new: Data(bytes[middle..<end]))
                    ))
            }
            place = end - bytes.startIndex
        }
        unsynced = writes.filter { $0.place >= synced }.map(\.write)
        end = place
    }
}
