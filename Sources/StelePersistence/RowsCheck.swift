import SteleModel
import StelePredicates

/// Checks a request for rows before it runs. All stores use it, so that all reject the same
/// requests. Rules of what a reader may see change nothing: the request is checked as it was asked.
public struct RowsCheck {
    private let request: FetchRequest
    private let model: Model
    private let groups: ExpressionSet

    /// Creates a check of a request's columns, order, groups and `having`.
    public init(_ request: FetchRequest, _ model: Model) {
        self.request = request.asked?.request ?? request
        self.model = model
        groups = ExpressionSet(self.request.propertiesToGroupBy)
    }

    /// Checks the request.
    /// - Parameter isGrouped: whether the rows are groups of objects.
    /// - Throws: `PredicateError` for an expression with several values in a group, for distinct
    ///   rows sorted by what is not a column, and as `checkKeys`.
    public func check(isGrouped: Bool) throws(PredicateError) {
        try checkKeys()
        let columns = request.propertiesToFetch.map(\.expression)
        let keys = request.sortDescriptors.map(\.expression)
        if isGrouped {
            for expression in columns + keys { try check(expression) }
            if let having = request.havingPredicate { try check(having) }
        }
        if request.returnsDistinctResults, let key = keys.first(where: { !columns.contains($0) }) {
            throw PredicateError(
                .type, "distinct rows can be sorted only by their columns",
                near: key.description)
        }
    }

    /// Checks the expressions that sort, group or make rows distinct.
    /// - Throws: `PredicateError` for an encrypted attribute.
    public func checkKeys() throws(PredicateError) {
        var check = PredicateCheck(model: model, entity: request.entity)
        check.allowsRowAggregates = true
        let columns = request.returnsDistinctResults ? request.propertiesToFetch : []
        for key in request.sortDescriptors.map(\.expression) + request.propertiesToGroupBy
            + columns.map(\.expression)
        where (try? check.check(key))?.1 == .encrypted { throw .encrypted(key) }
    }

    private func check(_ predicate: Predicate) throws(PredicateError) {
        switch predicate {
        case .constant: break
        case .comparison(let it):
            try check(it.left)
            try check(it.right)
        case .and(let parts), .or(let parts): for part in parts { try check(part) }
        case .not(let part): try check(part)
        }
    }

    private func check(_ expression: Expression) throws(PredicateError) {
        if groups.contains(expression) || isOfGroup(expression) { return }
        switch expression {
        case .constant, .variable, .anyKey, .assignment: break
        // Checked also where the index is out of range, so that the check does not depend on the
        // data.
        case .keyPath(.index(let collection, let place), _), .index(let collection, let place):
            try check(collection)
            if case .at(let number) = place { try check(number) }
        case .evaluatedObject, .keyPath, .subquery:
            throw PredicateError(
                .type, "\(expression.description) must be grouped by or be inside an aggregate",
                near: expression.description)
        case .function(let name, let items):
            if PredicateFunction(rawValue: name)?.isAggregate == true {
                // An aggregate over the group's rows; one over a collection of a row belongs to
                // that row.
                guard isOfMembers(expression) else { return }
            }
            for item in items { try check(item) }
        case .aggregate(let items): for item in items { try check(item) }
        case .conditional(let condition, let a, let b):
            try check(condition)
            try check(a)
            try check(b)
        case .set(_, let a, let b):
            try check(a)
            try check(b)
        }
    }

    /// Returns whether a key path is a collection, or a total of one, of an object that the rows
    /// are grouped by.
    private func isOfGroup(_ expression: Expression) -> Bool {
        guard case .keyPath(let base, let path) = expression,
            let steps = try? KeyPathResolution.resolve(path, from: request.entity, in: model)
        else { return false }
        return request.propertiesToGroupBy.contains { group in
            guard case .keyPath(base, let start) = group, start.count < path.count else {
                return false
            }
            return path.starts(with: start)
                && steps.dropFirst(start.count).contains {
                    if case .toMany = $0 { true } else { false }
                }
        }
    }

    /// Whether an aggregate is one of a collection of each object, rather than of the rows.
    private func isOfMembers(_ aggregate: Expression) -> Bool {
        let check = PredicateCheck(model: model, entity: request.entity)
        return (try? check.isAggregate(aggregate)) == false
    }
}
