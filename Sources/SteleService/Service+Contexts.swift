// Editing contexts over HTTP (contract, section 8).

import SteleFeed
import SteleGraph
import SteleHTTP
import SteleJSON
import SteleModel
import StelePersistence
import SteleRequests

extension Service {
    /// Discards all editing contexts with their unsaved changes, and makes no more. Their live
    /// queries end.
    public func closeContexts() {
        contextQueries.stop()
        contexts.close()
    }

    /// Makes a context, as `POST /contexts` and `POST /contexts/{context}/contexts` ask for it.
    func makeContext(
        _ call: Call, for rights: Rights, below parent: EditingContext? = nil
    ) throws -> Response {
        let settings = try ContextSettings(call.body, options.limits)
        let context = try contexts.make(for: rights.name, below: parent)
        settings.apply(to: context)
        var response = try state(of: context, at: context.graph.token(), status: 201)
        response.headers.append(("Location", answers.editing(context.id).objectsPath))
        return response
    }

    /// Answers a live query: a list of the context's, or one or several of the store's.
    func follow(_ parts: [LivePart], _ plan: Plan, in place: Place) throws -> Response {
        let request = plan.call.request
        guard let editing = place.editing else {
            return try liveQueries.answer(parts, request)
        }
        let rights = plan.rights
        return try contextQueries.answer(of: editing, in: place) { [weak self] in
            guard let self else { return nil }
            var passage = Passage(request, at: place, isTimed: false)
            passage.rights = rights
            let call = try call(routes.match(request), &passage)
            guard case .live(let parts) = try self.plan(call, at: .unhurried, &passage).action
            else { return nil }
            return parts.first?.plan
        }
    }

    // MARK: A context's own routes

    /// Answers a route of the context itself.
    func carryOut(
        _ call: Call, _ editing: EditingContext, for rights: Rights
    ) throws -> Response {
        if call.route.pattern == .context, call.route.method == .delete {
            contexts.remove(editing)
            return Response(status: 204)
        }
        let graph = editing.graph
        // The answer does not name a later state than that which the request reads.
        let token = try graph.token()
        switch call.route.pattern {
        case .context where call.route.method == .patch:
            try ContextSettings(call.body, options.limits).apply(to: editing)
        case .childContexts: return try makeContext(call, for: rights, below: editing)
        case .contextChanges:
            let renderer = answers.editing(editing.id).renderer.writingNumbersAsStrings(
                call.numbersAsStrings)
            return try page(200) { try ContextPage.write(changesOf: graph, renderer, to: &$0) }
        case .contextUndo: try takeBack("undo", call, editing)
        case .contextRedo: try takeBack("redo", call, editing)
        case .contextUndoGroup:
            let name = try UndoGroupName.read(call.body)
            guard let undo = graph.undoManager else { throw Self.undoIsDisabled }
            try convertingUndoErrors { try undo.beginUndoGrouping() }
            if undo.groupingLevel == 1 {
                editing.didBeginGroup()
                if let name { undo.setActionName(name) }
            }
        case .contextUndoGroupEnd:
            try BodyMembers.read(call.body)
            guard let undo = graph.undoManager else { throw Self.undoIsDisabled }
            try convertingUndoErrors { try undo.endUndoGrouping() }
        case .contextValidate:
            try BodyMembers.read(call.body)
            try graph.validateChanges()
            return Response(status: 204)
        case .contextSave: return try save(call, editing)
        case .contextRollback:
            try BodyMembers.read(call.body)
            graph.rollback()
            editing.didForgetAll()
        case .contextReset:
            try BodyMembers.read(call.body)
            graph.reset()
            editing.didForgetAll()
        case .contextRefresh: try refresh(call, editing)
        default: break
        }
        return try state(of: editing, at: token)
    }

    private func takeBack(_ name: String, _ call: Call, _ editing: EditingContext) throws {
        try BodyMembers.read(call.body)
        guard let undo = editing.graph.undoManager else { throw Self.undoIsDisabled }
        guard name == "undo" ? undo.canUndo : undo.canRedo else {
            throw Problem(.undoNothing, "there is nothing to \(name)")
        }
        try convertingUndoErrors { try name == "undo" ? undo.undo() : undo.redo() }
    }

    private static let undoIsDisabled = Problem(
        .undoNothing, "undo is disabled in this context",
        hint: "PATCH the context with {\"undoEnabled\": true} to undo later changes")

    private func convertingUndoErrors(_ body: () throws -> Void) throws {
        do { try body() } catch let error as UndoError {
            throw Problem(.undoGroup, error.description)
        }
    }

    private func refresh(_ call: Call, _ editing: EditingContext) throws {
        let graph = editing.graph
        let addresses = AddressReader(
            model: model, basePath: answers.editing(editing.id).objectsPath,
            temporaries: editing.family.temporaries)
        let asked = try ContextRefresh(call.body, options.limits, address: addresses.read)
        if asked.objects == nil, asked.merges { return try graph.refreshAllObjects() }
        try graph.inOneView {
            let objects = try asked.objects?.map { try graph.object(at: $0) }
            // An object that has changed only in its to-many relationships is held by nothing else.
            let updated = try objects == nil ? graph.updatedObjects() : []
            try withExtendedLifetime(updated) {
                for object in objects ?? graph.registeredObjects {
                    try graph.refresh(object, mergeChanges: asked.merges)
                }
            }
        }
    }

    /// Saves into the store, or from a child into its parent.
    private func save(_ call: Call, _ editing: EditingContext) throws -> Response {
        try BodyMembers.read(call.body)
        try editing.graph.processPendingChanges()
        let (before, hadChanges) = (try editing.graph.token(), editing.graph.hasChanges)
        let result = try saved(editing)
        editing.didSave()
        editing.family.temporaries.note(result.permanentKeys)
        editing.family.temporaries.note(result.replacedKeys)
        if call.terms.wantsMinimal {
            return Response(status: 204, headers: [("Preference-Applied", "return=minimal")])
        }
        let isStored = editing.parent == nil && hadChanges && result.token > before
        let transaction =
            isStored
            ? ChangeToken(result.token, of: coordinator.store.historyLine) : nil
        return try page(200) {
            try ContextPage.write(save: result, transaction, of: editing, to: &$0)
        }
    }

    private func saved(_ editing: EditingContext) throws -> SaveResult {
        let graph = editing.graph
        for _ in 1..<max(options.limits.writeAttempts, 2) {
            do { return try graph.save() } catch StoreError.moved(let why) {
                // Only a policy that prefers the context's changes may apply them to newer data.
                guard graph.mergePolicy == .objectTrump || graph.mergePolicy == .overwrite else {
                    throw Problem(
                        .contextStale,
                        "another save changed the data that these changes rely on: \(why)",
                        hint: "POST \(RoutePattern.contextRefresh.rawValue) keeps the changes and "
                            + "reads the current data below them; then save again")
                }
                try graph.settleAllObjects()
            }
        }
        throw StoreError.busy("other saves came first on every attempt")
    }

    // MARK: Answers

    private func state(
        of editing: EditingContext, at token: Int64, status: Int = 200
    ) throws -> Response {
        let deadline = contexts.touch(editing)
        return try page(status) {
            try ContextPage.write(
                stateOf: editing, at: ChangeToken(token, of: coordinator.store.historyLine),
                until: deadline, to: &$0)
        }
    }

    private func page(
        _ status: Int, _ write: (inout ByteWriter) throws -> Void
    ) rethrows -> Response {
        var writer = ByteWriter(capacity: 512)
        try write(&writer)
        return Response(
            status: status,
            headers: [("Content-Type", MediaType.json.rawValue), ("Cache-Control", "no-store")],
            body: .bytes(writer.take()))
    }
}
