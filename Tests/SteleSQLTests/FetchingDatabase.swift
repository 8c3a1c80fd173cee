// A database in memory with the schema of the test model, by SQLite's own interface.

import CSQLite
import SteleModel
import StelePredicates
import SteleSQL

/// A database to explain and run statements on. Text functions are the language's own; those over
/// decimals give NULL.
final class FetchingDatabase {
    struct Failure: Error, CustomStringConvertible { let description: String }

    private var handle: OpaquePointer?

    private static let aggregates = [
        SQLFunctions.decimalSum, SQLFunctions.decimalAverage, SQLFunctions.decimalMinimum,
        SQLFunctions.decimalMaximum, SQLFunctions.decimalMedian, SQLFunctions.median,
        SQLFunctions.decimalPart, SQLFunctions.decimalSumOfParts,
        SQLFunctions.decimalAverageOfParts,
        SQLFunctions.sum, SQLFunctions.average, SQLFunctions.standardDeviation,
    ]
    private static let scalars = [
        SQLFunctions.call, SQLFunctions.call2, SQLFunctions.randomBelow, SQLFunctions.cast,
        SQLFunctions.distance, SQLFunctions.literal, SQLFunctions.fold, SQLFunctions.contains,
        SQLFunctions.beginsWith, SQLFunctions.endsWith, SQLFunctions.like, SQLFunctions.matches,
        SQLFunctions.decimalKey, SQLFunctions.doubleKey, SQLFunctions.decimalAdd,
        SQLFunctions.decimalSubtract, SQLFunctions.decimalMultiply, SQLFunctions.decimalDivide,
        SQLFunctions.stored,
    ]

    init(_ schema: SQLSchema) throws {
        guard sqlite3_open(":memory:", &handle) == SQLITE_OK else { throw failure("open") }
        for function in Self.aggregates {
            sqlite3_create_function(
                handle, function.name, Int32(function.argumentCount), SQLITE_UTF8, nil, nil,
                { _, _, _ in }, { sqlite3_result_null($0) })
        }
        for function in Self.scalars {
            sqlite3_create_function(
                handle, function.name, Int32(function.argumentCount),
                SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil, Self.scalar(function), nil, nil)
        }
        for statement in schema.creation { try run(statement) }
    }

    deinit { sqlite3_close(handle) }

    private func failure(_ sql: String) -> Failure {
        Failure(description: "\(String(cString: sqlite3_errmsg(handle))) in \(sql)")
    }

    func run(_ sql: String, _ bindings: [Value] = []) throws {
        _ = try rows(sql, bindings, [])
    }

    /// All rows of a statement, each column as its kind says.
    func rows(_ statement: FetchStatement) throws -> [[Value]] {
        try rows(statement.sql.string, statement.bindings, statement.kinds)
    }

    func rows(_ sql: String, _ bindings: [Value], _ kinds: [ColumnKind]) throws -> [[Value]] {
        var prepared: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &prepared, nil) == SQLITE_OK else {
            throw failure(sql)
        }
        defer { sqlite3_finalize(prepared) }
        guard Int(sqlite3_bind_parameter_count(prepared)) == bindings.count else {
            throw Failure(description: "\(bindings.count) values are bound in \(sql)")
        }
        for (index, value) in bindings.enumerated() { bind(value, Int32(index + 1), prepared) }
        var rows: [[Value]] = []
        while true {
            switch sqlite3_step(prepared) {
            case SQLITE_ROW:
                rows.append(
                    kinds.enumerated().map { Self.value(prepared, Int32($0.offset), $0.element) })
            case SQLITE_DONE: return rows
            default: throw failure(sql)
            }
        }
    }

    /// What SQLite means to do, a line a step.
    func plan(_ statement: FetchStatement) throws -> [String] {
        let columns: [ColumnKind] = [.integer, .integer, .integer, .text]
        return try rows(
            "EXPLAIN QUERY PLAN \(statement.sql.string)", statement.bindings, columns
        ).map { if case .string(let text) = $0[3] { text } else { "" } }
    }

    private func bind(_ value: Value, _ index: Int32, _ statement: OpaquePointer?) {
        let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch value {
        case .null: sqlite3_bind_null(statement, index)
        case .bool(let it): sqlite3_bind_int64(statement, index, it ? 1 : 0)
        case .int(let it), .key(let it): sqlite3_bind_int64(statement, index, it)
        case .double(let it), .date(let it): sqlite3_bind_double(statement, index, it)
        case .decimal(let it): sqlite3_bind_double(statement, index, Double("\(it)") ?? 0)
        case .string(let it): sqlite3_bind_text(statement, index, it, -1, copied)
        case .data(let it): sqlite3_bind_blob(statement, index, it, Int32(it.count), copied)
        case .external: sqlite3_bind_null(statement, index)
        case .uuid(let it):
            _ = withUnsafeBytes(of: it.uuid) {
                sqlite3_bind_blob(statement, index, $0.baseAddress, 16, copied)
            }
        }
    }

    private static func value(
        _ statement: OpaquePointer?, _ column: Int32, _ kind: ColumnKind
    ) -> Value {
        if sqlite3_column_type(statement, column) == SQLITE_NULL { return .null }
        switch kind {
        case .integer: return .int(sqlite3_column_int64(statement, column))
        case .key: return .key(sqlite3_column_int64(statement, column))
        case .boolean: return .bool(sqlite3_column_int64(statement, column) != 0)
        case .double, .float, .decimal: return .double(sqlite3_column_double(statement, column))
        case .date: return .date(sqlite3_column_double(statement, column))
        default:
            let text = sqlite3_column_text(statement, column)
            return .string(text.map { String(cString: $0) } ?? "")
        }
    }

    // MARK: Functions

    fileprivate typealias Arguments = UnsafeMutablePointer<OpaquePointer?>
    private typealias Scalar = @convention(c) (OpaquePointer?, Int32, Arguments?) -> Void

    private static func scalar(_ function: SQLFunction) -> Scalar {
        switch function {
        case SQLFunctions.fold:
            return { context, _, arguments in
                guard let text = FetchingDatabase.text(arguments?[0]) else {
                    return sqlite3_result_null(context)
                }
                let options = ComparisonOptions(rawValue: Int(sqlite3_value_int(arguments?[1])))
                sqlite3_result_text(
                    context, TextComparison.fold(text, options: options), -1,
                    unsafeBitCast(-1, to: sqlite3_destructor_type.self))
            }
        case SQLFunctions.contains: return { judged($0, $2) { $0.contains($1, $2) } }
        case SQLFunctions.beginsWith: return { judged($0, $2) { $0.beginsWith($1, $2) } }
        case SQLFunctions.endsWith: return { judged($0, $2) { $0.endsWith($1, $2) } }
        case SQLFunctions.like: return { judged($0, $2) { (try? $0.like($1, $2)) ?? false } }
        default: return { context, _, _ in sqlite3_result_null(context) }
        }
    }

    fileprivate static func judge(
        _ context: OpaquePointer?, _ arguments: Arguments?,
        _ body: (TextComparison, String, String) -> Bool
    ) {
        guard let a = text(arguments?[0]), let b = text(arguments?[1]) else {
            return sqlite3_result_null(context)
        }
        let options = ComparisonOptions(rawValue: Int(sqlite3_value_int(arguments?[2])))
        sqlite3_result_int(context, body(TextComparison(options), a, b) ? 1 : 0)
    }

    fileprivate static func text(_ value: OpaquePointer?) -> String? {
        sqlite3_value_text(value).map { String(cString: $0) }
    }
}

/// A function without a context of its own, as C takes them.
private func judged(
    _ context: OpaquePointer?, _ arguments: FetchingDatabase.Arguments?,
    _ body: (TextComparison, String, String) -> Bool
) {
    FetchingDatabase.judge(context, arguments, body)
}
