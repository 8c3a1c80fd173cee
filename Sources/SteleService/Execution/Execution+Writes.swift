// Writes: one context and one save a request, again where a race was lost.

import SteleGraph
import SteleJSON
import SteleModel
import StelePersistence

extension Execution {
    /// Runs a write until it is saved: what lost its race is made again from what is there now,
    /// the last time on the writer's own thread, where nothing can come between.
    ///
    /// A client that names a version needs no rule of its own: run again, the version is compared
    /// with what is there then.
    func write(_ plan: WritePlan) throws -> Outcome {
        if let request = plan.deed.allOf { return try writeAll(plan, request) }
        for _ in 1..<max(limits.writeAttempts, 1) {
            let context = ManagedObjectContext(coordinator, name: plan.contextName)
            defer { context.close() }
            let writer = writer(plan, context)
            do {
                let result = try apply(plan, writer)
                guard let receipt = plan.receipt else {
                    return result.outcome(after: try context.save())
                }
                return result.outcome(
                    after: try coordinator.store.save(receipt.request(result, context)))
            } catch let errors as ValidationErrors {
                throw PlacedErrors(errors: errors, places: writer.places)
            } catch StoreError.moved {
                continue
            } catch StoreError.conflicts {
                continue
            } catch StoreError.constraint where plan.mergePolicy != .error {
                continue
            } catch StoreError.constraint(let conflict) {
                throw PlacedConflict(conflict: conflict, places: writer.places)
            }
        }
        return try writeAlone(plan)
    }

    /// Makes a write's request, for who saves it without waiting; nothing is tried again.
    /// - Throws: as `write`; `StoreError.overBudget`.
    func begin(_ plan: WritePlan) throws -> BegunWrite {
        // What may have to be settled, or searched for, is a worker's.
        if plan.deed.allOf != nil || plan.mergePolicy != .error || plan.hasKey {
            throw StoreError.overBudget
        }
        let context = ManagedObjectContext(coordinator, name: plan.contextName, budget: budget)
        defer { context.close() }
        let writer = writer(plan, context)
        do {
            let applied = try apply(plan, writer)
            let request = try context.saveRequest()
            return BegunWrite(
                request: request, applied: applied, places: writer.places,
                token: try context.token())
        } catch let errors as ValidationErrors {
            throw PlacedErrors(errors: errors, places: writer.places)
        }
    }

    func writer(_ plan: WritePlan, _ context: ManagedObjectContext) -> ObjectWriter {
        ObjectWriter(
            context, forms: forms, limits: limits, isBrief: budget != nil,
            mergePolicy: plan.mergePolicy)
    }

    private func writeAlone(_ plan: WritePlan) throws -> Outcome {
        var applied: Applied?
        var places: [(key: Int64, path: [String])] = []
        do {
            let saved = try coordinator.store.save(making: { reader in
                let context = ManagedObjectContext(
                    coordinator, reader: reader, name: plan.contextName)
                defer { context.close() }
                let writer = writer(plan, context)
                let result = try apply(plan, writer)
                places = writer.places
                if let receipt = plan.receipt {
                    let made = try receipt.request(result, context)
                    applied = result
                    return made
                }
                let made = try context.saveRequest()
                applied = result
                return try made ?? SaveRequest(readToken: context.token())
            })
            guard let applied else { return .done }
            return applied.outcome(after: saved)
        } catch let errors as ValidationErrors {
            throw PlacedErrors(errors: errors, places: places)
        } catch StoreError.constraint(let conflict) {
            throw PlacedConflict(conflict: conflict, places: places)
        }
    }

    /// Makes a write's changes in the writer's context.
    func apply(_ plan: WritePlan, _ writer: ObjectWriter) throws -> Applied {
        let context = writer.context
        switch plan.deed {
        case .create(let entity): return try create(entity, plan, writer)
        case .change(let owner, let mode):
            let object = try target(owner, plan, writer)
            if let body = plan.body {
                try writer.change(object, by: body.root, in: owner.entity, mode: mode)
            }
            try writer.resolveLinks()
            return .changed(Written(object))
        case .delete(let owner):
            let object = try target(owner, plan, writer)
            if let body = plan.body {
                try writer.apply(body.root, to: object, in: owner.entity, isNew: false, depth: 0)
            }
            try context.delete(object)
            return .done
        case .transact(let basePath):
            guard let body = plan.body else { return .done }
            try plan.preconditions?.check(.none, nil, writer)
            var transaction = Transaction(writer, basePath: basePath)
            return try transaction.run(body.root)
        case .changeAll, .deleteAll: return .done
        case .setBinary(let owner, let attribute, let source):
            let object = try target(owner, plan, writer)
            object.setValue(try source.value, for: attribute)
            return .changed(Written(object))
        case .setMembers, .addMembers, .removeMember, .setToOne, .clearToOne:
            return try relate(plan, writer)
        }
    }

    private func create(
        _ entity: Entity, _ plan: WritePlan, _ writer: ObjectWriter
    ) throws -> Applied {
        guard let root = plan.body?.root else { return .done }
        try checkList(plan, writer)
        var made: [Written] = []
        var isNew = false
        func create(_ node: JSONNode) throws {
            let object = try writer.create(node, in: entity)
            isNew = isNew || object.isInserted
            made.append(Written(object))
        }
        if root.kind == .array {
            try writer.lookUp(root, entity)
            made.reserveCapacity(root.count)
            try root.forEachElement { element in
                writer.path = [String(made.count)]
                try create(element)
            }
            writer.path = []
        } else {
            try create(root)
        }
        try writer.resolveLinks()
        if root.kind != .array, !isNew, let one = made.first { return .changed(one) }
        return .created(made, isArray: root.kind == .array, isNew: isNew, entity)
    }

    /// The object that a route names; where the route is its own, it must be what the client says.
    func target(
        _ owner: Owner, _ plan: WritePlan, _ writer: ObjectWriter, isShown: Bool = true
    ) throws -> ManagedObject {
        guard let object = try writer.context.object(entity: owner.entity, key: owner.key) else {
            if isShown { try plan.preconditions?.check(.none, plan.body?.root, writer) }
            throw Self.missing(owner.entity, owner.key)
        }
        if isShown { try plan.preconditions?.check(.object(object), plan.body?.root, writer) }
        return object
    }

    /// A list, which is known by the last save.
    func checkList(_ plan: WritePlan, _ writer: ObjectWriter) throws {
        guard let preconditions = plan.preconditions else { return }
        try preconditions.check(
            .list(
                generation: try writer.context.cacheGeneration(),
                token: try writer.context.token()), nil, writer)
    }
}
