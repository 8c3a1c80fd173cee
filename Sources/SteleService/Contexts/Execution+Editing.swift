// Plans run in an editing context: reads see what is unsaved, writes are made in it at once or not
// at all.

import SteleGraph
import SteleModel
import StelePersistence
import StelePredicates

extension Execution {
    /// Runs one request's plan in a child of the context, which reads the context's unsaved state
    /// by the same means as others read the store, and whose changes reach it when all are made.
    func run(_ plan: Plan, in editing: EditingContext) throws -> Outcome {
        let child = ManagedObjectContext(parent: editing.graph)
        defer { child.close() }
        // All that one request reads is one state of the store.
        return try editing.graph.inOneView {
            let terms = plan.call.terms
            switch plan.action {
            case .list(let list): return try self.list(bounded: list, terms, in: child)
            case .count(let count): return try self.count(count, terms, in: child)
            case .object(let object): return try self.object(object, terms, in: child)
            case .binary(let binary): return try self.binary(binary, terms, in: child)
            case .write(let write):
                let bytes = plan.call.request.body.count
                return try self.write(write, bytes, editing, in: child)
            case .page, .readiness, .changes, .live, .makeContext, .context: return .done
            }
        }
    }

    /// A list, and one without a bound up to what a context looks at: no view of the store stays
    /// open while a client takes its time.
    private func list(
        bounded plan: ListPlan, _ terms: Terms, in context: ManagedObjectContext
    ) throws -> Outcome {
        guard plan.isStreamed else { return try list(plan, terms, in: context) }
        var bounded = plan
        let most = limits.contextEvaluation
        bounded.limit = min(plan.limit ?? .max, most + 1)
        let outcome = try list(bounded, terms, in: context)
        guard case .list(let list) = outcome, list.rows.count > most else { return outcome }
        throw Problem(
            .contextEvaluation, "the list has more than \(most) rows, and a context gives no more",
            hint: "page by limit, or ask the store itself")
    }

    // MARK: Writing

    private func write(
        _ plan: WritePlan, _ bytes: Int, _ editing: EditingContext,
        in child: ManagedObjectContext
    ) throws -> Outcome {
        let writer = ObjectWriter(
            child, forms: forms, limits: limits, temporaries: editing.family.temporaries)
        let outcome: (SaveResult) -> Outcome
        if let request = plan.deed.allOf {
            let made = try writeAll(plan, request, writer)
            outcome = { _ in made }
        } else {
            outcome = try apply(plan, writer).outcome(after:)
        }
        try child.processPendingChanges()
        let changed = try child.insertedObjects + child.updatedObjects()
        try editing.checkRoom(for: child, bytes: bytes, limits)
        let weight = editing.weight(of: child, bytes)
        let made = SaveResult(
            token: 0,
            changes: changed.map { object in
                HistoryChange(
                    kind: object.isInserted ? .insert : .update, entity: object.entity.index,
                    key: object.id.key, version: object.version, snapshot: object.snapshot)
            })
        try child.pushToParent()
        editing.took(weight, limits)
        return outcome(made)
    }

    /// Changes or deletes all objects of a fetch, which are no more than a context may change.
    private func writeAll(
        _ plan: WritePlan, _ request: FetchRequest, _ writer: ObjectWriter
    ) throws -> Outcome {
        let context = writer.context
        try checkList(plan, writer)
        var request = request
        request.fetchLimit = limits.contextObjects + 1
        let objects = try context.fetch(request)
        guard objects.count <= limits.contextObjects else {
            throw Problem(
                .contextFull,
                "more than \(limits.contextObjects) objects match, and an editing "
                    + "context holds no more with unsaved changes",
                hint: "narrow where, or write to the store itself")
        }
        for object in objects where !object.isDeleted {
            if case .changeAll(_, let mode) = plan.deed {
                if let body = plan.body {
                    try writer.change(object, by: body.root, in: request.entity, mode: mode)
                }
            } else {
                try context.delete(object)
            }
        }
        try writer.resolveLinks()
        if case .deleteAll = plan.deed { return .deletedAll(objects.count) }
        return .updatedAll(objects.count)
    }
}
