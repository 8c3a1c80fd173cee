import SteleModel
import StelePredicates

/// Conditions whose evaluation may end with an error, such as a MATCHES that takes too long.
///
/// A store evaluates the parts of a condition in the order that it likes. An error tells of the
/// object on which it came, so such a part is evaluated only where the rule of its object holds.
extension SightWeaver {
    /// A condition on an object for which a rule holds, and the rule.
    ///
    /// What may fail is behind `TERNARY(rule AND SUBQUERY({object}, $seen, rule).@count != 0, …)`.
    /// The rule alone is no guard: where an AND has `a = 1`, SQLite takes `a` for 1 in all other
    /// parts, and then may evaluate them first. The rule before the SUBQUERY spares it for most
    /// objects that are not seen.
    mutating func guarded(
        _ condition: Predicate, on object: Expression, by rule: Predicate
    ) -> Predicate {
        let plain = object == .evaluatedObject ? rule : onObject(object, rule)
        guard condition.mayFail else { return .and([plain, condition]) }
        let parts = if case .and(let parts) = condition { parts } else { [condition] }
        let failing = Predicate.and(parts.filter(\.mayFail))
        let variable = newVariable()
        let found = Expression.subquery(
            .aggregate([object]), variable: variable, onObject(.variable(variable), rule))
        let isSeen = Comparison(.keyPath(found, ["@count"]), .notEqual, .constant(.int(0)))
        let ordered = Expression.conditional(
            .and([plain, .comparison(isSeen)]), Self.truth(of: failing), .constant(.bool(false)))
        return .and(
            [plain] + parts.filter { !$0.mayFail }
                + [.comparison(Comparison(ordered, .equal, .constant(.bool(true))))])
    }

    private static func truth(of predicate: Predicate) -> Expression {
        .conditional(predicate, .constant(.bool(true)), .constant(.bool(false)))
    }

    /// A comparison of the members of a relationship that may fail, as a SUBQUERY over the members,
    /// whose condition is guarded; nil for another comparison.
    mutating func overMembers(_ comparison: Comparison, of entity: Entity?) -> Predicate? {
        guard comparison.modifier != .direct, comparison.traits.mayFail,
            case .keyPath(let operand, let keys) = comparison.left
        else { return nil }
        // Operators such as @distinctUnionOfObjects change nothing of what some or all members are.
        let path = keys.filter { $0.utf8.first != UInt8(ascii: "@") }
        guard let last = lastToMany(path, from: entity) else { return nil }
        let variable = newVariable()
        var each = Comparison(
            Self.path(.variable(variable), path[(last + 1)...]), comparison.type,
            comparison.right, options: comparison.options)
        if last + 1 == path.count { each.left = .variable(variable) }
        // Of ALL, the members for which it does not hold, or is not known.
        let isAny = comparison.modifier == .any
        let fails = Comparison(
            Self.truth(of: .comparison(each)), .equal, .constant(.bool(false)))
        let found = Expression.subquery(
            .keyPath(operand, Array(path[...last])), variable: variable,
            .comparison(isAny ? each : fails))
        return .comparison(
            Comparison(
                .keyPath(found, ["@count"]), isAny ? .notEqual : .equal, .constant(.int(0))))
    }

    /// The place of the last to-many relationship in a path without operators; nil for none.
    private func lastToMany(_ path: [String], from entity: Entity?) -> Int? {
        guard var entity else { return nil }
        var last: Int?
        for (place, key) in path.enumerated() {
            guard case .relationship(let it)? = entity.property(named: key) else { break }
            if it.isToMany { last = place }
            entity = model.destination(of: it)
        }
        return last
    }
}

extension Predicate {
    /// Whether its evaluation may end with an error.
    var mayFail: Bool { traits.mayFail }
}
