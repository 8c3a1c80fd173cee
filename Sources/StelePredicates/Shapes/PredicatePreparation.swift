/// Prepares checked predicates for other literals.

import SteleModel

extension PredicateCheck {
    /// Prepares a checked predicate for other texts of its shape.
    ///
    /// Literals on the right of comparisons with a key path become parameters (`age > 30`, `name IN
    /// {"a", "b"}`), because they are only bound. All other literals may decide the meaning of a
    /// comparison or how a store evaluates it, such as the 0 in `players.@count > 0`.
    /// - Parameters:
    ///   - parsed: the predicate as parsed.
    ///   - checked: the same predicate after `check(_:)`.
    /// - Returns: nil if the literals cannot be identified, or if there are variables or aliases,
    ///   which are not part of the text: such a predicate must not be cached.
    package func prepared(_ parsed: ParsedPredicate, checked: Predicate) -> FilledPredicate? {
        guard variables.isEmpty, aliases.isEmpty else { return nil }
        var text = parsed.shape.text
        return text.withUTF8 { bytes in
            var preparation = Preparation(self, parsed, bytes)
            let template = preparation.prepared(checked, Scope())
            guard preparation.isWhole else { return nil }
            let (literals, written) = preparation.literals
            let prepared = PreparedPredicate(template, literals, written: written, self)
            return FilledPredicate(prepared, preparation.values)
        }
    }

    /// The prepared form of a request without a predicate.
    package var unconditional: FilledPredicate {
        FilledPredicate(PreparedPredicate(nil, [], written: [], self), [])
    }
}

/// Walks over a checked predicate in the order in which the parser ended its comparisons.
private struct Preparation {
    private let check: PredicateCheck
    private let parsed: ParsedPredicate
    private let bytes: UnsafeBufferPointer<UInt8>
    /// The numbers of comparisons and of literals that have been visited.
    private var comparison = 0
    private var literal = 0
    private var readings: [PreparedPredicate.Reading?]
    private(set) var values: [Value] = []

    init(_ check: PredicateCheck, _ parsed: ParsedPredicate, _ bytes: UnsafeBufferPointer<UInt8>) {
        self.check = check
        self.parsed = parsed
        self.bytes = bytes
        readings = Array(repeating: nil, count: parsed.shape.literals.count)
    }

    /// Whether all comparisons have been visited.
    var isWhole: Bool { comparison == parsed.literalSides.count }

    /// The role of each literal, and the bytes of those that are not parameters.
    var literals: ([PreparedPredicate.Literal], written: [UInt8]) {
        var written: [UInt8] = []
        let literals = zip(parsed.shape.literals, readings).map { token, reading in
            if let reading { return PreparedPredicate.Literal.open(reading) }
            let start = written.count
            written += bytes[token.place..<token.end]
            return .written(start..<written.count)
        }
        return (literals, written)
    }

    mutating func prepared(_ predicate: Predicate, _ scope: PredicateCheck.Scope) -> Predicate {
        switch predicate {
        case .constant: return predicate
        case .not(let inner): return .not(prepared(inner, scope))
        case .and(let parts): return .and(parts.map { prepared($0, scope) })
        case .or(let parts): return .or(parts.map { prepared($0, scope) })
        case .comparison(let it): return prepared(it, predicate, scope)
        }
    }

    private mutating func prepared(
        _ it: Comparison, _ predicate: Predicate, _ scope: PredicateCheck.Scope
    ) -> Predicate {
        // The parser ended nested comparisons before this one.
        let holds = (Self.holdsComparisons(it.left), Self.holdsComparisons(it.right))
        let left = holds.0 ? prepared(it.left, scope) : it.left
        var right = holds.1 ? prepared(it.right, scope) : it.right
        let side = comparison < parsed.literalSides.count ? parsed.literalSides[comparison] : nil
        comparison += 1
        var isOpened = false
        if let side, isOpen(it), let type = elementType(left, scope),
            let open = opened(right, side, type)
        {
            right = open
            isOpened = true
        }
        guard isOpened || holds.0 || holds.1 else { return predicate }
        return .comparison(
            Comparison(left, it.type, right, modifier: it.modifier, options: it.options))
    }

    /// Whether the expression may contain comparisons.
    private static func holdsComparisons(_ expression: Expression) -> Bool {
        switch expression {
        case .constant, .evaluatedObject, .variable, .anyKey, .assignment,
            .keyPath(.evaluatedObject, _), .keyPath(.variable, _):
            false
        case .aggregate(let items): items.contains(where: holdsComparisons)
        default: true
        }
    }

    /// Rebuilds an expression that contains comparisons.
    private mutating func prepared(
        _ expression: Expression, _ scope: PredicateCheck.Scope
    ) -> Expression {
        guard Self.holdsComparisons(expression) else { return expression }
        var inner = scope
        if case .subquery(let collection, let variable, _) = expression,
            case .collection(.object(let entity))? = try? check.checked(collection, scope).type
        {
            inner.variables.append((variable, entity))
        }
        return expression.mapParts({ prepared($0, scope) }, { prepared($0, inner) })
    }

    // MARK: Literals

    /// Whether the literals of a comparison are only values.
    private func isOpen(_ it: Comparison) -> Bool {
        // A regular expression is compiled by the check.
        guard it.type != .matches, case .keyPath(let base, let path) = it.left else { return false }
        switch base {
        case .evaluatedObject, .variable: break
        default: return false
        }
        // An entity's name is looked up in the model, and the bound of an aggregate decides how it
        // is computed.
        return path.last != "_entity" && !path.contains { $0.utf8.first == UInt8(ascii: "@") }
    }

    /// The type that the literals of a comparison are converted to.
    private func elementType(_ left: Expression, _ scope: PredicateCheck.Scope) -> ExpressionType? {
        if case .keyPath(.evaluatedObject, let path) = left, let type = check.attributeType(path) {
            return .value(type)
        }
        guard let type = (try? check.checked(left, scope))?.type else { return nil }
        if case .collection(let element) = type { return element }
        return type
    }

    /// The right side with parameters for its literals; nil if a literal parsed and converted alone
    /// has another value.
    private mutating func opened(
        _ side: Expression, _ range: Range<Int>, _ type: ExpressionType
    ) -> Expression? {
        let tokens = parsed.shape.literals
        while literal < tokens.count, tokens[literal].place < range.lowerBound { literal += 1 }
        var last = literal
        while last < tokens.count, tokens[last].place < range.upperBound { last += 1 }
        let places = literal..<last
        switch side {
        case .constant(let value):
            return places.count == 1 && open(places, [value], type)
                ? .parameter(values.count - 1) : nil
        case .aggregate(let items):
            let constants = items.compactMap { item -> Value? in
                if case .constant(let value) = item, !value.isNull { value } else { nil }
            }
            // Constants without a literal, such as YES, make the counts differ.
            guard !places.isEmpty, constants.count == places.count,
                open(places, constants, type)
            else { return nil }
            var number = values.count - places.count
            return .aggregate(
                items.map { item in
                    if case .constant(.null) = item { return item }
                    number += 1
                    return .parameter(number - 1)
                })
        default: return nil
        }
    }

    private mutating func open(
        _ places: Range<Int>, _ expected: [Value], _ type: ExpressionType
    ) -> Bool {
        var found: [PreparedPredicate.Reading?] = []
        found.reserveCapacity(places.count)
        for (place, value) in zip(places, expected) {
            let token = parsed.shape.literals[place]
            let read = PreparedPredicate.Reading.reading(
                token, isNegative: isNegative(token), in: bytes, as: type, check)
            guard let (reading, fitted) = read, fitted == value, fitted.form == value.form else {
                return false
            }
            found.append(reading)
        }
        readings.replaceSubrange(places, with: found)
        values += expected
        return true
    }

    /// Whether the literal has a minus sign.
    private func isNegative(_ token: Token) -> Bool {
        var place = token.place - 1
        while place >= 0, ListItems.isSpace(bytes[place]) { place -= 1 }
        return place >= 0 && bytes[place] == UInt8(ascii: "-")
    }
}
