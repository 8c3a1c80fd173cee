import CPostgreSQL
import Glibc
import StelePersistence
import StelePredicates

/// Translates errors of PostgreSQL.
enum PostgreSQLFailure {
    /// Returns the error of a connection that cannot be made, or has been lost.
    /// - Parameters:
    ///   - place: the server and the database.
    ///   - secret: the password, which no message may have.
    static func connection(
        _ handle: OpaquePointer?, _ place: String, secret: String? = nil
    ) -> StoreError {
        var message = handle.map { String(cString: PQerrorMessage($0)) } ?? "out of memory"
        if let secret, !secret.isEmpty { message.replace(secret, with: "…") }
        let text = message.split(separator: "\n").map { $0.trimmingPrefix { $0.isWhitespace } }
            .joined(separator: "; ")
        // libpq has no codes for the errors of a connection.
        let isOfUser =
            ["password", "authentication", "does not exist", "pg_hba.conf", "certificate"]
            .contains { text.contains($0) }
        guard isOfUser else { return .unavailable("\(place) cannot be reached: \(text)") }
        return .incompatible(
            code: 134080,
            "\(place) cannot be opened: \(text) (the URL has the user and the database; the "
                + "password is that of the URL, of PGPASSWORD or of ~/.pgpass)")
    }

    /// Returns the SQLSTATE of a statement that has failed; empty for a lost connection.
    static func state(_ result: OpaquePointer?) -> String {
        PQresultErrorField(result, PG_DIAG.state).map { String(cString: $0) } ?? ""
    }

    /// Returns the server's message about a statement that has failed.
    static func message(_ result: OpaquePointer?) -> String {
        PQresultErrorField(result, PG_DIAG.message).map { String(cString: $0) }
            ?? String(cString: PQresultErrorMessage(result))
    }

    /// Returns what the server adds to the message.
    static func detail(_ result: OpaquePointer?) -> String {
        PQresultErrorField(result, PG_DIAG.detail).map { String(cString: $0) } ?? ""
    }

    /// Returns the table and the column that an error is about, as the server stores their names;
    /// empty for none.
    static func column(_ result: OpaquePointer?) -> (table: String, name: String) {
        func field(_ code: Int32) -> String {
            PQresultErrorField(result, code).map { String(cString: $0) } ?? ""
        }
        return (field(PG_DIAG.table), field(PG_DIAG.column))
    }

    /// Whether a notice tells that a commit does not wait for its standby any more.
    static func isOfStandby(_ notice: OpaquePointer?) -> Bool {
        PQresultErrorField(notice, PG_DIAG.function).map { strcmp($0, "SyncRepWaitForLSN") == 0 }
            ?? false
    }

    /// Whether a prepared statement cannot be used any more: a column that it returns has another
    /// type, or the server does not know it.
    static func isOutdated(_ result: OpaquePointer?) -> Bool {
        switch state(result) {
        case "26000": true
        case "0A000":
            PQresultErrorField(result, PG_DIAG.function)
                .map { strcmp($0, "RevalidateCachedQuery") == 0 } ?? false
        default: false
        }
    }

    /// Returns the error of a statement.
    /// - Parameter statement: its text.
    static func error(
        _ result: OpaquePointer?, _ handle: OpaquePointer, _ place: String, _ statement: String
    ) -> StoreError {
        guard PQstatus(handle) == CONNECTION_OK, let result else {
            return connection(handle, place)
        }
        let message = message(result)
        let state = state(result)
        switch state {
        case "23505": return unique
        case "22021", "22P05":
            return .invalid(
                "PostgreSQL cannot hold a text with the character U+0000 (\(message))")
        case "22003", "22P02", "2201F", "2201E", "22012": return .invalid(message)
        case "53100", "53200": return .noRoom("\(place) has no room (PostgreSQL: \(message))")
        case "57014": return .deadline(seconds: Double(StatementTime.limit) / 1e9)
        case "25006":
            return .readOnly(
                "\(place) is only read: it is a standby, or its user's transactions are read-only by "
                    + "default (PostgreSQL: \(message))")
        case "42501" where message.hasPrefix("must be owner"):
            return .incompatible(code: 134080, "\(place): \(message)")
        case "42501":
            return .incompatible(
                code: 134080,
                "\(place): \(message) (the user needs USAGE on the "
                    + "schema, CREATE on it to make a store, and SELECT, INSERT, UPDATE and DELETE "
                    + "on all its tables)")
        case "2BP01":
            return .incompatible(
                code: 134110,
                "\(message): \(detail(result).replacing("\n", with: "; ")) (drop these before, and "
                    + "make them again afterwards)")
        case "40001", "40P01", "55P03", "53300", "53400":
            return .busy("\(place) is in use (PostgreSQL: \(message))")
        case _ where state.hasPrefix("08") || state.hasPrefix("57P"):
            return .unavailable("\(place) cannot be reached: \(message)")
        case "42P01", "3F000":
            return .gone(
                "the store in \(place) does not exist any more, or lacks a table (PostgreSQL: "
                    + "\(message))")
        // A column is not there, or no operator, function or conversion takes its type.
        case "42703", "42883", "42804", "42846":
            return StoreIdentity.hasOtherColumns(place, because: " (PostgreSQL: \(message))")
        case "54000":
            return .invalid(
                "a text with an index is too long for PostgreSQL, which takes about 2,700 bytes "
                    + "(\(message))")
        case _ where state.hasPrefix("54"): return .tooLarge(message)
        default: break
        }
        return .failed("PostgreSQL: \(message) (\(state)) in \(statement.prefix(300))")
    }

    /// The error of a row whose values must be unique. The saver finds out of which constraint.
    static let unique = StoreError.constraint(
        ConstraintConflict(entity: 0, key: 0, constraint: [], values: [], holder: nil))

    /// The fields of an error, which C has as characters.
    private enum PG_DIAG {
        static let state = Int32(UInt8(ascii: "C"))
        static let message = Int32(UInt8(ascii: "M"))
        static let detail = Int32(UInt8(ascii: "D"))
        static let table = Int32(UInt8(ascii: "t"))
        static let column = Int32(UInt8(ascii: "c"))
        /// The function of the server that has sent it.
        static let function = Int32(UInt8(ascii: "R"))
    }
}
