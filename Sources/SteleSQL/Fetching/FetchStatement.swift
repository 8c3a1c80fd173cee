/// One SELECT as a value: its text, what is bound, and how its columns are read.

import SteleModel
import StelePredicates

/// A SELECT that a fetch request became. Its text is the same for all requests of one shape.
public struct FetchStatement: Sendable {
    /// Its text.
    public let sql: SQLText
    /// What `?1`, `?2`, … stand for, in that order.
    public let bindings: [Value]
    /// How each column of a dictionary row is read; empty where rows are read by a `RowShape`.
    public let kinds: [ColumnKind]
    /// Whether its rows come in any order, and whoever reads them sorts them by key: where an
    /// index finds few rows, that costs less than SQLite's sorting of whole rows, and leaves
    /// SQLite free to use that index.
    public let isUnordered: Bool

    init(
        _ sql: String, of translation: Translation, _ kinds: [ColumnKind] = [],
        isUnordered: Bool = false
    ) {
        self.init(
            sql, translation.bindings, kinds, isUnordered: isUnordered)
    }

    init(
        _ sql: String, _ bindings: [Value], _ kinds: [ColumnKind] = [],
        isUnordered: Bool = false
    ) {
        self.isUnordered = isUnordered
        self.sql = SQLText(sql)
        // What was bound for a part that came to nothing is in no text; only the last counts, for
        // a statement has as many parameters as the greatest that it names.
        let count = Self.greatestParameter(in: sql, of: bindings.count)
        self.bindings = count < bindings.count ? Array(bindings[..<count]) : bindings
        self.kinds = kinds
    }

    /// The greatest number of a parameter in a text that has up to that many. From the end, for
    /// the last one is mostly the greatest.
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
