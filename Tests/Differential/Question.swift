/// One fetch request as texts: what is generated, asked of both stores, and made smaller.

import SteleModel
import StelePredicates

/// A fetch request that can be printed.
struct Question: Hashable {
    var entity: String
    var condition: String?
    var sort: [String] = []
    var select: [String] = []
    var groupBy: [String] = []
    var having: String?
    var isDistinct = false
    var hasSubentities = true
    var limit: Int?
    var offset = 0

    init(entity: String, condition: String? = nil) {
        self.entity = entity
        self.condition = condition
    }

    /// Checked as a service checks it.
    /// - Throws: `PredicateError` for what is no request.
    func request(_ model: Model) throws -> FetchRequest {
        guard let entity = model.entity(named: entity) else {
            throw PredicateError(.unknownKey, "there is no entity \(entity)")
        }
        var check = PredicateCheck(
            model: model, entity: entity, variables: SampleValues.variables)
        var request = FetchRequest(entity: entity)
        request.includesSubentities = hasSubentities
        request.predicate = try condition.map { try check.check(Predicate(format: $0)) }
        let columns = try check.columns(select)
        var open = check
        open.allowsRowAggregates = true
        for column in columns {
            if case .collection = try open.check(column.expression).1 {
                throw refusal("\(column.name) is many values")
            }
        }
        request.propertiesToFetch = columns
        for text in groupBy {
            let (expression, type) = try check.check(Expression(format: text))
            if case .collection = type { throw refusal("\(text) is many values") }
            request.propertiesToGroupBy.append(expression)
        }
        let aggregates = try columns.map { try check.isAggregate($0.expression) }
        let isGrouped = !groupBy.isEmpty || aggregates.contains(true)
        if isGrouped {
            for (column, isAggregate) in zip(columns, aggregates) where !isAggregate {
                guard request.propertiesToGroupBy.contains(column.expression) else {
                    throw refusal("\(column.name) is not grouped by")
                }
            }
        }
        if having != nil, !isGrouped { throw refusal("having needs groups") }
        check.aliases = Dictionary(
            columns.map { ($0.name, $0.expression) }, uniquingKeysWith: { first, _ in first })
        check.allowsRowAggregates = isGrouped
        if !sort.isEmpty {
            request.sortDescriptors = try SortList(sort.joined(separator: ", "))
                .checked(by: check)
        }
        request.havingPredicate = try having.map { try check.check(Predicate(format: $0)) }
        request.returnsDistinctResults = isDistinct
        request.fetchLimit = limit
        request.fetchOffset = offset
        request.isChecked = true
        return request
    }

    private func refusal(_ text: String) -> PredicateError { PredicateError(.type, text) }

    /// How it is written.
    var text: String {
        var parts = [hasSubentities ? entity : "\(entity) alone"]
        if let condition { parts.append("where \(condition)") }
        if !select.isEmpty { parts.append("select \(select.joined(separator: ", "))") }
        if !groupBy.isEmpty { parts.append("groupBy \(groupBy.joined(separator: ", "))") }
        if let having { parts.append("having \(having)") }
        if !sort.isEmpty { parts.append("sort \(sort.joined(separator: ", "))") }
        if isDistinct { parts.append("distinct") }
        if limit != nil || offset > 0 { parts.append("limit \(limit ?? -1) offset \(offset)") }
        return parts.joined(separator: "\n    ")
    }
}
