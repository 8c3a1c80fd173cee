// Lists: objects, columns and rows of aggregates, page by page.

import SteleAnswers
import SteleGraph
import SteleModel
import StelePersistence
import StelePredicates
import SteleRequests

extension Execution {
    func list(_ plan: ListPlan, _ terms: Terms) throws -> Outcome {
        guard plan.isStreamed else { return try reading { try list(plan, terms, $0) } }
        return editing == nil ? try stream(plan, terms) : try bounded(plan, terms)
    }

    /// Reads a list without a bound in an editing context, up to the number of objects that one
    /// request may evaluate: no view of the store stays open for a slow client.
    private func bounded(_ plan: ListPlan, _ terms: Terms) throws -> Outcome {
        var bounded = plan
        let most = limits.contextEvaluation
        bounded.limit = min(plan.limit ?? .max, most + 1)
        let outcome = try reading { try list(bounded, terms, $0) }
        guard case .list(let list) = outcome, list.rows.count > most else { return outcome }
        throw Problem(
            .contextEvaluation,
            "the list has more than \(most) rows, the maximum in an editing context",
            hint: "page with limit, or read from the store itself")
    }

    /// Reads a list that is held in memory, or a page of it.
    func list(
        _ plan: ListPlan, _ terms: Terms, _ context: ManagedObjectContext
    ) throws -> Outcome {
        let tag = try listTag(isVolatile(plan) ? nil : plan.tagHash, of: plan.source, context)
        if let unchanged = try terms.unchanged(tag) { return unchanged }
        if let ordered = OrderedMembers(plan, self, context) {
            return try .list(self.ordered(ordered, tag))
        }
        var request = try restricted(plan.request, to: plan.source, context)
        let total = plan.wantsCount ? try total(request, plan, context) : nil
        request.fetchLimit = plan.pageLimit + 1
        request.fetchOffset = plan.offset
        request.after = plan.after?.position
        let (rows, next) = try page(of: request, plan, context)
        return .list(
            ListOutcome(
                rows: rows, entity: request.entity, shape: plan.shape,
                embedded: try Embedding.embedded(in: rows, plan.shape, context, limits: limits),
                next: next, total: total, tag: tag))
    }

    /// The number of rows on all pages.
    func total(
        _ request: FetchRequest, _ plan: ListPlan, _ context: ManagedObjectContext
    ) throws -> Int {
        var request = request
        request.sortDescriptors = []
        if case .rows = plan.shape {} else { request.propertiesToFetch = [] }
        // Rows with unsaved changes can only be counted by making them.
        let count =
            context.parent == nil || request.propertiesToFetch.isEmpty
            ? try context.count(request) : try context.currentRows(request).count
        return min(count, plan.ceiling ?? count)
    }

    /// The rows of a page, and the start of the next one. The request asks for one row more.
    private func page(
        of request: FetchRequest, _ plan: ListPlan, _ context: ManagedObjectContext
    ) throws -> (FetchedRows, NextPage?) {
        let limit = plan.pageLimit
        if case .objects = plan.shape {
            var found = try context.snapshots(request)
            guard found.count > limit else { return (.objects(found), nil) }
            found.removeLast(found.count - limit)
            guard plan.ceiling == nil, let last = found.last else {
                return (.objects(found), plan.nextByOffset)
            }
            let next = try self.page(behind: position(of: last, request, context), plan)
            return (.objects(found), next)
        }
        var found = try context.currentRows(request)
        guard found.count > limit else { return (.values(found), nil) }
        found.removeLast(found.count - limit)
        var next = plan.nextByOffset
        if plan.ceiling == nil, case .rows(_, let places) = plan.shape, let last = found.last {
            next = try self.page(behind: places.map { last[$0] }, plan)
        } else if plan.ceiling == nil, let key = RowKey.id(of: found.last) {
            let position =
                request.sortDescriptors.isEmpty && key > 0
                ? [.key(key)] : try context.position(of: key, in: request)
            next = try self.page(behind: position, plan)
        }
        return (.values(found), next)
    }

    /// The values at which a page ends. Those in the snapshot need no query.
    func position(
        of last: Snapshot, _ request: FetchRequest, _ context: ManagedObjectContext
    ) throws -> [Value] {
        // The id of an unsaved object does not determine its position.
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

    /// A page of an ordered relationship's members. The next one is found by offset.
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

    /// The page after a position, found by it or, if it is too long for a `Link`, by offset.
    /// - Throws: `Problem` if the offset is not known, because this page was found by position.
    func page(behind position: [Value], _ plan: ListPlan) throws -> NextPage? {
        let cursor = Cursor(fingerprint: plan.fingerprint, position: position)
        if !cursor.isLong { return .after(cursor) }
        guard plan.after == nil else {
            throw Problem(
                .cursor,
                "the sort values of this page's last row are too long for a Link",
                hint: "sort by shorter values, or page by offset")
        }
        return plan.nextByOffset
    }
}
