/// From a request as it is written to one that fits a model.

import SteleModel

extension FetchRequest {
    /// The same with all that it says fitted to the model, as `PredicateCheck` does: dates as text
    /// are ISO 8601, and order and condition on groups may name columns that are called as no
    /// property is. One that is checked is given as it is.
    ///
    /// - Throws: `PredicateError` for what does not fit the model: an unknown key, types that are
    ///   never equal, a variable without a value, an order by what has none, an aggregate of rows
    ///   where there are none.
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
            // What is checked again means the same: a property's name is the property.
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
