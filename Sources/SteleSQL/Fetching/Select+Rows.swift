import SteleModel
import StelePersistence
import StelePredicates

/// Dictionary rows: columns, groups, conditions on groups, distinct rows.
extension Select {
    /// Whether the rows are groups of objects.
    private var isGrouped: Bool {
        let environment = Environment(object: object)
        func isOfRows(_ it: Expression) -> Bool { translation.isOfRows(it, environment) }
        let request = request.asked?.request ?? request
        return !request.propertiesToGroupBy.isEmpty || request.havingPredicate != nil
            || request.propertiesToFetch.contains { isOfRows($0.expression) }
            || request.sortDescriptors.contains { isOfRows($0.expression) }
    }

    /// Returns the SELECT of the request's columns, in order.
    /// - Parameter isCounted: whether only the number of rows is needed.
    func rows(isCounted: Bool = false) throws(StoreError) -> FetchStatement {
        if request.propertiesToFetch.isEmpty { throw .invalid("the request selects no columns") }
        let isGrouped = isGrouped
        do throws(PredicateError) {
            try RowsCheck(request, translation.model).check(isGrouped: isGrouped)
        } catch {
            throw .predicate(error)
        }
        var environment = Environment(object: object, isGrouped: isGrouped)
        // A database with types has joins that need no partial totals.
        if !dialect.isTyped, isMadeOfParts(environment) {
            environment.partials = Partials(translation.makeAlias())
        }
        try setGroups(&environment)
        var columns: [String] = []
        var kinds: [ColumnKind] = []
        var operands: [Operand] = []
        for column in request.propertiesToFetch {
            var operand = try translation.operand(column.expression, environment).ofReadableType
            columns.append(translation.sql(operand))
            kinds.append(operand.kind)
            operand.content = .sql(columns[columns.count - 1])
            operands.append(operand)
        }
        var conditions = try filter(isCounted: isCounted)
        var having: [Condition] = []
        if let predicate = request.havingPredicate {
            having.append(try translation.condition(predicate, environment, holds: true))
        }
        let order = try rowOrder(environment, operands)
        if let values = request.after {
            let position = try after(values, order.keys)
            if environment.isGrouped {
                having.append(position)
            } else {
                conditions.append(position)
            }
        }
        let groups = request.propertiesToGroupBy.compactMap { environment.groups[$0] }
            .map(translation.sql)
        var tail = groups.isEmpty ? "" : " GROUP BY \(groups.joined(separator: ", "))"
        if !having.isEmpty { tail += " HAVING \(Condition.all(having).sql)" }
        if !isCounted { tail += order.clause }
        let names = columns.joined(separator: ", ")
        let list = request.returnsDistinctResults ? "DISTINCT \(names)" : names
        if let partials = environment.partials {
            return statement(
                list, of: partials, conditions, tail: tail + limit(), kinds: kinds)
        }
        return statement(list, conditions, tail: tail + limit(), kinds: kinds)
    }

    /// Translates the expressions that rows are grouped by, so that each has one text everywhere.
    private func setGroups(_ environment: inout Environment) throws(StoreError) {
        var single = environment
        single.isGrouped = false
        for expression in request.propertiesToGroupBy {
            if let partials = environment.partials,
                case .keyPath(.evaluatedObject, let path) = expression
            {
                environment.groups[expression] = try group(path, by: partials, single)
                continue
            }
            var operand = try translation.operand(expression, single)
            operand.content = .sql(translation.sql(operand))
            environment.groups[expression] = operand
        }
    }

    private func rowOrder(
        _ environment: Environment, _ columns: [Operand]
    ) throws(StoreError) -> SortOrder {
        guard request.returnsDistinctResults else {
            if !environment.isGrouped { return try order() }
            let groups = request.propertiesToGroupBy.compactMap { environment.groups[$0] }
            return try order(environment, then: groups)
        }
        let named = Dictionary(
            zip(request.propertiesToFetch.map(\.expression), columns),
            uniquingKeysWith: { first, _ in first })
        let order = try order(environment, then: columns, named)
        let known = Set(columns.map(translation.sql))
        for key in order.keys where !known.contains(key.plain) {
            throw .invalid("distinct rows can be sorted only by their columns")
        }
        if dialect.isTyped, order.keys.contains(where: { $0.sql != $0.plain }) {
            throw .unsupported("sorting distinct rows by folded texts in this database")
        }
        return order
    }
}
