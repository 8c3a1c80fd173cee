import CSQLite
import FoundationEssentials
import SteleModel
import StelePredicates
import SteleSQL

/// The decimal scalars. Arguments are numbers or blobs of digits; results have the form of a stored
/// decimal.
enum DecimalFunctions {
    /// Returns an argument as a decimal; nil for NULL and for a value that is not a number.
    static func decimal(_ value: OpaquePointer?) -> Decimal? {
        guard let value else { return nil }
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER: return Decimal(sqlite3_value_int64(value))
        case SQLITE_FLOAT: return DecimalColumn.decimal(sqlite3_value_double(value))
        case SQLITE_BLOB, SQLITE_TEXT:
            guard let start = sqlite3_value_blob(value) else { return nil }
            let count = Int(sqlite3_value_bytes(value))
            return DecimalColumn.decimal(
                digits: [UInt8](UnsafeRawBufferPointer(start: start, count: count)))
        default: return nil
        }
    }

    /// Sets a decimal as the result, in the form that a column stores; NULL for nil.
    static func result(_ context: OpaquePointer?, _ value: Decimal?) {
        guard let value, !value.isNaN else { return sqlite3_result_null(context) }
        switch DecimalColumn(value) {
        case .integer(let it): sqlite3_result_int64(context, it)
        case .real(let it): sqlite3_result_double(context, it)
        case .digits(let it):
            it.withUnsafeBytes { stele_result_blob(context, $0.baseAddress, Int64($0.count)) }
        }
    }

    /// Applies a function of the predicate language; NULL where an argument is NULL.
    static func combine(
        _ context: OpaquePointer?, _ arguments: SQLArguments?, _ function: PredicateFunction
    ) {
        guard let arguments, let a = decimal(arguments[0]), let b = decimal(arguments[1]),
            case .decimal(let value) = PredicateCalls.apply(function, .decimal(a), .decimal(b))
        else { return sqlite3_result_null(context) }
        result(context, value)
    }

    /// Returns bytes that sort as the numbers do.
    static func key(
        _ context: OpaquePointer?, _ arguments: SQLArguments?, ofDoubles: Bool
    ) {
        guard let arguments, let bytes = orderedBytes(arguments[0], ofDoubles) else {
            return sqlite3_result_null(context)
        }
        bytes.withUnsafeBytes { stele_result_blob(context, $0.baseAddress, Int64($0.count)) }
    }

    /// Returns a number as the Decimal that it compares as.
    static func exact(_ context: OpaquePointer?, _ arguments: SQLArguments?) {
        guard let value = arguments?[0] else { return sqlite3_result_null(context) }
        let exact =
            sqlite3_value_type(value) == SQLITE_FLOAT
            ? PredicateCalls.comparable(sqlite3_value_double(value)) : decimal(value)
        guard let exact else { return sqlite3_result_value(context, value) }
        result(context, exact)
    }

    /// Encodes a Double out of the range of Decimal too: it sorts before or after all Decimals, or
    /// nearer to 0.
    private static func orderedBytes(_ value: OpaquePointer?, _ ofDoubles: Bool) -> [UInt8]? {
        if sqlite3_value_type(value) == SQLITE_FLOAT {
            let number = sqlite3_value_double(value)
            let decimal =
                ofDoubles ? PredicateCalls.comparable(number) : DecimalColumn.decimal(number)
            return decimal.map { orderedBytes(of: $0) } ?? orderedBytes(of: number)
        }
        return decimal(value).map { orderedBytes(of: $0) }
    }

    /// Encodes a Double by its shortest digits.
    static func orderedBytes(of value: Double) -> [UInt8] {
        let text = Array("\(value.magnitude)".utf8)
        let mark = text.firstIndex(of: UInt8(ascii: "e")) ?? text.count
        let power = Int(String(decoding: text[mark...].dropFirst(), as: UTF8.self)) ?? 0
        // Doubles of this magnitude are written with one digit before the point.
        let digits = text[..<mark].filter { $0 != UInt8(ascii: ".") }
        return orderedBytes(digits, power: power + 1, isNegative: value < 0)
    }

    /// Encodes a decimal: a sign, the place of the first digit, the digits. The bytes of a negative
    /// number are complemented; a final 0 makes a shorter number sort correctly.
    static func orderedBytes(of value: Decimal) -> [UInt8] {
        if value.isZero { return [1] }
        let text = Array(value.magnitude.description.utf8)
        let point = text.firstIndex(of: UInt8(ascii: ".")) ?? text.count
        let first = text.firstIndex { $0 != UInt8(ascii: "0") && $0 != UInt8(ascii: ".") } ?? 0
        // The power of ten of the first significant digit, from about -128 to 165.
        let power = first < point ? point - first : point - first + 1
        let digits = text[first...].filter { $0 != UInt8(ascii: ".") }
        return orderedBytes(digits, power: power, isNegative: value < 0)
    }

    private static func orderedBytes(_ all: [UInt8], power: Int, isNegative: Bool) -> [UInt8] {
        var digits = all
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        let place = UInt16(clamping: power + 1024)
        let body = [UInt8(place >> 8), UInt8(place & 0xFF)] + digits + [0]
        return isNegative ? [0] + body.map { ~$0 } : [2] + body
    }
}

/// The sum, average, minimum and maximum of decimals, exact to 38 digits.
final class DecimalAggregate: GroupState {
    private var total = DecimalTotal()
    private var least: Decimal?
    private var greatest: Decimal?

    func add(_ argument: OpaquePointer?) {
        guard let value = DecimalFunctions.decimal(argument) else { return }
        total.add(value)
        least = least.map { min($0, value) } ?? value
        greatest = greatest.map { max($0, value) } ?? value
    }

    /// Registers the aggregates on a connection.
    static func register(on connection: OpaquePointer) {
        let all: [(SQLFunction, SQLFunctionTable.Final)] = [
            (SQLFunctions.decimalSum, { DecimalAggregate.end($0) { $0.total.sum } }),
            (SQLFunctions.decimalAverage, { DecimalAggregate.end($0) { $0.total.mean } }),
            (SQLFunctions.decimalMinimum, { DecimalAggregate.end($0) { $0.least } }),
            (SQLFunctions.decimalMaximum, { DecimalAggregate.end($0) { $0.greatest } }),
        ]
        for (function, final) in all {
            SQLFunctionTable.add(
                function, on: connection, step: { DecimalAggregate.step($0, $2) }, final: final)
        }
        SQLFunctionTable.add(
            SQLFunctions.decimalPart, on: connection, step: { DecimalAggregate.step($0, $2) },
            final: { DecimalAggregate.endPart($0) })
    }

    private static func endPart(_ context: OpaquePointer?) {
        finish(context).total.bytes.withUnsafeBytes {
            stele_result_blob(context, $0.baseAddress, Int64($0.count))
        }
    }

    private static func end(
        _ context: OpaquePointer?, _ result: (DecimalAggregate) -> Decimal?
    ) {
        DecimalFunctions.result(context, result(finish(context)))
    }
}

/// The sum and the average of all numbers of some parts.
final class DecimalPartsAggregate: GroupState {
    private var total = DecimalTotal()

    func add(_ part: OpaquePointer?) {
        guard let start = sqlite3_value_blob(part) else { return }
        let bytes = UnsafeRawBufferPointer(
            start: start, count: Int(sqlite3_value_bytes(part)))
        if let it = DecimalTotal(bytes: bytes) { total.add(it) }
    }

    /// Registers both on a connection.
    static func register(on connection: OpaquePointer) {
        SQLFunctionTable.add(
            SQLFunctions.decimalSumOfParts, on: connection,
            step: { DecimalPartsAggregate.step($0, $2) },
            final: { DecimalFunctions.result($0, DecimalPartsAggregate.finish($0).total.sum) })
        SQLFunctionTable.add(
            SQLFunctions.decimalAverageOfParts, on: connection,
            step: { DecimalPartsAggregate.step($0, $2) },
            final: { DecimalFunctions.result($0, DecimalPartsAggregate.finish($0).total.mean) })
    }
}

/// The state of an aggregate for one group of rows: an object that SQLite's memory for the group
/// refers to.
protocol GroupState: AnyObject {
    init()
    /// Adds the argument of one row.
    func add(_ value: OpaquePointer?)
}

extension GroupState {
    private static func place(
        _ context: OpaquePointer?, makes: Bool
    ) -> UnsafeMutablePointer<UnsafeRawPointer?>? {
        let size = makes ? Int32(MemoryLayout<UnsafeRawPointer?>.size) : 0
        return sqlite3_aggregate_context(context, size)?
            .assumingMemoryBound(to: UnsafeRawPointer?.self)
    }

    /// Adds one row, retaining a new state for the first.
    static func step(_ context: OpaquePointer?, _ arguments: SQLArguments?) {
        guard let place = place(context, makes: true) else {
            return sqlite3_result_error_nomem(context)
        }
        if place.pointee == nil {
            place.pointee = UnsafeRawPointer(Unmanaged.passRetained(Self()).toOpaque())
        }
        guard let held = place.pointee else { return }
        Unmanaged<Self>.fromOpaque(held).takeUnretainedValue().add(arguments?[0])
    }

    /// Returns the group's state and releases it; a new one for a group without rows.
    static func finish(_ context: OpaquePointer?) -> Self {
        guard let held = place(context, makes: false)?.pointee else { return Self() }
        return Unmanaged<Self>.fromOpaque(held).takeRetainedValue()
    }
}
