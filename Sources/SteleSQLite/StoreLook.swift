import FoundationEssentials
import Glibc
import StelePersistence
import SteleModel
import SteleSQL
import SteleSystem

/// Looks into a store's file before it is opened, without a change to its folder: a file that is
/// refused stays as it was, and so do its `-wal` and `-shm`.
///
/// SQLite makes these two files when it reads, and writes them back when it closes. So a file
/// without a log is read as immutable. One with both is read through them, and nothing is written.
/// One with a log alone, as in a copy, is read with an index in memory.
enum StoreLook {
    /// The turn of looking and of opening. A connection that reads through `-shm` without writing
    /// to it shares it with the others of this process, so none may begin meanwhile.
    private static let turn = Mutex(())

    /// Calls a function that opens a store, after a look that may refuse the file.
    /// - Throws: the errors of both.
    static func before<Result>(
        opening path: String, _ look: (Connection) throws(StoreError) -> Void,
        _ open: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try held { () throws(StoreError) in
            try DamageMark.check(path)
            if hasContents(path) {
                try read(path, as: path, look)
            } else {
                try checkIsNew(resolved(path))
            }
            return try open()
        }
    }

    /// Reads a store's file that exists.
    /// - Throws: the errors of `body`, and `StoreError` for a file that cannot be opened.
    static func at<Result>(
        _ path: String, _ body: (Connection) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try held { () throws(StoreError) in try read(path, as: path, body) }
    }

    private static func held<Value>(
        _ body: () throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        let result = turn.withLock { _ -> Result<Value, StoreError> in
            do throws(StoreError) { return .success(try body()) } catch { return .failure(error) }
        }
        return try result.get()
    }

    /// Checks that a store that is not there, or is empty, has no log with data: SQLite would remove
    /// it as one of another file.
    private static func checkIsNew(_ file: String) throws(StoreError) {
        guard hasFrames(file + "-wal") else { return }
        throw .incompatible(
            code: 134080,
            "\(file) is missing or empty, and \(file)-wal has data: a part of the store is gone. "
                + "Put the file back from where both were copied, or move the log away to make a "
                + "new store")
    }

    /// Whether there is a file with bytes at a path.
    static func hasContents(_ path: String) -> Bool {
        var found = stat()
        return stat(path, &found) == 0 && found.st_size > 0
    }

    /// Reads a file within a look.
    /// - Parameter path: the file in messages.
    static func read<Result>(
        _ file: String, as path: String, _ body: (Connection) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        // The log is beside the file that a link leads to.
        let file = resolved(file)
        if hasContents(file + "-journal"), let connection = underLock(file, path) {
            return try body(connection)
        }
        if let ending = recovery(file), let copy = try recovered(file, ending, path) {
            defer { copy.remove() }
            do throws(StoreError) {
                return try body(Connection(uri: uri(copy.file, unchanging), of: path))
            } catch {
                throw error.replacing(copy.file, with: path)
            }
        }
        for _ in 1..<attempts where hasFrames(file + "-wal") {
            do throws(StoreError) { return try body(throughLog(file, path)) } catch {
                // The last program that had the file open may have removed both meanwhile.
                let isThere = hasFrames(file + "-wal") && access(file + "-shm", F_OK) == 0
                if isThere { throw error }
            }
        }
        if hasFrames(file + "-wal") { return try body(throughLog(file, path)) }
        return try body(Connection(uri: uri(file, unchanging), of: path))
    }

    /// A file that does not change while it is read: the store's own, or a private copy.
    struct StillFile: Sendable {
        /// The URI with SQLite's parameters.
        let uri: String
        /// The copy, where the file has a log or a journal beside it.
        let copy: PrivateCopy?
        /// Whether no other program can shorten the file, which would end a process that maps it.
        let isSteady: Bool
    }

    /// Returns a file for reading at any length without a change to the store's folder.
    ///
    /// A store without a log is read itself, as immutable. Of one with a log, and of one with a
    /// rollback journal, a private copy is made of one moment.
    /// - Throws: `StoreError`, also for a copy that has no room.
    static func still(_ path: String) throws(StoreError) -> StillFile {
        try held { () throws(StoreError) in
            let file = resolved(path)
            if hasContents(file + "-journal"), let copy = try copiedUnderLock(file, path) {
                return StillFile(uri: uri(copy.file, unchanging), copy: copy, isSteady: true)
            }
            if let ending = recovery(file), let copy = try recovered(file, ending, path) {
                return StillFile(uri: uri(copy.file, unchanging), copy: copy, isSteady: true)
            }
            let log = file + "-wal"
            guard hasFrames(log) || (access(log, F_OK) == 0 && access(file + "-shm", F_OK) == 0)
            else { return StillFile(uri: uri(file, unchanging), copy: nil, isSteady: false) }
            let copy = try copied(file, path)
            return StillFile(uri: uri(copy.file, unchanging), copy: copy, isSteady: true)
        }
    }

    /// Returns a private copy of a file that other programs may change while it is read.
    /// - Throws: as `still`.
    static func stillCopy(of path: String) throws(StoreError) -> StillFile {
        let copy = try privateCopy(of: path)
        return StillFile(uri: uri(copy.file, unchanging), copy: copy, isSteady: true)
    }

    /// Returns a file itself, which a hold keeps others from changing, and whose log has no frames.
    static func still(_ path: String, under hold: WriteHold) -> StillFile {
        StillFile(uri: uri(resolved(path), unchanging), copy: nil, isSteady: true)
    }

    /// Makes a private copy of a store's file as it is at one moment; where there is no file, only
    /// the folder for one.
    /// - Throws: as `still`.
    static func privateCopy(of path: String) throws(StoreError) -> PrivateCopy {
        try held { () throws(StoreError) in
            guard hasContents(path) else { return try PrivateCopy(of: path) }
            let file = resolved(path)
            for _ in 0..<attempts {
                if let copy = try copiedUnderLock(file, path) { return copy }
                guard let ending = recovery(file) else { break }
                if let copy = try recovered(file, ending, path) { return copy }
            }
            return try copied(file, path)
        }
    }

    /// Opens a private copy of a store for writing. Its values in files are those of the store.
    /// - Throws: `StoreError`.
    static func connect(
        to copy: PrivateCopy, of path: String
    ) throws(StoreError) -> Connection {
        try Connection(uri: uri(copy.file, "mode=rw"), of: path)
    }

    /// Copies a store's file as it is at one moment to a path, which does not exist.
    /// - Throws: `StoreError`, also where another program changes the file all the time.
    static func copy(_ path: String, to copy: String) throws(StoreError) {
        try held { () throws(StoreError) in
            let file = resolved(path)
            for _ in 0..<attempts {
                if try copyUnderLock(file, path, to: copy) { return }
                guard let ending = recovery(file) else { break }
                guard let recovered = try recovered(file, ending, path) else { continue }
                defer { recovered.remove() }
                return try Connection(uri: uri(recovered.file, unchanging), of: path)
                    .copyPages(to: copy)
            }
            try copyPages(file, path, to: copy)
        }
    }

    /// How often a file is looked at again that another program has changed meanwhile.
    private static let attempts = 5

    /// Copies a file in rollback-journal mode under SQLite's lock for reading, which keeps the
    /// programs that write it waiting. Nothing is made beside it.
    /// - Returns: false for a file in WAL mode, and for one that must be recovered first.
    /// - Throws: `StoreError`: `.busy` where a program writes it for too long, `.noRoom`.
    private static func copyUnderLock(
        _ file: String, _ path: String, to copy: String
    ) throws(StoreError) -> Bool {
        guard hasRollbackMode(file) else { return false }
        do throws(StoreError) {
            let connection = try Connection(uri: uri(file, "mode=ro"), of: path)
            try beginReading(connection)
            try connection.copyPages(to: copy)
            return true
        } catch {
            switch error {
            case .busy, .noRoom: throw error
            default:
                unlink(copy)
                return false
            }
        }
    }

    /// A private copy of a file in rollback-journal mode; nil for another file, for one that must be
    /// recovered, and while a program keeps it locked.
    private static func copiedUnderLock(
        _ file: String, _ path: String
    ) throws(StoreError) -> PrivateCopy? {
        guard hasRollbackMode(file) else { return nil }
        let copy = try PrivateCopy(of: path)
        do throws(StoreError) {
            return try copyUnderLock(file, path, to: copy.file) ? copy : nil
        } catch {
            if case .busy = error { return nil }
            throw error
        }
    }

    /// Takes SQLite's lock for reading.
    private static func beginReading(_ connection: Connection) throws(StoreError) {
        try connection.run("BEGIN")
        _ = try connection.single("SELECT COUNT(*) FROM sqlite_master")
    }

    /// A connection that reads a file in rollback-journal mode under SQLite's lock; nil as
    /// `copiedUnderLock`.
    private static func underLock(_ file: String, _ path: String) -> Connection? {
        guard hasRollbackMode(file) else { return nil }
        do throws(StoreError) {
            let connection = try Connection(uri: uri(file, "mode=ro"), of: path)
            try connection.run("PRAGMA busy_timeout = \(Limits.lookMilliseconds)")
            try beginReading(connection)
            return connection
        } catch {
            return nil
        }
    }

    /// Whether the header of a file says that its changes are in a rollback journal.
    static func hasRollbackMode(_ file: String) -> Bool {
        guard let file = fopen(file, "rbe") else { return false }
        defer { fclose(file) }
        var start = [UInt8](repeating: 0, count: 20)
        return fread(&start, 1, 20, file) == 20 && start[18] == 1 && start[19] == 1
    }

    private static func copied(
        _ file: String, _ path: String
    ) throws(StoreError) -> PrivateCopy {
        let copy = try PrivateCopy(of: path)
        do throws(StoreError) { try copyPages(file, path, to: copy.file) } catch {
            switch error {
            case .noRoom, .failed: throw copy.failure(path)
            default: throw error
            }
        }
        return copy
    }

    /// Copies a file with its log, as they are at one moment.
    private static func copyPages(
        _ file: String, _ path: String, to copy: String
    ) throws(StoreError) {
        for _ in 0..<attempts {
            if hasFrames(file + "-wal") { return try throughLog(file, path).copyPages(to: copy) }
            // All pages are in the file, which a program that has it open may write meanwhile.
            let before = lastChange(file)
            try Connection(uri: uri(file, unchanging), of: path).copyPages(to: copy)
            if !hasFrames(file + "-wal"), lastChange(file) == before { return }
        }
        throw .busy("\(path) is written by another program all the time")
    }

    /// The size and the time of a file's last change.
    static func lastChange(_ file: String) -> [Int] {
        var found = stat()
        guard stat(file, &found) == 0 else { return [] }
        return [found.st_size, found.st_mtim.tv_sec, found.st_mtim.tv_nsec]
    }

    /// Whether a log has more than its header of 32 bytes. Where no program has the file open,
    /// SQLite cannot read a log with a header alone unless it may write the index.
    static func hasFrames(_ log: String) -> Bool {
        var found = stat()
        return stat(log, &found) == 0 && found.st_size > 32
    }

    private static let unchanging = "mode=ro&immutable=1"

    /// Opens a file with its log, and changes neither.
    private static func throughLog(
        _ file: String, _ path: String
    ) throws(StoreError) -> Connection {
        let hasIndex = access(file + "-shm", F_OK) == 0
        let connection = try Connection(
            uri: uri(file, hasIndex ? "mode=ro&readonly_shm=1" : "mode=rw"), of: path)
        connection.leaveLog()
        // No program has the file open. SQLite needs no index of a log that it has for itself.
        if !hasIndex { try connection.run("PRAGMA locking_mode = EXCLUSIVE") }
        return connection
    }

    /// The ending of a file with which SQLite must recover a store before it reads it, and cannot
    /// without a change: a rollback journal, a log without an index beside a file that may not be
    /// written, and so not be locked, or a damaged log, which has less than its index says.
    private static func recovery(_ file: String) -> String? {
        if hasContents(file + "-journal") { return "-journal" }
        guard hasFrames(file + "-wal") else { return nil }
        if access(file + "-shm", F_OK) == 0 {
            return DamageMark.finding(file) == nil ? nil : "-wal"
        }
        return access(file, W_OK) == 0 ? nil : "-wal"
    }

    /// Makes a private copy of a file with the one beside it, in which SQLite recovers it.
    /// - Returns: nil where nothing is left to recover: a program that was writing has ended its
    ///   transaction and removed the journal.
    private static func recovered(
        _ file: String, _ ending: String, _ path: String
    ) throws(StoreError) -> PrivateCopy? {
        let copy = try PrivateCopy(of: path)
        do {
            for ending in ["", ending] {
                let name = copy.file + ending
                try FileManager.default.copyItem(atPath: file + ending, toPath: name)
                // The copy has the mode of a file that may not be written.
                guard chmod(name, 0o600) == 0 else { throw copy.failure(path) }
            }
        } catch {
            // By now the next transaction may have a journal.
            let isGone = (error as? CocoaError)?.code == .fileReadNoSuchFile
            if isGone || recovery(file) == nil { return nil }
            throw copy.failure(path)
        }
        do throws(StoreError) {
            let connection = try Connection(uri: uri(copy.file, "mode=rw"), of: path)
            // Reading recovers it.
            _ = try connection.single("PRAGMA schema_version")
        } catch {
            throw error.replacing(copy.file, with: path)
        }
        return copy
    }

    /// The path beside which a store's other files are: that of the store's file, or of the file
    /// that a symbolic link leads to.
    static func place(of path: String) -> String {
        var found = stat()
        guard lstat(path, &found) == 0, found.st_mode & S_IFMT == S_IFLNK else { return path }
        return resolved(path)
    }

    /// The path of the file that a link leads to.
    static func resolved(_ path: String) -> String {
        guard let found = realpath(path, nil) else { return path }
        defer { free(found) }
        return String(cString: found)
    }

    private static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    }

    /// The URI of a file with SQLite's parameters.
    private static func uri(_ file: String, _ parameters: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes = Array("file://".utf8)
        for byte in absolute(file).utf8 {
            switch byte {
            case UInt8(ascii: "%"), UInt8(ascii: "?"), UInt8(ascii: "#"):
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self) + "?" + parameters
    }
}

extension StoreError {
    /// The same error with another path in its sentence.
    func replacing(_ path: String, with other: String) -> StoreError {
        switch self {
        case .incompatible(let code, let text):
            .incompatible(code: code, text.replacing(path, with: other))
        case .failed(let text): .failed(text.replacing(path, with: other))
        case .damaged(let text): .damaged(text.replacing(path, with: other))
        default: self
        }
    }
}
