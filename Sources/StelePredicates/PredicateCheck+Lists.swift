// Checks of lists and set operations.

import SteleModel

extension PredicateCheck {
    func list(_ items: [Expression], _ scope: Scope) throws(PredicateError) -> Typed {
        if items.count > PredicateLimits.listedExpressions { try checkLength(items) }
        var typed: [Typed] = []
        typed.reserveCapacity(items.count)
        var met: ExpressionType?
        var isAggregate = false
        // By how deep they are in lists, the first objects.
        var objects: [Int: Typed] = [:]
        for item in items {
            let it = settled(try checked(item, scope))
            if it.type == .encrypted { throw .encrypted(item) }
            if met == nil, !it.isLiteral, it.type.kind != .any { met = it.type }
            if let depth = Self.depth(ofObjectsIn: it.type) {
                let first = objects[depth] ?? it
                if areOfTwoFamilies(first.type, it.type) { throw mismatch(first, it) }
                objects[depth] = first
            }
            isAggregate = isAggregate || it.isAggregate
            typed.append(it)
        }
        if let met {
            for index in typed.indices where typed[index].isLiteral {
                let it = typed[index]
                if let changed = try? convert(it, to: met, near: it.expression) {
                    typed[index] = changed
                }
            }
        }
        return made(typed, isAggregate)
    }

    /// Long lists may contain only literals, because other elements are evaluated one by one.
    private func checkLength(_ items: [Expression]) throws(PredicateError) {
        for item in items {
            if case .constant = item { continue }
            throw PredicateError(
                .limit,
                "a list of more than \(PredicateLimits.listedExpressions) items may contain only "
                    + "literals, and \(item.description) is not one", near: item.description,
                hint: "split the list, and join the comparisons with OR")
        }
    }

    /// How many collections are around the objects of a type; nil for other values.
    private static func depth(ofObjectsIn type: ExpressionType) -> Int? {
        var (inner, depth) = (type, 0)
        while case .collection(let element) = inner { (inner, depth) = (element, depth + 1) }
        if case .object = inner { return depth }
        return nil
    }

    /// Whether both are objects, whose entities have no common parent: their ids mean different
    /// objects.
    func areOfTwoFamilies(_ a: ExpressionType, _ b: ExpressionType) -> Bool {
        switch (a, b) {
        case (.object(let a), .object(let b)): model.entities[a].root != model.entities[b].root
        case (.collection(let a), .collection(let b)): areOfTwoFamilies(a, b)
        default: false
        }
    }

    private func made(_ items: [Typed], _ isAggregate: Bool) -> Typed {
        Typed(
            expression: .aggregate(items.map(\.expression)),
            type: .collection(Self.element(of: items.lazy.map(\.type))),
            isAggregate: isAggregate, isOrdered: true, list: items)
    }

    /// The type of the elements of a list of values with some types.
    static func element(of types: some Sequence<ExpressionType>) -> ExpressionType {
        var element = ExpressionType.value(.undefined)
        for type in types where type.kind != .any {
            if element.kind != .any, element.kind != type.kind { return .value(.undefined) }
            element = either(element, type)
        }
        return element
    }

    func set(
        _ operation: Expression.SetOperation, of left: Expression, and right: Expression,
        _ scope: Scope
    ) throws(PredicateError) -> Typed {
        let sides = (try checked(left, scope), try checked(right, scope))
        var (a, b) = (settled(sides.0), settled(sides.1))
        for (side, written, given) in [(a, left, sides.0), (b, right, sides.1)]
        where side.type.kind != .collection {
            throw PredicateError(
                .type,
                "\(operation.sign) combines collections, and \(written.description) is "
                    + side.type.noun, near: written.description,
                hint: given.pending == nil
                    ? "a list is written {1, 2}"
                    : "send an array in the body of a query, such as [1, 2]")
        }
        for (side, written) in [(a, left), (b, right)]
        where side.type == .collection(.encrypted) { throw .encrypted(written) }
        if areOfTwoFamilies(a.type, b.type) { throw mismatch(a, b) }
        if !b.items.isEmpty, a.items.isEmpty { b = try fitted(b, to: a) }
        if !a.items.isEmpty, b.items.isEmpty { a = try fitted(a, to: b) }
        guard case .collection(let x) = a.type, case .collection(let y) = b.type else { return a }
        let element = Self.either(x, y)
        if element == .value(.double) {
            a.expression = alike(a, element)
            b.expression = alike(b, element)
        }
        return Typed(
            expression: .set(operation, a.expression, b.expression),
            type: .collection(element), isOrdered: a.isOrdered && b.isOrdered)
    }

    /// A list with its literals converted to the type of a collection's elements.
    private func fitted(_ list: Typed, to other: Typed) throws(PredicateError) -> Typed {
        guard case .collection(let element) = other.type else { return list }
        var items: [Typed] = []
        for item in list.items {
            items.append(try convert(item, to: element, near: other.expression))
        }
        return made(items, list.isAggregate)
    }
}
