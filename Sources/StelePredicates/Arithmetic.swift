import FoundationEssentials
import Glibc
import SteleModel

/// Arithmetic on values, as SQL computes it. A null operand gives null, and so does a result that
/// is not a finite number, or is no date (`Value.isDate`).
///
/// Integers stay integers unless 64 bits overflow, which gives a Double. A Double operand gives a
/// Double, otherwise a Decimal operand gives a Decimal.
enum Arithmetic {
    static func binary(_ function: PredicateFunction, _ a: Value, _ b: Value) -> Value {
        if a.isNull || b.isNull { return .null }
        if let result = dates(function, a, b) { return result }
        switch function {
        case .bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftShift, .rightShift:
            return bits(function, a, b)
        case .raise:
            guard let x = a.asDouble, let y = b.asDouble else { return .null }
            return finite(pow(x, y))
        default: break
        }
        switch (a, b) {
        case (.int(let x), .int(let y)): return integers(function, x, y)
        // The check lets texts pass where evaluation is in memory alone.
        case (.string(let x), .string(let y)): return function == .add ? .string(x + y) : .null
        case (.bool(let x), _): return binary(function, .int(x ? 1 : 0), b)
        case (_, .bool(let y)): return binary(function, a, .int(y ? 1 : 0))
        case (.double, _), (_, .double):
            guard let x = a.asDouble, let y = b.asDouble else { return .null }
            return doubles(function, x, y)
        default:
            guard let x = a.asDecimal, let y = b.asDecimal else { return .null }
            return decimals(function, x, y)
        }
    }

    private static func dates(_ function: PredicateFunction, _ a: Value, _ b: Value) -> Value? {
        switch (function, a, b) {
        case (.add, .date(let date), _), (.add, _, .date(let date)):
            var other = b
            if case .date = b { other = a }
            guard let seconds = other.asDouble else { return .null }
            return Self.date(date + seconds)
        case (.subtract, .date(let x), .date(let y)): return finite(x - y)
        case (.subtract, .date(let x), _):
            guard let seconds = b.asDouble else { return .null }
            return date(x - seconds)
        default: return nil
        }
    }

    static func finite(_ value: Double) -> Value { value.isFinite ? .double(value) : .null }

    private static func date(_ value: Double) -> Value {
        Value.isDate(value) ? .date(value) : .null
    }

    private static func integers(_ function: PredicateFunction, _ x: Int64, _ y: Int64) -> Value {
        let (result, overflow): (Int64, Bool)
        switch function {
        case .add: (result, overflow) = x.addingReportingOverflow(y)
        case .subtract: (result, overflow) = x.subtractingReportingOverflow(y)
        case .multiply: (result, overflow) = x.multipliedReportingOverflow(by: y)
        case .divide:
            if y == 0 { return .null }
            (result, overflow) = x.dividedReportingOverflow(by: y)
        case .modulus:
            if y == 0 { return .null }
            return .int(y == -1 ? 0 : x % y)
        default: return .null
        }
        return overflow ? doubles(function, Double(x), Double(y)) : .int(result)
    }

    private static func doubles(_ function: PredicateFunction, _ x: Double, _ y: Double) -> Value {
        switch function {
        case .add: finite(x + y)
        case .subtract: finite(x - y)
        case .multiply: finite(x * y)
        case .divide: y == 0 ? .null : finite(x / y)
        case .modulus: y == 0 ? .null : finite(fmod(x, y))
        default: .null
        }
    }

    private static func decimals(
        _ function: PredicateFunction, _ x: Decimal, _ y: Decimal
    ) -> Value {
        switch function {
        case .add: exact(DecimalText.sum(x, y))
        case .subtract: exact(DecimalText.difference(x, y))
        case .multiply: exact(DecimalText.product(x, y))
        case .divide: exact(DecimalText.quotient(x, y))
        case .modulus: exact(DecimalText.remainder(x, y))
        default: .null
        }
    }

    /// A Decimal that was computed; null if it is out of range.
    static func exact(_ value: Decimal) -> Value { value.isNaN ? .null : .decimal(value) }

    private static func bits(_ function: PredicateFunction, _ a: Value, _ b: Value) -> Value {
        guard let x = integer(a), let y = integer(b) else { return .null }
        switch function {
        case .bitwiseAnd: return .int(x & y)
        case .bitwiseOr: return .int(x | y)
        case .bitwiseXor: return .int(x ^ y)
        case .leftShift: return .int(x << y)
        default: return .int(x >> y)
        }
    }

    /// Truncates toward zero and clamps to 64 bits; nil if the value is not a number.
    static func integer(_ value: Value) -> Int64? {
        switch value {
        case .int(let it): return it
        case .bool(let it): return it ? 1 : 0
        case .key(let it): return it
        default:
            guard let it = value.asDouble, !it.isNaN else { return nil }
            return Int64(exactly: it.rounded(.towardZero)) ?? (it < 0 ? .min : .max)
        }
    }

    // MARK: One argument

    static func unary(_ function: PredicateFunction, _ a: Value) -> Value {
        switch function {
        case .onesComplement: return integer(a).map { .int(~$0) } ?? .null
        case .floor, .ceiling, .absolute, .truncate: return rounded(function, a)
        default: break
        }
        guard let x = a.asDouble else { return .null }
        switch function {
        case .squareRoot: return x < 0 ? .null : finite(x.squareRoot())
        case .log: return x <= 0 ? .null : finite(log10(x))
        case .naturalLogarithm: return x <= 0 ? .null : finite(Glibc.log(x))
        case .exponential: return finite(exp(x))
        default: return .null
        }
    }

    private static func rounded(_ function: PredicateFunction, _ a: Value) -> Value {
        switch a {
        case .bool(let it): return .int(it ? 1 : 0)
        case .int(let it):
            guard function == .absolute, it < 0 else { return a }
            return it == .min ? .double(-Double(it)) : .int(-it)
        case .double(let it):
            switch function {
            case .floor: return .double(it.rounded(.down))
            case .ceiling: return .double(it.rounded(.up))
            case .truncate: return .double(it.rounded(.towardZero))
            default: return .double(it.magnitude)
            }
        case .decimal(let it):
            if function == .absolute { return .decimal(it.magnitude) }
            guard let whole = truncated(it) else { return .null }
            if function == .floor, whole > it { return exact(DecimalText.difference(whole, 1)) }
            if function == .ceiling, whole < it { return exact(DecimalText.sum(whole, 1)) }
            return .decimal(whole)
        default: return .null
        }
    }

    static func truncated(_ value: Decimal) -> Decimal? {
        if value.isNaN { return nil }
        if value.exponent >= 0 { return value }
        return Decimal(string: String(value.description.prefix { $0 != "." }))
    }

    // MARK: CAST

    static func cast(_ value: Value, to target: CastType) -> Value {
        switch target {
        case .date:
            if case .date = value { return value }
            return value.asDouble.map { date($0) } ?? .null
        case .number:
            if case .date(let it) = value { return .double(it) }
            if case .bool(let it) = value { return .int(it ? 1 : 0) }
            return value.isNumber ? value : .null
        case .decimal: return value.asDecimal.map { .decimal($0) } ?? .null
        case .string:
            switch value {
            case .string: return value
            // SQLite does not keep the sign of 0.
            case .double(let it) where it == 0: return .string(Value.double(0).literal)
            case .int, .double, .bool: return .string(value.literal)
            case .decimal(let it): return .string(it.description)
            case .uuid(let it): return .string(it.uuidString)
            default: return .null
            }
        case .uuid:
            if case .uuid = value { return value }
            return .null
        }
    }

    /// The great-circle distance in metres, with the earth's mean radius.
    static func distance(_ a: (Double, Double), _ b: (Double, Double)) -> Value {
        let radians = Double.pi / 180
        let (x, y) = (a.0 * radians, b.0 * radians)
        let sine = sin((y - x) / 2)
        let across = sin((b.1 - a.1) * radians / 2)
        let part = sine * sine + cos(x) * cos(y) * across * across
        return finite(2 * 6_371_008.8 * asin(min(1, part.squareRoot())))
    }
}
