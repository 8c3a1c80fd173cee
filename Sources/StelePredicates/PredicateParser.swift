/// Parses conditions; the extensions parse expressions.

/// A recursive-descent parser. Conditions and expressions can both begin with a parenthesis, so one
/// path parses both and decides afterwards; no text is parsed twice.
struct PredicateParser {
    private(set) var lexer: Lexer
    var token: Token
    private var nesting = 0
    private var comparisons = 0
    /// Each comparison with its range of bytes; nil if they are not recorded.
    var places: [(comparison: Comparison, range: Range<Int>)]?
    /// The remaining arguments of `%@` and `%K`.
    var arguments: ArraySlice<FormatArgument>

    /// A parsed condition or expression.
    struct Node {
        enum Content {
            case predicate(Predicate)
            case expression(Expression)
        }
        var content: Content
        /// The height of the tree.
        var depth: Int

        init(_ predicate: Predicate, depth: Int) {
            content = .predicate(predicate)
            self.depth = depth
        }

        init(_ expression: Expression, depth: Int = 1) {
            content = .expression(expression)
            self.depth = depth
        }
    }

    init(
        _ bytes: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int,
        arguments: [FormatArgument] = []
    ) {
        lexer = Lexer(bytes, from: start, to: end)
        token = lexer.next()
        self.arguments = arguments[...]
    }

    @inline(__always)
    mutating func advance() {
        token = lexer.next()
    }

    /// Reads a token of the given kind.
    mutating func take(
        _ kind: Token.Kind, _ expected: String, hint: String? = nil
    ) throws(PredicateError) {
        guard token.kind == kind else { throw unexpected(expected, hint: hint) }
        advance()
    }

    @inline(__always)
    mutating func enter() throws(PredicateError) {
        nesting += 1
        if nesting > PredicateLimits.nesting || nesting & 7 == 0 { try checkDepth() }
    }

    private func checkDepth() throws(PredicateError) {
        if nesting > PredicateLimits.nesting { throw tooDeep(PredicateLimits.nesting) }
        if !StackBound.hasRoom { throw tooDeep(nesting - 1) }
    }

    @inline(__always)
    mutating func leave() { nesting -= 1 }

    // MARK: Whole texts

    mutating func wholePredicate() throws(PredicateError) -> Predicate {
        if token.kind == .end {
            throw error(.syntax, "the predicate is empty", expected: "a comparison")
        }
        let node = try disjunction()
        let predicate = try condition(node)
        try atEnd("AND, OR or the end")
        return predicate
    }

    mutating func wholeExpression() throws(PredicateError) -> Expression {
        if token.kind == .end {
            throw error(.syntax, "the expression is empty", expected: "a key path or a value")
        }
        let expression = try operand()
        try atEnd("an operator or the end")
        return expression.0
    }

    private func atEnd(_ expected: String) throws(PredicateError) {
        guard token.kind != .end else {
            if arguments.isEmpty { return }
            throw error(
                .syntax, "\(arguments.count) more arguments are given than the format uses",
                hint: "each %@ and %K takes one")
        }
        throw unexpected(expected, hint: joiningHint())
    }

    // MARK: Conditions

    /// Parses `a OR b`. An expression alone is returned as an expression.
    mutating func disjunction() throws(PredicateError) -> Node {
        let first = try conjunction()
        guard token.kind == .or else { return first }
        var parts = [try condition(first)]
        var depth = first.depth
        while token.kind == .or {
            advance()
            let next = try conjunction()
            parts.append(try condition(next))
            depth = max(depth, next.depth)
        }
        return Node(.or(parts), depth: depth + 1)
    }

    private mutating func conjunction() throws(PredicateError) -> Node {
        let first = try negation()
        guard token.kind == .and else { return first }
        var depth = first.depth
        var parts: [Predicate] = []
        // Most conjunctions fit, so the array rarely grows.
        parts.reserveCapacity(8)
        parts.append(try condition(first))
        while token.kind == .and {
            advance()
            let next = try negation()
            parts.append(try condition(next))
            depth = max(depth, next.depth)
        }
        return Node(.and(parts), depth: depth + 1)
    }

    private mutating func negation() throws(PredicateError) -> Node {
        guard token.kind == .not || token.kind == .bang else { return try comparison() }
        advance()
        // `NOT (` is one level of nesting, as NOT NOT is printed that way.
        let isOwnLevel = token.kind != .leftParenthesis
        if isOwnLevel { try enter() }
        let inner = try negation()
        let predicate = try condition(inner)
        if isOwnLevel { leave() }
        return Node(.not(predicate), depth: inner.depth + 1)
    }

    /// The condition in a node; an error for an expression, which lacks an operator.
    func condition(_ node: consuming Node) throws(PredicateError) -> Predicate {
        switch node.content {
        case .predicate(let predicate): return predicate
        case .expression(let expression): throw missingOperator(after: expression)
        }
    }

    private mutating func comparison() throws(PredicateError) -> Node {
        let start = token.place
        switch token.kind {
        case .any, .some: return try comparison(modifier: .any)
        case .all: return try comparison(modifier: .all)
        case .none:
            let any = try comparison(modifier: .any)
            return Node(.not(try condition(any)), depth: any.depth + 1)
        case .truePredicate, .falsePredicate:
            let value = token.kind == .truePredicate
            advance()
            return Node(.constant(value), depth: 1)
        default:
            let left = token.kind == .leftParenthesis ? try inParentheses() : try binary(1)
            guard let type = token.kind.comparison,
                case .expression(let expression) = left.content
            else { return left }
            return try comparison(expression, type, depth: left.depth, from: start)
        }
    }

    /// Parses a condition or a value in parentheses. Conditions need less stack this way.
    private mutating func inParentheses() throws(PredicateError) -> Node {
        let inner = try parenthesized()
        guard case .expression = inner.content else { return inner }
        return try binary(1, after: try postfix(inner))
    }

    private mutating func comparison(modifier: Comparison.Modifier) throws(PredicateError) -> Node {
        let start = token.place
        advance()
        let (left, depth) = try operand(hint: "ANY, ALL and NONE precede a key: ANY a.b == 1")
        guard let type = token.kind.comparison else { throw missingOperator(after: left) }
        return try comparison(left, type, modifier: modifier, depth: depth, from: start)
    }

    private mutating func comparison(
        _ left: consuming Expression, _ type: Comparison.Operator,
        modifier: Comparison.Modifier = .direct, depth: Int, from start: Int
    ) throws(PredicateError) -> Node {
        comparisons += 1
        if comparisons > PredicateLimits.comparisons { throw tooMany(at: token.place) }
        advance()
        let options = try comparisonOptions()
        let place = token
        let before = comparisons
        let (right, rightDepth) = try operand()
        let beside = comparisons - before
        if type == .between { try checkBounds(right, at: place) }
        if token.kind.comparison != nil {
            throw unexpected("AND, OR or the end", hint: "join comparisons with AND")
        }
        let comparison = Comparison(left, type, right, modifier: modifier, options: options)
        comparisons += Self.furtherItems(of: comparison) * (1 + beside)
        if comparisons > PredicateLimits.comparisons { throw tooMany(at: start) }
        places?.append((comparison, start..<token.place))
        return Node(.comparison(comparison), depth: max(depth, rightDepth) + 1)
    }

    /// The number of items after the first in a list under ANY or ALL, or compared with a list. Each
    /// counts as one comparison, with those beside the list: they are made for each item.
    private static func furtherItems(of it: Comparison) -> Int {
        guard case .aggregate(let items) = it.left else { return 0 }
        if it.modifier == .direct {
            guard it.type == .equal || it.type == .notEqual, case .aggregate = it.right else {
                return 0
            }
        }
        return max(items.count - 1, 0)
    }

    /// Reports literal bounds that are not two; the check reports the rest.
    private func checkBounds(_ bounds: Expression, at place: Token) throws(PredicateError) {
        switch bounds {
        case .aggregate(let items) where items.count == 2: return
        case .constant where token.kind == .and:
            // `BETWEEN 1 AND 2`, as in SQL.
            throw unexpected("a list of two", hint: "write BETWEEN {low, high}")
        case .aggregate, .constant:
            var error = error(
                .type,
                "BETWEEN needs a list of two bounds, not \(bounds.description)",
                expected: "{low, high}", hint: "write BETWEEN {low, high}", at: place)
            error.near = bounds.description.count <= 40 ? bounds.description : error.near
            throw error
        default: return
        }
    }

    /// Parses `[cd]` after an operator.
    private mutating func comparisonOptions() throws(PredicateError) -> ComparisonOptions {
        guard token.kind == .leftBracket else { return [] }
        advance()
        let hint = "options are letters, such as [cd]; a list is written {1, 2}"
        guard token.kind == .identifier || token.kind.isWord,
            let options = ComparisonOptions(letters: lexer.bytes[token.start..<token.end])
        else { throw unexpected("the letters c, d, n or l", hint: hint) }
        advance()
        try take(.rightBracket, "]", hint: hint)
        return options
    }
}

extension Token.Kind {
    /// The comparison operator of the token.
    @inline(__always)
    var comparison: Comparison.Operator? {
        switch self {
        case .equal: .equal
        case .notEqual: .notEqual
        case .less: .lessThan
        case .lessOrEqual: .lessThanOrEqual
        case .greater: .greaterThan
        case .greaterOrEqual: .greaterThanOrEqual
        case .like: .like
        case .matches: .matches
        case .contains: .contains
        case .beginsWith: .beginsWith
        case .endsWith: .endsWith
        case .between: .between
        case .in: .in
        default: nil
        }
    }
}
