/// A predicate as a value: what the format language says, and what every store means by it.

import SteleModel

/// A condition on an object (NSPredicate); equality is structural.
public enum Predicate: Sendable, Hashable {
    /// TRUEPREDICATE or FALSEPREDICATE.
    case constant(Bool)
    case comparison(Comparison)
    /// All hold; of none, true (NSAndPredicateType).
    case and([Predicate])
    /// One holds at least; of none, false (NSOrPredicateType).
    case or([Predicate])
    indirect case not(Predicate)
}

/// Two expressions and what is asked of them (NSComparisonPredicate).
public struct Comparison: Sendable, Hashable {
    /// NSPredicateOperatorType.
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

    /// How a to-many on the left is taken; NONE is written as NOT ANY.
    public enum Modifier: Int, Sendable, Hashable {
        case direct = 0
        case all = 1
        case any = 2
    }

    public var left: Expression {
        get { storage.left }
        set { self = Comparison(newValue, type, right, modifier: modifier, options: options) }
    }
    public var right: Expression {
        get { storage.right }
        set { self = Comparison(left, type, newValue, modifier: modifier, options: options) }
    }
    public var type: Operator {
        get { storage.type }
        set { self = Comparison(left, newValue, right, modifier: modifier, options: options) }
    }
    public var modifier: Modifier {
        get { storage.modifier }
        set { self = Comparison(left, type, right, modifier: newValue, options: options) }
    }
    public var options: ComparisonOptions {
        get { storage.options }
        set { self = Comparison(left, type, right, modifier: modifier, options: newValue) }
    }

    private var storage: Storage

    public init(
        _ left: consuming Expression, _ type: Operator, _ right: consuming Expression,
        modifier: Modifier = .direct, options: ComparisonOptions = []
    ) {
        storage = Storage(left, right, type, modifier, options)
    }

    public static func == (a: Comparison, b: Comparison) -> Bool {
        let (x, y) = (a.storage, b.storage)
        return x === y
            || x.type == y.type && x.modifier == y.modifier && x.options == y.options
                && x.left == y.left && x.right == y.right
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(type)
        hasher.combine(modifier)
        hasher.combine(options)
        hasher.combine(left)
        hasher.combine(right)
    }
}

extension Comparison {
    /// One word to those who take a predicate apart, so that its expressions are not copied at each
    /// look. Never changed: another comparison has another.
    private final class Storage: Sendable {
        let left: Expression
        let right: Expression
        let type: Operator
        let modifier: Modifier
        let options: ComparisonOptions

        init(
            _ left: consuming Expression, _ right: consuming Expression, _ type: Operator,
            _ modifier: Modifier, _ options: ComparisonOptions
        ) {
            self.left = left
            self.right = right
            self.type = type
            self.modifier = modifier
            self.options = options
        }
    }
}

/// How text is compared (NSComparisonPredicate.Options): `[c]`, `[d]`, `[n]`, `[l]`.
public struct ComparisonOptions: OptionSet, Sendable, Hashable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// `[c]`: case does not matter.
    public static let caseInsensitive = ComparisonOptions(rawValue: 1)
    /// `[d]`: accents do not matter.
    public static let diacriticInsensitive = ComparisonOptions(rawValue: 2)
    /// `[n]`: text is taken as prepared already; overrides the others.
    public static let normalized = ComparisonOptions(rawValue: 4)
    /// `[l]`: as a person of the service's language sorts.
    public static let localeSensitive = ComparisonOptions(rawValue: 8)
}

/// What a comparison, a column or a sort key is made from (NSExpression).
public indirect enum Expression: Sendable, Hashable {
    /// A literal.
    case constant(Value)
    /// `SELF`.
    case evaluatedObject
    /// `$NAME`.
    case variable(String)
    /// `operand.a.b.@count`; the operand of a plain key path is `evaluatedObject`.
    case keyPath(Expression, [String])
    /// A function by Foundation's name, such as `add:to:`, `sum:`, `uppercase:`, `now`.
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

    public enum SetOperation: Int, Sendable, Hashable {
        case union = 5
        case intersect = 6
        case minus = 7
    }

    public indirect enum IndexPosition: Sendable, Hashable {
        case first, last, size
        case at(Expression)
    }

    /// A plain key path from the object itself.
    public static func key(_ path: String...) -> Expression { .keyPath(.evaluatedObject, path) }
}
