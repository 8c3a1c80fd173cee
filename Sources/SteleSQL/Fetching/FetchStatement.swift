/// One SELECT as a value: its text, what is bound, and how its columns are read.

import SteleModel

/// A SELECT that a fetch request became. Its text is the same for all requests of one shape.
public struct FetchStatement: Sendable {
    public let sql: SQLText
    /// What `?1`, `?2`, … stand for, in that order.
    public let bindings: [Value]
    /// How each column of a dictionary row is read; empty where rows are read by a `RowShape`.
    public let kinds: [ColumnKind]

    init(_ sql: String, _ bindings: [Value], _ kinds: [ColumnKind] = []) {
        self.sql = SQLText(sql)
        self.bindings = bindings
        self.kinds = kinds
    }
}
