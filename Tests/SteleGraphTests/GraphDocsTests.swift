// Docs/Graph.md: each of its examples stands here, word for word, and holds.

import Foundation
import SteleModel
import StelePersistence
import StelePredicates
import SteleSystem
import Testing

@testable import SteleGraph

@Suite struct GraphDocsTests {
    @Test func contextsFetchesUndoAndChildren() throws {
        let fixture = try Fixture(try makeLeague(), .sqlite)
        let coordinator = fixture.coordinator
        let (team, person) = (try fixture.entity("Team"), try fixture.entity("Person"))
        let teamName = try #require(team.attribute(named: "name"))
        let personName = try #require(person.attribute(named: "name"))
        let personTeam = try fixture.relationship("Person.team")
        var seen = 0

        let context = coordinator.newContext(author: "ann")
        let crew = try context.insert(team)
        crew.setValue(.string("Crew"), for: teamName)
        let ann = try context.insert(person)
        ann.setValue(.string("Ann"), for: personName)
        try ann.setToOne(personTeam, crew)
        try context.save()
        #expect(try fixture.lastSave().author == "ann")

        let everybody = FetchRequest(entity: person)
        ann.setValue(.string("Anne"), for: personName)
        let bo = try context.insert(person)
        let found = try context.fetch(everybody)
        #expect(found.count == 2 && found[0] === ann && found[1] === bo)

        context.undoManager = UndoManager()
        try context.undoManager?.beginUndoGrouping()
        bo.setValue(.string("Bo"), for: personName)
        try context.delete(crew)
        try context.undoManager?.endUndoGrouping()
        try context.undo()
        try context.redo()
        #expect(try bo["name"] == .string("Bo") && ann.toOne(personTeam) == nil)
        try context.undo()
        #expect(try bo["name"] == .null && ann.toOne(personTeam) === crew)
        try context.redo()

        let child = ManagedObjectContext(parent: context)
        let copy = try child.existingObject(with: ann.id)
        copy?.setValue(.string("Annie"), for: personName)
        try child.save()
        #expect(ann["name"] == .string("Annie") && context.hasChanges)
        try context.save()

        context.automaticallyMergesChangesFromParent = true
        let observation = context.observe { notification in
            if case .objectsDidChange(let changed) = notification {
                seen += changed.refreshed.count
            }
        }
        let other = fixture.context()
        try other.get(ann.id)["name"] = .string("Anna")
        try other.save()
        try waitUntil {
            try context.processPendingChanges()
            return seen == 1
        }
        #expect(ann["name"] == .string("Anna"))
        observation.cancel()
    }

    @Test func resultsThatFollow() throws {
        let fixture = try Fixture(try makeLeague(), .sqlite)
        let coordinator = fixture.coordinator
        let person = try fixture.entity("Person")
        let told = Mutex<[Int]>([])
        var grownUps = FetchRequest(entity: person)
        grownUps.predicate = try Predicate(format: "age >= 18")
        grownUps.sortDescriptors = try SortList("name").descriptors
        let controller = try FetchedResultsController(
            grownUps, sectionNameKeyPath: "team.name", coordinator: coordinator)
        try controller.performFetch { change in
            guard case .difference(let difference) = change else { return }
            told.withLock { $0 += difference.inserts.map(\.index) }
        }
        let context = fixture.context()
        try context.insert(person)["age"] = .int(20)
        try context.save()
        try waitUntil { told.withLock { $0 == [0] } }
        #expect(controller.sections == [ResultsSection(name: .null, numberOfObjects: 1)])
        #expect(controller.fetchedObjectIDs.count == 1)
    }

    @Test func subclasses() throws {
        final class Player: ManagedObject {
            override func awakeFromInsert() { try? setValue(.int(1), forKey: "age") }

            override func validateForUpdate() throws {
                try super.validateForUpdate()
                guard try value(forKey: "age") == .null else { return }
                throw ValidationError(
                    .invalid, entity: entity, key: id.key, property: "age",
                    message: "a player has an age", detail: "age of Player is null")
            }
        }
        let store = InMemoryStore(model: try makeLeague())
        let league = PersistentStoreCoordinator(store: store, classes: ["Person": Player.self])
        let context = league.newContext()
        let player = try context.insert(try #require(store.model.entity(named: "Employee")))
        #expect(player is Player && player["age"] == .int(1))
        try context.save()
        player["age"] = .null
        #expect(throws: ValidationErrors.self) { try context.save() }
    }

    /// Each line of the page's examples stands in this file, in the same order.
    @Test func thePageShowsWhatIsTested() throws {
        let here = URL(fileURLWithPath: #filePath)
        let root = here.deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(
            contentsOf: root.appendingPathComponent("Docs/Graph.md"), encoding: .utf8)
        let source = try String(contentsOf: here, encoding: .utf8)
        func lines(_ text: Substring) -> [String] {
            text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        let held = "\n" + lines(source[...]).joined(separator: "\n") + "\n"
        let blocks = page.components(separatedBy: "```swift\n").dropFirst()
        #expect(blocks.count == 7)
        for block in blocks {
            let example = block.components(separatedBy: "```")[0]
            let wanted = "\n" + lines(example[...]).joined(separator: "\n") + "\n"
            // The class is declared inside a test, the line that uses it after its store.
            for part in wanted.components(separatedBy: "\nlet league") where !part.isEmpty {
                #expect(
                    held.contains(part) || held.contains("\nlet league" + part),
                    "not in this file: \(part)")
            }
        }
    }
}

/// Waits for what another thread does, ten seconds at most.
func waitUntil(_ condition: () throws -> Bool) throws {
    let end = ContinuousClock.now + .seconds(10)
    while try !condition() {
        guard ContinuousClock.now < end else {
            Issue.record("it has not happened within ten seconds")
            return
        }
        usleep(2_000)
    }
}
