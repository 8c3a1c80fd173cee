/// Arithmetic and order of decimals inside statements.

import CSQLite
import FoundationEssentials
import SteleModel
import StelePredicates
import SteleSQL

/// The decimal scalars: arguments are numbers or blobs of digits, results are as they are stored.
enum DecimalFunctions {
    /// An argument as a decimal; nil for NULL and for what is no number.
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

    /// Gives a decimal as the result, as a column would hold it; NULL for none.
    static func result(_ context: OpaquePointer?, _ value: Decimal?) {
        guard let value, !value.isNaN else { return sqlite3_result_null(context) }
        switch DecimalColumn(value) {
        case .integer(let it): sqlite3_result_int64(context, it)
        case .real(let it): sqlite3_result_double(context, it)
        case .digits(let it):
            it.withUnsafeBytes { stele_result_blob(context, $0.baseAddress, Int64($0.count)) }
        }
    }

    /// What the language's function makes of two arguments; NULL where one is.
    static func combine(
        _ context: OpaquePointer?, _ arguments: SQLArguments?, _ function: PredicateFunction
    ) {
        guard let arguments, let a = decimal(arguments[0]), let b = decimal(arguments[1]),
            case .decimal(let value) = PredicateCalls.apply(function, .decimal(a), .decimal(b))
        else { return sqlite3_result_null(context) }
        result(context, value)
    }

    /// Bytes whose order is the numbers'.
    static func key(_ context: OpaquePointer?, _ arguments: SQLArguments?) {
        guard let arguments, let bytes = orderedBytes(arguments[0]) else {
            return sqlite3_result_null(context)
        }
        bytes.withUnsafeBytes { stele_result_blob(context, $0.baseAddress, Int64($0.count)) }
    }

    /// A Double beyond what a Decimal holds is before or after them all, or nearer to 0.
    private static func orderedBytes(_ value: OpaquePointer?) -> [UInt8]? {
        if sqlite3_value_type(value) == SQLITE_FLOAT {
            let number = sqlite3_value_double(value)
            guard let digits = PredicateCalls.comparable(number) else {
                return orderedBytes(of: number)
            }
            return orderedBytes(of: digits)
        }
        return decimal(value).map { orderedBytes(of: $0) }
    }

    /// By its shortest digits, as a Decimal's.
    static func orderedBytes(of value: Double) -> [UInt8] {
        let text = Array("\(value.magnitude)".utf8)
        let mark = text.firstIndex(of: UInt8(ascii: "e")) ?? text.count
        let power = Int(String(decoding: text[mark...].dropFirst(), as: UTF8.self)) ?? 0
        // Of this size they are written with one digit before the point.
        let digits = text[..<mark].filter { $0 != UInt8(ascii: ".") }
        return orderedBytes(digits, power: power + 1, isNegative: value < 0)
    }

    /// A sign, the place of the first digit, the digits; all complemented where negative, and
    /// ended so that a shorter number's digits sort right.
    static func orderedBytes(of value: Decimal) -> [UInt8] {
        if value.isZero { return [1] }
        let text = Array(value.magnitude.description.utf8)
        let point = text.firstIndex(of: UInt8(ascii: ".")) ?? text.count
        let first = text.firstIndex { $0 != UInt8(ascii: "0") && $0 != UInt8(ascii: ".") } ?? 0
        // The power of ten of the first digit that counts, from about -128 to 165.
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

/// Sum, average, least and greatest of decimals, exact to 38 digits.
final class DecimalAggregate {
    private var total = Decimal(0)
    private var least: Decimal?
    private var greatest: Decimal?
    private var count = 0

    private func add(_ value: Decimal) {
        total += value
        count += 1
        least = least.map { min($0, value) } ?? value
        greatest = greatest.map { max($0, value) } ?? value
    }

    /// Makes the four aggregates known to a connection.
    static func register(on connection: OpaquePointer) {
        for function in SQLFunctionTable.decimalAggregates {
            let code = sqlite3_create_function_v2(
                connection, function.name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
                nil, nil, { DecimalAggregate.step($0, $2) }, function.final, nil)
            precondition(code == SQLITE_OK, "a name and a count that SQLite takes")
        }
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
            place.pointee = UnsafeRawPointer(Unmanaged.passRetained(DecimalAggregate()).toOpaque())
        }
        guard let held = place.pointee, let value = DecimalFunctions.decimal(arguments?[0]) else {
            return
        }
        Unmanaged<DecimalAggregate>.fromOpaque(held).takeUnretainedValue().add(value)
    }

    /// The group's aggregate, released; an empty one where no row came.
    private static func finish(_ context: OpaquePointer?) -> DecimalAggregate {
        guard let held = place(context, makes: false)?.pointee else { return DecimalAggregate() }
        return Unmanaged<DecimalAggregate>.fromOpaque(held).takeRetainedValue()
    }

    static func sum(_ context: OpaquePointer?) {
        DecimalFunctions.result(context, finish(context).total)
    }

    static func average(_ context: OpaquePointer?) {
        let it = finish(context)
        DecimalFunctions.result(context, it.count == 0 ? nil : it.total / Decimal(it.count))
    }

    static func minimum(_ context: OpaquePointer?) {
        DecimalFunctions.result(context, finish(context).least)
    }

    static func maximum(_ context: OpaquePointer?) {
        DecimalFunctions.result(context, finish(context).greatest)
    }
}

extension SQLFunctionTable {
    /// The decimal aggregates with what ends each.
    static var decimalAggregates: [(name: String, final: @convention(c) (OpaquePointer?) -> Void)] {
        [
            (SQLFunctions.decimalSum.name, { DecimalAggregate.sum($0) }),
            (SQLFunctions.decimalAverage.name, { DecimalAggregate.average($0) }),
            (SQLFunctions.decimalMinimum.name, { DecimalAggregate.minimum($0) }),
            (SQLFunctions.decimalMaximum.name, { DecimalAggregate.maximum($0) }),
        ]
    }
}
