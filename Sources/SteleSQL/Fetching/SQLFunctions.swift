/// The functions that every SQL store registers: names, numbers of arguments, meaning.

/// One function that statements call and a connection provides.
public struct SQLFunction: Sendable, Hashable {
    /// As statements write it.
    public let name: String
    /// How many arguments it takes, always.
    public let argumentCount: Int
    /// Whether it makes one value of the rows of a group.
    public let isAggregate: Bool
    /// Whether the same arguments always give the same.
    public let isDeterministic: Bool

    init(
        _ name: String, _ argumentCount: Int, isAggregate: Bool = false,
        isDeterministic: Bool = true
    ) {
        self.name = name
        self.argumentCount = argumentCount
        self.isAggregate = isAggregate
        self.isDeterministic = isDeterministic
    }
}

/// All functions of ours that a statement may call. `options` is the raw value of
/// `ComparisonOptions`. Scalars are deterministic, but for one, and give NULL where an argument is NULL;
/// a Decimal comes as INTEGER, REAL or a BLOB of ASCII digits, and is given back as it is stored.
public enum SQLFunctions {
    /// `STELE_FOLD(text, options)`: text or bytes whose binary order and equality are those of the
    /// text under the options.
    public static let fold = SQLFunction("STELE_FOLD", 2)
    /// `STELE_CONTAINS(text, pattern, options)`: 1 or 0; an empty pattern is nowhere.
    public static let contains = SQLFunction("STELE_CONTAINS", 3)
    /// `STELE_BEGINSWITH(text, pattern, options)`: 1 or 0; nothing begins with an empty pattern.
    public static let beginsWith = SQLFunction("STELE_BEGINSWITH", 3)
    /// `STELE_ENDSWITH(text, pattern, options)`: 1 or 0; nothing ends with an empty pattern.
    public static let endsWith = SQLFunction("STELE_ENDSWITH", 3)
    /// `STELE_LIKE(text, pattern, options)`: 1 or 0; `*` and `?` as in NSPredicate.
    public static let like = SQLFunction("STELE_LIKE", 3)
    /// `STELE_MATCHES(text, pattern, options)`: 1 or 0, or an error where that cannot be said.
    public static let matches = SQLFunction("STELE_MATCHES", 3)
    /// `STELE_DECIMAL_KEY(x)`: a BLOB whose binary order and equality are the numbers'.
    public static let decimalKey = SQLFunction("STELE_DECIMAL_KEY", 1)
    /// `STELE_DECIMAL_ADD(a, b)`: exact to 38 digits, as the other three.
    public static let decimalAdd = SQLFunction("STELE_DECIMAL_ADD", 2)
    /// `STELE_DECIMAL_SUBTRACT(a, b)`: a less b.
    public static let decimalSubtract = SQLFunction("STELE_DECIMAL_SUBTRACT", 2)
    /// `STELE_DECIMAL_MULTIPLY(a, b)`.
    public static let decimalMultiply = SQLFunction("STELE_DECIMAL_MULTIPLY", 2)
    /// `STELE_DECIMAL_DIVIDE(a, b)`: NULL where `b` is 0.
    public static let decimalDivide = SQLFunction("STELE_DECIMAL_DIVIDE", 2)
    /// `STELE_DECIMAL_SUM(x)`: passes over NULL; 0 for no rows.
    public static let decimalSum = SQLFunction("STELE_DECIMAL_SUM", 1, isAggregate: true)
    /// `STELE_DECIMAL_AVG(x)`: passes over NULL; NULL for no rows, as the next two.
    public static let decimalAverage = SQLFunction("STELE_DECIMAL_AVG", 1, isAggregate: true)
    /// `STELE_DECIMAL_MIN(x)`: the least.
    public static let decimalMinimum = SQLFunction("STELE_DECIMAL_MIN", 1, isAggregate: true)
    /// `STELE_DECIMAL_MAX(x)`: the greatest.
    public static let decimalMaximum = SQLFunction("STELE_DECIMAL_MAX", 1, isAggregate: true)
    /// `STELE_DECIMAL_MEDIAN(x)`: exact; NULL for no rows, as the next two.
    public static let decimalMedian = SQLFunction("STELE_DECIMAL_MEDIAN", 1, isAggregate: true)
    /// `STELE_MEDIAN(x)`: a REAL.
    public static let median = SQLFunction("STELE_MEDIAN", 1, isAggregate: true)
    /// `STELE_SUM(x)`: of integers, an INTEGER, or a REAL where 64 bits do not hold it; 0 for no
    /// rows.
    public static let sum = SQLFunction("STELE_SUM", 1, isAggregate: true)
    /// `STELE_AVG(x)`: of integers the REAL nearest to their mean; passes over NULL, NULL for no
    /// rows.
    public static let average = SQLFunction("STELE_AVG", 1, isAggregate: true)
    /// `STELE_STDDEV(x)`: the population's, a REAL, of numbers or Decimals.
    public static let standardDeviation = SQLFunction("STELE_STDDEV", 1, isAggregate: true)
    /// `STELE_CALL(function, kind, x)`: the function of that `PredicateFunction.number`, of a
    /// value of the `ColumnKind` with that code.
    public static let call = SQLFunction("STELE_CALL", 3)
    /// `STELE_CALL2(function, kind, x, kind, y)`: the same of two values.
    public static let call2 = SQLFunction("STELE_CALL2", 5)
    /// `STELE_RANDOM(kind, n)`: an integer from 0 to below n, another at each call; NULL where n
    /// is not above 0.
    public static let randomBelow = SQLFunction("STELE_RANDOM", 2, isDeterministic: false)
    /// `STELE_CAST(type, kind, x)`: by the type's place in `CastType.allCases`.
    public static let cast = SQLFunction("STELE_CAST", 3)
    /// `STELE_DISTANCE(latitude, longitude, latitude, longitude)`: degrees, in metres.
    public static let distance = SQLFunction("STELE_DISTANCE", 4)
    /// `STELE_LITERAL(text)`: a value that JSON cannot hold, as `ListLiteral` writes it.
    public static let literal = SQLFunction("STELE_LITERAL", 1)

    /// All of them.
    public static let all = [
        decimalMedian, median, sum, average, standardDeviation, call, call2, randomBelow, cast,
        distance, literal, fold, contains, beginsWith, endsWith, like, matches, decimalKey,
        decimalAdd,
        decimalSubtract, decimalMultiply, decimalDivide, decimalSum, decimalAverage,
        decimalMinimum, decimalMaximum,
    ]
}

extension ColumnKind {
    private static let coded: [ColumnKind] = [
        .integer, .boolean, .double, .decimal, .text, .date, .data, .uuid, .key, .float, .external,
    ]

    /// The number by which statements name it.
    var code: Int { Self.coded.firstIndex(of: self) ?? 0 }

    /// The kind of that number; integers for one that there is not.
    public init(code: Int) {
        self = Self.coded.indices.contains(code) ? Self.coded[code] : .integer
    }
}
