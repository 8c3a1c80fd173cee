import CSQLite
import Glibc
import StelePersistence

/// Translates SQLite's errors.
enum SQLiteFailure {
    /// Returns the error for a result code.
    /// - Parameter place: the statement or file that caused it.
    static func error(_ code: Int32, _ connection: OpaquePointer, _ place: String) -> StoreError {
        let message = String(cString: sqlite3_errmsg(connection))
        switch code & 0xFF {
        case SQLITE_FULL: return .noRoom("the disk of the store is full: \(message)")
        case SQLITE_BUSY, SQLITE_LOCKED:
            return .busy(
                "another program has locked \(file(connection) ?? place): wait until it has "
                    + "finished, or close it there (SQLite: \(message))")
        case SQLITE_NOTADB:
            let path = file(connection) ?? place
            return .incompatible(code: 134080, "\(path) is not an SQLite database")
        case SQLITE_CANTOPEN:
            return .incompatible(
                code: 134080,
                "\(file(connection) ?? place) cannot be opened: "
                    + (reason(file(connection) ?? place) ?? message))
        case SQLITE_READONLY where code != fileHasMoved:
            return unwritable(file(connection) ?? place)
        case SQLITE_INTERRUPT: return .deadline(seconds: Limits.statementSeconds)
        case SQLITE_CONSTRAINT:
            return .constraint(
                ConstraintConflict(entity: 0, key: 0, constraint: [], values: [], holder: nil))
        case SQLITE_TOOBIG, SQLITE_RANGE, SQLITE_MISMATCH: return .invalid(message)
        case SQLITE_ERROR where message.hasPrefix("\u{1F}"):
            return FunctionError.error(message).map { .predicate($0) } ?? .failed(message)
        case SQLITE_ERROR where message == "integer overflow": return .invalid(message)
        case SQLITE_ERROR:
            if let bound = bound(message) { return .tooLarge(bound) }
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

    /// The system's reason why there is no file at a path, and none can be made; nil for another.
    private static func reason(_ path: String) -> String? {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        guard access(path, F_OK) != 0, access(folder, W_OK | X_OK) != 0 else { return nil }
        return String(cString: strerror(errno))
    }

    /// SQLITE_READONLY_DBMOVED, which Swift does not import.
    private static let fileHasMoved = SQLITE_READONLY | (4 << 8)

    /// The most characters of a statement in an error.
    private static let placeLength = 2_000

    /// The path of the connection's file.
    private static func file(_ connection: OpaquePointer) -> String? {
        sqlite3_db_filename(connection, "main").map { String(cString: $0) }
            .flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns the limit that a statement exceeds, in the terms of a predicate; nil for another
    /// message. SQLite has no error code for it.
    static func bound(_ message: String) -> String? {
        if message == "parser stack overflow" {
            return "function calls and parentheses are nested deeper than SQLite's parser allows; "
                + "up to \(Limits.nestedCalls) levels always fit"
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
