/// An SQL function that a store registers on its connections.
package struct SQLFunction: Sendable, Hashable {
    /// The name in statements.
    package let name: String
    /// The number of arguments.
    package let argumentCount: Int
    /// Whether equal arguments always give equal results.
    package let isDeterministic: Bool

    fileprivate init(_ name: String, _ argumentCount: Int, isDeterministic: Bool = true) {
        self.name = name
        self.argumentCount = argumentCount
        self.isDeterministic = isDeterministic
    }
}

/// The functions that statements call. `options` is the raw value of `ComparisonOptions`. Scalars
/// are deterministic, except `randomBelow`, and return NULL for a NULL argument. A Decimal argument
/// is an INTEGER, a REAL or a BLOB of ASCII digits; a Decimal result has the form in which a column
/// stores it.
package enum SQLFunctions {
    /// `STELE_FOLD(text, options)`: text or bytes that sort and compare by their bytes as the text
    /// does under the options.
    package static let fold = SQLFunction("STELE_FOLD", 2)
    /// `STELE_CONTAINS(text, pattern, options)`: 1 or 0; 0 for an empty pattern.
    package static let contains = SQLFunction("STELE_CONTAINS", 3)
    /// `STELE_BEGINSWITH(text, pattern, options)`: 1 or 0; 0 for an empty pattern.
    package static let beginsWith = SQLFunction("STELE_BEGINSWITH", 3)
    /// `STELE_ENDSWITH(text, pattern, options)`: 1 or 0; 0 for an empty pattern.
    package static let endsWith = SQLFunction("STELE_ENDSWITH", 3)
    /// `STELE_LIKE(text, pattern, options)`: 1 or 0; `*` and `?` as in NSPredicate.
    package static let like = SQLFunction("STELE_LIKE", 3)
    /// `STELE_MATCHES(text, pattern, options)`: 1 or 0, or an error after the time limit.
    package static let matches = SQLFunction("STELE_MATCHES", 3)
    /// `STELE_DECIMAL_KEY(x)`: a BLOB that sorts and compares by its bytes as the numbers do.
    package static let decimalKey = SQLFunction("STELE_DECIMAL_KEY", 1)
    /// `STELE_DOUBLE_KEY(x)`: the same of a Double that is compared with Decimals: a whole number
    /// beyond 2^53 has all its digits, where a REAL that is a Decimal has the shortest ones.
    package static let doubleKey = SQLFunction("STELE_DOUBLE_KEY", 1)
    /// `STELE_EXACT_DECIMAL(x)`: a number that is no Decimal as the one that Decimals are compared
    /// with; as it is where no Decimal holds it.
    package static let exactDecimal = SQLFunction("STELE_EXACT_DECIMAL", 1)
    /// `STELE_DECIMAL_ADD(a, b)`: rounded to 38 digits, as the next three.
    package static let decimalAdd = SQLFunction("STELE_DECIMAL_ADD", 2)
    /// `STELE_DECIMAL_SUBTRACT(a, b)`: a minus b.
    package static let decimalSubtract = SQLFunction("STELE_DECIMAL_SUBTRACT", 2)
    /// `STELE_DECIMAL_MULTIPLY(a, b)`: a times b.
    package static let decimalMultiply = SQLFunction("STELE_DECIMAL_MULTIPLY", 2)
    /// `STELE_DECIMAL_DIVIDE(a, b)`: NULL for b = 0.
    package static let decimalDivide = SQLFunction("STELE_DECIMAL_DIVIDE", 2)
    /// `STELE_DECIMAL_SUM(x)`: the exact sum, rounded to 38 digits; ignores NULL; 0 for no rows.
    package static let decimalSum = SQLFunction("STELE_DECIMAL_SUM", 1)
    /// `STELE_DECIMAL_AVG(x)`: ignores NULL; NULL for no rows, as the lowest and the highest value.
    package static let decimalAverage = SQLFunction("STELE_DECIMAL_AVG", 1)
    /// `STELE_DECIMAL_PART(x)`: a BLOB with the exact sum and the count of a part of the rows, for
    /// the next two; ignores NULL.
    package static let decimalPart = SQLFunction("STELE_DECIMAL_PART", 1)
    /// `STELE_DECIMAL_SUM_OF_PARTS(part)`: as `STELE_DECIMAL_SUM` of the rows of all parts.
    package static let decimalSumOfParts = SQLFunction("STELE_DECIMAL_SUM_OF_PARTS", 1)
    /// `STELE_DECIMAL_AVG_OF_PARTS(part)`: as `STELE_DECIMAL_AVG` of the rows of all parts.
    package static let decimalAverageOfParts = SQLFunction("STELE_DECIMAL_AVG_OF_PARTS", 1)
    /// `STELE_DECIMAL_MIN(x)`: the lowest value.
    package static let decimalMinimum = SQLFunction("STELE_DECIMAL_MIN", 1)
    /// `STELE_DECIMAL_MAX(x)`: the highest value.
    package static let decimalMaximum = SQLFunction("STELE_DECIMAL_MAX", 1)
    /// `STELE_DECIMAL_MEDIAN(x)`: exact; NULL for no rows, as the next two.
    package static let decimalMedian = SQLFunction("STELE_DECIMAL_MEDIAN", 1)
    /// `STELE_MEDIAN(x)`: a REAL.
    package static let median = SQLFunction("STELE_MEDIAN", 1)
    /// `STELE_SUM(x)` of integers: an INTEGER, or a REAL beyond 64 bits; 0 for no rows.
    package static let sum = SQLFunction("STELE_SUM", 1)
    /// `STELE_AVG(x)` of integers: the REAL nearest to their mean; ignores NULL, NULL for no rows.
    package static let average = SQLFunction("STELE_AVG", 1)
    /// `STELE_STDDEV(x)` of numbers or Decimals: the population standard deviation as a REAL.
    package static let standardDeviation = SQLFunction("STELE_STDDEV", 1)
    /// `STELE_CALL(function, kind, x)`: the function with that `PredicateFunction.number`, of a
    /// value of the `ColumnKind` with that code.
    package static let call = SQLFunction("STELE_CALL", 3)
    /// `STELE_CALL2(function, kind, x, kind, y)`: the same of two values.
    package static let call2 = SQLFunction("STELE_CALL2", 5)
    /// `STELE_RANDOM(kind, n)`: a random integer from 0 to n - 1; NULL where n is not positive.
    package static let randomBelow = SQLFunction("STELE_RANDOM", 2, isDeterministic: false)
    /// `STELE_CAST(type, kind, x)`: casts to the type with that index in `CastType.allCases`.
    package static let cast = SQLFunction("STELE_CAST", 3)
    /// `STELE_NUMBER(type, type, x)`: a number of the first `AttributeType` as one of the second, as a
    /// column stores it; NULL where it does not fit.
    package static let number = SQLFunction("STELE_NUMBER", 3)
    /// `STELE_DISTANCE(latitude, longitude, latitude, longitude)`: from degrees, in metres.
    package static let distance = SQLFunction("STELE_DISTANCE", 4)
    /// `STELE_LITERAL(text)`: a value that JSON cannot represent, encoded by `ListLiteral`.
    package static let literal = SQLFunction("STELE_LITERAL", 1)
    /// `STELE_STORED(kind, x)`: the value of a content of a column of the `ColumnKind` with that code,
    /// as readers read it, in the form in which Stele writes it; NULL for a content without a value.
    package static let stored = SQLFunction("STELE_STORED", 2)
    /// `STELE_IS_FOREIGN(kind, x)`: whether a content is not in the form in which Stele writes it; 0
    /// for NULL.
    package static let isForeign = SQLFunction("STELE_IS_FOREIGN", 2)
    /// `STELE_FOREIGN_COLUMNS(kinds, x, …)`: an aggregate with the bit 0 set where a content of the
    /// first column is foreign, the bit 1 for the second, and so on. `kinds` has a `letter` for each.
    package static let foreignColumns = SQLFunction("STELE_FOREIGN_COLUMNS", -1)
    /// The most columns of one call: SQLite's limit is 100 arguments, and the result has a bit for
    /// each column.
    static let mostForeignColumns = 60

    /// Returns the letter of a kind in `foreignColumns`; for nil, that of a condition, which is
    /// foreign where it holds.
    package static func letter(_ kind: ColumnKind?) -> String {
        kind.map { String(UnicodeScalar(firstLetter + UInt8($0.rawValue))) } ?? "?"
    }

    /// Returns the kind of a letter; nil for a condition.
    @inline(__always)
    package static func kind(_ letter: UInt8) -> ColumnKind? {
        ColumnKind(rawValue: Int(letter) - Int(firstLetter))
    }

    private static var firstLetter: UInt8 { UInt8(ascii: "a") }
}
