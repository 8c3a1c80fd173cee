/// Rounds numbers to the type of what they are compared with.

import SteleModel

extension PredicateCheck {
    /// The nearest Double to a variable's integer beside a Double, as where it is stored. A TERNARY
    /// of variables and literals is rounded, too.
    func nearest(_ side: Typed, beside other: Typed) -> Typed {
        guard other.type == .value(.double) else { return side }
        if case .conditional(let condition, _, _) = side.expression {
            guard side.branches.count == 2, side.branches.allSatisfy(\.isLiteral),
                side.branches.contains(where: \.isOfVariable)
            else { return side }
            let (yes, no) = (
                nearest(side.branches[0], beside: other), nearest(side.branches[1], beside: other)
            )
            var rounded = side
            rounded.expression = .conditional(condition, yes.expression, no.expression)
            rounded.type = Self.either(yes.type, no.type)
            rounded.branches = [yes, no]
            return rounded
        }
        guard case .int(let it)? = givenValue(side), Double(exactly: it) == nil else { return side }
        return given(.double(Double(it)))
    }

    /// The nearest Double to a literal beyond 64 bits beside a computed integer, which is a Double
    /// where it is beyond them.
    func nearest(beyond64Bits side: Typed, beside other: Typed) -> Typed {
        guard isComputedWhole(other), case .constant(.decimal(let it)) = side.expression else {
            return side
        }
        let number = it.nearestDouble
        guard number.magnitude >= 0x1p63 else { return side }
        var rounded = side
        rounded.expression = .constant(.double(number))
        rounded.type = .value(.double)
        return rounded
    }

    /// A value to compute with. One of Doubles and integers of 64 bits, which keep their digits in a
    /// list, is a Double then.
    func computable(_ typed: Typed) -> Typed {
        guard typed.type == .value(.double), isOfList(typed.expression) else { return typed }
        return Typed(
            expression: .function("multiply:by:", [typed.expression, .constant(.double(1))]),
            type: typed.type, isAggregate: typed.isAggregate)
    }

    /// Whether an element of a list may be the value. It stops at arithmetic, whose operands were asked
    /// before.
    private func isOfList(_ expression: Expression) -> Bool {
        switch expression {
        case .aggregate, .set: return true
        case .index(let collection, _): return isOfList(collection)
        case .conditional(_, let yes, let no): return isOfList(yes) || isOfList(no)
        case .function(let name, let arguments):
            switch PredicateFunction(rawValue: name) {
            case .min, .max, .sum, .distinct, .floor, .ceiling, .absolute, .truncate, .noIndex:
                return arguments.first.map(isOfList) ?? false
            default: return false
            }
        default: return false
        }
    }

    /// The value of a variable that is compared with a number; nil for lists and other expressions.
    private func givenValue(_ side: Typed) -> Value? {
        switch (side.pending, side.expression) {
        case (.written(let text)?, _), (.value(.string(let text))?, _): Self.number(text)
        case (.value(let value)?, _): value
        case (nil, .constant(let value)): side.isOfVariable ? value : nil
        default: nil
        }
    }

    /// A literal or variable that is searched in a list, or is between bounds, where some of them
    /// round it to another number than others: one comparison for each such number. Nil where all
    /// round it alike.
    func divided(
        _ comparison: Comparison, _ left: Typed, _ right: Typed
    ) throws(PredicateError) -> Predicate? {
        let (element, list) = comparison.type == .contains ? (right, left) : (left, right)
        guard element.isLiteral || !element.branches.isEmpty, list.pending == nil,
            case .aggregate = list.expression
        else { return nil }
        switch comparison.type {
        case .in, .contains:
            let groups = grouped(list.items)
            let numbers = groups.compactMap { group in
                group.first { $0.type.kind == .number }
            }
            guard roundDifferently(element, numbers) else { return nil }
            var parts: [Predicate] = []
            for group in groups {
                let (a, b) = try member(element, ofList: group)
                var part = comparison
                (part.left, part.right) = comparison.type == .contains ? (b, a) : (a, b)
                parts.append(.comparison(part))
            }
            return .or(parts)
        case .between:
            guard list.items.count == 2, roundDifferently(element, list.items) else { return nil }
            var parts: [Predicate] = []
            let signs: [Comparison.Operator] = [.greaterThanOrEqual, .lessThanOrEqual]
            for (sign, bound) in zip(signs, list.items) {
                let (a, b) = try unified(element, bound)
                parts.append(
                    .comparison(
                        Comparison(a.expression, sign, b.expression, options: comparison.options)))
            }
            return .and(parts)
        default: return nil
        }
    }

    /// The items of a list by how they round what is compared with them: those that are Doubles,
    /// those that are Floats, and the others.
    private func grouped(_ items: [Typed]) -> [[Typed]] {
        let rounding: [ExpressionType] = [.value(.double), .value(.float)]
        let groups =
            rounding.map { type in items.filter { $0.type == type } }
            + [items.filter { !rounding.contains($0.type) }]
        return groups.filter { !$0.isEmpty }
    }

    /// Whether numbers round a literal, a variable or a TERNARY of such to different numbers.
    private func roundDifferently(_ element: Typed, _ items: [Typed]) -> Bool {
        guard items.count > 1, items.allSatisfy({ $0.type.kind == .number }) else { return false }
        var first: Expression?
        for item in items {
            guard let (met, _) = try? unified(element, item) else { return false }
            if let first, !isSame(met.expression, first) { return true }
            first = first ?? met.expression
        }
        return false
    }

    private func isSame(_ a: Expression, _ b: Expression) -> Bool {
        switch (a, b) {
        case (.constant(let x), .constant(let y)): ValueOrder.equal(x, y)
        case (.conditional(_, let x, let y), .conditional(_, let z, let w)):
            isSame(x, z) && isSame(y, w)
        default: a == b
        }
    }
}
