/// The members of an ordered relationship, in the order of a list.

import SteleAnswers
import SteleGraph
import SteleModel
import StelePersistence
import StelePredicates
import SteleRequests

/// Sorts members by the sort keys, and those that are equal by the order of the relationship.
struct OrderedMembers {
    let plan: ListPlan
    let context: ManagedObjectContext
    private let execution: Execution
    private let owner: ObjectAddress
    private let relationship: Relationship

    /// Nil for a list that is not of an ordered relationship's members, or has aggregates.
    init?(_ plan: ListPlan, _ execution: Execution, _ context: ManagedObjectContext) {
        guard case .members(let owner, let relationship) = plan.source, relationship.isOrdered
        else { return nil }
        if case .rows = plan.shape { return nil }
        self.plan = plan
        self.context = context
        self.execution = execution
        self.owner = owner
        self.relationship = relationship
    }

    /// The ids of all members that match, in order.
    func keys() throws -> [Int64] {
        var request = try execution.restricted(plan.request, to: plan.source, context)
        let members = try context.memberKeys(of: relationship, owners: [owner.key])[owner.key] ?? []
        if plan.request.predicate == nil, plan.request.sortDescriptors.isEmpty,
            plan.request.includesSubentities
        {
            return members
        }
        request.propertiesToFetch = request.sortDescriptors.enumerated().map { index, descriptor in
            ExpressionDescription(name: "sort\(index)", expression: descriptor.expression)
        }
        request.propertiesToFetch.append(
            ExpressionDescription(name: "_id", expression: .key("_id")))
        request.isChecked = true
        let rows = try context.currentRows(request)
        let places = Dictionary(
            members.enumerated().map { ($0.element, $0.offset) },
            uniquingKeysWith: { first, _ in first })
        var keys: [Int64] = []
        var equals: [[Value]] = []
        func close() {
            keys += equals.compactMap { RowKey.id(of: $0) }.sorted {
                places[$0] ?? .max < places[$1] ?? .max
            }
            equals = []
        }
        for row in rows {
            if let last = equals.last, !isTie(last, row) { close() }
            equals.append(row)
        }
        close()
        return keys
    }

    /// Whether two rows are equal by the sort keys.
    private func isTie(_ a: [Value], _ b: [Value]) -> Bool {
        plan.request.sortDescriptors.enumerated().allSatisfy { index, descriptor in
            if case .string(let a) = a[index], case .string(let b) = b[index] {
                return TextComparison(descriptor.options).order(a, b) == 0
            }
            return a[index] == b[index]
        }
    }

    /// The members of a page, in its order.
    func batch(_ page: [Int64]) throws -> FetchedRows {
        try context.fetchedRows(
            of: page, plan.request.entity, columns: plan.request.propertiesToFetch)
    }
}
