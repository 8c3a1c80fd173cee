import CSQLite
import Glibc

/// Looks at a database's file in WAL mode, which nothing changes but a checkpoint.
///
/// A checkpoint says in the log's index what it will have copied before it writes to the file, and
/// that it has copied it when it is done. While the two are equal and stay what they are, the file
/// stays as it is: with its length, and with its contents. Another time of change alone is no damage,
/// because `touch` sets it as well; so some pages are compared then.
struct FileCheck {
    /// The file after a checkpoint.
    private struct Seen {
        let state: LogCheck.State
        let size: Int64
        var written: Written?
        /// The check sum of some pages; nil where they were not read.
        var sum: [UInt32]?
    }

    /// Which file was written when.
    private struct Written: Equatable {
        let number: ino_t
        let seconds: Int
        let nanoseconds: Int
    }

    /// The bytes of a file that say what it is, the size of its pages, and that it has a log.
    private static let startBytes = 24
    /// How many pages are compared: these at both ends, where most saves change something, and those
    /// between them.
    private static let samples = (atEnds: 32, between: 64)

    private let connection: OpaquePointer
    private let database: String
    let path: String
    /// What the file begins with, which nothing changes.
    private let start: [UInt8]
    private var seen: Seen?

    /// - Returns: nil where the file cannot be read.
    init?(_ connection: Connection, _ database: String) {
        var start = [UInt8](repeating: 0, count: Self.startBytes)
        guard let name = sqlite3_db_filename(connection.handle, database),
            let file = stele_file(connection.handle, database, 0),
            stele_file_read(file, &start, Int32(start.count), 0) == SQLITE_OK
        else { return nil }
        (self.connection, self.database) = (connection.handle, database)
        (path, self.start) = (String(cString: name), start)
    }

    /// Finds out what is wrong with the file's header, its length, and its pages.
    /// - Parameter readsPages: whether pages are compared, where the file was written to.
    mutating func fault(_ log: LogCheck, readsPages: Bool) -> String? {
        guard let file = stele_file(connection, database, 0) else { return nil }
        let state = log.state
        func lookAtTime() -> Written? { readsPages ? Self.written(path) : nil }
        let written = lookAtTime()
        let size = stele_file_size(file)
        var head = [UInt8](repeating: 0, count: Self.startBytes)
        guard size >= Int64(Self.startBytes),
            stele_file_read(file, &head, Int32(head.count), 0) == SQLITE_OK
        else { return "\(path) is damaged: it has \(max(size, 0)) bytes" }
        guard head == start else {
            return "\(path) is damaged: its header is not as it was written"
        }
        guard let state, state.attempted == state.copied else { return nil }
        var now = Seen(state: state, size: size, written: written)
        let former = seen.flatMap { state.hasSameFile(as: $0.state) ? $0 : nil }
        // The pages are read where they are to be remembered or compared.
        if readsPages, former?.sum == nil || former?.written != written {
            now.sum = sum(of: file, size: former?.size ?? size, pageBytes: Int(state.page_bytes))
        }
        guard log.state.map({ state.hasSameFile(as: $0) }) == true, lookAtTime() == written
        else { return nil }
        // A checkpoint that copies all frames leaves the file with the length of the database.
        let whole = state.copied >= state.frames ? Int64(state.pages) * Int64(state.page_bytes) : 0
        let wanted = max(former?.size ?? 0, log.state?.frames == state.frames ? whole : 0)
        guard size >= wanted else {
            return "\(path) is damaged: it has \(size) bytes, and \(wanted) were written"
        }
        guard let former else {
            seen = now
            return nil
        }
        // Another file at the path is none that was opened.
        guard let sum = now.sum, former.written?.number == written?.number else { return nil }
        if let known = former.sum, known != sum {
            return "\(path) is damaged: it was written to, and not by SQLite"
        }
        seen?.written = written
        seen?.sum = sum
        return nil
    }

    private static func written(_ path: String) -> Written? {
        var found = stat()
        guard stat(path, &found) == 0 else { return nil }
        return Written(
            number: found.st_ino, seconds: found.st_mtim.tv_sec,
            nanoseconds: found.st_mtim.tv_nsec)
    }

    /// The check sum of some pages of a file that has a size.
    private func sum(
        of file: UnsafeMutablePointer<sqlite3_file>, size: Int64, pageBytes: Int
    ) -> [UInt32] {
        let (pages, (ends, between)) = (Int(size) / max(pageBytes, 1), Self.samples)
        let inner = max(pages - 2 * ends, 0)
        let step = max(inner / between, 1)
        let numbers =
            Array(0..<min(ends, pages)) + stride(from: ends, to: ends + inner, by: step)
            + Array(max(pages - ends, min(ends, pages))..<pages)
        var sum: [UInt32] = [0, 0]
        var page = [UInt8](repeating: 0, count: pageBytes)
        for number in numbers {
            _ = stele_file_read(file, &page, Int32(pageBytes), Int64(number * pageBytes))
            stele_wal_add(&sum, page, Int32(pageBytes), 0)
        }
        return sum
    }
}

extension LogCheck.State {
    /// Whether no checkpoint or restart lies between the two.
    fileprivate func hasSameFile(as other: Self) -> Bool {
        salt == other.salt && copied == other.copied && attempted == other.attempted
    }
}
