import SteleModel
import StelePredicates

/// Everything that a statement's text depends on: the request without the values of its literals,
/// of its position, and of limit and offset.
struct StatementKey: RecentCacheKey {
    /// The kind of statement.
    enum Kind: UInt8, Sendable { case snapshots, rows, count }

    private let kind: Kind
    private let prepared: PreparedPredicate
    /// The properties of the literals' values that the text depends on.
    private let forms: UInt128
    private let nulls: UInt64
    private let bounds: Bounds
    private let entity: Int
    private let sortDescriptors: [SortDescriptor]
    private let columns: [ExpressionDescription]
    private let groups: [Expression]
    private let having: Predicate?
    /// A hash of the properties that differ most.
    let hash: Int

    /// The clauses of a request, whatever their numbers.
    private struct Bounds: OptionSet {
        let rawValue: UInt8
        static let subentities = Bounds(rawValue: 1)
        static let limit = Bounds(rawValue: 2)
        static let offset = Bounds(rawValue: 4)
        static let distinct = Bounds(rawValue: 8)
    }

    /// Nil for a request whose statement is not cached. Both parameters are borrowed, because an
    /// initialiser would otherwise copy the whole request.
    init?(_ kind: Kind, _ request: borrowing FetchRequest, _ filled: borrowing FilledPredicate) {
        guard request.source == nil, let forms = Self.forms(of: filled.values) else { return nil }
        var nulls: UInt64 = 0
        if let after = request.after {
            guard after.count < 64 else { return nil }
            for (index, value) in after.enumerated() where value.isNull { nulls |= 1 << index }
            nulls |= 1 << after.count
        }
        var bounds: Bounds = []
        if request.includesSubentities { bounds.insert(.subentities) }
        if request.fetchLimit != nil { bounds.insert(.limit) }
        if request.fetchOffset > 0 { bounds.insert(.offset) }
        if request.returnsDistinctResults { bounds.insert(.distinct) }
        self.kind = kind
        self.prepared = filled.prepared
        self.forms = forms
        self.nulls = nulls
        self.bounds = bounds
        entity = request.entity.index
        sortDescriptors = request.sortDescriptors
        columns = request.propertiesToFetch
        groups = request.propertiesToGroupBy
        having = request.havingPredicate
        let object = UInt(bitPattern: ObjectIdentifier(filled.prepared)) >> 4
        let bits = UInt64(truncatingIfNeeded: forms ^ forms >> 64) ^ nulls &* 0x9E37_79B9
        hash = Int(
            bitPattern: object &* 31 &+ UInt(bits) &* 131
                &+ UInt(kind.rawValue) &* 16 &+ UInt(bounds.rawValue))
    }

    /// Returns three bits for each text and Decimal. The text of a statement depends on whether a
    /// text is empty or short, and whether it begins with a wildcard of LIKE or with a letter
    /// beyond ASCII; and on whether a Decimal is long.
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
        a.hash == b.hash && a.prepared === b.prepared && a.kind == b.kind && a.forms == b.forms
            && a.nulls == b.nulls && a.bounds == b.bounds && a.entity == b.entity
            && a.sortDescriptors == b.sortDescriptors && a.columns == b.columns
            && a.groups == b.groups && a.having == b.having
    }
}

/// The statements of one translator, shared by all threads.
final class StatementCache: Sendable {
    /// The statement of a shape, or that each request needs its own.
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
