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
        for _ in 1..<max(limits.writeAttempts, 1) {
            let context = ManagedObjectContext(coordinator, name: plan.contextName)
            defer { context.close() }
            let writer = ObjectWriter(context, forms: forms, limits: limits)
            do {
                let result = try apply(plan, writer)
                return result.outcome(after: try context.save())
            } catch let errors as ValidationErrors {
                throw PlacedErrors(errors: errors, places: writer.places)
            } catch StoreError.moved {
                continue
            } catch StoreError.conflicts {
                continue
            }
        }
        return try writeAlone(plan)
    }

    /// Makes a write's request, for who saves it without waiting; nothing is tried again.
    /// - Throws: as `write`; `StoreError.overBudget`.
    func begin(_ plan: WritePlan) throws -> BegunWrite {
        let context = ManagedObjectContext(coordinator, name: plan.contextName, budget: budget)
        defer { context.close() }
        let writer = ObjectWriter(context, forms: forms, limits: limits, isBrief: budget != nil)
        do {
            let applied = try apply(plan, writer)
            let request = try context.saveRequest()
            return BegunWrite(
                request: request, applied: applied, token: try context.token())
        } catch let errors as ValidationErrors {
            throw PlacedErrors(errors: errors, places: writer.places)
        }
    }

    private func writeAlone(_ plan: WritePlan) throws -> Outcome {
        var applied: Applied?
        let saved = try coordinator.store.save(making: { reader in
            let context = ManagedObjectContext(
                coordinator, reader: reader, name: plan.contextName)
            defer { context.close() }
            let writer = ObjectWriter(context, forms: forms, limits: limits)
            let result = try apply(plan, writer)
            do {
                let made = try context.saveRequest()
                applied = result
                return try made ?? SaveRequest(readToken: context.token())
            } catch let errors as ValidationErrors {
                throw PlacedErrors(errors: errors, places: writer.places)
            }
        })
        guard let applied else { return .done }
        return applied.outcome(after: saved)
    }

    private func apply(_ plan: WritePlan, _ writer: ObjectWriter) throws -> Applied {
        let context = writer.context
        switch plan.deed {
        case .create(let entity): return try create(entity, plan, writer)
        case .change(let owner, let mode):
            let object = try target(owner, plan, context)
            if let body = plan.body {
                try writer.change(object, by: body.root, in: owner.entity, mode: mode)
            }
            try writer.resolveLinks()
            return .changed(Written(object))
        case .delete(let owner):
            try context.delete(target(owner, plan, context))
            return .done
        case .setBinary(let owner, let attribute, let source):
            let object = try target(owner, plan, context)
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
        var made: [Written] = []
        if root.kind == .array {
            made.reserveCapacity(root.count)
            try root.forEachElement { element in
                writer.path = [String(made.count)]
                made.append(Written(try writer.create(element, in: entity)))
            }
            writer.path = []
        } else {
            made.append(Written(try writer.create(root, in: entity)))
        }
        try writer.resolveLinks()
        return .created(made, isArray: root.kind == .array, entity)
    }

    /// The object that a route names, its version checked where the client names one.
    func target(
        _ owner: Owner, _ plan: WritePlan, _ context: ManagedObjectContext
    ) throws -> ManagedObject {
        guard let object = try context.object(entity: owner.entity, key: owner.key) else {
            if plan.ifMatch != nil {
                throw Problem(
                    .precondition,
                    "If-Match names a version of \(owner.entity.name) \(owner.key), "
                        + "which does not exist")
            }
            throw Self.missing(owner.entity, owner.key)
        }
        if case .versions(let versions) = plan.ifMatch, !versions.contains(object.version) {
            let named = versions.map(String.init).joined(separator: ", ")
            throw Problem(
                .precondition,
                named.isEmpty
                    ? "If-Match names no version: send the ETag of the object itself"
                    : "If-Match names version \(named), and \(object.entity.name) "
                        + "\(object.id.key) has version \(object.version)",
                hint: "read the object again and apply the change to what it is now",
                members: [("storedVersion", .integer(object.version))])
        }
        return object
    }
}
