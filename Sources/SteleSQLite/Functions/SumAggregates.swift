/// Sums and means of integers inside statements: exact where SQLite's own fail or round twice.

import CSQLite
import SteleModel
import StelePredicates
import SteleSQL

/// `STELE_SUM` and `STELE_AVG`: a `NumberSum` in the memory that SQLite keeps for each group, which
/// it hands out zeroed.
enum SumAggregate {
    /// Makes both known to a connection.
    static func register(on connection: OpaquePointer) {
        add(SQLFunctions.sum, on: connection) { SumAggregate.finish($0, \.sum) }
        add(SQLFunctions.average, on: connection) { SumAggregate.finish($0, \.mean) }
    }

    private static func add(
        _ function: SQLFunction, on connection: OpaquePointer,
        _ final: @convention(c) (OpaquePointer?) -> Void
    ) {
        let code = sqlite3_create_function_v2(
            connection, function.name, Int32(function.argumentCount),
            SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, nil, nil,
            { SumAggregate.step($0, $2?[0]) }, final, nil)
        precondition(code == SQLITE_OK, "a name and a count that SQLite takes")
    }

    private static func state(
        _ context: OpaquePointer?, makes: Bool
    ) -> UnsafeMutablePointer<NumberSum>? {
        let size = makes ? Int32(MemoryLayout<NumberSum>.size) : 0
        return sqlite3_aggregate_context(context, size)?.assumingMemoryBound(to: NumberSum.self)
    }

    private static func step(_ context: OpaquePointer?, _ value: OpaquePointer?) {
        guard let state = state(context, makes: true) else {
            return sqlite3_result_error_nomem(context)
        }
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER: state.pointee.add(sqlite3_value_int64(value))
        case SQLITE_FLOAT: state.pointee.add(sqlite3_value_double(value))
        default: break
        }
    }

    private static func finish(
        _ context: OpaquePointer?, _ result: KeyPath<NumberSum, Value>
    ) {
        let sum = state(context, makes: false)?.pointee ?? NumberSum()
        switch sum[keyPath: result] {
        case .int(let it): sqlite3_result_int64(context, it)
        case .double(let it): sqlite3_result_double(context, it)
        default: sqlite3_result_null(context)
        }
    }
}
