import SteleMigration
import SteleModel
import SteleSQL

extension NumericColumn {
    /// The greatest number that rounds to no Float, half-way to the one after the last.
    private static let floatLimit = "340282356779733661637539395458142568448"

    /// Half of the least Float, which still rounds to 0.
    private static let floatHalf =
        "7.00649232162408535461864791644958065640130970938257885878534141944895541342930300743319"
        + "094181060791015625e-46"

    /// All rows are written, because the table is.
    private init(value: String, misfit: String? = nil) {
        self.init(value: value, writes: "TRUE", misfit: misfit)
    }

    /// In PostgreSQL, where a cast of a value that is out of range is an error. CASE keeps values
    /// that do not fit from the casts behind it.
    init(_ change: NumericChange, postgreSQL column: String) {
        if let same = NumericColumn(same: change, column) {
            self = same
            return
        }
        let (from, to) = (change.source, change.destination)
        switch (from, to) {
        case (.boolean, _): self.init(value: "(\(column) <> 0)::int")
        case (_, .decimal) where from.isInteger: self.init(value: column)
        case (_, .float) where from.isInteger:
            self.init(
                value: "\(column)::real",
                misfit: change.isNarrowing
                    ? Self.inexact(column, "real", below: "9223371487098961920") : nil)
        case (_, .double) where from.isInteger:
            self.init(
                value: "\(column)::float8",
                misfit: change.isNarrowing
                    ? Self.inexact(column, "float8", below: "9223372036854774784") : nil)
        case (.decimal, .double):
            let nearest = "\(column)::float8"
            self.init(
                value: nearest, misfit: "(\(Self.digits(of: nearest, .double)) <> \(column))")
        case (.decimal, .float):
            self.init(
                value: "\(column)::real",
                misfit: "(abs(\(column)) >= \(Self.floatLimit) "
                    + "OR (\(column) <> 0 AND abs(\(column)) <= \(Self.floatHalf)))")
        case (.double, .float):
            let isInRange =
                "(\(column) = 0 OR (abs(\(column)) > \(Self.floatHalf)::float8 "
                + "AND abs(\(column)) < \(Self.floatLimit)::float8) "
                + "OR abs(\(column)) >= 'Infinity')"
            self.init(value: "\(column)::real", misfit: "(NOT \(isInRange))")
        case (.decimal, _):
            self.init(
                value: "\(column)::bigint",
                misfit: "(\(column) <> trunc(\(column)) "
                    + "OR \(column) NOT BETWEEN \(to.low) AND \(to.high))")
        case (_, .decimal):
            let number = from == .float ? "\(column)::real" : column
            let digits = Self.digits(of: number, from)
            self.init(
                value: digits,
                misfit: "(CASE WHEN abs(\(column)) < 1e165 "
                    + "THEN scale(trim_scale(\(digits))) > 128 ELSE \(column) IS NOT NULL END)")
        default:
            self.init(
                value: "\(column)::bigint",
                misfit: "(CASE WHEN \(column) >= -9223372036854775808 "
                    + "AND \(column) < 9223372036854775808 THEN \(column) <> trunc(\(column)) "
                    + "OR \(column)::bigint NOT BETWEEN \(to.low) AND \(to.high) ELSE \(column) IS NOT NULL END)"
            )
        }
    }

    /// The shortest digits of a floating-point number. Those that PostgreSQL writes are not where the
    /// shortest are half-way to the next number, as those of 1e23, which a whole number alone may be.
    private static func digits(of number: String, _ type: AttributeType) -> String {
        let text = "\(number)::text::numeric"
        let isFloat = type == .float
        let counts = isFloat ? 6...8 : 15...16
        let shorter = counts.map { count -> String in
            let rounded = "round(\(text), \(count) - length(trunc(abs(\(text)))::text))"
            return "WHEN \(rounded)::\(isFloat ? "real" : "float8") = \(number) THEN \(rounded) "
        }
        // The last numbers may be rounded to more than the range.
        let isPlain =
            isFloat
            ? "abs(\(number)) NOT BETWEEN 16777216 AND 3.4028e38"
            : "abs(\(number)) NOT BETWEEN 9007199254740992 AND 1e300"
        return "(CASE WHEN \(isPlain) THEN \(text) \(shorter.joined())ELSE \(text) END)"
    }

    /// The condition that an integer is none of a floating-point type, the greatest of which below
    /// 2^63 is `limit`.
    private static func inexact(_ column: String, _ type: String, below limit: String) -> String {
        "(CASE WHEN \(column) > \(limit) THEN TRUE "
            + "ELSE \(column)::\(type)::bigint <> \(column) END)"
    }
}
