/// The functions that statements call, registered on each connection.

import CSQLite
import SteleSQL

/// A scalar's arguments, as SQLite hands them over.
typealias SQLArguments = UnsafeMutablePointer<OpaquePointer?>

/// Registers what `SQLFunctions` names.
enum SQLFunctionTable {
    private typealias Scalar = @convention(c) (OpaquePointer?, Int32, SQLArguments?) -> Void

    /// Makes all functions known to a connection.
    static func register(on connection: OpaquePointer) {
        for (function, body) in texts + decimals + values { add(function, body, on: connection) }
        DecimalAggregate.register(on: connection)
        NumberAggregate.register(on: connection)
        SumAggregate.register(on: connection)
    }

    private static func add(
        _ function: SQLFunction, _ body: Scalar, on connection: OpaquePointer
    ) {
        let code = sqlite3_create_function_v2(
            connection, function.name, Int32(function.argumentCount),
            SQLITE_UTF8 | SQLITE_INNOCUOUS
                | (function.isDeterministic ? SQLITE_DETERMINISTIC : 0), nil, body, nil, nil, nil)
        precondition(code == SQLITE_OK, "a name and a count that SQLite takes")
    }

    private static var texts: [(SQLFunction, Scalar)] {
        [
            (SQLFunctions.fold, { TextFunctions.fold($0, $2) }),
            (SQLFunctions.contains, { TextFunctions.compare($0, $2, .contains) }),
            (SQLFunctions.beginsWith, { TextFunctions.compare($0, $2, .beginsWith) }),
            (SQLFunctions.endsWith, { TextFunctions.compare($0, $2, .endsWith) }),
            (SQLFunctions.like, { TextFunctions.compare($0, $2, .like) }),
        ]
    }

    private static var values: [(SQLFunction, Scalar)] {
        [
            (SQLFunctions.call, { ValueFunctions.call($0, $1, $2) }),
            (SQLFunctions.call2, { ValueFunctions.call($0, $1, $2) }),
            (SQLFunctions.randomBelow, { ValueFunctions.randomBelow($0, $2) }),
            (SQLFunctions.cast, { ValueFunctions.cast($0, $2) }),
            (SQLFunctions.distance, { ValueFunctions.distance($0, $2) }),
            (SQLFunctions.literal, { ValueFunctions.literal($0, $2) }),
        ]
    }

    private static var decimals: [(SQLFunction, Scalar)] {
        [
            (SQLFunctions.decimalKey, { DecimalFunctions.key($0, $2) }),
            (SQLFunctions.decimalAdd, { DecimalFunctions.combine($0, $2, .add) }),
            (SQLFunctions.decimalSubtract, { DecimalFunctions.combine($0, $2, .subtract) }),
            (SQLFunctions.decimalMultiply, { DecimalFunctions.combine($0, $2, .multiply) }),
            (SQLFunctions.decimalDivide, { DecimalFunctions.combine($0, $2, .divide) }),
        ]
    }
}
