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

    /// Leaves the file, with what was found. One that is there stays.
    static func leave(beside store: String, _ text: String) {
        let path = StoreLook.place(of: store) + ending
        // Also an empty file tells it, where the disk is full.
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard file >= 0 else { return }
        _ = Array("\(text)\n".utf8).withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        fsync(file)
        close(file)
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        try? ExternalFolder.sync(folder: folder)
    }

    /// What was found by the program that has left the file, or is wrong with a log that no program
    /// uses; nil for nothing. Nothing is changed.
    static func finding(_ store: String) -> String? {
        let file = StoreLook.place(of: store)
        if access(file + ending, F_OK) == 0 {
            let lines = StoreSeal.contents(of: file + ending).split(separator: "\n")
            return lines.isEmpty ? "it is not known how" : lines.joined(separator: "; ")
        }
        // Reading the index beside a connection of this process would end its locks.
        guard StoreLock.isFree(store: store) else { return nil }
        return LeftLog.fault(of: file) ?? LeftLog.fault(of: file + StoreFile.historyEnding)
    }

    /// Checks a store before SQLite opens it for writing. Nothing is changed but for the file.
    /// - Throws: `StoreError.incompatible` (134080) with the way out.
    static func check(_ store: String) throws(StoreError) {
        guard let text = finding(store) else { return }
        leave(beside: store, text)
        let file = StoreLook.place(of: store)
        throw .incompatible(
            code: 134080,
            "\(store) was found to be damaged (\(text)), and stays as it is: SQLite would drop the "
                + "saves behind the damage. Keep a copy of it and of all files beside it, and restore "
                + "a backup (stele restore), or mend it (sqlite3 \(file) .recover). To go on with "
                + "what can still be read of it, remove \(file)\(ending) and \(file)-shm; stele check "
                + "says what that is")
    }
}
