import SteleModel
import StelePredicates

/// The SELECT statement of a fetch request, as a value.
public struct FetchStatement: Sendable {
    /// The text of the statement.
    public let sql: SQLText
    /// The values of `?1`, `?2`, …
    public let bindings: [Value]
    /// The kind of each column of a dictionary row; empty for rows that a `RowShape` reads.
    public let kinds: [ColumnKind]
    /// Whether the rows have no order, and the reader sorts them by key. Where an index finds few
    /// rows, this is faster than SQLite's sorting of whole rows, and lets SQLite use that index.
    public let isUnordered: Bool
    /// Whether it may fail for some values, such as two whose sum no type of the database holds.
    public let mayFail: Bool

    init(
        _ sql: String, of translation: Translation, kinds: [ColumnKind] = [],
        isUnordered: Bool = false
    ) {
        self.init(
            sql, translation.bindings, kinds: kinds, isUnordered: isUnordered,
            mayFail: translation.mayFail)
    }

    init(
        _ sql: String, _ bindings: [Value], kinds: [ColumnKind] = [],
        isUnordered: Bool = false, mayFail: Bool = false
    ) {
        self.isUnordered = isUnordered
        self.mayFail = mayFail
        self.sql = SQLText(sql)
        // A value bound for a part that was dropped is in no text. Only trailing ones matter,
        // because the number of parameters is the highest number in the text.
        let count = Self.greatestParameter(in: sql, of: bindings.count)
        self.bindings = count < bindings.count ? Array(bindings[..<count]) : bindings
        self.kinds = kinds
    }

    /// Returns the highest parameter number in a text. The search starts at the end, where it
    /// usually is.
    private static func greatestParameter(in sql: String, of count: Int) -> Int {
        if count == 0 { return 0 }
        var sql = sql
        return sql.withUTF8 { bytes in
            var greatest = 0
            var rest = bytes[...]
            while greatest < count, let sign = rest.lastIndex(of: UInt8(ascii: "?")) {
                let digits = rest[(sign + 1)...].prefix { $0 &- 0x30 < 10 }
                greatest = max(greatest, digits.reduce(0) { $0 &* 10 &+ Int($1 &- 0x30) })
                rest = rest[..<sign]
            }
            return greatest
        }
    }
}
