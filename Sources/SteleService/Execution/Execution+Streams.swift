// Lists without a bound: the first rows at once, the others as the client takes them.

import SteleAnswers
import SteleGraph
import SteleModel
import StelePersistence
import StelePredicates
import SteleRequests

extension Execution {
    /// Reads a list in a context that lives as long as its answer.
    func stream(_ plan: ListPlan, _ terms: Terms) throws -> Outcome {
        let place = try StreamPlace(streams)
        let context = ManagedObjectContext(coordinator, budget: budget, sight: rights.sight)
        let tag = try listTag(isVolatile(plan) ? nil : plan.tagHash, of: plan.source, context)
        if let unchanged = try terms.unchanged(tag) { return unchanged }
        var request = try restricted(plan.request, to: plan.source, context)
        let total = plan.wantsCount ? try total(request, plan, context) : nil
        request.fetchOffset = plan.offset
        request.after = plan.after?.position
        let next = try nextPage(request, plan, context)
        request.fetchLimit = plan.limit
        let stream = try RowStream(request, plan, by: self, in: context, place)
        let first = try stream.next()
        let outcome = ListOutcome(
            rows: first?.rows ?? .values([]), entity: request.entity, shape: plan.shape,
            embedded: first?.embedded ?? .none, next: next, total: total, tag: tag)
        let isWhole = (first?.rows.count ?? 0) < limits.streamBatchRows
        if isWhole { stream.close() }
        return .stream(outcome, isWhole ? nil : stream)
    }

    /// The start of the next page, which the head of the answer tells before the rows are read; nil
    /// for all rows and for the last page.
    private func nextPage(
        _ request: FetchRequest, _ plan: ListPlan, _ context: ManagedObjectContext
    ) throws -> NextPage? {
        guard let limit = plan.limit else { return nil }
        if OrderedMembers(plan, self, context) != nil || plan.ceiling != nil {
            let left = try total(request, plan, context)
            return left > plan.offset + limit ? plan.nextByOffset : nil
        }
        var probe = request
        probe.fetchOffset += limit - 1
        probe.fetchLimit = 2
        if case .rows(_, let places) = plan.shape {
            let rows = try context.rows(probe)
            return rows.count == 2 ? try page(behind: places.map { rows[0][$0] }, plan) : nil
        }
        probe.propertiesToFetch = []
        let rows = try context.snapshots(probe)
        guard rows.count == 2 else { return nil }
        return try page(behind: position(of: rows[0], request, context), plan)
    }
}
