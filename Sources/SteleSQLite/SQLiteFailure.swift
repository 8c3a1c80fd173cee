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
                ConstraintConflict(entity: 0, constraint: [], values: [], databaseKey: nil))
        case SQLITE_TOOBIG, SQLITE_RANGE, SQLITE_MISMATCH: return .invalid(message)
        case SQLITE_ERROR where message.hasPrefix("\u{1F}"):
            return FunctionError.error(message).map { .predicate($0) } ?? .failed(message)
        case SQLITE_ERROR where message == "integer overflow": return .invalid(message)
        case SQLITE_ERROR where isBound(message): return .tooLarge(message)
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

    /// Whether SQLite says that a statement goes beyond one of its bounds, for which it has no code
    /// of its own: what stacks up in its parser (100), how deep expressions nest (1000), tables of
    /// a join (64), columns, variables, arguments.
    private static func isBound(_ message: String) -> Bool {
        message == "parser stack overflow" || message.hasPrefix("Expression tree is too large")
            || message.hasPrefix("too many ") || message.hasPrefix("at most ")
    }
}
