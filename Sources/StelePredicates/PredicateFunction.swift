/// A function of the language. The raw value is its Foundation name, which `Expression.function`
/// contains (NSExpression's predefined functions).
public enum PredicateFunction: String, Sendable, Hashable, CaseIterable {
    case sum = "sum:"
    case count = "count:"
    case min = "min:"
    case max = "max:"
    case average = "average:"
    case median = "median:"
    case mode = "mode:"
    case standardDeviation = "stddev:"
    /// Only allowed in an aggregate: `count(distinct x)`.
    case distinct = "distinct:"
    case add = "add:to:"
    case subtract = "from:subtract:"
    case multiply = "multiply:by:"
    case divide = "divide:by:"
    case modulus = "modulus:by:"
    case squareRoot = "sqrt:"
    /// The logarithm to base 10.
    case log = "log:"
    case naturalLogarithm = "ln:"
    case raise = "raise:toPower:"
    case exponential = "exp:"
    case floor = "floor:"
    case ceiling = "ceiling:"
    case absolute = "abs:"
    case truncate = "trunc:"
    case uppercase = "uppercase:"
    case lowercase = "lowercase:"
    /// The length in UTF-16 units.
    case length = "length:"
    /// Removes case and accents, as derived attributes do.
    case canonical = "canonical:"
    /// A random whole number from 0 to 2^31 - 1.
    case random = "random"
    /// A random whole number from 0 to below the argument.
    case randomBelow = "randomn:"
    case now = "now"
    case bitwiseAnd = "bitwiseAnd:with:"
    case bitwiseOr = "bitwiseOr:with:"
    case bitwiseXor = "bitwiseXor:with:"
    case leftShift = "leftshift:by:"
    case rightShift = "rightshift:by:"
    case onesComplement = "onesComplement:"
    /// The argument itself; prevents a store from using an index.
    case noIndex = "noindex:"
    /// The distance in metres between two points, each `{latitude, longitude}` in degrees.
    case distance = "distanceToLocation:fromLocation:"
    /// The function that CAST calls.
    case cast = "castObject:toType:"

    /// The number of arguments.
    public var arity: Int {
        switch self {
        case .random, .now: 0
        case .add, .subtract, .multiply, .divide, .modulus, .raise, .bitwiseAnd, .bitwiseOr,
            .bitwiseXor, .leftShift, .rightShift, .distance, .cast:
            2
        default: 1
        }
    }

    /// A number that identifies the function in the statements of SQL stores.
    public var number: Int { Self.numbers[self] ?? 0 }

    private static let numbers = Dictionary(
        uniqueKeysWithValues: allCases.enumerated().map { ($0.element, $0.offset) })

    /// Whether the function aggregates many values into one, or several for `mode`.
    public var isAggregate: Bool {
        switch self {
        case .sum, .count, .min, .max, .average, .median, .mode, .standardDeviation: true
        default: false
        }
    }

    /// The infix operator of the function, and its precedence.
    var infix: (sign: String, precedence: Int)? {
        switch self {
        case .bitwiseAnd: ("&", 2)
        case .bitwiseOr: ("|", 2)
        case .bitwiseXor: ("^", 2)
        case .leftShift: ("<<", 2)
        case .rightShift: (">>", 2)
        case .add: ("+", 3)
        case .subtract: ("-", 3)
        case .multiply: ("*", 4)
        case .divide: ("/", 4)
        case .raise: ("**", 5)
        default: nil
        }
    }

    /// The name without the final colon if the function has at most one argument: `sum`, `now`.
    public var shortName: String {
        arity < 2 && rawValue.utf8.last == UInt8(ascii: ":")
            ? String(rawValue.dropLast()) : rawValue
    }

    /// Functions by all names that a text may use: `sum`, `sum:`, `multiply:by:`, `multiply`.
    static let byName: [String: PredicateFunction] = {
        var names: [String: PredicateFunction] = [
            "subtract": .subtract, "stdev": .standardDeviation,
        ]
        for function in allCases {
            names[function.rawValue] = function
            names[String(function.rawValue.prefix { $0 != ":" })] = function
        }
        names["from"] = .subtract
        return names
    }()

    /// Functions by the names that `FUNCTION(receiver, 'name', …)` accepts in addition.
    package static let bySelector: [String: PredicateFunction] = [
        "uppercaseString": .uppercase, "lowercaseString": .lowercase,
        "dateByAddingTimeInterval:": .add, "dateByAddingTimeInterval": .add,
        "distanceFromLocation:": .distance,
    ]
}
