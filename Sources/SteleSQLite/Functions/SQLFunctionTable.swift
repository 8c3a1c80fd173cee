import CSQLite
import SteleSQL

/// The arguments of a function, as SQLite passes them.
typealias SQLArguments = UnsafeMutablePointer<OpaquePointer?>

/// Registers the functions of `SQLFunctions` on connections.
enum SQLFunctionTable {
    typealias Scalar = @convention(c) (OpaquePointer?, Int32, SQLArguments?) -> Void
    typealias Final = @convention(c) (OpaquePointer?) -> Void

    /// Registers all functions that need no state of the connection.
    static func register(on connection: OpaquePointer) {
        for (function, body) in scalars {
            add(function, on: connection, scalar: body)
        }
        DecimalAggregate.register(on: connection)
        DecimalPartsAggregate.register(on: connection)
        NumberAggregate.register(on: connection)
        SumAggregate.register(on: connection)
        add(
            SQLFunctions.foreignColumns, on: connection,
            step: { StoredContents.addForeign($0, $1, $2) },
            final: { StoredContents.foreignColumns($0) })
    }

    /// Registers a scalar, or an aggregate by its step and its end.
    /// - Parameters:
    ///   - data: the retained object that `sqlite3_user_data` returns.
    ///   - release: releases `data`.
    static func add(
        _ function: SQLFunction, on connection: OpaquePointer, scalar: Scalar? = nil,
        step: Scalar? = nil, final: Final? = nil, data: UnsafeMutableRawPointer? = nil,
        release: (@convention(c) (UnsafeMutableRawPointer?) -> Void)? = nil
    ) {
        let code = sqlite3_create_function_v2(
            connection, function.name, Int32(function.argumentCount),
            SQLITE_UTF8 | SQLITE_INNOCUOUS
                | (function.isDeterministic ? SQLITE_DETERMINISTIC : 0), data, scalar, step, final,
            release)
        precondition(code == SQLITE_OK, "SQLite accepts the name and the argument count")
    }

    private static var scalars: [(SQLFunction, Scalar)] {
        [
            (SQLFunctions.fold, { TextFunctions.fold($0, $2) }),
            (SQLFunctions.contains, { TextFunctions.compare($0, $2, .contains) }),
            (SQLFunctions.beginsWith, { TextFunctions.compare($0, $2, .beginsWith) }),
            (SQLFunctions.endsWith, { TextFunctions.compare($0, $2, .endsWith) }),
            (SQLFunctions.like, { TextFunctions.compare($0, $2, .like) }),
            (SQLFunctions.call, { ValueFunctions.call($0, $1, $2) }),
            (SQLFunctions.call2, { ValueFunctions.call($0, $1, $2) }),
            (SQLFunctions.randomBelow, { ValueFunctions.randomBelow($0, $2) }),
            (SQLFunctions.cast, { ValueFunctions.cast($0, $2) }),
            (SQLFunctions.number, { ValueFunctions.number($0, $2) }),
            (SQLFunctions.distance, { ValueFunctions.distance($0, $2) }),
            (SQLFunctions.literal, { ValueFunctions.literal($0, $2) }),
            (SQLFunctions.stored, { StoredContents.stored($0, $2) }),
            (SQLFunctions.isForeign, { StoredContents.isForeign($0, $2) }),
            (SQLFunctions.decimalKey, { DecimalFunctions.key($0, $2, ofDoubles: false) }),
            (SQLFunctions.doubleKey, { DecimalFunctions.key($0, $2, ofDoubles: true) }),
            (SQLFunctions.exactDecimal, { DecimalFunctions.exact($0, $2) }),
            (SQLFunctions.decimalAdd, { DecimalFunctions.combine($0, $2, .add) }),
            (SQLFunctions.decimalSubtract, { DecimalFunctions.combine($0, $2, .subtract) }),
            (SQLFunctions.decimalMultiply, { DecimalFunctions.combine($0, $2, .multiply) }),
            (SQLFunctions.decimalDivide, { DecimalFunctions.combine($0, $2, .divide) }),
        ]
    }
}
