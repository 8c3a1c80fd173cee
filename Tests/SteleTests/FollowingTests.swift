// Results, history and key paths, as a program reads them.

import Foundation
import Stele
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct FollowingTests {
    private let container: PersistentContainer
    private let context: ManagedObjectContext
    private let player: Entity
    private let team: Entity

    /// Two teams with players.
    init() throws {
        let model = try Model(contentsOfFile: samplePath("League"))
        container = try PersistentContainer(model: model, at: ":memory:")
        context = container.newBackgroundContext()
        context.transactionAuthor = "ann"
        context.name = "the test"
        player = try #require(model.entity(named: "Player"))
        team = try #require(model.entity(named: "Team"))
        for (name, goals) in [("Northgate", [9, 4]), ("Southgate", [7])] {
            let team = try context.insert(team)
            try team.setValue(.string(name), forKey: "name")
            for goals in goals {
                let player = try context.insert(player)
                try player.setValue(.string("player \(goals)"), forKey: "name")
                try player.setValue(.int(Int64(goals)), forKey: "goals")
                try player.setDestination(team, forKey: "team")
            }
        }
        try context.save()
    }

    private func controller(sections: Bool) throws -> FetchedResultsController {
        var request = FetchRequest(entity: player)
        request.sortDescriptors = [SortDescriptor(key: "goals", ascending: false)]
        return try FetchedResultsController(
            fetchRequest: request, managedObjectContext: context,
            sectionNameKeyPath: sections ? "team.name" : nil)
    }

    private func goals(_ objects: [ManagedObject]) throws -> [Value] {
        try objects.map { try $0.value(forKey: "goals") }
    }

    // MARK: Results

    @Test func fetchedObjectsAreThoseOfAContext() throws {
        let controller = try controller(sections: false)
        try controller.performFetch()
        let objects = try controller.fetchedObjects(in: context)
        #expect(try goals(objects) == [.int(9), .int(7), .int(4)])
        try context.delete(objects[1])
        #expect(try controller.fetchedObjects(in: context) == [objects[0], objects[2]])
        let other = container.newBackgroundContext()
        #expect(try goals(controller.fetchedObjects(in: other)).count == 3)
    }

    @Test func indexPathsAreOfSections() throws {
        let controller = try controller(sections: true)
        #expect(controller.objectID(at: IndexPath(indexes: [0, 0])) == nil, "nothing is fetched")
        try controller.performFetch()
        let objects = try controller.fetchedObjects(in: context)
        #expect(try goals(objects) == [.int(9), .int(4), .int(7)])
        let places = objects.map { controller.indexPath(forObject: $0.objectID) }
        #expect(places == [[0, 0], [0, 1], [1, 0]])
        for (object, place) in zip(objects, places) {
            #expect(try controller.objectID(at: #require(place)) == object.objectID)
        }
        for place: IndexPath in [[0, 2], [2, 0], [1, 1], [0], [], [-1, 0], [0, -1]] {
            #expect(controller.objectID(at: place) == nil, "\(place)")
        }
        #expect(controller.indexPath(forObject: ObjectID(root: team.root, key: 1)) == nil)

        let flat = try self.controller(sections: false)
        try flat.performFetch()
        #expect(flat.indexPath(forObject: objects[2].objectID) == [0, 1])
        #expect(flat.objectID(at: [0, 1]) == objects[2].objectID)
        #expect(flat.objectID(at: [1, 0]) == nil)
    }

    @Test func changesAreASequence() async throws {
        // The sequence keeps the controller.
        let (changes, objects) = try {
            let controller = try controller(sections: false)
            return (try controller.changes(), try controller.fetchedObjects(in: context))
        }()
        try objects[2].setValue(.int(8), forKey: "goals")
        try context.save()
        var iterator = changes.makeAsyncIterator()
        guard case .difference(let difference)? = await iterator.next() else {
            Issue.record("no difference")
            return
        }
        #expect(difference.moves.map(\.from) == [2] && difference.moves.map(\.to) == [1])
    }

    @Test func leavingTheSequenceStopsTheFollowing() async throws {
        weak var released: FetchedResultsController?
        do {
            let controller = try controller(sections: false)
            released = controller
            _ = try controller.changes()
        }
        #expect(released == nil)
        let controller = try controller(sections: false)
        let task = Task { [changes = try controller.changes()] in
            for await _ in changes {}
        }
        task.cancel()
        await task.value
        let other = try self.controller(sections: false)
        let changes = try other.changes()
        try context.insert(player).setValue(.string("new"), forKey: "name")
        try context.save()
        // Controllers are told in turn.
        for await _ in changes { break }
        #expect(controller.count == 3 && other.count == 4)
    }

    @Test func anotherFetchAndStopEndASequence() async throws {
        let controller = try controller(sections: false)
        let former = try controller.changes()
        let later = try controller.changes()
        for await _ in former { Issue.record("a change of an ended sequence") }
        controller.stop()
        for await _ in later { Issue.record("a change of a stopped sequence") }
    }

    @Test func aSequenceThatIsLeftStopsNoLaterOne() async throws {
        let controller = try controller(sections: false)
        var former: AsyncStream<FetchedResultsController.Change>? = try controller.changes()
        let changes = try controller.changes()
        #expect(former != nil)
        former = nil
        try context.insert(player).setValue(.string("new"), forKey: "name")
        try context.save()
        for await _ in changes { break }
        #expect(controller.count == 4)
    }

    @Test func aSequenceThatNobodyReadsEnds() async throws {
        let controller = try controller(sections: false)
        let changes = try controller.changes()
        let object = try #require(try controller.fetchedObjects(in: context).first)
        let before = try #require(controller.token)
        for goals in 0..<1_010 {
            try object.setValue(.int(Int64(100 + goals)), forKey: "goals")
            try context.save()
            // A controller that is far behind gets the changes of several saves as one.
            guard goals % 100 == 99 else { continue }
            try waitUntil { (controller.token ?? 0) > before + Int64(goals) }
        }
        try waitUntil { (controller.token ?? 0) > before + 1_000 }
        var count = 0
        for await _ in changes { count += 1 }
        #expect(count == 1_000)
    }

    // MARK: History

    @Test func theHistoryHasNamesAndIDs() throws {
        let coordinator = container.persistentStoreCoordinator
        let before = coordinator.currentToken
        let first = try #require(try coordinator.history().first)
        #expect(first.author == "ann" && first.contextName == "the test")
        #expect(abs(first.timestamp.timeIntervalSinceNow) < 60)
        #expect(first.changes.count == 5 && first.changes.allSatisfy { $0.changeType == .insert })
        #expect(first.changes.filter { $0.entityName == "Team" }.count == 2)

        let objects = try context.fetch(FetchRequest(entity: player))
        try objects[0].setValue(.int(11), forKey: "goals")
        try context.delete(objects[1])
        try context.save()
        let saves = try coordinator.history(after: before)
        let changes = try #require(saves.first).changes
        #expect(saves.count == 1 && saves[0].token == coordinator.currentToken)
        let update = try #require(
            changes.first { $0.changedObjectID == objects[0].objectID })
        #expect(update.changeType == .update && update.updatedProperties == ["goals"])
        let deletion = try #require(changes.first { $0.changeType == .delete })
        #expect(deletion.changedObjectID == objects[1].objectID)
        #expect(deletion.entityName == "Player" && deletion.updatedProperties == nil)
        #expect(try coordinator.history(limit: 1).count == 1)
        #expect(try coordinator.history(after: coordinator.currentToken).isEmpty)
    }

    // MARK: Key paths

    @Test func aKeyPathFollowsRelationshipsAndOperators() throws {
        let object = try #require(
            try context.fetch(FetchRequest(entity: player)).first {
                try $0.value(forKey: "goals") == .int(4)
            })
        #expect(try object.value(forKeyPath: "team.name").value == .string("Northgate"))
        let team = try #require(try object.value(forKeyPath: "team").object)
        #expect(try object.value(forKeyPath: "team.players").objects.count == 2)
        #expect(try Set(team.value(forKeyPath: "players.goals").values) == [.int(9), .int(4)])
        #expect(try team.value(forKeyPath: "players.@count").value == .int(2))
        #expect(try team.value(forKeyPath: "players.@sum.goals").value == .int(13))
        #expect(try team.value(forKeyPath: "players.@max.goals").value == .int(9))
        #expect(try team.value(forKeyPath: "players.@avg.goals").value == .double(6.5))
        try object.setValue(.int(5), forKey: "goals")
        #expect(try team.value(forKeyPath: "players.@sum.goals").value == .int(14))
        #expect(throws: Stele.PredicateError.self) { try team.value(forKeyPath: "players.x") }
        #expect(throws: Stele.PredicateError.self) { try team.value(forKeyPath: "") }
    }
}
