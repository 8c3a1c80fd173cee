import SteleModel

/// A condition on an object (NSPredicate). Equality is structural.
public enum Predicate: Sendable, Hashable {
    /// TRUEPREDICATE or FALSEPREDICATE.
    case constant(Bool)
    /// A comparison of two expressions.
    case comparison(Comparison)
    /// A conjunction (NSAndPredicateType); true without operands.
    case and([Predicate])
    /// A disjunction (NSOrPredicateType); false without operands.
    case or([Predicate])
    /// A negation (NSNotPredicateType).
    indirect case not(Predicate)
}

/// A comparison of two expressions (NSComparisonPredicate).
public struct Comparison: Sendable, Hashable {
    /// The operator (NSComparisonPredicate.Operator).
    public enum Operator: Int, Sendable, Hashable {
        case lessThan = 0
        case lessThanOrEqual = 1
        case greaterThan = 2
        case greaterThanOrEqual = 3
        case equal = 4
        case notEqual = 5
        case matches = 6
        case like = 7
        case beginsWith = 8
        case endsWith = 9
        case `in` = 10
        case contains = 99
        case between = 100
    }

    /// How a to-many key path on the left is compared (NSComparisonPredicate.Modifier). NONE is
    /// parsed as NOT ANY.
    public enum Modifier: Int, Sendable, Hashable {
        case direct = 0
        case all = 1
        case any = 2
    }

    /// The left side.
    public var left: Expression {
        get { read().left }
        set { self = Comparison(newValue, type, right, modifier: modifier, options: options) }
    }
    /// The right side.
    public var right: Expression {
        get { read().right }
        set { self = Comparison(left, type, newValue, modifier: modifier, options: options) }
    }
    /// The operator.
    public var type: Operator { storage.fields.type }
    /// How a to-many key path on the left is compared.
    public var modifier: Modifier { storage.fields.modifier }
    /// How text is compared.
    public var options: ComparisonOptions {
        get { storage.fields.options }
        set { self = Comparison(left, type, right, modifier: modifier, options: newValue) }
    }

    /// What is known of the comparison from its sides.
    package var traits: PredicateTraits { storage.traits }

    private var storage: Storage

    /// The fields, for a walk that goes on into a side.
    @inline(__always)
    private func read() -> Fields {
        #if DEBUG
            PlanningWork.current?.noteVisit()
        #endif
        return storage.fields
    }

    /// Creates a comparison.
    public init(
        _ left: consuming Expression, _ type: Operator, _ right: consuming Expression,
        modifier: Modifier = .direct, options: ComparisonOptions = []
    ) {
        storage = Storage(
            Fields(type: type, modifier: modifier, options: options, left: left, right: right))
    }

    /// Whether all fields are equal.
    public static func == (a: Comparison, b: Comparison) -> Bool {
        a.storage === b.storage || a.storage.fields == b.storage.fields
    }

    /// Hashes all fields.
    public func hash(into hasher: inout Hasher) { hasher.combine(storage.fields) }

    private struct Fields: Sendable, Hashable {
        let type: Operator
        let modifier: Modifier
        let options: ComparisonOptions
        let left: Expression
        let right: Expression
    }

    /// A reference, so that taking a predicate apart does not copy expressions.
    private final class Storage: Sendable {
        let fields: Fields
        let traits: PredicateTraits
        init(_ fields: consuming Fields) {
            self.fields = fields
            traits = PredicateTraits(self.fields.left, self.fields.type, self.fields.right)
        }
    }
}

/// How text is compared (NSComparisonPredicate.Options): `[c]`, `[d]`, `[n]`, `[l]`.
public struct ComparisonOptions: OptionSet, Sendable, Hashable {
    /// The bits, with Core Data's numbers.
    public let rawValue: Int
    /// Creates options from their bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// `[c]`: ignores case.
    public static let caseInsensitive = ComparisonOptions(rawValue: 1)
    /// `[d]`: ignores accents.
    public static let diacriticInsensitive = ComparisonOptions(rawValue: 2)
    /// `[n]`: compares code points; overrides the other options.
    public static let normalized = ComparisonOptions(rawValue: 4)
    /// `[l]`: sorts as people expect, with numbers by value.
    public static let localeSensitive = ComparisonOptions(rawValue: 8)

    /// The options of the letters c, d, n and l in any case; nil if there are other letters.
    init?(letters: some Sequence<UInt8>) {
        self = []
        for letter in letters {
            switch letter | 0x20 {
            case UInt8(ascii: "c"): insert(.caseInsensitive)
            case UInt8(ascii: "d"): insert(.diacriticInsensitive)
            case UInt8(ascii: "n"): insert(.normalized)
            case UInt8(ascii: "l"): insert(.localeSensitive)
            default: return nil
            }
        }
    }
}

/// The value of a comparison's side, a column or a sort key (NSExpression).
public indirect enum Expression: Sendable, Hashable {
    /// A literal.
    case constant(Value)
    /// `SELF`.
    case evaluatedObject
    /// `$NAME`.
    case variable(String)
    /// `operand.a.b.@count`; the operand of a plain key path is `evaluatedObject`.
    case keyPath(Expression, [String])
    /// A function by its Foundation name, such as `add:to:`, `sum:`, `uppercase:` or `now`.
    case function(String, [Expression])
    /// `{a, b, c}`.
    case aggregate([Expression])
    /// `SUBQUERY(collection, $variable, predicate)`.
    case subquery(Expression, variable: String, Predicate)
    /// `TERNARY(predicate, a, b)`.
    case conditional(Predicate, Expression, Expression)
    /// `a UNION b`, `a INTERSECT b`, `a MINUS b`.
    case set(SetOperation, Expression, Expression)
    /// `collection[0]`, `[FIRST]`, `[LAST]`, `[SIZE]`.
    case index(Expression, IndexPosition)
    /// `ANYKEY`.
    case anyKey
    /// `$v := expression`.
    case assignment(String, Expression)

    /// A set operation; the raw values are those of NSExpression.ExpressionType.
    public enum SetOperation: Int, Sendable, Hashable {
        case union = 5
        case intersect = 6
        case minus = 7
    }

    /// The position of an element in a collection, or its size.
    public indirect enum IndexPosition: Sendable, Hashable {
        case first, last, size
        case at(Expression)
    }

    /// A key path that begins at the evaluated object. Each argument is one key: that of an attribute
    /// in a composite, such as `home.city`, may be given whole.
    public static func key(_ path: String...) -> Expression { .keyPath(.evaluatedObject, path) }

    /// A key path as text, such as `team.name`, that begins at the evaluated object
    /// (NSExpression(forKeyPath:)).
    public static func keyPath(_ path: String) -> Expression {
        let keys = path.split(separator: ".", omittingEmptySubsequences: false)
        return .keyPath(.evaluatedObject, keys.map(String.init))
    }
}
