/// From SQLite's result codes to a store's refusals.

import CSQLite
import StelePersistence

/// Reads SQLite's error of a connection.
enum SQLiteFailure {
    /// The refusal for a result code.
    /// - Parameter place: the statement or file that it came from.
    static func error(_ code: Int32, _ connection: OpaquePointer, _ place: String) -> StoreError {
        let message = String(cString: sqlite3_errmsg(connection))
        switch code & 0xFF {
        case SQLITE_FULL: return .noRoom("there is no room for the store: \(message)")
        case SQLITE_BUSY, SQLITE_LOCKED: return .busy("the store is in use: \(message)")
        case SQLITE_NOTADB:
            return .incompatible(code: 134080, "\(file(connection) ?? place) is no SQLite database")
        case SQLITE_CANTOPEN:
            return .incompatible(
                code: 134080, "\(file(connection) ?? place) cannot be opened: \(message)")
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

    /// How much of a statement a log's line may hold.
    private static let placeLength = 2_000

    /// The path that the connection was opened with.
    private static func file(_ connection: OpaquePointer) -> String? {
        sqlite3_db_filename(connection, "main").map { String(cString: $0) }
            .flatMap { $0.isEmpty ? nil : $0 }
    }

    /// What of a statement there is too much of, in our words: SQLite has no code of its own for
    /// it. Nil for any other message.
    static func bound(_ message: String) -> String? {
        if message == "parser stack overflow" {
            return "calls and parentheses stand within one another deeper than SQLite's parser "
                + "holds; up to \(Limits.nestedCalls) always do"
        }
        if message.hasPrefix("Expression tree is too large") {
            return "its operators stand on one another's results more than 1,000 deep in SQL"
        }
        if message.hasPrefix("at most 64 tables") {
            return "it goes over more relationships than the 64 tables that one query may join"
        }
        if message.hasPrefix("too many ") || message.hasPrefix("at most ") {
            return "SQLite says \(message)"
        }
        return nil
    }
}
