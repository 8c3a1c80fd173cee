/// Median and standard deviation inside statements: all numbers of a group are kept until its end.

import CSQLite
import SteleModel
import StelePredicates
import SteleSQL

/// The numbers of one group.
final class NumberAggregate {
    private typealias Final = @convention(c) (OpaquePointer?) -> Void

    private var integers: [Int64] = []
    private var doubles: [Double] = []
    private var others: [Value] = []

    /// Makes the aggregates known to a connection.
    static func register(on connection: OpaquePointer) {
        let all: [(SQLFunction, Final)] = [
            (SQLFunctions.median, { NumberAggregate.median($0) }),
            (SQLFunctions.decimalMedian, { NumberAggregate.decimalMedian($0) }),
            (SQLFunctions.standardDeviation, { NumberAggregate.deviation($0) }),
        ]
        for (function, final) in all {
            let code = sqlite3_create_function_v2(
                connection, function.name, Int32(function.argumentCount),
                SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, nil, nil,
                { NumberAggregate.step($0, $2) }, final, nil)
            precondition(code == SQLITE_OK, "a name and a count that SQLite takes")
        }
    }

    private func add(_ value: OpaquePointer?) {
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

    /// SQLite keeps eight bytes for each group; they hold a retained aggregate.
    private static func place(
        _ context: OpaquePointer?, makes: Bool
    ) -> UnsafeMutablePointer<UnsafeRawPointer?>? {
        let size = makes ? Int32(MemoryLayout<UnsafeRawPointer?>.size) : 0
        return sqlite3_aggregate_context(context, size)?
            .assumingMemoryBound(to: UnsafeRawPointer?.self)
    }

    private static func step(_ context: OpaquePointer?, _ arguments: SQLArguments?) {
        guard let place = place(context, makes: true) else {
            return sqlite3_result_error_nomem(context)
        }
        if place.pointee == nil {
            place.pointee = UnsafeRawPointer(Unmanaged.passRetained(NumberAggregate()).toOpaque())
        }
        guard let held = place.pointee else { return }
        Unmanaged<NumberAggregate>.fromOpaque(held).takeUnretainedValue().add(arguments?[0])
    }

    /// The group's aggregate, released; an empty one where no row came.
    private static func finish(_ context: OpaquePointer?) -> NumberAggregate {
        guard let held = place(context, makes: false)?.pointee else { return NumberAggregate() }
        return Unmanaged<NumberAggregate>.fromOpaque(held).takeRetainedValue()
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
        // Of one kind they are sorted as what they are, which is most of the work.
        if it.others.isEmpty, it.integers.isEmpty {
            return PredicateCalls.median(central(it.doubles).map(Value.double))
        }
        if it.others.isEmpty, it.doubles.isEmpty {
            return PredicateCalls.median(central(it.integers).map(Value.int))
        }
        return PredicateCalls.median(it.values)
    }

    /// The one or two in the middle.
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
