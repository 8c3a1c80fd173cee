/// One SELECT as a value: its text, what is bound, and how its columns are read.

import SteleModel

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
        _ sql: String, _ bindings: [Value], _ kinds: [ColumnKind] = [], isUnordered: Bool = false
    ) {
        self.isUnordered = isUnordered
        self.sql = SQLText(sql)
        // What was bound for a part that came to nothing is in no text; only the last counts, for
        // a statement has as many parameters as the greatest that it names.
        let count = Self.greatestParameter(in: sql)
        self.bindings = count < bindings.count ? Array(bindings[..<count]) : bindings
        self.kinds = kinds
    }

    private static func greatestParameter(in sql: String) -> Int {
        var (greatest, current, isParameter) = (0, 0, false)
        for byte in sql.utf8 {
            if byte == UInt8(ascii: "?") {
                (current, isParameter) = (0, true)
            } else if isParameter, byte >= 0x30, byte <= 0x39 {
                current = current * 10 + Int(byte - 0x30)
                greatest = max(greatest, current)
            } else {
                isParameter = false
            }
        }
        return greatest
    }
}
