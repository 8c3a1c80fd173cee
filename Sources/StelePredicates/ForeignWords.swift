/// Words of SQL, other query languages and programming languages, with their equivalents for hints.
enum ForeignWords {
    // MARK: Functions

    /// A hint for a function of another language; nil if the name is unknown.
    static func function(_ name: String) -> String? {
        let plain = name.prefix { $0 != ":" }.lowercased().filter { $0 != "_" }
        if let own = sameFunctions[plain] {
            let isAlone = PredicateFunction.byName[own]?.arity == 0
            return "did you mean \(own)\(isAlone ? "()" : "")?"
        }
        return otherFunctions[plain]
    }

    /// Keys are lowercase and without `_`.
    private static let sameFunctions: [String: String] = [
        "avg": "average", "mean": "average", "total": "sum", "len": "length", "strlen": "length",
        "charlength": "length", "characterlength": "length", "upper": "uppercase",
        "ucase": "uppercase", "toupper": "uppercase", "touppercase": "uppercase",
        "lower": "lowercase", "lcase": "lowercase", "tolower": "lowercase",
        "tolowercase": "lowercase", "ceil": "ceiling", "truncate": "trunc", "rand": "random",
        "currenttimestamp": "now", "getdate": "now", "today": "now", "currentdate": "now",
        "sysdate": "now", "stddevpop": "stddev", "std": "stddev", "unaccent": "canonical",
        "distance": "distanceToLocation:fromLocation:", "iif": "TERNARY", "if": "TERNARY",
        "sqr": "sqrt", "log10": "log",
    ]

    private static let otherFunctions: [String: String] = {
        let begins = "write text BEGINSWITH \"part\""
        let ends = "write text ENDSWITH \"part\""
        let holds = "write text CONTAINS \"part\""
        let matches = "write text MATCHES \"pattern\""
        let date = "a date is text in quotes: \"2026-01-31\" or \"2026-01-31T09:00:00Z\""
        let span =
            "compare with the first and the last day: "
            + "x >= \"2026-01-01\" AND x < \"2027-01-01\""
        let some =
            "count(x) > 0 tests whether there are any; "
            + "SUBQUERY(x, $y, $y.key > 1).@count > 0 whether any match"
        let part =
            "there is no substring function; use BEGINSWITH, ENDSWITH, CONTAINS, LIKE or MATCHES"
        return [
            "round": "write floor(x + 0.5)", "pow": "write a ** b", "power": "write a ** b",
            "mod": "write modulus(a, b)", "fmod": "write modulus(a, b)",
            "coalesce": "write TERNARY(x != nil, x, y)", "ifnull": "write TERNARY(x != nil, x, y)",
            "nvl": "write TERNARY(x != nil, x, y)", "isnull": "write x == nil",
            "nullif": "write TERNARY(x == y, nil, x)", "case": "write TERNARY(condition, a, b)",
            "startswith": begins, "hasprefix": begins, "endswith": ends, "hassuffix": ends,
            "includes": holds, "has": holds, "instr": holds, "strpos": holds, "indexof": holds,
            "position": holds, "containsstring": holds,
            "regexp": matches, "regexpmatches": matches, "regexplike": matches,
            "date": date, "datetime": date, "timestamp": date, "todate": date, "strtodate": date,
            "year": span, "month": span, "day": span, "datepart": span, "extract": span,
            "datetrunc": span, "strftime": span,
            "exists": some, "any": some,
            "substr": part, "substring": part, "left": part, "right": part, "trim": part,
            "ltrim": part, "rtrim": part, "replace": part,
            "concat": "texts cannot be joined; compare each by itself",
            "distinct": "write count(distinct x), or distinct=true beside select",
            "arraylength": "write count(x)", "cardinality": "write count(x)",
            "stdevp": "did you mean stddev?", "variance": "write stddev(x) ** 2",
            "varpop": "write stddev(x) ** 2",
        ]
    }()

    // MARK: Operators

    /// The operator with the meaning of a word, or of the last part of a key, in another language;
    /// nil if there is none.
    static func sameOperator(as word: String) -> String? { operators[word.lowercased()] }

    private static let operators: [String: String] = [
        "eq": "==", "equals": "==", "exact": "==", "iexact": "==[c]", "ne": "!=", "neq": "!=",
        "gt": ">", "gte": ">=", "ge": ">=", "lt": "<", "lte": "<=", "le": "<=", "after": ">",
        "before": "<", "startswith": "BEGINSWITH", "istartswith": "BEGINSWITH[c]",
        "hasprefix": "BEGINSWITH", "endswith": "ENDSWITH", "iendswith": "ENDSWITH[c]",
        "hassuffix": "ENDSWITH", "contains": "CONTAINS", "icontains": "CONTAINS[c]",
        "includes": "CONTAINS", "has": "CONTAINS", "like": "LIKE", "ilike": "LIKE[c]",
        "glob": "LIKE", "regexp": "MATCHES", "rlike": "MATCHES", "regex": "MATCHES",
        "iregex": "MATCHES[c]", "match": "MATCHES", "similar": "MATCHES", "in": "IN",
    ]

    /// A hint for a word in place of an operator; nil if the word is unknown.
    static func wordForOperator(_ word: String) -> String? {
        switch word.lowercased() {
        case "is": return "write == nil or != nil"
        case "eq", "equals": return "equality is written =="
        case "isnull": return "write == nil"
        case "notnull": return "write != nil"
        case "nin", "notin": return "write NOT (a IN b)"
        case "mod": return "the remainder is written modulus(a, b)"
        case "div": return "write a / b"
        default: return sameOperator(as: word).map { "did you mean \($0)?" }
        }
    }

    /// A hint for a word after a complete condition, such as a clause of SQL; nil if the word is
    /// unknown.
    static func clause(_ word: String) -> String? {
        switch word.lowercased() {
        case "order", "sort": "sort with the parameter sort"
        case "limit", "top", "fetch": "set the number of rows with the parameter limit"
        case "offset", "skip": "skip rows with the parameter offset"
        case "group": "group with the parameter groupBy"
        case "having": "write conditions on groups in the parameter having"
        case "xor": "write (x OR y) AND NOT (x AND y)"
        case "day", "days", "hour", "hours", "minute", "minutes", "second", "seconds", "week",
            "weeks":
            "durations are in seconds: a day is 86400"
        default: nil
        }
    }

    /// A hint for a reserved word that is called like a function; nil for other words.
    static func call(_ kind: Token.Kind) -> String? {
        switch kind {
        case .contains: "write text CONTAINS \"part\""
        case .beginsWith: "write text BEGINSWITH \"part\""
        case .endsWith: "write text ENDSWITH \"part\""
        case .like: "write text LIKE \"*part*\""
        case .matches: "write text MATCHES \"pattern\""
        case .between: "write x BETWEEN {low, high}"
        case .in: "write x IN {1, 2}"
        case .size: "write count(x), or x[SIZE]"
        case .first: "write x[FIRST]"
        case .last: "write x[LAST]"
        case .any, .some, .all, .none: "write ANY x.key == 1, without parentheses"
        default: nil
        }
    }

    // MARK: Keys

    /// A hint for a key that is a function or operator of another language, such as `name.length`,
    /// `players.count` or `age.gt`; nil for other keys.
    /// - Parameter isMany: whether the operand is a collection.
    static func key(_ key: String, of operand: String, isMany: Bool = false) -> String? {
        let word = key.lowercased()
        if isMany {
            let count = ["count", "size", "length", "len"]
            if count.contains(word) { return "did you mean \(operand).@count?" }
            let totals = ["sum", "avg", "min", "max"]
            if totals.contains(word) { return "write \(operand).@\(word).key" }
        }
        if let sign = sameOperator(as: word) { return "write \(operand) \(sign) …" }
        let function =
            PredicateFunction.byName[word].map(\.shortName) ?? sameFunctions[word]
            ?? (word == "size" ? "length" : nil)
        return function.map { "write \($0)(\(operand))" }
    }

    /// A hint for a single name that is not a key; nil if the name is unknown.
    static func name(_ name: String) -> String? {
        let word = name.lowercased()
        if ["undefined", "none"].contains(word) { return "null is written nil" }
        let same = sameFunctions[word.filter { $0 != "_" }] ?? word
        if let function = PredicateFunction.byName[same] {
            if function.arity == 0 { return "did you mean \(function.shortName)()?" }
            if function == .count { return "did you mean count()?" }
            return function.arity == 1 ? "did you mean \(function.shortName)(x)?" : nil
        }
        // `name__icontains`
        let parts = name.split(separator: "_", omittingEmptySubsequences: false)
        if parts.count > 2, parts[parts.count - 2].isEmpty,
            let sign = sameOperator(as: String(parts[parts.count - 1]))
        {
            let key = parts.dropLast(2).joined(separator: "_").replacing("__", with: ".")
            return "write \(key) \(sign) …"
        }
        return nil
    }
}
