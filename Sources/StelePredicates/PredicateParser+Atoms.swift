/// Parses primary expressions: literals, keys, calls, and the forms with words.

import SteleModel

extension PredicateParser {
    mutating func atom() throws(PredicateError) -> Node {
        switch token.kind {
        case .identifier, .atName: return try keyOrCall()
        case .integer, .fixedPoint, .radix: return Node(.constant(try number(negative: false)))
        case .text, .escapedText:
            let value = try string()
            return Node(.constant(.string(value)))
        case .yes: return literal(.int(1))
        case .no: return literal(.int(0))
        case .null: return literal(.null)
        case .self:
            advance()
            return Node(.evaluatedObject)
        case .anyKey:
            throw error(
                .unsupported, "ANYKEY is not supported",
                hint: "name the keys and join the comparisons with OR")
        case .leftParenthesis: return try parenthesized()
        case .leftBrace: return try list()
        case .percent: return try argument()
        case .cast: return try cast()
        case .ternary: return try ternary()
        case .subquery: return try subquery()
        case .function: return try functionCall()
        case .fetch:
            throw error(
                .unsupported, "FETCH inside a predicate is not supported",
                hint: "use a relationship, or SUBQUERY over one")
        default: throw unexpected("a value", hint: valueHint)
        }
    }

    /// A hint for a token that begins no value.
    private var valueHint: String? {
        if tokenAfter.kind == .leftParenthesis, let hint = ForeignWords.call(token.kind) {
            return hint
        }
        switch token.kind {
        case .none: return "null is written nil"
        case .plus: return "numbers have no leading +"
        case .equal where follows("="): return "equality is written =="
        case .star where follows("("): return "a count is written count()"
        case .invalid where near(token) == "?", .colon:
            return "a variable is written $NAME, its value is var.NAME"
        case .leftBracket: return "a list is written {1, 2}"
        default:
            guard isReservedKey else { return nil }
            let word = near(token)
            return "\(word) is a reserved word; a key of that name is written #\(word)"
        }
    }

    mutating func literal(_ value: Value) -> Node {
        advance()
        return Node(.constant(value))
    }

    mutating func parenthesized() throws(PredicateError) -> Node {
        try enter()
        advance()
        let inner = try disjunction()
        guard token.kind == .rightParenthesis else {
            if token.kind == .comma { throw unexpected(")", hint: "a list is written {1, 2}") }
            if case .expression(let expression) = inner.content, token.kind != .end {
                throw missingOperator(after: expression)
            }
            throw unexpected(")")
        }
        advance()
        leave()
        return inner
    }

    private mutating func list() throws(PredicateError) -> Node {
        try enter()
        advance()
        var items: [Expression] = []
        items.reserveCapacity(4)
        var depth = 0
        if token.kind != .rightBrace {
            while true {
                let (item, height) = try operand()
                items.append(item)
                depth = max(depth, height)
                guard token.kind == .comma else { break }
                advance()
            }
        }
        try take(.rightBrace, "a comma or }")
        leave()
        return Node(.aggregate(items), depth: try grown(depth))
    }

    // MARK: Keys and calls

    private mutating func keyOrCall() throws(PredicateError) -> Node {
        let first = token
        advance()
        if first.kind == .identifier, first.place == first.start {
            if token.kind == .leftParenthesis { return try call(text(of: first), at: first) }
            if token.kind == .colon { return try selectorCall(first) }
        }
        return Node(.keyPath(.evaluatedObject, [text(of: first)]))
    }

    /// Parses `multiply:by:(a, b)`.
    private mutating func selectorCall(_ first: Token) throws(PredicateError) -> Node {
        var name = text(of: first)
        while token.kind == .colon {
            name += ":"
            advance()
            guard token.kind == .identifier || token.kind.isWord else { break }
            name += text(of: token)
            advance()
            if token.kind != .colon { throw unexpected(":") }
            guard name.utf8.count < 100 else { break }
        }
        guard token.kind == .leftParenthesis else { throw unexpected("(") }
        return try call(name, at: first)
    }

    private mutating func call(_ name: String, at place: Token) throws(PredicateError) -> Node {
        guard let function = PredicateFunction.byName[name], function != .distinct else {
            throw unknownFunction(name, at: place)
        }
        try enter()
        advance()
        var arguments: [Expression] = []
        var depth = 0
        var follows = token.kind != .rightParenthesis
        while follows {
            let isDistinct = function.isAggregate && arguments.isEmpty && takeDistinct()
            let (argument, height) = try operand()
            arguments.append(
                isDistinct ? .function(PredicateFunction.distinct.rawValue, [argument]) : argument)
            depth = max(depth, height + (isDistinct ? 1 : 0))
            follows = token.kind == .comma
            if follows { advance() }
        }
        if token.kind != .rightParenthesis { throw unexpected("a comma or )") }
        let fits = arguments.count == function.arity || (function == .count && arguments.isEmpty)
        guard fits else { throw wrongCount(function, arguments.count, at: place) }
        if function == .cast { return try castCall(arguments, depth, at: place) }
        advance()
        leave()
        return Node(.function(function.rawValue, arguments), depth: try grown(depth))
    }

    /// Converts `castObject:toType:(x, "NSDate")` to `CAST(x, "NSDate")`. The closing parenthesis
    /// follows.
    private mutating func castCall(
        _ arguments: [Expression], _ depth: Int, at place: Token
    ) throws(PredicateError) -> Node {
        guard case .constant(.string(let type)) = arguments[1] else {
            throw error(.syntax, "castObject:toType: takes a type's name in quotes", at: place)
        }
        advance()
        leave()
        return try cast(arguments[0], depth, to: type, at: place)
    }

    /// Reads `distinct` before the argument of an aggregate, unless it is a key itself.
    private mutating func takeDistinct() -> Bool {
        guard token.kind == .identifier, token.end - token.start == 8, token.place == token.start,
            text(of: token).lowercased() == "distinct"
        else { return false }
        let saved = self
        advance()
        switch token.kind {
        case .identifier, .atName, .variable, .self, .subquery, .cast, .ternary, .function,
            .anyKey, .leftBrace, .leftParenthesis, .integer, .fixedPoint, .radix, .text,
            .escapedText, .null, .yes, .no, .tilde:
            return true
        case .dash where isSign(after: saved.token): return true
        default:
            self = saved
            return false
        }
    }

    /// Whether a minus is a sign, as in `distinct -a`: written at what follows, and apart from the word
    /// before it. In `distinct - a` it is between two operands.
    private func isSign(after word: Token) -> Bool {
        guard token.start > word.end, token.end < lexer.bytes.count else { return false }
        let next = lexer.bytes[token.end]
        return Lexer.isLetter(next) || Lexer.isDigit(next)
            || next == UInt8(ascii: "(") || next == UInt8(ascii: "$")
    }

    private func wrongCount(
        _ function: PredicateFunction, _ count: Int, at place: Token
    ) -> PredicateError {
        var hint: String?
        if function.isAggregate, count > 1 { hint = "write \(function.shortName)({a, b})" }
        return error(
            .syntax,
            "\(function.shortName) takes \(function.arity) "
                + (function.arity == 1 ? "argument" : "arguments") + ", not \(count)",
            hint: hint, at: place)
    }

    private func unknownFunction(_ name: String, at place: Token) -> PredicateError {
        let forms = ["SUBQUERY", "CAST", "TERNARY", "FUNCTION"]
        let known = PredicateFunction.allCases.filter { $0 != .distinct }.map(\.shortName) + forms
        let base = String(name.prefix { $0 != ":" })
        let near = Nearest.name(to: name, among: known) ?? Nearest.name(to: base, among: known)
        return error(
            .unsupported, "there is no function \(name.prefix(60))",
            hint: ForeignWords.function(name) ?? near.map { "did you mean \($0)?" }, at: place)
    }

    // MARK: Forms in words

    private mutating func opening() throws(PredicateError) {
        try enter()
        advance()
        try take(.leftParenthesis, "(")
    }

    /// Parses `CAST(x, "NSDate")`. A number becomes a date literal, which is how dates are printed.
    private mutating func cast() throws(PredicateError) -> Node {
        try opening()
        let (operand, depth) = try operand()
        try take(.comma, "a comma")
        guard token.kind == .text else { throw unexpected("a type's name in quotes") }
        let place = token
        let type = text(of: token)
        advance()
        try take(.rightParenthesis, ")")
        leave()
        return try cast(operand, depth, to: type, at: place)
    }

    private func cast(
        _ operand: Expression, _ depth: Int, to type: String, at place: Token
    ) throws(PredicateError) -> Node {
        guard CastType(rawValue: type) != nil else {
            let known = CastType.allCases.map(\.rawValue)
            throw error(
                .unsupported, "CAST does not know the type \(type.prefix(60))",
                hint: Nearest.hint(to: type, among: known)
                    ?? "a type is one of \(known.joined(separator: ", "))", at: place)
        }
        if type == CastType.date.rawValue, case .constant(let literal) = operand,
            let seconds = literal.asDouble
        {
            return Node(.constant(.date(seconds)))
        }
        if type == CastType.uuid.rawValue, case .constant(.string(let text)) = operand,
            let uuid = UUID(uuidString: text)
        {
            return Node(.constant(.uuid(uuid)))
        }
        return Node(
            .function(PredicateFunction.cast.rawValue, [operand, .constant(.string(type))]),
            depth: try grown(depth))
    }

    private mutating func ternary() throws(PredicateError) -> Node {
        try opening()
        let node = try disjunction()
        let predicate = try condition(node)
        try take(.comma, "a comma")
        let (yes, yesDepth) = try branch()
        try take(.comma, "a comma")
        let (no, noDepth) = try branch()
        try take(.rightParenthesis, ")")
        leave()
        return Node(
            .conditional(predicate, yes, no),
            depth: try grown(max(node.depth, yesDepth, noDepth)))
    }

    /// Parses a branch of TERNARY. YES and NO are Booleans here, because no other type is implied.
    private mutating func branch() throws(PredicateError) -> (Expression, depth: Int) {
        let isWord = token.kind == .yes || token.kind == .no
        let (expression, depth) = try operand()
        guard isWord, case .constant(.int(let number)) = expression else {
            return (expression, depth)
        }
        return (.constant(.bool(number == 1)), depth)
    }

    private mutating func subquery() throws(PredicateError) -> Node {
        try opening()
        let (collection, depth) = try operand()
        try take(.comma, "a comma")
        guard token.kind == .variable else { throw unexpected("a variable such as $x") }
        let name = text(of: token)
        advance()
        try take(.comma, "a comma")
        let node = try disjunction()
        let predicate = try condition(node)
        try take(.rightParenthesis, ")")
        leave()
        return Node(
            .subquery(collection, variable: name, predicate),
            depth: try grown(max(depth, node.depth)))
    }

    /// Parses `FUNCTION(receiver, 'name', …)`, which can only call functions of the language.
    private mutating func functionCall() throws(PredicateError) -> Node {
        try opening()
        var (receiver, depth) = try operand()
        try take(.comma, "a comma")
        guard token.kind == .text else { throw unexpected("a function's name in quotes") }
        let place = token
        let selector = text(of: token)
        advance()
        var arguments: [Expression] = []
        while token.kind == .comma {
            advance()
            let (argument, height) = try operand()
            arguments.append(argument)
            depth = max(depth, height)
        }
        try take(.rightParenthesis, "a comma or )")
        leave()
        let function = PredicateFunction.bySelector[selector] ?? PredicateFunction.byName[selector]
        guard let function, function != .distinct, function != .cast else {
            throw error(
                .unsupported, "FUNCTION may not call \(selector.prefix(60))",
                hint: "only the language's own functions can be called", at: place)
        }
        arguments.insert(receiver, at: 0)
        guard arguments.count == function.arity else {
            throw wrongCount(function, arguments.count, at: place)
        }
        return Node(.function(function.rawValue, arguments), depth: try grown(depth))
    }
}

/// The target types of CAST.
public enum CastType: String, Sendable, Hashable, CaseIterable {
    case date = "NSDate"
    case number = "NSNumber"
    case decimal = "NSDecimalNumber"
    case string = "NSString"
    case uuid = "NSUUID"
}

extension Expression {
    /// The operand of `distinct`; nil for other expressions.
    var distinctOperand: Expression? {
        guard case .function(PredicateFunction.distinct.rawValue, let operands) = self else {
            return nil
        }
        return operands.first
    }

    /// The expression cast to Decimal: `CAST(…, "NSDecimalNumber")`.
    static func asDecimal(_ expression: Expression) -> Expression {
        .function(
            PredicateFunction.cast.rawValue,
            [expression, .constant(.string(CastType.decimal.rawValue))])
    }
}
