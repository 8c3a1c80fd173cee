/// One SELECT as a value: its text, what is bound, and how its columns are read.

import SteleModel
import StelePredicates

/// A SELECT that a fetch request became. Its text is the same for all requests of one shape.
public struct FetchStatement: Sendable {
    /// Its text.
    public let sql: SQLText
    /// What `?1`, `?2`, … stand for, in that order.
    public private(set) var bindings: [Value]
    /// Which of them another request of the shape has its own values for, in the same order.
    let sources: [BindingSource]
    /// Whether it is for the very request that it was made of.
    let isForOneUse: Bool
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
            sql, translation.bindings, kinds, translation.sources, isUnordered: isUnordered,
            isForOneUse: translation.isForOneUse)
    }

    init(
        _ sql: String, _ bindings: [Value], _ kinds: [ColumnKind] = [],
        _ sources: [BindingSource] = [], isUnordered: Bool = false, isForOneUse: Bool = true
    ) {
        self.isUnordered = isUnordered
        self.isForOneUse = isForOneUse
        self.sql = SQLText(sql)
        // What was bound for a part that came to nothing is in no text; only the last counts, for
        // a statement has as many parameters as the greatest that it names.
        let count = Self.greatestParameter(in: sql, of: bindings.count)
        if count < bindings.count {
            self.bindings = Array(bindings[..<count])
            self.sources = sources.filter { $0.place < count }
        } else {
            self.bindings = bindings
            self.sources = sources
        }
        self.kinds = kinds
    }

    /// The same statement with another request's values; nil where one of them has none.
    func bound(to request: FetchRequest, _ values: [Value]) -> FetchStatement? {
        var variants = CaseVariantsOfText()
        // Made anew, where a copy of the first ones would be overwritten one by one.
        var bound: [Value] = []
        bound.reserveCapacity(bindings.count)
        var next = 0
        for place in bindings.indices {
            guard next < sources.count, sources[next].place == place else {
                bound.append(bindings[place])
                continue
            }
            let source = sources[next]
            next += 1
            if case .parameter(let number) = source.origin {
                bound.append(values[number])
            } else if let value = source.value(values, request, &variants) {
                bound.append(value)
            } else {
                return nil
            }
        }
        var result = self
        result.bindings = bound
        return result
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
