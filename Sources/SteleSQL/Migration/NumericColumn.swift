import SteleMigration
import SteleModel

/// How a column's numbers become those of another type, as SQL over the column.
package struct NumericColumn: Sendable, Hashable {
    /// The new value of a row, also where the column has its new type already.
    package let value: String
    /// The condition, on a column that has its new type, that the value of a row is to be written;
    /// nil where no row's is.
    package let writes: String?
    /// The condition that a value does not fit; nil where all do. It is null or false for null.
    package let misfit: String?

    package init(value: String, writes: String?, misfit: String?) {
        self.value = value
        self.writes = writes
        self.misfit = misfit
    }

    /// Where neither the column nor its values change; nil for any other change.
    package init?(same change: NumericChange, _ column: String) {
        let isOfIntegers = change.source.isStoredAsInteger && change.destination.isStoredAsInteger
        guard isOfIntegers || (change.source == .float && change.destination == .double) else {
            return nil
        }
        self.init(
            value: column, writes: nil,
            misfit: change.isNarrowing
                ? "(\(column) NOT BETWEEN \(change.destination.low) "
                    + "AND \(change.destination.high))" : nil)
    }

    /// The same for objects: rows with keys below 1, which are none, keep what the column has.
    func ofObjects(_ column: String) -> NumericColumn {
        // The + keeps SQLite from another way to the rows than by their keys.
        NumericColumn(
            value: "CASE WHEN +Z_PK > 0 THEN \(value) ELSE \(column) END",
            writes: writes.map { "(+Z_PK > 0 AND \($0))" }, misfit: misfit)
    }

    /// In SQLite. `NumericChange` itself does what SQLite's own SQL would get wrong, for the values
    /// that need it.
    init(_ change: NumericChange, sqlite column: String) {
        if let same = NumericColumn(same: change, column) {
            self = same
            return
        }
        let (from, to) = (change.source, change.destination)
        let made = "\(SQLFunctions.number.name)(\(from.rawValue), \(to.rawValue), \(column))"
        switch (from, to) {
        case (.boolean, _):
            self.init(value: "(\(column) <> 0)", writes: "\(column) NOT IN (0, 1)", misfit: nil)
        case (_, .decimal) where from.isInteger:
            let isShort = "BETWEEN -999999999999999 AND 999999999999999"
            self.init(
                value: "CASE WHEN \(column) \(isShort) THEN \(column) ELSE \(made) END",
                writes: from == .integer64 ? "\(column) NOT \(isShort)" : nil, misfit: nil)
        case (_, .float) where from.isInteger:
            self.init(
                value: column, writes: nil,
                misfit: change.isNarrowing
                    ? "(\(column) NOT BETWEEN -16777216 AND 16777216 AND \(made) IS NULL)" : nil)
        case (_, .double) where from.isInteger:
            self.init(
                value: column, writes: nil,
                misfit: change.isNarrowing
                    ? "(\(column) NOT BETWEEN -9007199254740992 AND 9007199254740992 "
                        + "AND \(made) IS NULL)" : nil)
        case (.decimal, .double):
            self.init(
                value: "CASE typeof(\(column)) WHEN 'real' THEN \(column) ELSE \(made) END",
                writes: "typeof(\(column)) NOT IN ('real', 'null')",
                misfit: "(typeof(\(column)) NOT IN ('real', 'null') AND \(made) IS NULL)")
        case (.decimal, .float):
            self.init(
                value: made, writes: "\(column) IS NOT NULL",
                misfit: "(CASE typeof(\(column)) WHEN 'real' THEN \(Self.isFar(column)) "
                    + "ELSE typeof(\(column)) NOT IN ('integer', 'null') END AND \(made) IS NULL)")
        case (.decimal, _):
            self.init(
                value: "CASE typeof(\(column)) WHEN 'integer' THEN \(column) ELSE \(made) END",
                writes: "typeof(\(column)) NOT IN ('integer', 'null')",
                misfit: "(CASE typeof(\(column)) WHEN 'null' THEN 0 WHEN 'integer' "
                    + "THEN \(column) NOT BETWEEN \(to.low) AND \(to.high) "
                    + "ELSE \(made) IS NULL END)")
        case (.double, .float):
            self.init(
                value: made, writes: "\(column) IS NOT NULL",
                misfit: "(\(Self.isFar(column)) AND \(made) IS NULL)")
        case (_, .decimal):
            let isOut =
                "(abs(\(column)) >= 1e165 "
                + "OR (\(column) <> 0 AND abs(\(column)) < 1e-111 AND \(made) IS NULL))"
            // The digits of a Double are stored as that Double, but for those of whole numbers of
            // more than 15 digits.
            self.init(
                value: from == .float
                    ? made : "CASE WHEN abs(\(column)) < 1e15 THEN \(column) ELSE \(made) END",
                writes: from == .float
                    ? "(typeof(\(column)) = 'real' OR abs(\(column)) > 16777216)"
                    : "abs(\(column)) >= 1e15", misfit: isOut)
        default:
            let whole = "CAST(\(column) AS INTEGER)"
            self.init(
                value: whole, writes: "typeof(\(column)) = 'real'",
                misfit: "(\(whole) <> \(column) OR \(whole) NOT BETWEEN \(to.low) AND \(to.high))")
        }
    }

    /// The condition that a number may be out of the range of Float.
    private static func isFar(_ column: String) -> String {
        "(\(column) <> 0 AND abs(\(column)) NOT BETWEEN 1e-44 AND 3.4e38)"
    }
}

extension AttributeType {
    /// Whether the type has columns of integers.
    fileprivate var isStoredAsInteger: Bool { isInteger || self == .boolean }

    /// The lowest value of an integer type or of Boolean, as SQL.
    package var low: String {
        switch self {
        case .boolean: "0"
        // The number without its sign is out of range.
        case .integer64: "(-9223372036854775807 - 1)"
        default: "\(integerRange.lowerBound)"
        }
    }

    /// The highest value.
    package var high: String { self == .boolean ? "1" : "\(integerRange.upperBound)" }
}
