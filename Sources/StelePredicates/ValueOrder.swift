import SteleModel

/// The equality and order of values of any type, for comparisons, sorting, minimum and maximum.
public enum ValueOrder {
    /// Whether two values are equal. Null equals null; numbers of different types are equal by
    /// value.
    public static func equal(
        _ a: Value, _ b: Value, _ text: TextComparison = TextComparison()
    ) -> Bool {
        switch (a, b) {
        case (.null, .null): true
        case (.null, _), (_, .null): false
        case (.int(let x), .int(let y)): x == y
        case (.string(let x), .string(let y)): text.equal(x, y)
        default: order(a, b, text) == 0
        }
    }

    /// The number that the key of an object is compared as. Unsaved objects, whose keys are
    /// negative, are after all saved ones, in the order of their insertion.
    public static func number(ofKey key: Int64) -> Int64 {
        key < 0 ? Int64.max / 2 &- key : key
    }

    /// The order of two values: negative, 0 or positive; nil if one is null or their types have no
    /// common order.
    public static func order(
        _ a: Value, _ b: Value, _ text: TextComparison = TextComparison()
    ) -> Int? {
        switch (a, b) {
        case (.string(let x), .string(let y)): return text.order(x, y)
        case (.date(let x), .date(let y)): return doubles(x, y)
        case (.uuid(let x), .uuid(let y)): return uuids(x, y)
        case (.data(let x), .data(let y)):
            return x.withUnsafeBufferPointer { p in
                y.withUnsafeBufferPointer { q in TextComparison.plainOrder(p, q) }
            }
        case (.key, _): return isNumberOrKey(b) ? numbers(a, b) : nil
        case (_, .key): return a.isNumber ? numbers(a, b) : nil
        default: return a.isNumber && b.isNumber ? numbers(a, b) : nil
        }
    }

    /// The order for sorting: null first, otherwise as `order`; 0 if that has none.
    public static func sortOrder(
        _ a: Value, _ b: Value, _ text: TextComparison = TextComparison()
    ) -> Int {
        switch (a, b) {
        case (.null, .null): 0
        case (.null, _): -1
        case (_, .null): 1
        default: order(a, b, text) ?? 0
        }
    }

    private static func isNumberOrKey(_ value: Value) -> Bool {
        if case .key = value { return true }
        return value.isNumber
    }

    private static func doubles(_ x: Double, _ y: Double) -> Int? {
        x < y ? -1 : x > y ? 1 : x == y ? 0 : nil
    }

    private static func numbers(_ a: Value, _ b: Value) -> Int? {
        switch (a, b) {
        case (.int(let x), .int(let y)): return x < y ? -1 : x > y ? 1 : 0
        case (.double(let x), .double(let y)): return doubles(x, y)
        case (.bool(let x), _): return numbers(.int(x ? 1 : 0), b)
        case (_, .bool(let y)): return numbers(a, .int(y ? 1 : 0))
        case (.key(let x), _): return numbers(.int(number(ofKey: x)), b)
        case (_, .key(let y)): return numbers(a, .int(number(ofKey: y)))
        case (.int(let x), .double(let y)): return order(x, y)
        case (.double(let x), .int(let y)): return order(y, x).map { -$0 }
        case (.double(let x), .decimal(let y)): return order(x, y)
        case (.decimal(let x), .double(let y)): return order(y, x).map { -$0 }
        default:
            guard let x = a.asDecimal, let y = b.asDecimal else { return nil }
            return x < y ? -1 : x > y ? 1 : 0
        }
    }

    /// Compares without rounding the integer.
    private static func order(_ x: Int64, _ y: Double) -> Int? {
        if y.isNaN { return nil }
        if y >= 0x1p63 { return -1 }
        if y < -0x1p63 { return 1 }
        let whole = Int64(y)
        if x != whole { return x < whole ? -1 : 1 }
        return doubles(0, y - Double(whole))
    }

    /// Compares the Double by its shortest digits, if a Decimal can hold them.
    private static func order(_ x: Double, _ y: Decimal) -> Int? {
        guard let digits = PredicateCalls.comparable(x) else { return doubles(x, y.nearestDouble) }
        return digits < y ? -1 : digits > y ? 1 : 0
    }

    private static func uuids(_ x: UUID, _ y: UUID) -> Int {
        withUnsafeBytes(of: x.uuid) { p in
            withUnsafeBytes(of: y.uuid) { q in
                for (a, b) in zip(p, q) where a != b { return a < b ? -1 : 1 }
                return 0
            }
        }
    }
}

/// A value as a dictionary key, equal as in `ValueOrder.equal` without options: numbers of
/// different types are equal by value.
public struct ValueKey: Hashable {
    private enum Form: Hashable {
        case null
        case whole(Int64)
        case fraction(UInt64)
        case digits(Decimal)
        case text(ExactText)
        case date(Double)
        case data([UInt8])
        case uuid(UUID)
        case external(ExternalData)
    }
    private let form: Form

    /// The key of a value.
    public init(_ value: Value) {
        switch value {
        case .null: form = .null
        case .bool(let it): form = .whole(it ? 1 : 0)
        case .int(let it): form = .whole(it)
        case .key(let it): form = .whole(ValueOrder.number(ofKey: it))
        case .double(let it): form = Self.number(it)
        case .decimal(let it):
            if let whole = it.wholeNumber {
                form = .whole(whole)
            } else if PredicateCalls.comparable(it.nearestDouble) == it {
                form = Self.number(it.nearestDouble)
            } else {
                form = .digits(it)
            }
        case .string(let it): form = .text(ExactText(it))
        case .date(let it): form = .date(it)
        case .data(let it): form = .data(it)
        case .uuid(let it): form = .uuid(it)
        case .external(let it): form = .external(it)
        }
    }

    private static func number(_ value: Double) -> Form {
        if let whole = Int64(exactly: value) { return .whole(whole) }
        // A whole number beyond 64 bits is the Decimal with all its digits.
        if value.magnitude >= 0x1p63, let exact = PredicateCalls.comparable(value) {
            return .digits(exact)
        }
        return .fraction(value.bitPattern)
    }
}
