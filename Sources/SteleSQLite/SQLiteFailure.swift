import CSQLite
import Glibc
import StelePersistence
import StelePredicates

/// Translates SQLite's errors.
enum SQLiteFailure {
    /// Returns the error for a result code.
    /// - Parameter place: the statement or file that caused it.
    static func error(_ code: Int32, _ connection: OpaquePointer, _ place: String) -> StoreError {
        let message = String(cString: sqlite3_errmsg(connection))
        switch code & 0xFF {
        // Also for a page beyond the most pages, which a damaged page may name.
        case SQLITE_FULL where sqlite3_db_readonly(connection, "main") == 1:
            return .failed(
                "\(file(connection) ?? place) is damaged, or there is no room for temporary files "
                    + "(SQLite: \(message))")
        case SQLITE_FULL:
            return .noRoom("the disk of \(file(connection) ?? place) is full (SQLite: \(message))")
        case SQLITE_BUSY, SQLITE_LOCKED:
            return .busy(
                "another program has locked \(file(connection) ?? place): wait until it has "
                    + "finished, or close it there (SQLite: \(message))")
        case SQLITE_NOTADB:
            let path = file(connection) ?? place
            return .incompatible(code: 134080, path + notADatabase)
        case SQLITE_CORRUPT: return .damaged(damage(connection, place, message))
        // The log, or a file that is not mapped, is shorter than it was.
        case SQLITE_IOERR where code == isShort:
            return .damaged(damage(connection, place, message))
        // A recovery has found another log each time that it looked.
        case SQLITE_PROTOCOL:
            let path = file(connection) ?? place
            return .failed(
                "\(path)-wal or \(path)-shm is damaged (SQLite: \(message)): keep a copy of all files of "
                    + "the store (\(path), -wal, -shm), then restore a backup (stele restore); or "
                    + "remove both to go on without the last saves")
        case SQLITE_IOERR where hasNoRoom(code, connection):
            return .noRoom("\(file(connection) ?? place) cannot grow (SQLite: \(message))")
        case SQLITE_CANTOPEN where sqlite3_system_errno(connection) == EMFILE:
            return .busy(
                "\(file(connection) ?? place) cannot be opened: the process has too many open "
                    + "files (raise its limit, or lower the setting connections)")
        case SQLITE_CANTOPEN:
            return .incompatible(
                code: 134080,
                "\(file(connection) ?? place) cannot be opened: "
                    + (reason(file(connection) ?? place) ?? message))
        case SQLITE_READONLY where code != fileHasMoved:
            return unwritable(file(connection) ?? place)
        case SQLITE_INTERRUPT: return .deadline(seconds: Double(StatementTime.limit) / 1e9)
        case SQLITE_CONSTRAINT where code == ofTrigger:
            return .refused("a trigger of the store's file refuses it: \(message)")
        case SQLITE_CONSTRAINT where !ofUniqueness.contains(code):
            return .refused("the store's file refuses it: \(message)")
        case SQLITE_CONSTRAINT:
            return .constraint(
                ConstraintConflict(entity: 0, key: 0, constraint: [], values: [], holder: nil))
        case SQLITE_TOOBIG, SQLITE_RANGE, SQLITE_MISMATCH: return .invalid(message)
        case SQLITE_ERROR where message.hasPrefix("\u{1F}"):
            return FunctionError.error(message).map { .predicate($0) } ?? .failed(message)
        case SQLITE_ERROR where message == "integer overflow": return .invalid(message)
        case SQLITE_ERROR:
            if let bound = bound(message) { return .tooLarge(bound) }
            if let rule = brokenRule(message, place, connection) { return .refused(rule) }
            fallthrough
        default: return .failed("SQLite: \(message) (\(code)) in \(place.prefix(placeLength))")
        }
    }

    /// The error for a store whose file, or a file beside it, cannot be written.
    static func unwritable(_ path: String) -> StoreError {
        .incompatible(
            code: 134080,
            "\(path) cannot be written: a store needs write permission for its file and for its "
                + "folder, which gets files beside it; to read it as it is, open it read-only "
                + "(--read-only)")
    }

    /// The sentence for a damaged file, which an incomplete copy is, too. SQLite does not say whether
    /// it was the store's file or its log.
    private static func damage(
        _ connection: OpaquePointer, _ place: String, _ message: String
    ) -> String {
        for database in ["main", "history"] {
            if let fault = LogCheck(connection, database)?.fault() { return fault }
        }
        let path = file(connection) ?? place
        let beside = file(connection, "history").map { " or \($0)" } ?? ""
        let remedy =
            "stele check says what else is wrong with it; keep a copy of all its files (-wal and -shm "
            + "too), then restore a backup (stele restore), or use another copy of the store, made by "
            + "stele backup or while no program has it open"
        guard let (size, wanted) = sizes(connection, path), size < wanted else {
            return "\(path)\(beside) is damaged, or an incomplete copy (SQLite: \(message)): "
                + remedy
        }
        return
            "\(path) is damaged, or an incomplete copy: it has \(size) bytes, and its header says "
            + "\(wanted): \(remedy)"
    }

    /// The size of a file in bytes, and that in its header; nil where it has none.
    private static func sizes(
        _ connection: OpaquePointer, _ path: String
    ) -> (size: Int, wanted: Int)? {
        var found = stat()
        var head = [UInt8](repeating: 0, count: 100)
        guard stat(path, &found) == 0,
            stele_read_head(connection, &head, Int32(head.count)) == SQLITE_OK
        else { return nil }
        func number(_ bytes: Range<Int>) -> Int { head[bytes].reduce(0) { $0 << 8 | Int($1) } }
        // The number of pages is valid where it was written with the last change.
        guard number(24..<28) == number(92..<96) else { return nil }
        let pageSize = number(16..<18)
        return (Int(found.st_size), (pageSize == 1 ? 65_536 : pageSize) * number(28..<32))
    }

    /// The system's reason why there is no file at a path, and none can be made; nil for another.
    private static func reason(_ path: String) -> String? {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        guard access(path, F_OK) != 0, access(folder, W_OK | X_OK) != 0 else { return nil }
        return String(cString: strerror(errno))
    }

    private static let notADatabase = " is not an SQLite database"

    /// Whether the text of `.incompatible` is that of SQLITE_NOTADB.
    static func saysNotADatabase(_ text: String) -> Bool { text.hasSuffix(notADatabase) }

    /// Whether a system's error says that a file cannot become longer: the disk is full, or a quota
    /// or the process's limit of a file's size is reached.
    static func hasNoRoom(_ code: Int32) -> Bool { [ENOSPC, EDQUOT, EFBIG].contains(code) }

    /// Whether a write to the database's files has failed for that reason.
    private static func hasNoRoom(_ code: Int32, _ connection: OpaquePointer) -> Bool {
        // The index of the log grows for no other reason than the log does.
        if code == hasNoIndex { return true }
        guard [couldNotWrite, couldNotSync, couldNotTruncate].contains(code) else { return false }
        let databases: [String] = ["main", "history"]
        return databases.contains { database in
            hasNoRoom(stele_file_error(connection, database, 0))
                || hasNoRoom(stele_file_error(connection, database, 1))
        }
    }

    // Extended codes, which Swift does not import.
    /// RAISE in a trigger, and the codes of UNIQUE, PRIMARY KEY and rowids. Others are of rules that
    /// another program has made, such as CHECK.
    private static let ofTrigger = SQLITE_CONSTRAINT | (7 << 8)
    private static let ofUniqueness = [6, 8, 10].map { SQLITE_CONSTRAINT | ($0 << 8) }
    /// SQLITE_IOERR_SHORT_READ.
    private static let isShort = SQLITE_IOERR | (2 << 8)
    /// SQLITE_IOERR_WRITE.
    private static let couldNotWrite = SQLITE_IOERR | (3 << 8)
    /// SQLITE_IOERR_FSYNC.
    private static let couldNotSync = SQLITE_IOERR | (4 << 8)
    /// SQLITE_IOERR_TRUNCATE.
    private static let couldNotTruncate = SQLITE_IOERR | (6 << 8)
    /// SQLITE_IOERR_SHMSIZE: the `-shm` cannot grow.
    private static let hasNoIndex = SQLITE_IOERR | (19 << 8)

    /// SQLITE_READONLY_DBMOVED, which Swift does not import.
    private static let fileHasMoved = SQLITE_READONLY | (4 << 8)

    /// The most characters of a statement in an error.
    private static let placeLength = 2_000

    /// The path of the file of one of the connection's databases.
    private static func file(_ connection: OpaquePointer, _ database: String = "main") -> String? {
        sqlite3_db_filename(connection, database).map { String(cString: $0) }
            .flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns the limit that a statement exceeds, in the terms of a predicate; nil for another
    /// message. SQLite has no error code for it.
    static func bound(_ message: String) -> String? {
        if message == "parser stack overflow" {
            return "function calls and parentheses are nested deeper than SQLite's parser allows; "
                + "up to \(Limits.nestedCalls) levels always fit, or fewer for a role, whose rules "
                + "count as well"
        }
        if message.hasPrefix("Expression tree is too large") {
            return "operators applied to other operators' results are nested more than 1,000 deep "
                + "in SQL"
        }
        if message.hasPrefix("at most 64 tables") {
            return "a query can join at most 64 tables, and this one uses more relationships"
        }
        if message.hasPrefix("too many ") || message.hasPrefix("at most ") {
            return "\(message) (SQLite)"
        }
        return nil
    }
}
