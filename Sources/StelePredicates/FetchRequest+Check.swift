/// Checks a fetch request against a model.

import SteleModel

extension FetchRequest {
    /// The request with its predicate, sort keys, columns and groups checked by `PredicateCheck`.
    /// Dates as text are read as ISO 8601. Sort keys and the condition on groups may name columns,
    /// unless a property has the same name. A request that is checked is returned unchanged.
    ///
    /// - Throws: `PredicateError` for what does not fit the model: an unknown key, types that are
    ///   never equal, a variable without a value, a sort key without an order, an aggregate over
    ///   rows where none is allowed.
    public func checked(in model: Model) throws(PredicateError) -> FetchRequest {
        if isChecked { return self }
        var request = self
        var check = PredicateCheck(model: model, entity: entity)
        if let condition = predicate {
            request.predicate =
                if let source { try check.check(condition, source: source.entity) } else {
                    try check.check(condition)
                }
        }
        for (place, group) in propertiesToGroupBy.enumerated() {
            request.propertiesToGroupBy[place] = try check.check(group).0
        }
        check.allowsRowAggregates = !propertiesToFetch.isEmpty || !propertiesToGroupBy.isEmpty
        for (place, column) in propertiesToFetch.enumerated() {
            let expression = try check.check(column.expression).0
            request.propertiesToFetch[place].expression = expression
            // Checking must be idempotent, so a property's name always means the property.
            if entity.property(named: column.name) == nil {
                check.aliases[column.name] = expression
            }
        }
        if let having = havingPredicate { request.havingPredicate = try check.check(having) }
        request.sortDescriptors = try SortList(sortDescriptors).checked(by: check)
        request.isChecked = true
        return request
    }
}
