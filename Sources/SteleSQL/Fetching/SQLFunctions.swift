/// The functions that every SQL store registers: names, numbers of arguments, meaning.

/// One function that statements call and a connection provides.
public struct SQLFunction: Sendable, Hashable {
    /// As statements write it.
    public let name: String
    /// How many arguments it takes, always.
    public let argumentCount: Int
    /// Whether it makes one value of the rows of a group.
    public let isAggregate: Bool

    init(_ name: String, _ argumentCount: Int, isAggregate: Bool = false) {
        self.name = name
        self.argumentCount = argumentCount
        self.isAggregate = isAggregate
    }
}

/// All functions of ours that a statement may call. `options` is the raw value of
/// `ComparisonOptions`. Scalars are deterministic and give NULL where an argument is NULL;
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

    /// All of them.
    public static let all = [
        fold, contains, beginsWith, endsWith, like, matches, decimalKey, decimalAdd,
        decimalSubtract,
        decimalMultiply, decimalDivide, decimalSum, decimalAverage, decimalMinimum, decimalMaximum,
    ]
}
