import CSQLite
import StelePersistence
import StelePredicates
import SteleSQL

/// `STELE_MATCHES`, evaluated by the connection's matcher.
enum MatchFunction {
    /// Registers the function on a connection, which retains the matcher.
    static func register(on connection: OpaquePointer, _ matcher: PatternMatcher) {
        SQLFunctionTable.add(
            SQLFunctions.matches, on: connection, scalar: { MatchFunction.match($0, $2) },
            data: Unmanaged.passRetained(matcher).toOpaque(),
            release: { if let data = $0 { Unmanaged<PatternMatcher>.fromOpaque(data).release() } })
    }

    /// Returns 1 or 0, NULL where the text or the pattern is NULL, and an error after the time
    /// limit.
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
        if isBrief, error.isOfLimit {
            // The same code as for any statement that exceeds its budget.
            sqlite3_result_error_code(context, SQLITE_INTERRUPT)
        } else {
            sqlite3_result_error(context, FunctionError.text(error), -1)
        }
    }
}

/// A predicate's error encoded as the error text of a function.
enum FunctionError {
    private static let mark: Character = "\u{1F}"

    static func text(_ error: PredicateError) -> String {
        [error.code, error.message, error.near, error.hint ?? ""]
            .map { $0.filter { $0 != mark && $0 != "\0" } }.map { "\(mark)\($0)" }.joined()
    }

    /// Decodes an error; nil for another text.
    static func error(_ text: String) -> PredicateError? {
        let parts = text.split(separator: mark, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 5, parts[0].isEmpty, let code = PredicateError.Code(rawValue: parts[1])
        else { return nil }
        return PredicateError(
            code, parts[2], near: parts[3], hint: parts[4].isEmpty ? nil : parts[4])
    }
}
