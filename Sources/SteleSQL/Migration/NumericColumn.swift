import SteleMigration
import SteleModel

/// How a column's numbers become those of another type, as SQL over the column.
package struct NumericColumn: Sendable {
    /// The new value; nil where the column stays as it is.
    package let value: String?
    /// The condition that a value does not fit; nil where all do. It may be null or false for null.
    package let misfit: String?

    package init(value: String?, misfit: String?) {
        self.value = value
        self.misfit = misfit
    }

    /// Where both types are stored in columns of integers, whose values stay as they are.
    package init?(integers change: NumericChange, _ column: String) {
        guard change.source.isStoredAsInteger, change.destination.isStoredAsInteger else {
            return nil
        }
        value = nil
        misfit =
            change.isNarrowing
            ? "(\(column) NOT BETWEEN \(change.destination.low) AND \(change.destination.high))"
            : nil
    }

    /// In SQLite. What its own SQL would get wrong is done by `NumericChange` itself, for the
    /// values that need it.
    init(_ change: NumericChange, sqlite column: String) {
        if let integers = NumericColumn(integers: change, column) {
            self = integers
            return
        }
        let (from, to) = (change.source, change.destination)
        let converted =
            "\(SQLFunctions.number.name)(\(from.rawValue), \(to.rawValue), \(column))"
        switch (from, to) {
        case (.float, .double):
            self.init(value: nil, misfit: nil)
        case (.boolean, _):
            self.init(value: "(\(column) <> 0)", misfit: nil)
        case (.integer16, .float), (.integer16, .double), (.integer32, .double),
            (.integer16, .decimal), (.integer32, .decimal):
            self.init(value: column, misfit: nil)
        case (_, .float) where from.isInteger:
            self.init(
                value: column,
                misfit: "(\(column) NOT BETWEEN -16777216 AND 16777216 AND \(converted) IS NULL)")
        case (_, .double) where from.isInteger:
            self.init(
                value: column,
                misfit: "(\(column) NOT BETWEEN -9007199254740992 AND 9007199254740992 "
                    + "AND \(converted) IS NULL)")
        case (_, .decimal) where from.isInteger:
            self.init(
                value: "CASE WHEN \(column) BETWEEN -999999999999999 AND 999999999999999 "
                    + "THEN \(column) ELSE \(converted) END", misfit: nil)
        case (.double, _) where to.isStoredAsInteger:
            self.init(
                value: "CAST(\(column) AS INTEGER)",
                misfit: "(CAST(\(column) AS INTEGER) <> \(column) "
                    + "OR CAST(\(column) AS INTEGER) NOT BETWEEN \(to.low) AND \(to.high))")
        default:
            self.init(
                value: converted, misfit: "(\(column) IS NOT NULL AND \(converted) IS NULL)")
        }
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
