// Writes of all objects that match: one save in parts, on the writer's thread.

import SteleAnswers
import SteleGraph
import SteleJSON
import SteleModel
import StelePersistence
import StelePredicates
import SteleRequests

extension Execution {
    /// Changes or deletes all objects of a fetch, as if each were saved alone, and all or none.
    ///
    /// Their number is not limited: only the ids and the objects of one part are in memory.
    func writeAll(
        _ plan: WritePlan, _ request: FetchRequest, _ receipt: AnswerReceipt?
    ) throws -> Outcome {
        // A reader searches first, so that no save waits for a long search.
        let found = try reading { context in
            try checkList(plan, writer(plan, context))
            return (token: try context.token(), keys: try keys(of: request, try context.reader()))
        }
        var count = found.keys.count
        func outcome() -> Outcome {
            if case .deleteAll = plan.deed { .deletedAll(count) } else { .updatedAll(count) }
        }
        if count > 0 || receipt != nil {
            _ = try coordinator.store.save(inParts: { save in
                let keys = try self.keys(of: request, plan, found, save)
                count = keys.count
                try writeAll(keys, of: request.entity, plan, save)
                if let receipt = receipt {
                    _ = try save.save(receipt.request(outcome()))
                }
            })
        }
        return outcome()
    }

    /// The ids of all objects that match.
    private func keys(of request: FetchRequest, _ reader: any StoreReader) throws -> [Int64] {
        var request = request
        request.propertiesToFetch = [ExpressionDescription(name: "_id", expression: .key("_id"))]
        let cursor = try reader.cursor(request)
        var keys: [Int64] = []
        while true {
            guard case .values(let rows) = try cursor.next(limits.streamBatchRows), !rows.isEmpty
            else { return keys }
            for row in rows { if let key = RowKey.id(of: row) { keys.append(key) } }
        }
    }

    /// The same on the writer's thread. It searches again only if something was saved since.
    private func keys(
        of request: FetchRequest, _ plan: WritePlan, _ found: (token: Int64, keys: [Int64]),
        _ save: any PartedSave
    ) throws -> [Int64] {
        let reader = try save.reader()
        defer { reader.close() }
        if try reader.token == found.token { return found.keys }
        let context = ManagedObjectContext(coordinator, reader: reader)
        defer { context.close() }
        try checkList(plan, writer(plan, context))
        return try keys(of: rights.sight?.woven(request) ?? request, reader)
    }

    private func writeAll(
        _ keys: [Int64], of entity: Entity, _ plan: WritePlan, _ save: any PartedSave
    ) throws {
        let deleted: Set<ObjectID> =
            if case .deleteAll = plan.deed {
                Set(keys.map { ObjectID(root: entity.root, key: $0) })
            } else { [] }
        // A rule may lead to what an earlier part changes: all are judged as they are before.
        try judge(keys, of: entity, plan, save)
        var start = 0
        while start < keys.count {
            let end = min(keys.count, start + limits.objectsPerPart)
            try writePart(Array(keys[start..<end]), of: entity, besides: deleted, plan, save)
            start = end
        }
    }

    /// Checks the right to change or delete the objects, before the first part.
    private func judge(
        _ keys: [Int64], of entity: Entity, _ plan: WritePlan, _ save: any PartedSave
    ) throws {
        guard !rights.isAll else { return }
        let reader = try save.reader()
        defer { reader.close() }
        let verb: Rights.Verb = if case .deleteAll = plan.deed { .delete } else { .update }
        for start in stride(from: 0, to: keys.count, by: limits.objectsPerPart) {
            let some = Array(keys[start..<min(keys.count, start + limits.objectsPerPart)])
            let found = try reader.snapshots(root: entity.root, keys: some)
            try rights.check(
                verb, Dictionary(grouping: found, by: \.entity).mapValues { $0.map(\.key) },
                in: reader)
        }
    }

    private func writePart(
        _ keys: [Int64], of entity: Entity, besides deleted: Set<ObjectID>, _ plan: WritePlan,
        _ save: any PartedSave
    ) throws {
        try BatchPart(coordinator, save, name: plan.contextName, deleting: deleted).save {
            context in
            let writer = writer(plan, context)
            if !rights.isAll {
                writer.judged = Set(keys.map { ObjectID(root: entity.root, key: $0) })
            }
            let objects = try context.existingObjects(root: entity.root, keys: keys)
            do {
                try apply(plan, to: keys.compactMap { objects[$0] }, of: entity, writer)
                return try context.saveRequest()
            } catch let errors as ValidationErrors {
                throw Placed(errors, places: writer.places)
            }
        }
    }

    /// Changes or deletes all objects of a fetch in an editing context, up to a maximum.
    func applyToAll(
        of request: FetchRequest, _ plan: WritePlan, _ writer: ObjectWriter
    ) throws -> Applied {
        try checkList(plan, writer)
        var request = request
        request.fetchLimit = limits.contextObjects + 1
        let objects = try writer.fetch(request)
        guard objects.count <= limits.contextObjects else {
            throw Problem(
                .contextFull,
                "more than \(limits.contextObjects) objects match, and an editing context holds "
                    + "no more with unsaved changes",
                hint: "narrow where, or write to the store itself")
        }
        try apply(plan, to: objects, of: request.entity, writer)
        if case .deleteAll = plan.deed { return .deletedAll(objects.count) }
        return .changedAll(objects.count)
    }

    private func apply(
        _ plan: WritePlan, to objects: [ManagedObject], of entity: Entity, _ writer: ObjectWriter
    ) throws {
        // An object that a cascade has already deleted needs nothing more.
        for object in objects where !object.isDeleted {
            if case .changeAll(_, let mode) = plan.deed {
                if let body = plan.body {
                    try writer.change(object, by: body.root, in: entity, mode: mode)
                }
            } else {
                try writer.delete(object)
            }
        }
        try writer.resolveLinks()
        try writer.checkRights()
    }
}
