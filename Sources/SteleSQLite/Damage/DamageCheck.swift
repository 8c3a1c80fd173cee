import CSQLite
import Glibc
import StelePersistence

/// Looks for damage of a store's files by a connection that has them open. Not Sendable: it belongs
/// to the connection's thread.
final class DamageCheck {
    /// What the file system tells of a log: another program's writing changes it, and so does ours.
    private struct Stamp: Equatable {
        let size: Int
        let seconds: Int
        let nanoseconds: Int

        init?(_ path: String) {
            var found = stat()
            guard stat(path, &found) == 0 else { return nil }
            // No program can set this time.
            (size, seconds, nanoseconds) = (
                Int(found.st_size), found.st_ctim.tv_sec, found.st_ctim.tv_nsec
            )
        }
    }

    /// A database of the connection.
    private struct Part {
        let database: String
        let path: String
        let log: LogCheck
        /// What the file begins with, which nothing changes.
        let start: [UInt8]
        /// The log's state and stamp at the last check.
        var state: LogCheck.State?
        var stamp: Stamp?
        /// The next frame for `look`, and how often it has come to the end since the stamp changed.
        var next: UInt32 = 1
        var rounds = 0
    }

    private let connection: Connection
    private let damage: StoreDamage
    private var parts: [Part] = []

    /// - Parameter connection: a connection in WAL mode that has read something.
    init(_ connection: Connection, _ damage: StoreDamage) {
        self.connection = connection
        self.damage = damage
        for database in ["main"] + (connection.hasAttachedHistory ? ["history"] : []) {
            guard let log = LogCheck(connection, database),
                let file = sqlite3_db_filename(connection.handle, database)
            else { continue }
            var start = [UInt8](repeating: 0, count: Self.startBytes)
            guard let open = stele_file(connection.handle, database, 0),
                stele_file_read(open, &start, Int32(start.count), 0) == SQLITE_OK
            else { continue }
            parts.append(
                Part(database: database, path: String(cString: file), log: log, start: start))
        }
    }

    // MARK: For each commit

    /// Checks the files before a transaction writes, with the write lock held.
    /// - Parameter isForeign: whether another program has committed since the last check. Else
    ///   nothing but damage has changed the log.
    /// - Throws: `StoreError.damaged`.
    func beforeWriting(isForeign: Bool) throws(StoreError) {
        for index in parts.indices {
            let part = parts[index]
            let state = part.log.state
            if let fault = fileFault(part, state) ?? part.log.fault() { throw damage.note(fault) }
            let stamp = Stamp(part.log.path)
            if !isForeign, part.stamp != nil, stamp != part.stamp, let state, state.frames > 0,
                let fault = part.log.fault(inFrames: 1, through: state.frames, of: state)
            {
                throw damage.note(fault)
            }
            (parts[index].state, parts[index].stamp) = (state, stamp)
        }
    }

    /// Checks that a commit can be read back, before anybody is told of it.
    /// - Throws: `StoreError.damaged`.
    func afterCommit() throws(StoreError) {
        for index in parts.indices {
            let part = parts[index]
            if let fault = part.log.fault(since: part.state) {
                throw damage.note(fault + ", and what was saved last may be lost with it")
            }
            parts[index].stamp = Stamp(part.log.path)
        }
    }

    // MARK: From time to time

    /// Checks the files, and the frames of a log that has changed: not more than some at a time.
    /// - Returns: whether the store is damaged.
    func look() -> Bool {
        for index in parts.indices {
            var part = parts[index]
            guard let state = part.log.state else { continue }
            if let fault = fileFault(part, state) ?? part.log.fault() { damage.note(fault) }
            let stamp = Stamp(part.log.path)
            if part.stamp != stamp { part.rounds = 0 }
            // The clock of a file system has steps: once more after the last change that it shows.
            if part.rounds > 1 { continue }
            if part.state.map({ $0.salt != state.salt }) ?? true { part.next = 1 }
            (part.state, part.stamp) = (state, stamp)
            let last = min(state.frames, part.next - 1 + Limits.framesALook)
            if let fault = part.log.fault(inFrames: part.next, through: last, of: state) {
                damage.note(fault)
            }
            let isAtEnd = last == state.frames
            part.next = isAtEnd ? 1 : last + 1
            if isAtEnd { part.rounds += 1 }
            parts[index] = part
        }
        return damage.isKnown
    }

    /// Checks the frames that a checkpoint would copy into the file.
    /// - Returns: whether the store is damaged.
    func beforeCopying() -> Bool {
        for part in parts {
            guard let state = part.log.state, state.copied < state.frames else { continue }
            if let fault = part.log.fault()
                ?? part.log.fault(inFrames: state.copied + 1, through: state.frames, of: state)
            {
                damage.note(fault)
            }
        }
        return damage.isKnown
    }

    // MARK: The database's file

    /// The bytes of a file that say what it is, the size of its pages, and that it has a log.
    private static let startBytes = 24

    /// Finds out whether a file begins as it did, and has the length that it had after the last
    /// checkpoint.
    private func fileFault(_ part: Part, _ state: LogCheck.State?) -> String? {
        guard let file = stele_file(connection.handle, part.database, 0) else { return nil }
        let size = stele_file_size(file)
        var start = [UInt8](repeating: 0, count: Self.startBytes)
        guard size >= Int64(Self.startBytes),
            stele_file_read(file, &start, Int32(start.count), 0) == SQLITE_OK
        else { return "\(part.path) is damaged: it has \(max(size, 0)) bytes" }
        guard start == part.start else {
            return "\(part.path) is damaged: its header is not as it was written"
        }
        // A checkpoint that copies all frames leaves the file with the length of the database.
        guard let state, state.copied >= state.frames else { return nil }
        let wanted = Int64(state.pages) * Int64(state.page_bytes)
        guard size < wanted, part.log.state.map({ $0.isSame(as: state) }) == true else {
            return nil
        }
        return "\(part.path) is damaged: it has \(size) bytes, and \(wanted) were written"
    }
}

extension LogCheck.State {
    /// Whether no commit, checkpoint or restart lies between the two.
    fileprivate func isSame(as other: Self) -> Bool {
        salt == other.salt && frames == other.frames && copied == other.copied
            && pages == other.pages
    }
}
