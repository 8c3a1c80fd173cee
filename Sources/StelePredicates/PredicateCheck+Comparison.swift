/// Checks of comparisons: which types can be compared, and by which operators.

import SteleModel

extension PredicateCheck {
    func checked(_ comparison: Comparison, _ scope: Scope) throws(PredicateError) -> Predicate {
        do throws(PredicateError) {
            if let parts = compositeIsNil(comparison, scope) { return try checked(parts, scope) }
            try checkExternal(comparison)
            return try fitted(comparison, scope)
        } catch {
            if isOpen(error, comparison, scope) { return .comparison(comparison) }
            var placed = error
            if placed.comparison == nil { placed.comparison = comparison }
            if error.code == PredicateError.Code.unknownKey.rawValue, !error.isHinted,
                isBareWord(error.near, in: comparison.right)
            {
                placed.hint = "text is written in quotes: \"\(error.near)\""
            }
            throw placed
        }
    }

    /// Whether a type error is premature because the comparison has a variable without a value.
    private func isOpen(_ error: PredicateError, _ it: Comparison, _ scope: Scope) -> Bool {
        hasOpenVariables && error.code == PredicateError.Code.type.rawValue
            && Predicate.comparison(it).freeVariables.contains { scope.entity(of: $0) == nil }
    }

    /// Whether the unknown key is an operand or a list item, and so may be text without quotes.
    private func isBareWord(_ key: String, in side: Expression) -> Bool {
        if case .aggregate(let items) = side { return items.contains(.key(key)) }
        return side == .key(key)
    }

    private func fitted(
        _ comparison: Comparison, _ scope: Scope
    ) throws(PredicateError) -> Predicate {
        let left = try checked(comparison.left, scope)
        let right = try checked(comparison.right, scope)
        do throws(PredicateError) { return try fitted(comparison, left, right) } catch {
            // Messages use the operands as written, not the values that aliases stand for.
            var named = error
            if error.near == right.expression.description {
                named.near = comparison.right.description
            } else if error.near == left.expression.description {
                named.near = comparison.left.description
            }
            throw named
        }
    }

    private func fitted(
        _ comparison: Comparison, _ checkedLeft: Typed, _ right: Typed
    ) throws(PredicateError) -> Predicate {
        var left = comparison.modifier == .direct ? checkedLeft : settled(checkedLeft)
        var result = comparison
        let whole = left.type
        if comparison.modifier != .direct {
            guard case .collection(let element) = left.type else {
                let word = comparison.modifier == .any ? "ANY" : "ALL"
                throw PredicateError(
                    .type,
                    "\(word) needs a to-many key path, and \(comparison.left.description) "
                        + "is \(left.type.noun)", near: comparison.left.description,
                    hint: "omit it if there is no to-many relationship")
            }
            left.type = element
            if element.kind != .collection { for item in left.items { try needOne(item) } }
        } else if let parts = try divided(comparison, left, right) {
            return parts
        }
        switch comparison.type {
        case .equal, .notEqual, .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
            try compare(&result, left, right)
        case .between: try between(&result, left, right)
        case .in: try membership(&result, element: left, in: right)
        case .contains: try contains(&result, left, right)
        case .beginsWith, .endsWith, .like, .matches: try text(&result, left, right)
        }
        if whole != left.type, case .aggregate(let items) = result.left {
            result.left = .aggregate(try converted(items, whole, toMeet: right))
        }
        return .comparison(result)
    }

    /// The literals of a list under ANY or ALL, converted to the other side's type.
    private func converted(
        _ items: [Expression], _ type: ExpressionType, toMeet other: Typed
    ) throws(PredicateError) -> [Expression] {
        guard case .collection(let element) = type, !other.isLiteral else { return items }
        var target = other.type
        if case .collection(let inner) = target { target = inner }
        var result: [Expression] = []
        for item in items {
            let typed = Typed(expression: item, type: element)
            result.append(try convert(typed, to: target, near: other.expression).expression)
        }
        return result
    }

    // MARK: == != < <= > >=

    /// Whether a side is a list that is known without the store, or nil.
    private func isList(_ side: Typed) -> Bool {
        guard side.pending == nil, !readsStore(side.expression) else { return false }
        return side.type.kind == .collection || side.type.kind == .any
    }

    /// Refuses a collection where one value is compared.
    private func needOne(_ side: Typed) throws(PredicateError) {
        if side.type.kind == .collection { throw needsModifier(side.expression) }
        if case .list? = side.pending { throw Self.isOneList(side.expression) }
    }

    private func compare(
        _ result: inout Comparison, _ left: Typed, _ right: Typed
    ) throws(PredicateError) {
        let isEquality = result.type == .equal || result.type == .notEqual
        let (first, second) = (listed(left), listed(right))
        if first.type.kind == .collection || second.type.kind == .collection {
            // Lists can be compared with lists, element by element. Collections in the store have
            // no such order.
            guard isEquality, result.modifier == .direct, isList(first), isList(second) else {
                try needOne(left)
                return try needOne(right)
            }
            result.left = first.expression
            result.right = second.expression
            return
        }
        let (a, b) = try unified(left, right)
        if !isEquality {
            for side in [a, b] where side.type.kind == .object || side.type.kind == .opaque {
                throw PredicateError(
                    .type,
                    "\(side.expression.description) has no order; only == and != are allowed",
                    near: side.expression.description,
                    hint: side.type.kind == .object ? "compare one of its keys, or _id" : nil)
            }
        }
        result.left = a.expression
        result.right = b.expression
    }

    private func readsStore(_ side: Expression) -> Bool {
        switch side {
        case .aggregate, .constant: false
        case .index(let base, _): readsStore(base)
        case .function(PredicateFunction.mode.rawValue, let arguments):
            arguments.contains { readsStore($0) }
        case .set(_, let left, let right): readsStore(left) || readsStore(right)
        default: true
        }
    }

    private func needsModifier(_ side: Expression) -> PredicateError {
        PredicateError(
            .type, "\(side.description) is a collection, and the operator compares single values",
            near: side.description,
            hint: isList(side)
                ? "use IN to search a list"
                : "write ANY, ALL or NONE before the comparison, or count it: "
                    + "count(\(side.description)) > 5")
    }

    private func isList(_ side: Expression) -> Bool {
        if case .aggregate = side { true } else { false }
    }

    // MARK: BETWEEN, IN, CONTAINS

    private func between(
        _ result: inout Comparison, _ left: Typed, _ right: Typed
    ) throws(PredicateError) {
        try needOne(left)
        if let value = right.pending {
            if let error = needsArray(right, "BETWEEN") { throw error }
            let variable = right.expression
            return try blaming(variable) { () throws(PredicateError) in
                try between(&result, left, list(value, for: left))
            }
        }
        let bounds = right.items
        guard bounds.count == 2, case .aggregate = right.expression else {
            throw PredicateError(
                .type, "BETWEEN needs a list of two bounds, not \(result.right.description)",
                near: result.right.description, hint: "write BETWEEN {low, high}")
        }
        var unifiedLeft = left
        var checkedBounds: [Expression] = []
        for bound in bounds {
            let (a, b) = try unified(unifiedLeft, bound)
            if b.type.kind == .object || b.type.kind == .opaque || b.type.kind == .collection {
                throw PredicateError(
                    .type,
                    "\(bound.expression.description) cannot be a bound: it has no order",
                    near: bound.expression.description)
            }
            unifiedLeft = a
            checkedBounds.append(b.expression)
        }
        result.left = unifiedLeft.expression
        result.right = .aggregate(checkedBounds)
    }

    private func membership(
        _ result: inout Comparison, element: Typed, in collection: Typed
    ) throws(PredicateError) {
        let (a, b) = try member(element, of: collection, "IN", written: result.right)
        result.left = a
        result.right = b
    }

    private func contains(
        _ result: inout Comparison, _ left: Typed, _ right: Typed
    ) throws(PredicateError) {
        if right.type.kind == .collection, left.type.kind == .text || left.type.kind == .any {
            throw needsModifier(right.expression)
        }
        let (b, a) = try member(right, of: left, "CONTAINS", written: result.left)
        result.left = a
        result.right = b
    }

    /// Checks an element and a collection, or a text and a text that may contain it.
    private func member(
        _ element: Typed, of collection: Typed, _ word: String, written: Expression
    ) throws(PredicateError) -> (Expression, Expression) {
        try needOne(element)
        var collection = word == "IN" ? collection : listed(collection)
        if let value = collection.pending {
            if word == "IN" {
                let isText = element.type.kind == .text || element.type.kind == .any
                if !isText, let error = needsArray(collection, "IN") { throw error }
                return try blaming(collection.expression) { () throws(PredicateError) in
                    try member(element, of: list(value, for: element), word, written: written)
                }
            }
            collection = try convert(collection, to: .value(.string), near: element.expression)
        }
        switch collection.type {
        case .collection(let type):
            if case .aggregate = collection.expression {
                return try member(element, ofList: collection.items)
            }
            let wanted = Typed(expression: collection.expression, type: type)
            let (a, _) = try unified(element, wanted)
            return (a.expression, collection.expression)
        case .value(.undefined):
            return (settled(element).expression, collection.expression)
        case .value where collection.type.kind == .text:
            let (a, b) = try unified(element, collection)
            return (a.expression, b.expression)
        default:
            throw PredicateError(
                .type,
                "\(word) needs a collection or text, and \(written.description) is "
                    + collection.type.noun, near: written.description,
                hint: collection.type.kind == .opaque
                    ? "it can only be compared with nil" : "a list is written {1, 2}")
        }
    }

    func member(
        _ element: Typed, ofList items: [Typed]
    ) throws(PredicateError) -> (Expression, Expression) {
        var element = element
        var result: [Expression] = []
        result.reserveCapacity(items.count)
        for item in items {
            try needOne(item)
            let (a, b) = try unified(element, item)
            element = a
            result.append(b.expression)
        }
        return (settled(element).expression, .aggregate(result))
    }

    // MARK: Text

    /// A hint for an operand that is not text.
    private func textHint(_ side: Typed) -> String? {
        if side.isLiteral { return "text is written in quotes" }
        return switch side.type.kind {
        case .date: "a range of dates is written x >= \"2026-01-01\" AND x < \"2027-01-01\""
        case .object: "compare one of its keys"
        case .number, .any: "CAST(…, \"NSString\") converts a number to text"
        default: nil
        }
    }

    private func text(
        _ result: inout Comparison, _ left: Typed, _ right: Typed
    ) throws(PredicateError) {
        if left.type.kind == .collection { throw needsModifier(left.expression) }
        if right.type.kind == .collection { throw needsModifier(right.expression) }
        let string = ExpressionType.value(.string)
        let sign = result.type.sign
        var sides: [Expression] = []
        for side in [left, right] {
            let typed =
                side.pending == nil ? side : try convert(side, to: string, near: side.expression)
            guard typed.type.kind == .text || typed.type.kind == .any else {
                throw PredicateError(
                    .type,
                    "\(sign) compares text, and \(side.expression.description) is "
                        + side.type.noun, near: side.expression.description,
                    hint: textHint(side))
            }
            sides.append(typed.expression)
        }
        result.left = sides[0]
        result.right = sides[1]
    }
}
