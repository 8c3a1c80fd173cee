import CSQLite
import SteleModel
import StelePredicates
import SteleSQL

/// The median and the standard deviation. All numbers of a group are kept until its end.
final class NumberAggregate: GroupState {

    private var integers: [Int64] = []
    private var doubles: [Double] = []
    private var others: [Value] = []

    /// Registers the aggregates on a connection.
    static func register(on connection: OpaquePointer) {
        let all: [(SQLFunction, SQLFunctionTable.Final)] = [
            (SQLFunctions.median, { NumberAggregate.median($0) }),
            (SQLFunctions.decimalMedian, { NumberAggregate.decimalMedian($0) }),
            (SQLFunctions.standardDeviation, { NumberAggregate.deviation($0) }),
        ]
        for (function, final) in all {
            SQLFunctionTable.add(
                function, on: connection, step: { NumberAggregate.step($0, $2) }, final: final)
        }
    }

    func add(_ value: OpaquePointer?) {
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER: integers.append(sqlite3_value_int64(value))
        case SQLITE_FLOAT: doubles.append(sqlite3_value_double(value))
        case SQLITE_NULL: break
        default:
            if let it = DecimalFunctions.decimal(value) { others.append(.decimal(it)) }
        }
    }

    private var values: [Value] {
        integers.map(Value.int) + doubles.map(Value.double) + others
    }

    private static func median(_ context: OpaquePointer?) {
        let it = finish(context)
        switch Self.middle(it) {
        case .int(let it): sqlite3_result_double(context, Double(it))
        case .double(let it): sqlite3_result_double(context, it)
        default: sqlite3_result_null(context)
        }
    }

    private static func middle(_ it: NumberAggregate) -> Value {
        // Sorting numbers of one type without converting them saves most of the work.
        if it.others.isEmpty, it.integers.isEmpty {
            return PredicateCalls.median(central(it.doubles).map(Value.double))
        }
        if it.others.isEmpty, it.doubles.isEmpty {
            return PredicateCalls.median(central(it.integers).map(Value.int))
        }
        return PredicateCalls.median(it.values)
    }

    /// Returns the one or two numbers in the middle.
    private static func central<T: Comparable>(_ numbers: [T]) -> ArraySlice<T> {
        let sorted = numbers.sorted()
        let middle = sorted.count / 2
        if sorted.isEmpty { return [] }
        return sorted.count % 2 == 1 ? sorted[middle...middle] : sorted[(middle - 1)...middle]
    }

    private static func decimalMedian(_ context: OpaquePointer?) {
        let it = finish(context)
        let decimals =
            it.integers.map { Decimal($0) } + it.doubles.compactMap(DecimalColumn.decimal)
        let values = decimals.map(Value.decimal) + it.others
        if case .decimal(let result) = PredicateCalls.median(values) {
            DecimalFunctions.result(context, result)
        } else {
            sqlite3_result_null(context)
        }
    }

    private static func deviation(_ context: OpaquePointer?) {
        let it = finish(context)
        var numbers = it.doubles + it.integers.map(Double.init)
        for case .decimal(let other) in it.others {
            if let number = Double(other.description) { numbers.append(number) }
        }
        if case .double(let result) = PredicateCalls.standardDeviation(numbers) {
            sqlite3_result_double(context, result)
        } else {
            sqlite3_result_null(context)
        }
    }
}
