/// MATCHES inside statements, by the very code that matches in memory.

import CSQLite
import StelePersistence
import StelePredicates
import SteleSQL

/// `STELE_MATCHES`, with the connection's own matcher.
enum MatchFunction {
    /// Makes the function known to a connection, which it keeps the matcher for.
    static func register(on connection: OpaquePointer, _ matcher: PatternMatcher) {
        let function = SQLFunctions.matches
        let code = sqlite3_create_function_v2(
            connection, function.name, Int32(function.argumentCount),
            SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
            Unmanaged.passRetained(matcher).toOpaque(), { MatchFunction.match($0, $2) },
            nil, nil,
            { data in
                if let data { Unmanaged<PatternMatcher>.fromOpaque(data).release() }
            })
        precondition(code == SQLITE_OK, "a name and a count that SQLite takes")
    }

    /// 1 or 0; NULL where the text or the pattern is; an error where it cannot be said in time.
    private static func match(_ context: OpaquePointer?, _ arguments: SQLArguments?) {
        guard let arguments, let data = sqlite3_user_data(context),
            let text = TextFunctions.bytes(arguments[0]),
            let pattern = TextFunctions.bytes(arguments[1])
        else { return sqlite3_result_null(context) }
        let matcher = Unmanaged<PatternMatcher>.fromOpaque(data).takeUnretainedValue()
        let options = ComparisonOptions(rawValue: Int(sqlite3_value_int(arguments[2])))
        do {
            sqlite3_result_int(context, try matcher.matches(text, pattern, options) ? 1 : 0)
        } catch {
            refuse(context, error, isBrief: matcher.limits == .brief)
        }
    }

    private static func refuse(
        _ context: OpaquePointer?, _ error: PredicateError, isBrief: Bool
    ) {
        if isBrief, error.code == PredicateError.Code.limit.rawValue {
            // As any statement that a budget does not suffice for.
            sqlite3_result_error_code(context, SQLITE_INTERRUPT)
        } else {
            sqlite3_result_error(context, FunctionError.text(error), -1)
        }
    }
}

/// A predicate's error as the one text that a function can fail with, and back.
enum FunctionError {
    private static let mark: Character = "\u{1F}"

    static func text(_ error: PredicateError) -> String {
        [error.code, error.message, error.near, error.hint ?? ""]
            .map { $0.filter { $0 != mark && $0 != "\0" } }.map { "\(mark)\($0)" }.joined()
    }

    /// The error, where the text is one.
    static func error(_ text: String) -> PredicateError? {
        let parts = text.split(separator: mark, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 5, parts[0].isEmpty, let code = PredicateError.Code(rawValue: parts[1])
        else { return nil }
        return PredicateError(
            code, parts[2], near: parts[3], hint: parts[4].isEmpty ? nil : parts[4])
    }
}
