import SteleModel
import StelePredicates

/// The SELECT statement of a fetch request, as a value. Its text is the same for all requests of
/// one shape.
public struct FetchStatement: Sendable {
    /// The text of the statement.
    public let sql: SQLText
    /// The values of `?1`, `?2`, …
    public private(set) var bindings: [Value]
    /// The bindings whose values another request of the shape replaces, in order.
    let sources: [BindingSource]
    /// Whether the statement is not reused for other requests.
    let isForOneUse: Bool
    /// The kind of each column of a dictionary row; empty for rows that a `RowShape` reads.
    public let kinds: [ColumnKind]
    /// Whether the rows have no order, and the reader sorts them by key. Where an index finds few
    /// rows, this is faster than SQLite's sorting of whole rows, and lets SQLite use that index.
    public let isUnordered: Bool

    init(
        _ sql: String, of translation: Translation, kinds: [ColumnKind] = [],
        isUnordered: Bool = false
    ) {
        self.init(
            sql, translation.bindings, kinds: kinds, sources: translation.sources,
            isUnordered: isUnordered, isForOneUse: translation.isForOneUse)
    }

    init(
        _ sql: String, _ bindings: [Value], kinds: [ColumnKind] = [],
        sources: [BindingSource] = [], isUnordered: Bool = false, isForOneUse: Bool = true
    ) {
        self.isUnordered = isUnordered
        self.isForOneUse = isForOneUse
        self.sql = SQLText(sql)
        // A value bound for a part that was dropped is in no text. Only trailing ones matter,
        // because the number of parameters is the highest number in the text.
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

    /// Returns the statement with another request's values; nil where a value cannot be derived.
    func bound(to request: FetchRequest, _ values: [Value]) -> FetchStatement? {
        var variants = CaseVariantsOfText()
        // A new array, because copying the bindings and overwriting them is slower.
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
