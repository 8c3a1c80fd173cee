import StelePersistence
import StelePredicates
import SteleSQL

/// The predicate language's functions in the SQL of PostgreSQL. Those whose results depend on the
/// server's libraries, such as logarithms, are evaluated by the node.
enum PostgreSQLFunctions {
    /// As `SQLDialect.call`.
    @Sendable
    static func call(_ function: SQLFunction, _ arguments: [String]) -> String? {
        let first = arguments.first ?? ""
        let last = arguments.last ?? ""
        switch function {
        case SQLFunctions.fold:
            guard let bits = Int(last) else { return nil }
            let options = ComparisonOptions(rawValue: bits)
            if options.contains(.localeSensitive) { return nil }
            return "stele1_fold(\(first), \(bits))"
        case SQLFunctions.contains:
            return "(\(arguments[1]) <> '' AND strpos(\(first), \(arguments[1])) > 0)"
        case SQLFunctions.beginsWith:
            return "(\(arguments[1]) <> '' AND starts_with(\(first), \(arguments[1])))"
        case SQLFunctions.endsWith:
            return "(\(arguments[1]) <> '' AND right(\(first), length(\(arguments[1]))) = "
                + "\(arguments[1]))"
        case SQLFunctions.doubleKey: return "stele1_digits(\(first))"
        case SQLFunctions.decimalAdd: return "stele1_decimal((\(first)) + (\(last)))"
        case SQLFunctions.decimalSubtract: return "stele1_decimal((\(first)) - (\(last)))"
        case SQLFunctions.decimalMultiply: return "stele1_decimal((\(first)) * (\(last)))"
        case SQLFunctions.decimalDivide: return "stele1_ratio(\(first), \(last))"
        case SQLFunctions.decimalSum: return "COALESCE(\(decimalSum(first)), 0)"
        case SQLFunctions.decimalAverage:
            return "stele1_ratio(\(decimalSum(first)), COUNT(\(first)))"
        case SQLFunctions.sum: return "COALESCE(SUM(\(first)), 0)::bigint"
        case SQLFunctions.average: return "stele1_mean(SUM(\(first)), COUNT(\(first)))"
        case SQLFunctions.call:
            return PredicateFunction(number: arguments[0]).flatMap {
                call($0, kind(arguments[1]), last)
            }
        case SQLFunctions.call2:
            return PredicateFunction(number: arguments[0]).flatMap {
                call($0, kind(arguments[1]), arguments[2], kind(arguments[3]), last)
            }
        case SQLFunctions.cast: return cast(Int(arguments[0]), kind(arguments[1]), last)
        case SQLFunctions.stored:
            guard kind(first) == .date else { return nil }
            // LEAST and GREATEST leave out nulls, and NaN is above all numbers.
            return "NULLIF(NULLIF(GREATEST(LEAST(\(last), 3e18), -3e18), 3e18), -3e18)"
        default: return nil
        }
    }

    /// - Parameter values: what is added, perhaps after `DISTINCT`.
    private static func decimalSum(_ values: String) -> String {
        let distinct = "DISTINCT "
        let one = values.hasPrefix(distinct) ? String(values.dropFirst(distinct.count)) : values
        return "stele1_sum(SUM(\(values)), MAX(abs(\(one))) * COUNT(\(values)), MAX(scale(\(one))))"
    }

    private static func kind(_ code: String) -> ColumnKind? {
        Int(code).flatMap(ColumnKind.init(rawValue:))
    }

    private static func call(
        _ function: PredicateFunction, _ kind: ColumnKind?, _ value: String
    ) -> String? {
        switch (function, kind) {
        case (.uppercase, .text): "stele1_scalars(\(value), 'u')"
        case (.lowercase, .text): "stele1_scalars(\(value), 'l')"
        case (.canonical, .text): "stele1_fold(\(value), 3)"
        case (.length, .text): "stele1_length(\(value))"
        case (.onesComplement, .integer), (.onesComplement, .boolean): "(~\(value))"
        case (.floor, .integer), (.ceiling, .integer), (.truncate, .integer), (.floor, .boolean),
            (.ceiling, .boolean), (.truncate, .boolean):
            value
        case (.floor, .double), (.floor, .float), (.floor, .decimal): "floor(\(value))"
        case (.ceiling, .double), (.ceiling, .float), (.ceiling, .decimal): "ceil(\(value))"
        case (.truncate, .double), (.truncate, .float), (.truncate, .decimal): "trunc(\(value))"
        case (.absolute, .integer), (.absolute, .boolean), (.absolute, .double),
            (.absolute, .float), (.absolute, .decimal):
            "abs(\(value))"
        case (.squareRoot, .integer), (.squareRoot, .boolean), (.squareRoot, .double),
            (.squareRoot, .float):
            "sqrt(CASE WHEN \(value) >= 0 THEN (\(value))::float8 END)"
        default: nil
        }
    }

    private static func call(
        _ function: PredicateFunction, _ kind: ColumnKind?, _ value: String, _ other: ColumnKind?,
        _ second: String
    ) -> String? {
        guard kind == .integer || kind == .boolean, other == .integer || other == .boolean else {
            return nil
        }
        return switch function {
        case .bitwiseAnd: "(\(value) & \(second))"
        case .bitwiseOr: "(\(value) | \(second))"
        case .bitwiseXor: "(\(value) # \(second))"
        case .modulus: "(\(value) % NULLIF(\(second), 0))"
        default: nil
        }
    }

    private static func cast(_ target: Int?, _ kind: ColumnKind?, _ value: String) -> String? {
        guard let target, CastType.allCases.indices.contains(target) else { return nil }
        switch (CastType.allCases[target], kind) {
        case (.string, .integer): return "((\(value))::text COLLATE \"C\")"
        case (.string, .decimal): return "(trim_scale(\(value))::text COLLATE \"C\")"
        case (.decimal, .integer), (.decimal, .boolean): return "(\(value))::numeric"
        case (.date, .decimal): return "(\(value))::float8"
        default: return nil
        }
    }

    // MARK: Registering

    /// How the names of the functions begin.
    static let prefix = "stele1_"
    /// The table that they read.
    static let table = "stele1_scalar"

    /// Makes the functions in the schema of the store, if it lacks the newest of them. One whose
    /// meaning changes gets another name, so that nodes of two versions use their own; one that was
    /// wrong is replaced.
    ///
    /// Called under the lock of the opening.
    static func register(_ connection: Connection) throws(StoreError) {
        let known = try connection.integer(
            SQLText(
                "SELECT COUNT(*) FROM pg_proc WHERE proname = 'stele1_sum' "
                    + "AND pronamespace = \(PostgreSQLWords.ownSchema)"))
        if known != 0 { return }
        try connection.run(definitions)
        let row = SQLText(
            "INSERT INTO \(table) SELECT ?1, key, value FROM json_each_text(?2::json) "
                + "ON CONFLICT DO NOTHING")
        for form in ScalarForm.all {
            try connection.execute(row, [.string(form.name), .string(form.json)])
        }
    }

    /// The functions. `stele1_refused` makes a statement fail whose value no type holds; its
    /// argument keeps the planner from calling it.
    ///
    /// A Decimal has 38 digits and an exponent from -128 to 127. `stele1_sum` refuses a sum that
    /// would lose digits on the way, and `stele1_ratio` a quotient whose exponent, which a division
    /// begins 38 below that of its result, is out of range.
    private static let definitions = """
        CREATE TABLE IF NOT EXISTS stele1_scalar (form text COLLATE "C", scalar text COLLATE "C",
            parts text COLLATE "C", PRIMARY KEY (form, scalar));

        CREATE OR REPLACE FUNCTION stele1_scalars(t text, form text) RETURNS text
        LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
            SELECT coalesce(string_agg(coalesce(m.parts,
                    CASE WHEN $2 = 'd' AND c COLLATE "C" >= U&'\\AC00'
                            AND c COLLATE "C" <= U&'\\D7A3'
                        THEN normalize(c, NFD) ELSE c END), '' ORDER BY n), '')
            FROM unnest(string_to_array($1, NULL)) WITH ORDINALITY AS s(c, n)
            LEFT JOIN stele1_scalar m ON m.form = $2 AND m.scalar = c
        $$;

        CREATE OR REPLACE FUNCTION stele1_folded(t text, options int) RETURNS text
        LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
        BEGIN
            IF options & 2 > 0 THEN t := stele1_scalars(t, 'd'); END IF;
            IF options & 1 > 0 THEN t := stele1_scalars(t, 'c'); END IF;
            RETURN t;
        END $$;

        CREATE OR REPLACE FUNCTION stele1_fold(t text, options int) RETURNS text
        LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
            SELECT CASE WHEN octet_length($1) <> char_length($1) THEN stele1_folded($1, $2)
                WHEN $2 & 1 > 0 THEN lower($1 COLLATE "C") ELSE $1 END
        $$;

        CREATE OR REPLACE FUNCTION stele1_length(t text) RETURNS bigint
        LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
            SELECT CASE WHEN octet_length($1) = char_length($1) THEN char_length($1)
                ELSE char_length($1) + (SELECT count(*) FROM unnest(string_to_array($1, NULL)) c
                    WHERE octet_length(c) = 4) END::bigint
        $$;

        CREATE OR REPLACE FUNCTION stele1_refused(n anyelement) RETURNS numeric
        LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
        BEGIN
            RAISE EXCEPTION USING ERRCODE = '22003', MESSAGE = 'a number is out of range';
        END $$;

        CREATE OR REPLACE FUNCTION stele1_decimal(n numeric) RETURNS numeric
        LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
            SELECT CASE WHEN $1 IS NULL THEN NULL
                WHEN length(ltrim(replace(abs(trim_scale($1))::text, '.', ''), '0')) <= 38
                    AND scale(trim_scale($1)) <= 100 THEN trim_scale($1)
                ELSE stele1_refused($1) END
        $$;

        CREATE OR REPLACE FUNCTION stele1_sum(total numeric, most numeric, scale int) RETURNS numeric
        LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
            SELECT CASE WHEN $1 IS NULL THEN NULL
                WHEN length(trunc($2)::text) + $3 <= 38 THEN trim_scale($1)
                ELSE stele1_refused($1) END
        $$;

        CREATE OR REPLACE FUNCTION stele1_ratio(a numeric, b numeric) RETURNS numeric
        LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
        DECLARE q numeric;
        BEGIN
            IF b = 0 THEN RETURN NULL; END IF;
            IF min_scale(a) + length(trunc(abs(b))::text) > 89
                OR length(trunc(abs(a))::text) + min_scale(b) > 165
            THEN RETURN stele1_refused(a); END IF;
            q := (a + 0::numeric(120, 60)) / b;
            IF q * b <> a THEN RETURN stele1_refused(q); END IF;
            RETURN stele1_decimal(q);
        END $$;

        CREATE OR REPLACE FUNCTION stele1_mean(total numeric, count bigint) RETURNS float8
        LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
            SELECT (($1 + 0::numeric(120, 70)) / NULLIF($2, 0))::float8
        $$;

        CREATE OR REPLACE FUNCTION stele1_digits(x float8) RETURNS numeric
        LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
            SELECT CASE WHEN $1 IS NULL THEN NULL WHEN $1 = 0 THEN 0
                WHEN abs($1) >= 1e-100 AND abs($1) < 9007199254740992 THEN $1::text::numeric
                WHEN abs($1) >= 1 AND abs($1) < 9e18 THEN $1::bigint::numeric
                ELSE stele1_refused($1) END
        $$
        """
}

extension PredicateFunction {
    fileprivate init?(number: String) {
        guard let it = Int(number), Self.allCases.indices.contains(it) else { return nil }
        self = Self.allCases[it]
    }
}
