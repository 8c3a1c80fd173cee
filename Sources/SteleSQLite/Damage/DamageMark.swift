import Glibc
import StelePersistence

/// A file beside a store, which a program leaves that has found the store to be damaged. While it is
/// there no program opens the store to save to it.
///
/// SQLite's next opening would read the log (`-wal`) up to the first page that is not as it was
/// written, and then write over all pages behind that one. They have saves that were answered, and
/// can still be mended.
enum DamageMark {
    static let ending = "-damaged"

    /// The first line, which distinguishes it from another file of that name.
    private static let start = "Stele has found the store beside this file to be damaged:"
    private static let mostBytes = 4_096

    private enum Look {
        case nothing, another
        case mark(String)
    }

    /// Leaves the file, with what was found. One that is there stays.
    static func leave(beside store: String, _ text: String) {
        let path = StoreLook.place(of: store) + ending
        // Also an empty file tells it, where the disk is full.
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard file >= 0 else { return }
        _ = Array("\(start)\n\(text)\n".utf8).withUnsafeBytes {
            write(file, $0.baseAddress, $0.count)
        }
        fsync(file)
        close(file)
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        try? ExternalFolder.sync(folder: folder)
    }

    private static func look(at path: String) -> Look {
        var found = stat()
        guard lstat(path, &found) == 0 else { return .nothing }
        // Opening a pipe would wait for its writer.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return .another }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: mostBytes)
        guard fstat(file, &found) == 0, found.st_mode & S_IFMT == S_IFREG,
            case let count = read(file, &bytes, bytes.count), count >= 0
        else { return .another }
        let text = bytes[..<count]
        guard start.utf8.starts(with: text.prefix(start.utf8.count)) else { return .another }
        let lines = text.dropFirst(start.utf8.count).split(separator: UInt8(ascii: "\n"))
            .map { String(decoding: $0, as: UTF8.self) }
        return .mark(lines.isEmpty ? "it is not known how" : lines.joined(separator: "; "))
    }

    /// What was found by the program that has left the file, or is wrong with a log that no program
    /// uses; nil for nothing. Nothing is changed.
    static func finding(_ store: String) -> String? {
        let file = StoreLook.place(of: store)
        if case .mark(let text) = look(at: file + ending) { return text }
        // Reading the index beside a connection of this process would end its locks.
        guard StoreLock.isFree(store: store) else { return nil }
        return LeftLog.fault(of: file) ?? LeftLog.fault(of: file + StoreFile.historyEnding)
    }

    /// Checks a store before SQLite opens it for writing. Nothing is changed but for the file.
    /// - Throws: `StoreError.incompatible` (134080) with the way out.
    static func check(_ store: String) throws(StoreError) {
        let file = StoreLook.place(of: store)
        let mark = file + ending
        if case .another = look(at: mark) {
            // Damage could not be remembered beside it.
            throw .incompatible(
                code: 134080,
                "\(mark) is another file than the one of this name that Stele leaves where it finds a "
                    + "store to be damaged: move it away, or give it another name")
        }
        guard let text = finding(store) else { return }
        leave(beside: store, text)
        // The next start would find the damage again in the index of that log.
        let history = file + StoreFile.historyEnding
        let damaged = text.contains(history + "-wal") ? history : file
        let files = access(history, F_OK) == 0 ? "\(file) and \(history)" : file
        throw .incompatible(
            code: 134080,
            "\(store) was found to be damaged (\(text)), and stays as it is. Keep a copy of all its "
                + "files (\(files), -wal, -shm). Then restore a backup (stele restore); or, to go on "
                + "with what can still be read, remove \(mark) and \(damaged)-shm: "
                + (isOfLog(text)
                    ? "the saves behind the damage are lost with that. "
                    : "where the file cannot be opened, salvage the rows from the copy with sqlite3. ")
                + "stele check says what is there; the steps are in Docs/Operations.md, Recovery")
    }

    /// Whether what was found is wrong with a log alone.
    private static func isOfLog(_ text: String) -> Bool {
        ["-wal is damaged", "-wal is missing"].contains { text.contains($0) }
    }
}
