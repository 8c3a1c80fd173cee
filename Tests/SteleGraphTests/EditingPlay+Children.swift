// A play with children that live as long as their parents, and undo in both.

import SteleModel
import StelePersistence

@testable import SteleGraph

extension EditingPlay {
    /// A step in the child of a context.
    mutating func workInChild(_ number: Int) throws {
        let (child, parent) = (children[number], contexts[number])
        log += "in its child: "
        switch Int.random(in: 0..<100, using: &numbers) {
        case 0..<34:
            try change(child)
            if Bool.random(using: &numbers) { try child.processPendingChanges() }
        case 34..<44: try undoInBoth(child, parent)
        case 44..<66: try save(child, to: parent)
        case 66..<80:
            log += "undo\n"
            try child.undo()
        case 80..<86:
            log += "redo\n"
            try child.redo()
        case 86..<97:
            log += "refresh\n"
            try child.refreshAllObjects()
            if isTold(parent) { try checkLinks(child) }
        default:
            log += "rollback\n"
            child.rollback()
            expect(child.hasChanges, false, "changes after a rollback")
        }
    }

    /// The parent may have lost an object that the child has changed or linked to: the save changes
    /// nothing, and succeeds after a refresh.
    private mutating func save(
        _ child: ManagedObjectContext, to parent: ManagedObjectContext
    ) throws {
        log += "save\n"
        try parent.processPendingChanges()
        let before = try facts(parent)
        do { try child.save() } catch StoreError.conflicts {
            log += "refused by its parent\n"
            expect(try facts(parent), before, "a child's save that is refused")
            try child.refreshAllObjects()
            if isTold(parent) { try checkLinks(child) }
            try child.save()
        }
        expect(child.hasChanges, false, "changes after a child's save")
        let after = try facts(parent)
        if Bool.random(using: &numbers) {
            try child.refreshAllObjects()
            expect(try facts(child), after, "a child that is saved and refreshed")
        }
        // A save that does not change the parent is not an action of its undo stack.
        if after == before || Int.random(in: 0..<3, using: &numbers) > 0 { return }
        log += "which is undone and done again\n"
        try parent.undo()
        expect(try facts(parent), before, "undo of a child's save")
        try parent.redo()
        expect(try facts(parent), after, "redo of a child's save")
    }

    /// Undoing saved changes in a child and in its parent, in any order, and saving the child again
    /// restores the state before.
    private mutating func undoInBoth(
        _ child: ManagedObjectContext, _ parent: ManagedObjectContext
    ) throws {
        try save(child, to: parent)
        try child.refreshAllObjects()
        // A refresh applies deletions again, which is an action of its own.
        try parent.processPendingChanges()
        let before = try facts(parent)
        try child.undoManager?.beginUndoGrouping()
        log += "as a group:\n"
        if Bool.random(using: &numbers) {
            let gone = try any(child)
            log += "delete \(gone.objectID.key)\n"
            try child.delete(gone)
        }
        for _ in 0..<Int.random(in: 0...3, using: &numbers) { try change(child) }
        try child.undoManager?.endUndoGrouping()
        if try facts(child) == before { return }
        log += "which is saved and undone in both\n"
        try child.save()
        let isChildFirst = Bool.random(using: &numbers)
        if isChildFirst { try child.undo() }
        try parent.undo()
        if Bool.random(using: &numbers) {
            log += "refreshed between\n"
            try parent.refreshAllObjects()
        }
        if !isChildFirst { try child.undo() }
        try child.save()
        expect(try facts(parent), before, "undo in both")
        try child.refreshAllObjects()
        expect(try facts(child), before, "undo in both, in the child")
    }
}
