// Editing contexts over HTTP: made, asked, changed, saved (contract, section 8).

import SteleFeed
import SteleGraph
import SteleHTTP
import SteleJSON
import SteleModel
import StelePersistence
import SteleRequests

extension Service {
    /// Forgets all editing contexts, with what is unsaved in them, and makes no more: for the end.
    public func closeContexts() { contexts.close() }

    /// A new context, as `POST /contexts` asks for it.
    func makeContext(_ call: Call) throws -> Response {
        let settings = try ContextSettings(call.body, options.limits)
        let made = try contexts.make(for: readerName, below: nil, Self.savingRoute)
        settings.apply(to: made)
        return try created(made)
    }

    /// What a history is told that it was saved by.
    private static let savingRoute = "POST \(RoutePattern.contextSave.rawValue)"

    // MARK: A context's own routes

    func carryOut(
        _ part: ContextPart, _ call: Call, _ editing: EditingContext
    ) throws -> Response {
        let graph = editing.graph
        switch part {
        case .state where call.route.method == .delete:
            contexts.remove(editing)
            return Response(status: 204)
        case .state:
            if call.route.method == .patch {
                try ContextSettings(call.body, options.limits).apply(to: editing)
            }
        case .contexts:
            let settings = try ContextSettings(call.body, options.limits)
            let child = try contexts.make(for: readerName, below: editing, Self.savingRoute)
            settings.apply(to: child)
            return try created(child)
        case .changes:
            let renderer = answers.editing(editing.id).renderer
            return try page(200) { try ContextPage.write(changesOf: graph, renderer, to: &$0) }
        case .undo, .redo: try takeBack(part, call, editing)
        case .beginGroup:
            let name = try UndoGroupName.read(call.body)
            guard let undo = graph.undoManager else { throw Self.undoIsDisabled }
            try settlingUndo { try undo.beginUndoGrouping() }
            if undo.groupingLevel == 1 {
                editing.didBeginGroup()
                if let name { undo.setActionName(name) }
            }
        case .endGroup:
            try BodyMembers.read(call.body, []) { _, _ in }
            guard let undo = graph.undoManager else { throw Self.undoIsDisabled }
            try settlingUndo { try undo.endUndoGrouping() }
        case .save: return try save(call, editing)
        case .rollback, .reset:
            try BodyMembers.read(call.body, []) { _, _ in }
            if part == .reset { graph.reset() } else { graph.rollback() }
            editing.didForgetAll()
        case .refresh: try refresh(call, editing)
        }
        return try state(of: editing)
    }

    private func takeBack(_ part: ContextPart, _ call: Call, _ editing: EditingContext) throws {
        try BodyMembers.read(call.body, []) { _, _ in }
        guard let undo = editing.graph.undoManager else { throw Self.undoIsDisabled }
        guard part == .undo ? undo.canUndo : undo.canRedo else {
            throw Problem(.undoNothing, "there is nothing to \(part.rawValue)")
        }
        try settlingUndo { try part == .undo ? undo.undo() : undo.redo() }
    }

    private static let undoIsDisabled = Problem(
        .undoNothing, "undo is disabled in this context",
        hint: "PATCH the context with {\"undoEnabled\": true}; it is for changes from then on")

    private func settlingUndo(_ body: () throws -> Void) throws {
        do { try body() } catch let error as UndoError {
            throw Problem(.undoGroup, error.description)
        }
    }

    private func refresh(_ call: Call, _ editing: EditingContext) throws {
        let graph = editing.graph
        let addresses = ObjectAddress(
            model: model, basePath: answers.editing(editing.id).objectsPath,
            temporaries: editing.family.temporaries)
        let asked = try ContextRefresh(call.body, options.limits, address: addresses.read)
        if asked.objects == nil, asked.merges { return try graph.refreshAllObjects() }
        try graph.inOneView {
            let objects = try asked.objects.map { owners in
                try owners.map { owner in
                    guard let object = try graph.object(entity: owner.entity, key: owner.key) else {
                        throw Execution.missing(owner.entity, owner.key)
                    }
                    return object
                }
            }
            // Who has changes in his to-manys alone is held by nobody else.
            let updated = try objects == nil ? graph.updatedObjects() : []
            try withExtendedLifetime(updated) {
                for object in objects ?? graph.registeredObjects {
                    try graph.refresh(object, mergeChanges: asked.merges)
                }
            }
        }
    }

    /// Saves into the store, or a child into its parent.
    private func save(_ call: Call, _ editing: EditingContext) throws -> Response {
        try BodyMembers.read(call.body, []) { _, _ in }
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
                // Only a policy that puts one's own changes first may put them on what is new.
                guard graph.mergePolicy == .objectTrump || graph.mergePolicy == .overwrite else {
                    throw Problem(
                        .contextStale, "others have saved what these changes rely on: \(why)",
                        hint: "POST \(RoutePattern.contextRefresh.rawValue) keeps the changes, on "
                            + "top of what is stored; then save again")
                }
                try graph.settleAllObjects()
            }
        }
        throw StoreError.busy("other saves were quicker each time")
    }

    // MARK: Answers

    private func created(_ made: EditingContext) throws -> Response {
        let location = answers.editing(made.id).objectsPath
        let deadline = contexts.touch(made)
        var response = try page(201) {
            try ContextPage.write(stateOf: made, until: deadline, to: &$0)
        }
        response.headers.append(("Location", location))
        return response
    }

    private func state(of editing: EditingContext) throws -> Response {
        let deadline = contexts.touch(editing)
        return try page(200) {
            try ContextPage.write(stateOf: editing, until: deadline, to: &$0)
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
