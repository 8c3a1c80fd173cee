import CSQLite
import SteleModel
import StelePredicates
import SteleSQL

/// `STELE_SUM` and `STELE_AVG` of integers: exact where SQLite's own overflow or round twice. The
/// state of a group is a `NumberSum` in the zeroed memory that SQLite provides for it.
enum SumAggregate {
    /// Registers both on a connection.
    static func register(on connection: OpaquePointer) {
        SQLFunctionTable.add(
            SQLFunctions.sum, on: connection, step: { SumAggregate.step($0, $2?[0]) },
            final: { SumAggregate.finish($0, \.sum) })
        SQLFunctionTable.add(
            SQLFunctions.average, on: connection, step: { SumAggregate.step($0, $2?[0]) },
            final: { SumAggregate.finish($0, \.mean) })
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
