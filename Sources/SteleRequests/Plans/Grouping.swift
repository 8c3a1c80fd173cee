/// Which expressions have one value for each group: keys, aggregates, and expressions of these.

import StelePredicates

/// The groups of a request, to check its expressions.
struct Grouping {
    let groups: [Expression]
    /// The columns of `select`, whose aliases `sort` and `having` may use.
    let columns: [SelectedColumn]
    let names: Names
    private let known: ExpressionSet

    init(groups: [Expression], columns: [SelectedColumn], names: Names) {
        self.groups = groups
        self.columns = columns
        self.names = names
        known = ExpressionSet(groups)
    }

    /// - Parameter mayAggregate: whether an aggregate over rows may be inside, as far as is known
    ///   from what is around.
    /// - Throws: `Problem` for an expression with more than one value in a group.
    func check(
        _ expression: Expression, in excerpt: Excerpt, mayAggregate: Bool = true
    ) throws {
        if known.contains(expression) { return }
        switch expression {
        case .function(let name, let arguments):
            var mayAggregate = mayAggregate
            if mayAggregate, PredicateFunction(rawValue: name)?.isAggregate ?? false {
                if names.isAggregate(expression) { return }
                mayAggregate = false
            }
            for argument in arguments {
                try check(argument, in: excerpt, mayAggregate: mayAggregate)
            }
        case .keyPath, .evaluatedObject, .subquery:
            throw problem(expression, in: excerpt)
        case .conditional(let predicate, let first, let second):
            try check(predicate, in: excerpt, mayAggregate: mayAggregate)
            try check(first, in: excerpt, mayAggregate: mayAggregate)
            try check(second, in: excerpt, mayAggregate: mayAggregate)
        case .aggregate(let items):
            for item in items { try check(item, in: excerpt, mayAggregate: mayAggregate) }
        case .set(_, let left, let right):
            try check(left, in: excerpt, mayAggregate: mayAggregate)
            try check(right, in: excerpt, mayAggregate: mayAggregate)
        case .index(let collection, let place):
            try check(collection, in: excerpt, mayAggregate: mayAggregate)
            if case .at(let number) = place {
                try check(number, in: excerpt, mayAggregate: mayAggregate)
            }
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
    func check(
        _ predicate: Predicate, in excerpt: Excerpt, mayAggregate: Bool = true
    ) throws {
        switch predicate {
        case .constant: break
        case .comparison(let it):
            try check(it.left, in: excerpt, mayAggregate: mayAggregate)
            try check(it.right, in: excerpt, mayAggregate: mayAggregate)
        case .and(let parts), .or(let parts):
            for part in parts { try check(part, in: excerpt, mayAggregate: mayAggregate) }
        case .not(let inner): try check(inner, in: excerpt, mayAggregate: mayAggregate)
        }
    }
}
