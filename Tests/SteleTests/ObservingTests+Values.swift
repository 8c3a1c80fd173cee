// The value of one property, observed.

import Glibc
import Stele
import Testing

extension ObservingTests {
    /// What an observation of a number was told: the kind, and the value before and after.
    private final class Told {
        var lines: [String] = []

        func note(_ change: KeyValueChange<PropertyValue>) {
            func text(_ value: PropertyValue?) -> String {
                switch value {
                case nil: "none"
                case .value(.int(let it))?: "\(it)"
                case .value(let it)?: "\(it)"
                case .members(let keys)?: "\(keys.count) members"
                }
            }
            lines.append("\(change.kind): \(text(change.oldValue)), \(text(change.newValue))")
        }

        func next() -> [String] {
            defer { lines = [] }
            return lines
        }
    }

    @Test func aValueIsToldBeforeAndAfterTheSave() throws {
        let told = Told()
        let observation = try players[0].observe(forKey: "goals") { told.note($0) }
        try players[0].setValue(.int(10), forKey: "goals")
        try players[0].setValue(.int(11), forKey: "goals")
        try players[1].setValue(.int(1), forKey: "goals")
        #expect(told.next().isEmpty)
        try context.processPendingChanges()
        #expect(told.next() == ["changed: 9, 11"])
        try players[0].setValue(.string("other"), forKey: "name")
        try context.save()
        #expect(told.next() == ["saved: 9, 11"])
        // A save that leaves the value as it is.
        try players[0].setValue(.string("another"), forKey: "name")
        try context.save()
        #expect(told.next().isEmpty)
        try players[0].setValue(.int(12), forKey: "goals")
        try context.save()
        #expect(told.next() == ["changed: 11, 12", "saved: 11, 12"])
        try context.delete(players[0])
        try context.save()
        #expect(told.next() == ["changed: 12, none", "saved: 12, none"])
        observation.cancel()
    }

    @Test func whatTheStoreHasIsToldAsRefreshed() throws {
        context.automaticallyMergesChangesFromParent = true
        let told = Told()
        let observation = try players[0].observe(forKey: "goals") { told.note($0) }
        let other = container.newBackgroundContext()
        let same = try #require(try other.existingObject(with: players[0].objectID))
        try same.setValue(.int(20), forKey: "goals")
        try other.save()
        try merge { !told.lines.isEmpty }
        #expect(told.next() == ["refreshed: 9, 20"])
        try players[0].setValue(.int(21), forKey: "goals")
        try context.processPendingChanges()
        context.rollback()
        #expect(told.next() == ["changed: 20, 21", "refreshed: 21, 20"])
        try players[0].setValue(.int(22), forKey: "goals")
        try context.save()
        #expect(told.next() == ["changed: 20, 22", "saved: 20, 22"])
        observation.cancel()
        try players[0].setValue(.int(23), forKey: "goals")
        try context.save()
        #expect(told.next().isEmpty)
    }

    /// A save of another property is not one of a value that others have saved, and a new
    /// destination is told once.
    @Test(arguments: [false, true])
    func aSaveTellsOfItsOwnValues(_ isToldTogether: Bool) throws {
        context.automaticallyMergesChangesFromParent = true
        let told = Told()
        let observation = try players[0].observe(forKey: "goals") { told.note($0) }
        try players[0].setValue(.string("renamed"), forKey: "name")
        if !isToldTogether { try context.processPendingChanges() }
        let other = container.newBackgroundContext()
        let same = try #require(try other.existingObject(with: players[0].objectID))
        try same.setValue(.int(20), forKey: "goals")
        try other.save()
        // The broadcast has brought the save when the context tells of both changes.
        if isToldTogether { usleep(200_000) }
        try merge { !told.lines.isEmpty }
        #expect(told.next() == ["refreshed: 9, 20"])
        try context.save()
        #expect(told.next().isEmpty)
        let team = try players[0].observe(forKey: "team") { told.note($0) }
        let new = try context.insert(teams[0].entity)
        try new.setValue(.string("new"), forKey: "name")
        try players[0].setDestination(new, forKey: "team")
        try context.processPendingChanges()
        #expect(told.next().count == 1)
        try context.save()
        let saved = told.next()
        #expect(saved.count == 1 && saved[0].hasPrefix("saved: "), "\(saved)")
        observation.cancel()
        team.cancel()
        let inserted = try context.insert(teams[0].entity)
        let name = try inserted.observe(forKey: "name") { told.note($0) }
        context.rollback()
        #expect(told.next().last?.hasSuffix("none") == true)
        name.cancel()
    }

    @Test func relationshipsAndUndoAreTold() throws {
        let told = Told()
        let observation = try teams[0].observe(forKey: "players") { told.note($0) }
        context.undoManager = UndoManager()
        try players[0].setDestination(teams[1], forKey: "team")
        try context.processPendingChanges()
        #expect(told.next() == ["changed: 2 members, 1 members"])
        try context.undo()
        #expect(told.next() == ["changed: 1 members, 2 members"])
        try context.redo()
        try context.save()
        #expect(
            told.next() == ["changed: 2 members, 1 members", "saved: 2 members, 1 members"])
        observation.cancel()
        #expect(throws: ContextError.noSuchProperty(entity: "Team", property: "nothing")) {
            try teams[0].observe(forKey: "nothing") { _ in }
        }
    }
}
