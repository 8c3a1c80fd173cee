import Glibc
import SteleModel
import SteleSystem

/// Functions, casts and aggregates on plain values, with the meaning that all stores share.
public enum PredicateCalls {
    /// The current time for `now()`, in seconds since 2001-01-01T00:00:00Z. A request uses one time
    /// for all its parts.
    public static var now: Double { ReferenceDate.now }

    /// The result of a function of one or two values; null if it is undefined for them.
    public static func apply(_ function: PredicateFunction, _ a: Value, _ b: Value?) -> Value {
        switch function {
        case .uppercase, .lowercase, .canonical, .length: return text(function, a)
        case .noIndex: return a
        default: break
        }
        if a.isNull { return .null }
        guard let b else { return Arithmetic.unary(function, a) }
        return Arithmetic.binary(function, a, b)
    }

    private static func text(_ function: PredicateFunction, _ value: Value) -> Value {
        guard case .string(let text) = value else { return .null }
        return switch function {
        case .uppercase: .string(text.uppercased())
        case .lowercase: .string(text.lowercased())
        case .length: .int(Int64(text.utf16.count))
        default:
            .string(TextComparison.fold(text, options: [.caseInsensitive, .diacriticInsensitive]))
        }
    }

    /// A number converted to an attribute's type, truncated to a whole number for an integer type;
    /// nil if it is out of range.
    public static func number(_ value: Value, as type: AttributeType) -> Value? {
        switch type {
        case .integer16, .integer32, .integer64:
            let whole: Int64? =
                switch value {
                case .int(let it): it
                case .double(let it): Int64(exactly: it.rounded(.towardZero))
                default:
                    value.asDecimal.flatMap {
                        Int64(exactly: $0.nearestDouble.rounded(.towardZero))
                    }
                }
            guard let whole else { return nil }
            if type == .integer16, Int16(exactly: whole) == nil { return nil }
            if type == .integer32, Int32(exactly: whole) == nil { return nil }
            return .int(whole)
        case .double: return value.asDouble.flatMap { $0.isFinite ? .double($0) : nil }
        case .float:
            return value.asDouble.flatMap { Float($0).isFinite ? .double(Double(Float($0))) : nil }
        case .decimal: return value.asDecimal.map { .decimal($0) }
        default: return nil
        }
    }

    /// A random whole number from 0 to below `number`; null if `number` is not positive.
    public static func random(below number: Value) -> Value {
        guard let bound = Arithmetic.integer(number), bound > 0 else { return .null }
        return .int(Int64.random(in: 0..<bound))
    }

    /// The result of CAST; null if the value has no such form.
    public static func cast(_ value: Value, to target: CastType) -> Value {
        Arithmetic.cast(value, to: target)
    }

    /// The Decimal that a Double compares as: whole numbers beyond 2^53 exactly, others by their
    /// shortest digits; nil if a Decimal cannot hold it.
    public static func comparable(_ number: Double) -> Decimal? {
        let size = number.magnitude
        if size >= 0x1p53, size < 0x1p120 { return Decimal(string: "\(Int128(number))") }
        return Value.double(number).asDecimal
    }

    /// The index in a collection that a number gives, truncated and clamped to 64 bits; nil if the
    /// value is not a number.
    public static func index(_ value: Value) -> Int64? { Arithmetic.integer(value) }

    /// The great-circle distance in metres between two points in degrees; null if a coordinate is
    /// not a number.
    public static func distance(
        _ a: (latitude: Value, longitude: Value), _ b: (latitude: Value, longitude: Value)
    ) -> Value {
        guard let w = a.latitude.asDouble, let x = a.longitude.asDouble,
            let y = b.latitude.asDouble, let z = b.longitude.asDouble
        else { return .null }
        return Arithmetic.distance((w, x), (y, z))
    }

    /// The standard deviation of the population, independent of the order of the numbers; null if
    /// there are none.
    public static func standardDeviation(_ numbers: [Double]) -> Value {
        if numbers.isEmpty { return .null }
        let sorted = numbers.sorted()
        let count = Double(sorted.count)
        let mean = sorted.reduce(0, +) / count
        let squares = sorted.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        return Arithmetic.finite((squares / count).squareRoot())
    }

    /// The median: the middle number, or the mean of the middle two, exact for Decimals; null if
    /// there are none.
    public static func median(_ numbers: [Value]) -> Value {
        Aggregation.median(numbers)
    }
}
