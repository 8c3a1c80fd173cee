/// Which expressions have one value for each group: keys, aggregates, and expressions of these.

import StelePredicates

/// The groups of a request, to check its expressions.
struct Grouping {
    let groups: [Expression]
    /// The columns of `select`, whose aliases `sort` and `having` may use.
    let columns: [SelectedColumn]
    let names: Names

    /// - Throws: `Problem` for an expression with more than one value in a group.
    func check(_ expression: Expression, in excerpt: Excerpt) throws {
        if groups.contains(expression) { return }
        switch expression {
        case .function(let name, let arguments):
            if PredicateFunction(rawValue: name)?.isAggregate ?? false,
                names.isAggregate(expression)
            {
                return
            }
            for argument in arguments { try check(argument, in: excerpt) }
        case .keyPath, .evaluatedObject, .subquery:
            throw problem(expression, in: excerpt)
        case .conditional(let predicate, let first, let second):
            try check(predicate, in: excerpt)
            try check(first, in: excerpt)
            try check(second, in: excerpt)
        case .aggregate(let items): for item in items { try check(item, in: excerpt) }
        case .set(_, let left, let right):
            try check(left, in: excerpt)
            try check(right, in: excerpt)
        case .index(let collection, let place):
            try check(collection, in: excerpt)
            if case .at(let number) = place { try check(number, in: excerpt) }
        case .constant, .variable, .anyKey, .assignment: break
        }
    }

    /// The problem, with what may be used instead.
    private func problem(_ expression: Expression, in excerpt: Excerpt) -> Problem {
        let written = expression.description
        let alias = columns.first {
            $0.description.expression == expression && $0.description.name != written
        }
        // `select` names columns by their expressions, other parameters by their aliases.
        let name = excerpt.parameter == .select ? written : alias?.description.name ?? written
        let what = name == written ? name : "\(name), which is \(written),"
        let known =
            groups.map(\.description)
            + columns.filter(\.isAggregate).map(\.description.name)
        let others =
            known.isEmpty
            ? "" : "; \(excerpt.parameter.name) may use \(known.joined(separator: ", "))"
        return excerpt.problem(
            "\(what) in \(excerpt.parameter.name) is neither an aggregate nor in groupBy",
            near: name,
            hint: "add it to groupBy, or take an aggregate of it: max(\(written))\(others)")
    }

    /// - Throws: as for an expression.
    func check(_ predicate: Predicate, in excerpt: Excerpt) throws {
        switch predicate {
        case .constant: break
        case .comparison(let it):
            try check(it.left, in: excerpt)
            try check(it.right, in: excerpt)
        case .and(let parts), .or(let parts): for part in parts { try check(part, in: excerpt) }
        case .not(let inner): try check(inner, in: excerpt)
        }
    }
}
