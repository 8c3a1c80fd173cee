import SteleModel

/// How a column of another program's table and an attribute have each other's values.
///
/// A type without a form of its own is its text, as the server reads and writes it. What an
/// attribute cannot hold is null in it: NaN, infinite numbers, and a `numeric` beyond a Decimal.
/// Dates that are infinite are those of `Date.distantPast` and `distantFuture`, and a `numeric` of
/// more than 38 digits is rounded. The column keeps its value until the attribute is changed.
struct ColumnForm: Sendable {
    /// The type of the attribute.
    let type: AttributeType
    private let reading: @Sendable (String) -> String
    private let writing: @Sendable (String) -> String

    /// The value of the attribute's column as SQL, from the SQL of the table's value.
    func read(_ column: String) -> String { reading(column) }

    /// The value of the table's column as SQL, from the SQL of the attribute's value.
    func write(_ value: String) -> String { writing(value) }

    init(_ column: CatalogColumn) {
        let cast: @Sendable (String) -> String = { "(\($0))::\(column.type)" }
        switch column.baseType {
        case "int2": self.init(.integer16, { "\($0)::bigint" }, cast)
        case "int4": self.init(.integer32, { "\($0)::bigint" }, cast)
        case "int8": self.init(.integer64, { "\($0)::bigint" }, cast)
        case "bool": self.init(.boolean, { "\($0)::int::bigint" }, { cast("\($0) <> 0") })
        case "numeric": self.init(.decimal, Self.decimal, cast)
        case "float4": self.init(.float, Self.finite, cast)
        case "float8": self.init(.double, Self.finite, cast)
        case "timestamptz": self.init(.date, Self.date, { cast(Self.instant($0)) })
        case "timestamp", "date":
            self.init(.date, Self.date, { cast("\(Self.instant($0)) AT TIME ZONE 'UTC'") })
        case "uuid":
            self.init(.uuid, { "uuid_send(\($0)::uuid)" }, { cast("encode(\($0), 'hex')") })
        case "bytea": self.init(.binary, { "\($0)::bytea" }, cast)
        case "text", "varchar", "bpchar", "name", "citext":
            self.init(.string, { "\($0)::text" }, cast)
        default:
            // As the server writes it. The cast of some types to a text has more.
            self.init(
                .string, { "CASE WHEN \($0) IS NOT NULL THEN format('%s', \($0)) END" }, cast)
        }
    }

    private init(
        _ type: AttributeType, _ reading: @escaping @Sendable (String) -> String,
        _ writing: @escaping @Sendable (String) -> String
    ) {
        self.type = type
        self.reading = reading
        self.writing = writing
    }

    /// PostgreSQL sorts NaN after the infinities.
    @Sendable private static func finite(_ column: String) -> String {
        "CASE WHEN abs(\(column)) < 'Infinity' THEN \(column)::double precision END"
    }

    /// At most 38 significant digits, and 128 behind the point. They are counted in the text, because
    /// a logarithm is rounded.
    @Sendable private static func decimal(_ column: String) -> String {
        let size = "abs(\(column)::numeric)"
        let zeros = "length(substring(\(size)::text from '^0[.](0*)'))"
        return "CASE WHEN \(size) >= '\(beyondDecimals)' THEN NULL "
            + "WHEN \(size) < 1 "
            + "THEN round(\(column)::numeric, least(128, 38 + coalesce(\(zeros), 0))) "
            + "ELSE round(\(column)::numeric, 38 - length(trunc(\(size))::text)) END"
    }

    /// The least number that is rounded to one beyond all Decimals. NaN is above it.
    private static let beyondDecimals = String(repeating: "9", count: 38) + ".5e127"

    /// The seconds since 2001.
    @Sendable private static func date(_ column: String) -> String {
        "CASE WHEN isfinite(\(column)) "
            + "THEN (extract(epoch FROM \(column)) - 978307200)::double precision "
            + "WHEN \(column) > '2001-01-01' THEN 63113904000 "
            + "WHEN \(column) IS NOT NULL THEN -63114076800 END"
    }

    @Sendable private static func instant(_ value: String) -> String {
        "to_timestamp(\(value) + 978307200)"
    }
}
