// The delegate of a results controller, results of one object, and results with unsaved changes.

import Stele
import SteleSystem
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

@Suite(.timeLimit(.minutes(30))) struct ObservingTests {
    let container: PersistentContainer
    let context: ManagedObjectContext
    let teams: [ManagedObject]
    let players: [ManagedObject]

    /// Two teams; the first has two players.
    init() throws {
        let model = try Model(contentsOfFile: samplePath("League"))
        container = try PersistentContainer(model: model, at: ":memory:")
        let context = container.newBackgroundContext()
        teams = try ["Northgate", "Southgate"].map { name in
            let team = try context.insert(try #require(model.entity(named: "Team")))
            try team.setValue(.string(name), forKey: "name")
            return team
        }
        let home = teams[0]
        players = try [9, 4].map { goals in
            let player = try context.insert(try #require(model.entity(named: "Player")))
            try player.setValue(.string("player \(goals)"), forKey: "name")
            try player.setValue(.int(Int64(goals)), forKey: "goals")
            try player.setDestination(home, forKey: "team")
            return player
        }
        self.context = context
        try context.save()
    }

    /// Merges what others save, until that is told, for ten seconds at most: the broadcast's thread
    /// brings it.
    func merge(until isTold: () -> Bool) throws {
        for _ in 0..<5_000 where !isTold() {
            try context.processPendingChanges()
            usleep(2_000)
        }
    }

    @Test func withoutASectionKeyPathThereIsOneSection() throws {
        let player = try #require(container.managedObjectModel.entity(named: "Player"))
        var request = FetchRequest(entity: player)
        request.sortDescriptors = [SortDescriptor(key: "goals")]
        let following = try FetchedResultsController(
            request, coordinator: container.persistentStoreCoordinator)
        #expect(following.sections.isEmpty)
        try following.performFetch()
        let shown = try ContextResultsController(
            fetchRequest: request, managedObjectContext: context)
        try shown.performFetch()
        #expect(following.sections == shown.sections && shown.sections.count == 1)
        #expect(shown.sections[0].name == .null && shown.sections[0].numberOfObjects == 2)
        #expect(shown.indexPath(forObject: players[0]) == [0, 1])

        request.predicate = try Predicate(format: "goals > 100")
        let empty = try ContextResultsController(
            fetchRequest: request, managedObjectContext: context)
        try empty.performFetch()
        #expect(empty.sections.map(\.numberOfObjects) == [0])
    }

    @Test func anObjectPrintsItsValues() throws {
        #expect(
            "\(players[0])"
                == #"Player/p1 {goals: 9, name: "player 9", team: Team/p1}"#)
        #expect("\(teams[1])" == #"Team/p2 {name: "Southgate"}"#)
        try context.refresh(players[0], mergeChanges: false)
        #expect("\(players[0])" == "Player/p1 (fault)")
        try context.delete(players[1])
        #expect("\(players[1])".hasPrefix("Player/p2 (deleted) {"))
        let team = try context.insert(teams[0].entity)
        try team.setValue(.string(String(repeating: "x", count: 101)), forKey: "name")
        #expect(
            "\(team)" == "Team/t\(-team.objectID.key) (new) {name: \""
                + String(repeating: "x", count: 100) + "\"…}")
    }

    @Test func aConflictNamesItsObject() throws {
        let other = container.newBackgroundContext()
        let theirs = try #require(try other.existingObject(with: players[0].objectID))
        try theirs.setValue(.int(10), forKey: "goals")
        try other.save()
        context.mergePolicy = .error
        try players[0].setValue(.int(11), forKey: "goals")
        #expect {
            try context.save()
        } throws: { error in
            guard case StoreError.conflicts(let conflicts)? = error as? StoreError else {
                return false
            }
            return conflicts.map { $0.objectID(in: container.managedObjectModel) }
                == [players[0].objectID]
        }
    }

    // MARK: The delegate

    /// Writes down what it is told.
    private final class Delegate: FetchedResultsControllerDelegate {
        private let lines = Mutex<[String]>([])

        /// What was told until the end of the next change; nothing is told for it after ten seconds.
        func next() -> [String] {
            for _ in 0..<5_000 {
                let told = lines.withLock { lines -> [String]? in
                    guard lines.last == "did change" || lines.last?.hasPrefix("failed") == true
                    else { return nil }
                    defer { lines = [] }
                    return lines
                }
                if let told { return told }
                usleep(2_000)
            }
            return lines.withLock { $0 }
        }

        private func note(_ line: String) { lines.withLock { $0.append(line) } }

        func controllerWillChangeContent(_ controller: FetchedResultsController) {
            note("will change")
        }

        func controller(
            _ controller: FetchedResultsController, didChange id: ObjectID,
            at indexPath: IndexPath?, for type: FetchedResultsChangeType, newIndexPath: IndexPath?
        ) {
            let from = indexPath.map(Array.init) ?? []
            note("\(type) \(id.key) \(from) \(newIndexPath.map(Array.init) ?? [])")
        }

        func controller(
            _ controller: FetchedResultsController, didChange section: ResultsSection,
            atSectionIndex index: Int, for type: FetchedResultsChangeType
        ) {
            note("\(type) section \(index)")
        }

        func controllerDidChangeContent(_ controller: FetchedResultsController) {
            note("did change")
        }

        func controller(_ controller: FetchedResultsController, didFailWith error: any Error) {
            note("failed: \(error)")
        }
    }

    @Test func theDelegateIsToldOfRowsAndSections() throws {
        var request = FetchRequest(entity: players[0].entity)
        request.sortDescriptors = [SortDescriptor(key: "goals", ascending: false)]
        let controller = try FetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "team.name")
        let delegate = Delegate()
        controller.delegate = delegate
        try controller.performFetch()
        let (nine, four) = (players[0].objectID.key, players[1].objectID.key)
        // The other moves up, so it is updated at another index path.
        try players[0].setDestination(teams[1], forKey: "team")
        try players[1].setValue(.int(5), forKey: "goals")
        try context.save()
        #expect(
            delegate.next() == [
                "will change", "insert section 1", "move \(nine) [0, 0] [1, 0]",
                "update \(four) [0, 1] [0, 0]", "did change",
            ])
        try players[1].setDestination(teams[1], forKey: "team")
        try context.save()
        #expect(
            delegate.next() == [
                "will change", "delete section 0", "move \(four) [0, 0] [0, 1]", "did change",
            ])
        try context.delete(players[0])
        try context.save()
        #expect(delegate.next() == ["will change", "delete \(nine) [0, 0] []", "did change"])
    }

    // MARK: Results of one object

    @Test func aControllerFollowsTheMembersOfAnObject() throws {
        let controller = try FetchedResultsController(
            forKey: "players", of: teams[0], where: "goals > %d", 3, sort: "-goals")
        let delegate = Delegate()
        controller.delegate = delegate
        try controller.performFetch()
        #expect(controller.fetchedObjectIDs == players.map(\.objectID))
        try players[0].setDestination(teams[1], forKey: "team")
        try context.save()
        let nine = players[0].objectID.key
        #expect(delegate.next() == ["will change", "delete \(nine) [0, 0] []", "did change"])
        try context.delete(teams[0])
        try context.save()
        #expect(delegate.next().last?.hasPrefix("failed: the object whose members") == true)
    }

    @Test func whatHasNoMembersIsRefused() throws {
        #expect(
            throws: ContextError.noSuchRelationship(entity: "Team", relationship: "name")
        ) { try FetchedResultsController(forKey: "name", of: teams[0]) }
        let new = try context.insert(teams[0].entity)
        #expect(throws: ContextError.notSaved(entity: "Team")) {
            try FetchedResultsController(forKey: "players", of: new)
        }
    }

    // MARK: Results with unsaved changes

    /// Each difference leads to what the same fetch gives, with unsaved changes and after saves.
    @Test func aControllerFollowsTheUnsavedStateOfItsContext() throws {
        var numbers = SeededNumbers(seed: drawSeed("aControllerFollowsTheUnsavedState"))
        var request = FetchRequest(entity: players[0].entity)
        request.predicate = try Predicate(format: "goals > 2")
        request.sortDescriptors = [SortDescriptor(key: "goals", ascending: false)]
        let controller = try ContextResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "team.name")
        var rows: [ManagedObject] = []
        var told = 0
        try controller.performFetch { change in
            guard case .difference(let difference) = change else {
                Issue.record("\(change)")
                return
            }
            told += 1
            for index in (difference.deletes.map(\.index) + difference.moves.map(\.from))
                .sorted(by: >)
            {
                rows.remove(at: index)
            }
            let come = difference.inserts.map(\.index) + difference.moves.map(\.to)
            for index in come.sorted() { rows.insert(controller.fetchedObjects[index], at: index) }
        }
        rows = controller.fetchedObjects
        #expect(rows == players)
        for round in 0..<120 {
            let all = try context.fetch(FetchRequest(entity: players[0].entity))
            let team = Bool.random(using: &numbers) ? teams[0] : teams[1]
            switch Int.random(in: 0..<6, using: &numbers) {
            case 0:
                let made = try context.insert(players[0].entity)
                try made.setValue(.string("new"), forKey: "name")
                try made.setValue(.int(Int64.random(in: 0...9, using: &numbers)), forKey: "goals")
                try made.setDestination(team, forKey: "team")
            case 1:
                if all.count > 4, let it = all.randomElement(using: &numbers) {
                    try context.delete(it)
                }
            case 2: try all.randomElement(using: &numbers)?.setDestination(team, forKey: "team")
            case 3: try team.setValue(.string("team \(round % 3)"), forKey: "name")
            default:
                try all.randomElement(using: &numbers)?
                    .setValue(.int(Int64.random(in: 0...9, using: &numbers)), forKey: "goals")
            }
            if round % 7 == 3 { try context.save() } else { try context.processPendingChanges() }
            if round % 11 == 5 { context.rollback() }
            var sorted = request
            sorted.sortDescriptors.insert(SortDescriptor(key: "team.name"), at: 0)
            let expected = try context.fetch(sorted)
            #expect(controller.fetchedObjects == expected && rows == expected, "round \(round)")
            #expect(controller.sections.reduce(0) { $0 + $1.numberOfObjects } == rows.count)
            for object in rows {
                let path = try #require(controller.indexPath(forObject: object))
                #expect(controller.object(at: path) === object)
            }
        }
        #expect(told > 60)
        // Only saved objects remain: a rollback takes the others out of the context.
        context.rollback()
        let last = controller.fetchedObjects
        #expect(last == rows && last.allSatisfy { !$0.objectID.isTemporaryID })
        controller.stop()
        try context.delete(try #require(last.first))
        try context.processPendingChanges()
        #expect(controller.fetchedObjects == last)
    }

    /// What others save, also of objects that the context does not have, and what a change within
    /// the closure leads to.
    @Test func aControllerFollowsOthersAndItsOwnClosure() throws {
        context.automaticallyMergesChangesFromParent = true
        var request = FetchRequest(entity: players[0].entity)
        request.sortDescriptors = [SortDescriptor(key: "goals", ascending: false)]
        let controller = try ContextResultsController(
            fetchRequest: request, managedObjectContext: context)
        var told = 0
        let first = players[0]
        try controller.performFetch { _ in
            told += 1
            if told == 1 {
                try? first.setValue(.int(1), forKey: "goals")
                try? context.processPendingChanges()
            }
        }
        let other = container.newBackgroundContext()
        let made = try other.insert(players[0].entity)
        try made.setValue(.string("made"), forKey: "name")
        try made.setValue(.int(50), forKey: "goals")
        try other.save()
        try merge { told > 0 }
        #expect(told >= 2)
        let goals = try controller.fetchedObjects.map { try $0.value(forKey: "goals") }
        #expect(goals == [.int(50), .int(4), .int(1)])
        // After a reset the rows are other objects.
        context.reset()
        #expect(told >= 3)
        #expect(controller.fetchedObjects.allSatisfy { $0.managedObjectContext === context })
    }

    @Test func aControllerNoticesWhatAnotherProgramSaves() throws {
        let folder = try TemporaryFolder()
        let model = try Model(contentsOfFile: samplePath("League"))
        let first = try PersistentContainer(model: model, at: folder.store)
        let second = try PersistentContainer(model: model, at: folder.store)
        defer {
            first.close()
            second.close()
        }
        let team = try #require(model.entity(named: "Team"))
        let controller = try FetchedResultsController(
            FetchRequest(entity: team), coordinator: first.persistentStoreCoordinator)
        try controller.performFetch()
        #expect(controller.count == 0)
        let context = second.newBackgroundContext()
        try context.insert(team).setValue(.string("Elsewhere"), forKey: "name")
        try context.save()
        // Nothing reads the first store meanwhile.
        for _ in 0..<2_000 where controller.count == 0 { usleep(5_000) }
        #expect(controller.count == 1)
    }
}
