// The steps of an editing play.

import SteleModel
import StelePersistence
import StelePredicates

@testable import SteleGraph

extension EditingPlay {
    mutating func any(_ context: ManagedObjectContext) throws -> ManagedObject {
        let all = try context.fetch(FetchRequest(entity: node))
        return try all.randomElement(using: &numbers) ?? context.insert(node)
    }

    mutating func change(_ context: ManagedObjectContext) throws {
        let (a, b) = (try any(context), try any(context))
        let links = fixture.model.relationships.filter { rules.links?.contains($0.name) ?? true }
        let link = links[Int.random(in: 0..<links.count, using: &numbers)]
        switch Int.random(in: 0..<12, using: &numbers) {
        case 0:
            let made = try context.insert(
                Bool.random(using: &numbers) ? node : try fixture.entity("SubNode"))
            log += "insert \(made.objectID.key)\n"
        case 1:
            log += "delete \(a.objectID.key)\n"
            try context.delete(a)
        case 2 where rules.missesSaves:
            let code = "c\(Int.random(in: 0..<6, using: &numbers))"
            log += "code \(a.objectID.key) \(code)\n"
            a["code"] = .string(code)
        case 2, 3:
            let name = "n\(Int.random(in: 0..<1000, using: &numbers))"
            log += "name \(a.objectID.key)\n"
            a["name"] = .string(name)
        case 4 where !link.isToMany:
            log += "\(link.name) of \(a.objectID.key) none\n"
            try a.setToOne(link, nil)
        default:
            if !link.isToMany {
                log += "\(link.name) of \(a.objectID.key) \(b.objectID.key)\n"
                try a.setToOne(link, b)
                return
            }
            switch Int.random(in: 0..<5, using: &numbers) {
            case 0:
                log += "\(link.name) of \(a.objectID.key) without \(b.objectID.key)\n"
                try a.removeMember(link, b)
            case 1:
                let some = [b, try any(context), try any(context)]
                log += "\(link.name) of \(a.objectID.key) = \(some.map(\.objectID.key))\n"
                try a.setMembers(link, some)
            case 2:
                log += "\(link.name) of \(a.objectID.key) first \(b.objectID.key)\n"
                try a.addMember(link, b, at: 0)
            default:
                log += "\(link.name) of \(a.objectID.key) with \(b.objectID.key)\n"
                try a.addMember(link, b)
            }
        }
    }

    mutating func undo(_ context: ManagedObjectContext) throws {
        log += "undo\n"
        try context.undo()
    }

    mutating func redo(_ context: ManagedObjectContext) throws {
        log += "redo\n"
        try context.redo()
    }

    /// Undo and redo restore the exact state.
    mutating func undoAndRedo(_ context: ManagedObjectContext) throws {
        // Where the ends of a link were read at different times, restoring it repairs both.
        try catchUp(context)
        try context.processPendingChanges()
        let before = try facts(context)
        try context.undoManager?.beginUndoGrouping()
        log += "as a group:\n"
        for _ in 0..<Int.random(in: 1...5, using: &numbers) { try change(context) }
        try context.undoManager?.endUndoGrouping()
        let after = try facts(context)
        if before == after { return }
        log += "which is undone and done again\n"
        try context.undo()
        expect(try facts(context), before, "undo")
        try context.redo()
        expect(try facts(context), after, "redo")
        if Bool.random(using: &numbers) { try context.undo() }
    }

    /// An undone deletion is no change, even of an object that was read long ago.
    mutating func deleteAndTakeBack(_ context: ManagedObjectContext) throws {
        let object = try any(context)
        try context.processPendingChanges()
        if context.hasChanges { return }
        log += "delete \(object.objectID.key) and take it back\n"
        try context.delete(object)
        try context.undo()
        expect(try changes(context), [], "changes after a deletion that was taken back")
    }

    mutating func undoWhatIsSaved(_ context: ManagedObjectContext) throws {
        try save(context)
        let before = try facts(context)
        try context.undoManager?.beginUndoGrouping()
        log += "as a group:\n"
        for _ in 0..<Int.random(in: 1...4, using: &numbers) { try change(context) }
        try context.undoManager?.endUndoGrouping()
        if try facts(context) == before { return }
        try save(context)
        let after = try facts(context)
        // A save that merged other changes is not undone to the same state.
        if isSettled { return }
        log += "which is undone and done again\n"
        try context.undo()
        expect(try facts(context), before, "undo of what is saved")
        try save(context)
        if isSettled { return }
        expect(try facts(context), before, "undo of what is saved, saved")
        try context.redo()
        expect(try facts(context), after, "redo of what is saved")
        try save(context)
    }

    /// After a save the store has the state of the context, and the other context is told.
    mutating func save(_ context: ManagedObjectContext) throws {
        log += "save\n"
        let token = fixture.coordinator.currentToken
        isSettled = !missed[index(context)].isEmpty
        if rules.refusesSaves, Bool.random(using: &numbers) { try saveInVain(context) }
        var tries = 0
        while true {
            do {
                let result = try context.save()
                if !result.replacedKeys.isEmpty { isSettled = true }
                break
            } catch let error as StoreError {
                try checkChangedLinks(context)
                switch error {
                case .moved where tries % 2 == 0: try context.settleAllObjects()
                case .moved, .conflicts: try context.refreshAllObjects()
                case .constraint(let conflict): try giveUp(conflict, context)
                default: throw error
                }
                tries += 1
                isSettled = true
                // Each code may collide once.
                if tries == (rules.missesSaves ? 60 : 3) { throw error }
            }
        }
        expect(context.hasChanges, false, "changes after a save")
        if fixture.coordinator.currentToken > token {
            let save = try fixture.lastSave()
            let other = contexts[1 - index(context)]
            if rules.missesSaves {
                missed[index(other)].append(save)
            } else {
                try other.mergeChanges(fromContextDidSave: save)
            }
        }
        try catchUp(context)
        let fresh = fixture.context()
        expect(try facts(context), try facts(fresh), "the store against the context")
        try checkLinks(fresh)
    }

    /// A save that is refused because an object is invalid once its conflicts are settled.
    mutating func saveInVain(_ context: ManagedObjectContext) throws {
        guard let mark = node.attribute(named: "mark") else { return }
        context.name = RefusedNode.refusing
        defer { context.name = nil }
        do { try context.save() } catch is ValidationErrors {
            log += "refused for what is not valid\n"
            refusals += 1
        } catch is StoreError {
            log += "refused by the store\n"
        }
        for object in context.registeredObjects where !object.isFault && object["mark"] == .null {
            object.setPrimitiveValue(mark.declaration.defaultValue, for: mark)
        }
        try checkChangedLinks(context)
    }

    /// Clears values of this context that are taken in the store.
    mutating func giveUp(
        _ conflict: ConstraintConflict, _ context: ManagedObjectContext
    ) throws {
        log += "codes meet\n"
        for object in try context.insertedObjects + context.updatedObjects()
        where conflict.values.contains(object["code"]) { object["code"] = .null }
    }

    mutating func rollback(_ context: ManagedObjectContext) throws {
        log += "rollback\n"
        context.rollback()
        expect(context.hasChanges, false, "changes after a rollback")
        try catchUp(context)
        expect(try facts(context), try facts(fixture.context()), "rollback")
    }

    mutating func refresh(_ context: ManagedObjectContext) throws {
        let object = try any(context)
        try context.processPendingChanges()
        let before = try facts(context)
        // Changes that are merged meanwhile add to its state.
        let isTold = missed[index(context)].isEmpty
        switch Int.random(in: 0..<(rules.links == nil ? 3 : 4), using: &numbers) {
        case 0:
            log += "refresh \(object.objectID.key)\n"
            try context.refresh(object, mergeChanges: false)
        case 1:
            log += "refresh under changes \(object.objectID.key)\n"
            try context.refresh(object, mergeChanges: true)
            if isTold { expect(try facts(context), before, "refreshing under changes") }
        case 3:
            log += "drop all changes\n"
            // An object with changes in to-manys alone may not be retained.
            let updated = try context.updatedObjects()
            try withExtendedLifetime(updated) {
                for object in context.registeredObjects.sorted(by: {
                    $0.objectID.key < $1.objectID.key
                }) {
                    try context.refresh(object, mergeChanges: false)
                }
            }
            guard context.insertedObjects.isEmpty, context.deletedObjects.isEmpty else { break }
            expect(try changes(context), [], "changes after all were dropped")
        default:
            log += "refresh all\n"
            try context.refreshAllObjects()
            if isTold { expect(try facts(context), before, "refreshing all") }
        }
    }

    /// The save of a child makes its changes in the parent.
    mutating func nest(_ context: ManagedObjectContext) throws {
        log += "in a child:\n"
        let child = ManagedObjectContext(parent: context)
        expect(try facts(child), try facts(context), "a new child")
        for _ in 0..<Int.random(in: 1...6, using: &numbers) { try change(child) }
        try child.processPendingChanges()
        try checkLinks(child)
        let wanted = try facts(child)
        let before = try facts(context)
        log += "saved to its parent\n"
        try child.save()
        expect(try facts(context), wanted, "the child's save")
        try context.undo()
        if before != wanted { expect(try facts(context), before, "undo of a child's save") }
    }

    /// The parent may have lost a destination of the child: the save changes nothing.
    mutating func nestWhileTheParentChanges(_ context: ManagedObjectContext) throws {
        log += "in a child:\n"
        let child = ManagedObjectContext(parent: context)
        for _ in 0..<Int.random(in: 1...5, using: &numbers) { try change(child) }
        log += "meanwhile in its parent:\n"
        for _ in 0..<Int.random(in: 1...3, using: &numbers) { try change(context) }
        try context.processPendingChanges()
        let before = try facts(context)
        do {
            try child.save()
            log += "saved to its parent\n"
        } catch StoreError.conflicts {
            log += "refused by its parent\n"
            expect(try facts(context), before, "a child's save that is refused")
            return
        }
        expect(child.hasChanges, false, "changes after a child's save")
        // Objects read before the parent changed them are old until then.
        try child.refreshAllObjects()
        expect(try facts(child), try facts(context), "a child that is refreshed")
    }
}
