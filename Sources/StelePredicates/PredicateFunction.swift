/// The functions of the language, by Foundation's names (NSExpression's predefined functions).

/// A function that an expression may call; the raw value is what `Expression.function` holds.
public enum PredicateFunction: String, Sendable, Hashable, CaseIterable {
    case sum = "sum:"
    case count = "count:"
    case min = "min:"
    case max = "max:"
    case average = "average:"
    case median = "median:"
    case mode = "mode:"
    case standardDeviation = "stddev:"
    /// Stands in an aggregate alone: `count(distinct x)`.
    case distinct = "distinct:"
    case add = "add:to:"
    case subtract = "from:subtract:"
    case multiply = "multiply:by:"
    case divide = "divide:by:"
    case modulus = "modulus:by:"
    case squareRoot = "sqrt:"
    /// To base 10.
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
    /// In UTF-16 units.
    case length = "length:"
    /// Without case and accents: what derived attributes are made by.
    case canonical = "canonical:"
    /// A whole number from 0 to 2^31 - 1.
    case random = "random"
    /// A whole number from 0 to below its argument.
    case randomBelow = "randomn:"
    case now = "now"
    case bitwiseAnd = "bitwiseAnd:with:"
    case bitwiseOr = "bitwiseOr:with:"
    case bitwiseXor = "bitwiseXor:with:"
    case leftShift = "leftshift:by:"
    case rightShift = "rightshift:by:"
    case onesComplement = "onesComplement:"
    /// Its argument; asks a store not to use an index.
    case noIndex = "noindex:"
    /// Metres between two places, each `{latitude, longitude}` in degrees.
    case distance = "distanceToLocation:fromLocation:"
    /// What `CAST` is.
    case cast = "castObject:toType:"

    /// How many arguments it takes.
    public var arity: Int {
        switch self {
        case .random, .now: 0
        case .add, .subtract, .multiply, .divide, .modulus, .raise, .bitwiseAnd, .bitwiseOr,
            .bitwiseXor, .leftShift, .rightShift, .distance, .cast:
            2
        default: 1
        }
    }

    /// Its number among all, by which statements of SQL stores name it.
    public var number: Int { Self.numbers[self] ?? 0 }

    private static let numbers = Dictionary(
        uniqueKeysWithValues: allCases.enumerated().map { ($0.element, $0.offset) })

    /// Whether it makes one value (or for `mode` some) of many.
    public var isAggregate: Bool {
        switch self {
        case .sum, .count, .min, .max, .average, .median, .mode, .standardDeviation: true
        default: false
        }
    }

    /// The sign that it is written as between its two arguments, and how strongly that binds.
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

    /// The name without colons where it takes one argument or none: `sum`, `now`.
    public var shortName: String {
        arity < 2 && rawValue.utf8.last == UInt8(ascii: ":")
            ? String(rawValue.dropLast()) : rawValue
    }

    /// By every name that a text may call it: `sum`, `sum:`, `multiply:by:`, `multiply`.
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

    /// What a method's name stands for in `FUNCTION(receiver, 'name', …)`.
    static let bySelector: [String: PredicateFunction] = [
        "uppercaseString": .uppercase, "lowercaseString": .lowercase,
        "dateByAddingTimeInterval:": .add, "dateByAddingTimeInterval": .add,
        "distanceFromLocation:": .distance,
    ]
}
