// Writes: one context and one save for each request, repeated if a race is lost.

import SteleAnswers
import SteleGraph
import SteleJSON
import SteleModel
import StelePersistence
import SteleRequests

extension Execution {
    /// Runs a write to its end. In an editing context, the changes reach that context. In the store
    /// they are saved: a write that loses a race is made again from the current data, the last time
    /// on the writer's thread, where no other save can come between.
    ///
    /// A version that the client names is compared each time.
    /// - Parameter receipt: the part of the answer that is kept with the save.
    func write(_ plan: WritePlan, _ receipt: AnswerReceipt? = nil) throws -> Outcome {
        guard !rights.isAll else { return try written(plan, receipt) }
        let outcome: Outcome
        do { outcome = try written(plan, receipt) } catch { throw try without(hidden: error) }
        // It is saved: an error of reading it must not say otherwise.
        return (try? seen(outcome, of: plan)) ?? .done
    }

    private func written(_ plan: WritePlan, _ receipt: AnswerReceipt?) throws -> Outcome {
        if let editing { return try write(plan, in: editing) }
        try checkIsWritable()
        if let request = plan.deed.allOf { return try writeAll(plan, request, receipt) }
        for _ in 1..<max(limits.writeAttempts, 1) {
            let write: MadeWrite
            do { write = try make(plan, receipt) } catch StoreError.moved { continue }
            guard let request = write.request else { return write.unchanged }
            do {
                return write.applied.outcome(after: try coordinator.store.save(request))
            } catch .moved {
                continue
            } catch .conflicts {
                continue
            } catch .constraint where plan.mergePolicy != .error {
                continue
            } catch {
                throw write.placing(error)
            }
        }
        return try writeAlone(plan, receipt)
    }

    /// Makes a write without saving it.
    func make(_ plan: WritePlan, _ receipt: AnswerReceipt? = nil) throws -> MadeWrite {
        try checkIsWritable()
        let context = ManagedObjectContext(coordinator, name: plan.contextName, budget: budget)
        defer { context.close() }
        return try make(plan, receipt, in: context)
    }

    /// Refuses a write to a store that is only read, whatever is wrong with it otherwise.
    private func checkIsWritable() throws(StoreError) {
        if coordinator.store.isReadOnly {
            throw .readOnly("the store is open for reading only")
        }
    }

    private func make(
        _ plan: WritePlan, _ receipt: AnswerReceipt?, in context: ManagedObjectContext
    ) throws -> MadeWrite {
        let writer = writer(plan, context)
        do {
            let applied = try apply(plan, writer)
            let request =
                try receipt.map { try $0.request(applied, context) } ?? context.saveRequest()
            return MadeWrite(
                request: request, applied: applied, places: writer.places,
                token: try request?.readToken ?? context.token())
        } catch let errors as ValidationErrors {
            throw Placed(errors, places: writer.places)
        }
    }

    private func writeAlone(_ plan: WritePlan, _ receipt: AnswerReceipt?) throws -> Outcome {
        var made: MadeWrite?
        do {
            let saved = try coordinator.store.save(making: { reader in
                let context = ManagedObjectContext(
                    coordinator, reader: reader, name: plan.contextName)
                defer { context.close() }
                let write = try make(plan, receipt, in: context)
                made = write
                return write.request ?? SaveRequest(readToken: write.token)
            })
            return made?.applied.outcome(after: saved) ?? .done
        } catch let error as StoreError {
            throw made?.placing(error) ?? error
        }
    }

    /// Makes a write in a child of an editing context, which reads the unsaved data there in the
    /// same way as others read the store. The changes reach the context when all are made.
    private func write(_ plan: WritePlan, in editing: EditingContext) throws -> Outcome {
        try reading { child in
            let applied = try apply(plan, writer(plan, child))
            try child.processPendingChanges()
            let changed = try child.insertedObjects + child.updatedObjects()
            let weight = try editing.room(for: child, bytes: plan.bodyBytes, limits)
            let made = SaveResult(
                token: 0,
                changes: changed.map { object in
                    HistoryChange(
                        kind: object.isInserted ? .insert : .update, entity: object.entity.index,
                        key: object.objectID.key, version: object.version, snapshot: object.snapshot
                    )
                })
            try child.pushToParent()
            editing.took(weight, limits)
            return applied.outcome(after: made)
        }
    }

    func writer(_ plan: WritePlan, _ context: ManagedObjectContext) -> ObjectWriter {
        ObjectWriter(
            context, forms: forms, limits: limits, isBrief: budget != nil,
            mergePolicy: plan.mergePolicy, temporaries: editing?.family.temporaries,
            rights: rights)
    }

    /// Makes the changes of a write in the writer's context.
    func apply(_ plan: WritePlan, _ writer: ObjectWriter) throws -> Applied {
        let applied = try applying(plan, writer)
        // A transaction applies delete rules, which need no rights, and has checked before.
        if case .transact = plan.deed {} else { try writer.checkRights() }
        return applied
    }

    private func applying(_ plan: WritePlan, _ writer: ObjectWriter) throws -> Applied {
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
            try writer.delete(object)
            return .done
        case .transact(let basePath):
            guard let body = plan.body else { return .done }
            try plan.preconditions?.check(.none, nil, writer)
            var transaction = Transaction(writer, basePath: basePath)
            return try transaction.run(body.root)
        case .changeAll(let request, _), .deleteAll(let request):
            return try applyToAll(of: request, plan, writer)
        case .setBinary(let owner, let attribute, let source):
            let object = try target(owner, plan, writer)
            try source.set(attribute, of: object)
            return .changed(Written(object))
        case .setMembers(let owner, let relationship), .addMembers(let owner, let relationship, _),
            .removeMember(let owner, let relationship, _), .setToOne(let owner, let relationship),
            .clearToOne(let owner, let relationship):
            let object = try target(owner, plan, writer, isShown: false)
            return try relate(object, relationship, plan, by: writer)
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

    /// The object at an address. Its preconditions are checked if the route shows the object.
    func target(
        _ owner: ObjectAddress, _ plan: WritePlan, _ writer: ObjectWriter, isShown: Bool = true
    ) throws -> ManagedObject {
        guard let object = try writer.object(entity: owner.entity, key: owner.key) else {
            if isShown { try plan.preconditions?.check(.none, plan.body?.root, writer) }
            throw Self.missing(owner)
        }
        try writer.checkMay(plan.deed.isDelete ? .delete : .update, object)
        if isShown {
            try plan.preconditions?.check(plan.deed.shown(of: object), plan.body?.root, writer)
        }
        return object
    }

    /// Checks the preconditions of a list, which is identified by the last save.
    func checkList(_ plan: WritePlan, _ writer: ObjectWriter) throws {
        guard let preconditions = plan.preconditions else { return }
        try preconditions.check(
            .list(
                generation: try writer.context.cacheGeneration(),
                token: try writer.context.token()), nil, writer)
    }
}

extension WritePlan.Deed {
    /// Whether the named object is deleted.
    fileprivate var isDelete: Bool { if case .delete = self { true } else { false } }

    /// What the address shows of its object.
    fileprivate func shown(of object: ManagedObject) -> Preconditions.Representation {
        guard case .setBinary(_, let attribute, _) = self else { return .object(object) }
        return switch object.value(attribute) {
        case .data: .object(object)
        case .external(let data) where !data.isMissing: .object(object)
        default: .noValue(object)
        }
    }
}
