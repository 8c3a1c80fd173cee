// Lists: objects, columns and rows of aggregates, page by page.

import SteleAnswers
import SteleGraph
import SteleModel
import StelePersistence
import StelePredicates
import SteleRequests

extension Execution {
    func list(_ plan: ListPlan, _ terms: Terms) throws -> Outcome {
        guard plan.isStreamed else { return try reading { try list(plan, terms, in: $0) } }
        return editing == nil ? try stream(plan, terms) : try bounded(plan, terms)
    }

    /// A list without a bound in an editing context, which gives what it looks at for one request:
    /// no view of the store stays open while a client takes its time.
    private func bounded(_ plan: ListPlan, _ terms: Terms) throws -> Outcome {
        var bounded = plan
        let most = limits.contextEvaluation
        bounded.limit = min(plan.limit ?? .max, most + 1)
        let outcome = try reading { try list(bounded, terms, in: $0) }
        guard case .list(let list) = outcome, list.rows.count > most else { return outcome }
        throw Problem(
            .contextEvaluation, "the list has more than \(most) rows, and a context gives no more",
            hint: "page by limit, or ask the store itself")
    }

    /// A list that is held whole, or a page of it.
    func list(
        _ plan: ListPlan, _ terms: Terms, in context: ManagedObjectContext
    ) throws -> Outcome {
        let tag = try listTag(plan.isVolatile ? nil : plan.tagHash, context)
        try terms.checkRead(tag)
        if let known = terms.known(tag) { return .notModified(tag: known) }
        if let ordered = OrderedMembers(plan, self, context) {
            return try .list(self.ordered(ordered, tag))
        }
        guard var request = try restricted(plan.request, to: plan.source, context) else {
            return .list(empty(plan, tag))
        }
        let total = plan.wantsCount ? try self.total(request, plan, context) : nil
        request.fetchLimit = plan.pageLimit + 1
        request.fetchOffset = plan.offset
        request.after = plan.after?.position
        if case .objects = plan.shape {
            return try .list(objects(request, plan, tag, total, context))
        }
        return try .list(rows(request, plan, tag, total, context))
    }

    func empty(_ plan: ListPlan, _ tag: String?) -> ListOutcome {
        let isValues = if case .objects = plan.shape { false } else { true }
        return ListOutcome(
            rows: isValues ? .values([]) : .objects([]), entity: plan.request.entity,
            shape: plan.shape, embedded: .none, next: nil,
            total: plan.wantsCount ? 0 : nil, tag: tag)
    }

    /// How many rows there are on all pages.
    func total(
        _ request: FetchRequest, _ plan: ListPlan, _ context: ManagedObjectContext
    ) throws -> Int {
        var request = request
        request.sortDescriptors = []
        if case .rows = plan.shape {} else { request.propertiesToFetch = [] }
        // What is unsaved makes rows that only making them can count.
        let count =
            context.parent == nil || request.propertiesToFetch.isEmpty
            ? try context.count(request) : try context.currentRows(request).count
        return min(count, plan.ceiling ?? count)
    }

    private func objects(
        _ request: FetchRequest, _ plan: ListPlan, _ tag: String?, _ total: Int?,
        _ context: ManagedObjectContext
    ) throws -> ListOutcome {
        var snapshots = try context.snapshots(request)
        var next: NextPage?
        if snapshots.count > plan.pageLimit {
            snapshots.removeLast(snapshots.count - plan.pageLimit)
            if plan.ceiling != nil {
                next = plan.nextByOffset
            } else if let last = snapshots.last {
                next = try page(behind: position(of: last, request, context), plan)
            }
        }
        var embedding = Embedding(context, limits: limits)
        return ListOutcome(
            rows: .objects(snapshots), entity: request.entity, shape: plan.shape,
            embedded: try embedding.below(snapshots, plan.shape.inclusion), next: next,
            total: total, tag: tag)
    }

    /// Where a page ends. What stands in the snapshot itself needs no query.
    func position(
        of last: Snapshot, _ request: FetchRequest, _ context: ManagedObjectContext
    ) throws -> [Value] {
        // One that is not saved has no place by its id alone.
        if last.key < 0 { return try context.position(of: last.key, in: request) }
        var position: [Value] = []
        for descriptor in request.sortDescriptors {
            guard case .keyPath(.evaluatedObject, let path) = descriptor.expression,
                path.count == 1, descriptor.options.isEmpty,
                let attribute = request.entity.attribute(named: path[0]),
                last.values.indices.contains(attribute.slot)
            else { return try context.position(of: last.key, in: request) }
            position.append(last.values[attribute.slot])
        }
        return position + [.key(last.key)]
    }

    /// A page of an ordered relationship's members; the next one is told by number.
    private func ordered(_ members: OrderedMembers, _ tag: String?) throws -> ListOutcome {
        let (plan, context) = (members.plan, members.context)
        let keys = try members.keys()
        let page = Array(keys.dropFirst(plan.offset).prefix(plan.pageLimit))
        let end = plan.offset + page.count
        let rows = try members.batch(page)
        return ListOutcome(
            rows: rows, entity: plan.request.entity, shape: plan.shape,
            embedded: try Embedding.embedded(in: rows, plan.shape, context, limits: limits),
            next: end < keys.count ? .offset(end) : nil,
            total: plan.wantsCount ? keys.count : nil, tag: tag)
    }

    private func rows(
        _ request: FetchRequest, _ plan: ListPlan, _ tag: String?, _ total: Int?,
        _ context: ManagedObjectContext
    ) throws -> ListOutcome {
        var rows = try context.currentRows(request)
        var next: NextPage?
        if rows.count > plan.pageLimit {
            rows.removeLast(rows.count - plan.pageLimit)
            next = plan.nextByOffset
            if plan.ceiling == nil, case .rows(_, let places) = plan.shape, let last = rows.last {
                next = try page(behind: places.map { last[$0] }, plan)
            } else if plan.ceiling == nil, let key = RowKey.id(of: rows.last) {
                let position =
                    request.sortDescriptors.isEmpty && key > 0
                    ? [.key(key)] : try context.position(of: key, in: request)
                next = try page(behind: position, plan)
            }
        }
        return ListOutcome(
            rows: .values(rows), entity: request.entity, shape: plan.shape,
            embedded: try Embedding.embedded(
                in: .values(rows), plan.shape, context, limits: limits), next: next, total: total,
            tag: tag)
    }

    /// The page behind a place, told by the place or, where that is too long for a `Link`, by number.
    /// - Throws: `Problem` where the page before was told by its place, so that its number is unknown.
    func page(behind position: [Value], _ plan: ListPlan) throws -> NextPage? {
        let cursor = Cursor(fingerprint: plan.fingerprint, position: position)
        if !cursor.isLong { return .after(cursor) }
        guard plan.after == nil else {
            throw Problem(
                .cursor,
                "the values by which this page's last row is sorted are too long for a Link",
                hint: "sort by shorter ones, or ask for pages by offset")
        }
        return plan.nextByOffset
    }
}
