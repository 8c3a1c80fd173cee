/// The functions of the language on plain values, which SQL stores call as well.

import SteleModel
import SteleSystem

/// What functions, casts and aggregates make of values: the one meaning that all stores share.
public enum PredicateCalls {
    /// What `now()` is at this moment: seconds since 2001-01-01T00:00:00Z. It is taken once for all
    /// that is asked at a time.
    public static var now: Double { ReferenceDate.now }

    /// A function of one or two single values; null for what it has no meaning for.
    public static func apply(_ function: PredicateFunction, _ a: Value, _ b: Value?) -> Value {
        switch function {
        case .uppercase, .lowercase, .canonical, .length:
            return PredicateText.apply(function, to: a)
        case .noIndex: return a
        default: break
        }
        if a.isNull { return .null }
        guard let b else { return Arithmetic.unary(function, a) }
        return Arithmetic.binary(function, a, b)
    }

    /// A number as an attribute of that type holds it: whole numbers cut at the point; nil where it
    /// is beyond the type.
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

    /// What `randomn` gives; null where the number is not above 0.
    public static func random(below number: Value) -> Value {
        guard let bound = Arithmetic.integer(number), bound > 0 else { return .null }
        return .int(Int64.random(in: 0..<bound))
    }

    /// What `CAST` gives; null where the value has no such form.
    public static func cast(_ value: Value, to target: CastType) -> Value {
        value.isNull ? .null : Arithmetic.cast(value, to: target)
    }

    /// The Decimal as which a Double compares with Decimals: whole numbers beyond 2^53 exactly, as
    /// with integers, all others by their shortest digits; nil where it is too great or too small.
    public static func comparable(_ number: Double) -> Decimal? {
        let size = number.magnitude
        if size >= 0x1p53, size < 0x1p120 { return Decimal(string: "\(Int128(number))") }
        guard size == 0 || (size > 1e-100 && size < 1e100) else { return nil }
        return Value.double(number).asDecimal
    }

    /// The place in a collection that a number names: cut at the point, and held within 64 bits; nil
    /// for what is no number.
    public static func index(_ value: Value) -> Int64? { Arithmetic.integer(value) }

    /// Metres between two places in degrees; null where a coordinate is no number.
    public static func distance(
        _ a: (latitude: Value, longitude: Value), _ b: (latitude: Value, longitude: Value)
    ) -> Value {
        guard let w = a.latitude.asDouble, let x = a.longitude.asDouble,
            let y = b.latitude.asDouble, let z = b.longitude.asDouble
        else { return .null }
        return Arithmetic.distance((w, x), (y, z))
    }

    /// The population's standard deviation; null of none. The order of the numbers does not
    /// matter to the result.
    public static func standardDeviation(_ numbers: [Double]) -> Value {
        if numbers.isEmpty { return .null }
        let sorted = numbers.sorted()
        let count = Double(sorted.count)
        let mean = sorted.reduce(0, +) / count
        let squares = sorted.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        return Arithmetic.finite((squares / count).squareRoot())
    }

    /// The middle one of the numbers, or the mean of the middle two; null of none. Exact where
    /// they are Decimals.
    public static func median(_ numbers: [Value]) -> Value {
        Aggregation.median(numbers)
    }
}
