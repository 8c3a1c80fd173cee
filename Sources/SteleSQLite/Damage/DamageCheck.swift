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
        let log: LogCheck
        var file: FileCheck
        /// The log's state and stamp at the last check.
        var state: LogCheck.State?
        var stamp: Stamp?
        /// The next frame for `look`, and how often it has come to the end since the stamp changed.
        var next: UInt32 = 1
        var rounds = 0
    }

    private let damage: StoreDamage
    private var parts: [Part] = []

    /// - Parameter connection: a connection in WAL mode that has read something.
    init(_ connection: Connection, _ damage: StoreDamage) {
        self.damage = damage
        for database in ["main"] + (connection.hasAttachedHistory ? ["history"] : []) {
            guard let log = LogCheck(connection.handle, database),
                let file = FileCheck(connection, database)
            else { continue }
            parts.append(Part(log: log, file: file))
        }
    }

    // MARK: For each commit

    /// Checks the files before a transaction writes, with the write lock held.
    /// - Parameter isForeign: whether another program has committed since the last check. Else
    ///   nothing but damage has changed the log.
    /// - Throws: `StoreError.damaged`.
    func beforeWriting(isForeign: Bool) throws(StoreError) {
        for index in parts.indices {
            let (log, former) = (parts[index].log, parts[index].stamp)
            let state = log.state
            if let fault = parts[index].file.fault(log, readsPages: false) ?? log.fault() {
                throw damage.note(fault)
            }
            let stamp = Stamp(log.path)
            if !isForeign, former != nil, stamp != former, let state, state.frames > 0,
                let fault = log.fault(inFrames: 1, through: state.frames, of: state)
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
            let (log, former) = (parts[index].log, parts[index].state)
            if let fault = log.fault(since: former) {
                throw damage.note(fault + ", and what was saved last may be lost with it")
            }
            parts[index].stamp = Stamp(log.path)
            // The commit has restarted the log, and the file is as it was before it.
            if let former, log.state?.salt ?? former.salt != former.salt,
                let fault = parts[index].file.fault(log, readsPages: false)
            {
                throw damage.note(fault)
            }
        }
    }

    // MARK: From time to time

    /// Checks the files, and the frames of a log that has changed: not more than some at a time.
    /// - Returns: whether the store is damaged.
    func look() -> Bool {
        for index in parts.indices {
            let log = parts[index].log
            guard let state = log.state else { continue }
            if let fault = parts[index].file.fault(log, readsPages: true) ?? log.fault() {
                damage.note(fault)
            }
            var part = parts[index]
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

    /// Checks the file, and the frames that a checkpoint would copy into it.
    /// - Returns: whether the store is damaged.
    func beforeCopying() -> Bool {
        for index in parts.indices {
            let log = parts[index].log
            guard let state = log.state, state.copied < state.frames else { continue }
            if let fault = parts[index].file.fault(log, readsPages: true) ?? log.fault()
                ?? log.fault(inFramesToCopyOf: state)
            {
                damage.note(fault)
            }
        }
        return damage.isKnown
    }

    /// Notes that a checkpoint has copied the logs.
    func afterCopying() {
        for part in parts { LeftLog.dateIndex(of: part.file.path) }
    }
}
