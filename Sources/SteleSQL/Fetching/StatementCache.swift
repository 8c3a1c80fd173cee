/// Statements by the shape of the requests that they were made of.

import SteleModel
import StelePredicates

/// All that a statement's text depends on: everything of a request but the values of its literals,
/// of its position, and of limit and offset.
struct StatementKey: Sendable, Hashable {
    /// What is asked for of the objects.
    enum Kind: Sendable { case snapshots, keys, rows, count }

    private let kind: Kind
    private let prepared: PreparedPredicate
    /// What of the literals' values decides the text.
    private let forms: UInt128
    private let request: FetchRequest
    private let nulls: UInt64

    /// Nil for a request whose statement is not kept.
    init?(_ kind: Kind, _ request: FetchRequest, _ filled: FilledPredicate) {
        guard request.source == nil, let forms = Self.forms(of: filled.values) else { return nil }
        var nulls: UInt64 = 0
        if let after = request.after {
            guard after.count < 64 else { return nil }
            for (index, value) in after.enumerated() where value.isNull { nulls |= 1 << index }
            nulls |= 1 << after.count
        }
        self.kind = kind
        self.prepared = filled.prepared
        self.forms = forms
        self.request = request
        self.nulls = nulls
    }

    /// Three bits for each text and Decimal: an empty text is found nowhere, a short one at many
    /// places, and one that begins with a sign of LIKE's or with other letters than ASCII's in no
    /// range of an index; a long Decimal is compared by its key.
    private static func forms(of values: [Value]) -> UInt128? {
        var (forms, count): (UInt128, Int) = (0, 0)
        for value in values {
            let form: UInt128
            switch value {
            case .string(let text):
                form = self.form(of: text)
            case .decimal(let number): form = DecimalColumn(number).isLong ? 1 : 0
            default: continue
            }
            count += 1
            if count > 42 { return nil }
            forms = forms << 3 | form
        }
        return forms
    }

    private static func form(of text: String) -> UInt128 {
        guard let first = text.utf8.first else { return 0 }
        let isShort = text.utf8.count == 1
        switch first {
        case UInt8(ascii: "*"), UInt8(ascii: "?"), UInt8(ascii: "\\"): return isShort ? 1 : 2
        case 0..<0x80: return isShort ? 3 : 4
        default: return 5
        }
    }

    static func == (a: StatementKey, b: StatementKey) -> Bool {
        let (x, y) = (a.request, b.request)
        return a.kind == b.kind && a.prepared === b.prepared && a.forms == b.forms
            && a.nulls == b.nulls && x.entity.index == y.entity.index
            && x.includesSubentities == y.includesSubentities
            && (x.fetchLimit == nil) == (y.fetchLimit == nil)
            && (x.fetchOffset > 0) == (y.fetchOffset > 0)
            && x.sortDescriptors == y.sortDescriptors
            && x.propertiesToFetch == y.propertiesToFetch
            && x.propertiesToGroupBy == y.propertiesToGroupBy
            && x.havingPredicate == y.havingPredicate
            && x.returnsDistinctResults == y.returnsDistinctResults
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(prepared))
        hasher.combine(kind)
        hasher.combine(forms)
        hasher.combine(nulls)
        hasher.combine(request.fetchLimit == nil)
    }
}

/// The statements of one translator; any thread.
final class StatementCache: Sendable {
    /// What is known of a shape: its statement, or that each request needs its own.
    enum Known: Sendable {
        case kept(FetchStatement)
        case none
    }

    private let statements = RecentCache<StatementKey, Known>(entries: 4_096, bytes: 32 << 20)

    func statement(_ key: StatementKey) -> Known? { statements.value(of: key) }

    func keep(_ statement: FetchStatement, _ key: StatementKey) {
        if statement.isForOneUse { return statements.put(.none, for: key, bytes: 1_024) }
        let texts = statement.bindings.reduce(0) {
            if case .string(let text) = $1 { $0 + text.utf8.count } else { $0 }
        }
        statements.put(
            .kept(statement), for: key,
            bytes: 1_024 + 2 * (statement.sql.string.utf8.count + texts))
    }
}
