/// Parses operators, indexes and key paths.

extension PredicateParser {
    /// Parses an expression.
    /// - Parameter hint: the hint if a condition stands here.
    /// - Returns: the expression and the height of its tree.
    mutating func operand(
        hint: String = "TERNARY(condition, a, b) turns a condition into a value"
    ) throws(PredicateError) -> (Expression, Int) {
        let place = token
        let node = try binary(1)
        guard case .expression(let expression) = node.content else {
            throw error(
                .syntax, "a value is expected here, not a condition", expected: "a value",
                hint: hint, at: place)
        }
        return (expression, node.depth)
    }

    /// Parses operators with at least the given precedence: 1 sets, 2 bits, 3 sums, 4 products, 5
    /// powers.
    mutating func binary(_ least: Int) throws(PredicateError) -> Node {
        try binary(least, after: try unary())
    }

    /// Parses operators after a first operand.
    mutating func binary(_ least: Int, after first: consuming Node) throws(PredicateError) -> Node {
        var left = first
        // The token is tested first, because taking the node apart is more expensive.
        while let (precedence, operation) = token.kind.infix, precedence >= least,
            case .expression(let first) = left.content
        {
            let place = token
            advance()
            let right = try binary(precedence + 1)
            guard case .expression(let second) = right.content else {
                throw error(
                    .syntax, "a value is expected after \(near(place)), not a condition",
                    expected: "a value", at: place)
            }
            let depth = try grown(max(left.depth, right.depth))
            switch operation {
            case .function(let function):
                left = Node(.function(function.rawValue, [first, second]), depth: depth)
            case .set(let operation):
                left = Node(.set(operation, first, second), depth: depth)
            }
        }
        return left
    }

    /// The depth plus one; an error if that exceeds the limit.
    func grown(_ depth: Int) throws(PredicateError) -> Int {
        guard depth < PredicateLimits.depth else {
            throw error(
                .limit,
                "more than \(PredicateLimits.depth) operators are nested in one another")
        }
        return depth + 1
    }

    private mutating func unary() throws(PredicateError) -> Node {
        switch token.kind {
        case .dash, .tilde: return try signed()
        case .variable: return try variable()
        case .leftParenthesis: return try postfix(try parenthesized())
        default: return try postfix(try atom())
        }
    }

    /// Parses `-x`, which is `0 - x`, and `~x`.
    private mutating func signed() throws(PredicateError) -> Node {
        try enter()
        defer { leave() }
        let isMinus = token.kind == .dash
        advance()
        if isMinus, token.kind.isNumber {
            let literal = try number(negative: true)
            return try postfix(Node(.constant(literal)))
        }
        let place = token
        let inner = try unary()
        guard case .expression(let operand) = inner.content else {
            throw error(
                .syntax, "a value is expected after \(isMinus ? "-" : "~")", expected: "a value",
                at: place)
        }
        let expression: Expression =
            isMinus
            ? .function(PredicateFunction.subtract.rawValue, [.constant(.int(0)), operand])
            : .function(PredicateFunction.onesComplement.rawValue, [operand])
        return Node(expression, depth: try grown(inner.depth))
    }

    /// Parses `$name` or `$name := expression`.
    private mutating func variable() throws(PredicateError) -> Node {
        let name = text(of: token)
        advance()
        guard token.kind == .assign else { return try postfix(Node(.variable(name))) }
        try enter()
        defer { leave() }
        advance()
        let (value, depth) = try operand()
        return Node(.assignment(name, value), depth: try grown(depth))
    }

    /// Parses keys and indexes after an operand.
    mutating func postfix(_ start: consuming Node) throws(PredicateError) -> Node {
        guard token.kind == .dot || token.kind == .leftBracket else { return start }
        guard case .expression(var expression) = start.content else { return start }
        var depth = start.depth
        while true {
            switch token.kind {
            case .dot:
                let path = try keys()
                switch expression {
                case .keyPath(let operand, let before):
                    expression = .keyPath(operand, try joined(before, path))
                default:
                    expression = .keyPath(expression, path)
                    depth = try grown(depth)
                }
            case .leftBracket:
                try enter()
                advance()
                let (position, height) = try indexPosition()
                try take(.rightBracket, "]")
                leave()
                expression = .index(expression, position)
                depth = try grown(max(depth, height))
            default:
                return Node(expression, depth: depth)
            }
        }
    }

    /// Parses `.a.b.@count`.
    private mutating func keys() throws(PredicateError) -> [String] {
        var path: [String] = []
        while token.kind == .dot {
            advance()
            guard token.kind == .identifier || token.kind == .atName || isReservedKey else {
                throw unexpected("a key")
            }
            path = try joined(path, [text(of: token)])
            advance()
        }
        return path
    }

    /// Whether the token is a reserved word that can be a key. Operators written with signs, such
    /// as `&&`, and UTI-EQUALS cannot.
    var isReservedKey: Bool {
        token.kind.isWord && lexer.bytes[token.start..<token.end].allSatisfy(Lexer.isLetter)
    }

    private func joined(_ a: [String], _ b: [String]) throws(PredicateError) -> [String] {
        guard a.count + b.count <= PredicateLimits.keyPathLength else {
            throw error(.limit, "a key path has more than \(PredicateLimits.keyPathLength) keys")
        }
        return a.isEmpty ? b : a + b
    }

    private mutating func indexPosition()
        throws(PredicateError) -> (Expression.IndexPosition, Int)
    {
        let special: Expression.IndexPosition? =
            switch token.kind {
            case .first: .first
            case .last: .last
            case .size: .size
            default: nil
            }
        if let special {
            advance()
            return (special, 1)
        }
        let (index, depth) = try operand()
        return (.at(index), depth)
    }

    /// The text of a token.
    func text(of token: Token) -> String {
        String(decoding: lexer.bytes[token.start..<token.end], as: UTF8.self)
    }
}

extension Token.Kind {
    enum Infix {
        case function(PredicateFunction)
        case set(Expression.SetOperation)
    }

    /// The precedence and meaning of a binary operator.
    @inline(__always)
    var infix: (precedence: Int, operation: Infix)? {
        switch self {
        case .union: (1, .set(.union))
        case .intersect: (1, .set(.intersect))
        case .minus: (1, .set(.minus))
        case .ampersand: (2, .function(.bitwiseAnd))
        case .bar: (2, .function(.bitwiseOr))
        case .caret: (2, .function(.bitwiseXor))
        case .shiftLeft: (2, .function(.leftShift))
        case .shiftRight: (2, .function(.rightShift))
        case .plus: (3, .function(.add))
        case .dash: (3, .function(.subtract))
        case .star: (4, .function(.multiply))
        case .slash: (4, .function(.divide))
        case .power: (5, .function(.raise))
        default: nil
        }
    }

    @inline(__always)
    var isNumber: Bool { self == .integer || self == .fixedPoint || self == .radix }
}
