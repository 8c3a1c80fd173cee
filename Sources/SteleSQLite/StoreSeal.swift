import Glibc
import StelePersistence
import SteleSQL

/// The seal of a closed store: a file beside it, by which the next program that opens the store
/// finds out whether the store has changed since.
///
/// SQLite has no count of commits in its file. So the seal has the identity and size of the store's
/// file and the time of its last change by the file system's clock, which no program can set
/// (`st_ctim`). A commit changes the file or leaves a WAL beside it. A copy is another file.
enum StoreSeal {
    /// The most marks in a seal; the oldest are dropped first.
    private static let most = 16
    private static let end = "end"

    private static func path(_ store: String) -> String { StoreLook.place(of: store) + "-seal" }

    /// The first word of the lines about foreign values: one alone, which says that they are known,
    /// and one for each column. Older seals have the word `foreign` and do not know keys below 1: such
    /// a store is searched again.
    private static let foreign = "foreign-values"
    private static let olderForeign = "foreign"

    /// Removes the seal of a store. The caller holds the write lock.
    /// - Returns: the marks of the seal, none where there is no seal or the store has changed; and
    ///   the columns with foreign values, nil where they are not known.
    static func take(off store: String) -> (marks: [StoreMark], foreign: ForeignValues?) {
        var lines = contents(of: path(store)).split(separator: "\n").map(String.init)
        unlink(path(store))
        guard let file = witness(of: store), lines.first == file.text, lines.last == end else {
            return ([], nil)
        }
        lines = Array(lines.dropFirst().dropLast())
        let words = lines.map { $0.split(separator: " ").map(String.init) }
            .filter { $0.first == foreign }
        var found: ForeignValues? = words.contains { $0.count == 1 } ? ForeignValues() : nil
        for names in words where names.count == 3 {
            found?.columns[names[1], default: []].insert(names[2])
        }
        lines.removeAll { line in
            [foreign, olderForeign].contains { line == $0 || line.hasPrefix($0 + " ") }
        }
        let marks = lines.compactMap { line -> StoreMark? in
            let parts = line.split(separator: " ")
            guard parts.count == 2, let last = Int64(parts[1]) else { return nil }
            return StoreMark(mark: String(parts[0]), last: last)
        }
        return marks.count == lines.count ? (marks, found) : ([], nil)
    }

    /// Seals a store that is about to be closed. The caller holds the write lock, and the WAL has
    /// been checkpointed completely.
    /// - Parameter known: the columns with foreign values; nil where they are not known.
    static func seal(_ store: String, with marks: [StoreMark], foreign known: ForeignValues?) {
        guard let file = witness(of: store), hasPassed(file.changedAt) else { return }
        let lines = marks.suffix(most).map { "\($0.mark) \($0.last)" }
        let text = ([file.text] + lines + foreignLines(known) + [end]).joined(separator: "\n")
        let descriptor = open(path(store), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { return }
        _ = Array(text.utf8).withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        close(descriptor)
    }

    private static func foreignLines(_ known: ForeignValues?) -> [String] {
        guard let known else { return [] }
        let columns = known.columns.flatMap { table, names in
            names.map { "\(foreign) \(table) \($0)" }
        }
        let hasPlainNames = columns.allSatisfy { $0.split(separator: " ").count == 3 }
        guard hasPlainNames, columns.count <= Limits.foreignColumnsASeal else { return [] }
        return [foreign] + columns.sorted()
    }

    /// Returns the state of the file, which differs after any change; nil where there is a WAL.
    private static func witness(of store: String) -> (text: String, changedAt: timespec)? {
        var file = stat()
        var log = stat()
        let path = StoreLook.place(of: store) + "-wal"
        guard stat(store, &file) == 0, stat(path, &log) != 0 || log.st_size == 0 else {
            return nil
        }
        let at = file.st_ctim
        return (
            "\(file.st_dev) \(file.st_ino) \(file.st_size) \(at.tv_sec).\(at.tv_nsec)", at
        )
    }

    /// Waits until the file system's clock, which has a coarse resolution, has passed a time.
    private static func hasPassed(_ time: timespec) -> Bool {
        for _ in 0..<50 {
            var now = timespec()
            clock_gettime(CLOCK_REALTIME_COARSE, &now)
            if (now.tv_sec, now.tv_nsec) > (time.tv_sec, time.tv_nsec) { return true }
            usleep(1_000)
        }
        return false
    }

    /// Returns the contents of a small file; empty where it cannot be read.
    static func contents(of path: String) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
    }
}
