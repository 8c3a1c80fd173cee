// Containers, as a program has them that imports `Stele` alone.

import Foundation
import Stele
import TestSupport
import Testing

/// A model with two versions, as generated code has it.
private enum TeamsModel: TypedModel {
    static let embedded = EmbeddedModel(
        name: "Teams", currentVersion: "Teams 2",
        versions: [
            #"{"name": "Teams", "entities": [{"name": "Team", "attributes": [{"name": "name", "type": "String"}]}]}"#,
            #"""
            {"name": "Teams 2", "entities": [{"name": "Team", "attributes": [
              {"name": "name", "type": "String"}, {"name": "id", "type": "Integer 64"}]}]}
            """#,
        ])
    static let entities = [
        TypedEntity("Team", Team.self, ["name": .attribute(.string), "id": .attribute(.integer64)])
    ]
}

private final class Team: ManagedObject {
    var name: String? {
        get { attribute(forKey: "name") }
        set { setAttribute(newValue, forKey: "name") }
    }
    /// An attribute may have the name, because the class has `objectID`.
    var id: Int? {
        get { attribute(forKey: "id") }
        set { setAttribute(newValue, forKey: "id") }
    }
}

@Suite(.timeLimit(.minutes(30))) struct PersistentContainerTests {
    @MainActor @Test func fiveLinesToARow() throws {
        let container = try PersistentContainer(TeamsModel.self, at: ":memory:")
        let context = container.viewContext
        let team = Team(context: context)
        team.name = "Northgate"
        team.id = 7
        try context.save()

        #expect(container.name == "Teams" && context === container.viewContext)
        #expect(!team.objectID.isTemporaryID && team.objectID.key == 1)
        #expect(try context.fetch(Team.self, where: "id == %d", 7) == [team])

        // Foundation has types of these names as well.
        var request = FetchRequest(entity: try Team.entity(in: context))
        request.predicate = try Predicate(format: "name BEGINSWITH 'North'")
        request.sortDescriptors = [SortDescriptor(key: "name")]
        #expect(try context.fetch(request) == [team])
    }

    @MainActor @Test func theViewContextFollowsABackgroundTask() async throws {
        let folder = try TemporaryFolder()
        let container = try PersistentContainer(TeamsModel.self, at: folder.store)
        defer { container.close() }
        let team = Team(context: container.viewContext)
        team.name = "Northgate"
        try container.viewContext.save()

        let id = team.objectID
        let old = try await container.performBackgroundTask { context in
            let team = try #require(try context.existingObject(with: id) as? Team)
            defer { team.name = "Southgate" }
            return team.name
        }
        #expect(old == "Northgate" && team.name == "Northgate", "the task has saved nothing")
        try await container.performBackgroundTask { context in
            (try context.existingObject(with: id) as? Team)?.name = "Southgate"
            try context.save()
        }
        try waitUntil {
            try container.viewContext.processPendingChanges()
            return team.name == "Southgate"
        }
    }

    @Test func anErrorOfABackgroundTaskIsTheCallers() async throws {
        let container = try PersistentContainer(TeamsModel.self, at: ":memory:")
        await #expect(throws: ContextError.abstractEntity("Team")) {
            try await container.performBackgroundTask { _ in
                throw ContextError.abstractEntity("Team")
            }
        }
    }

    /// The context that merges what others save has it at its next call, not some time later.
    @Test func aSaveThatHasReturnedIsMergedByTheNextCall() throws {
        let container = try PersistentContainer(TeamsModel.self, at: ":memory:")
        let shown = container.newBackgroundContext()
        shown.automaticallyMergesChangesFromParent = true
        let other = container.newBackgroundContext()
        let changed = Team(context: other)
        changed.id = 0
        try other.save()
        let team = try #require(try shown.fetch(Team.self).first)
        for number in 1...300 {
            changed.id = number
            try other.save()
            if number.isMultiple(of: 2) {
                try shown.processPendingChanges()
            } else {
                _ = try shown.fetch(Team.self)
            }
            #expect(team.id == number)
        }
    }

    @Test func manyBackgroundTasksTakeTurns() async throws {
        let container = try PersistentContainer(TeamsModel.self, at: ":memory:")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    try await container.performBackgroundTask { context in
                        Team(context: context).id = number
                        try context.save()
                    }
                }
            }
            try await group.waitForAll()
        }
        let count = try container.newBackgroundContext().count(Team.fetchRequest())
        #expect(count == 100)
    }

    @Test func aStoreOfAnOlderVersionIsMigrated() async throws {
        let folder = try TemporaryFolder()
        let older = try Model(TeamsModel.embedded.file.versions[0])
        do {
            let first = try PersistentContainer(model: older, at: folder.store)
            defer { first.close() }
            let context = first.newBackgroundContext()
            try context.insert(#require(older.entity(named: "Team")))
                .setValue(.string("Northgate"), forKey: "name")
            try context.save()
        }
        var refusing = PersistentStoreDescription(path: folder.store)
        refusing.shouldMigrateStoreAutomatically = false
        #expect(throws: StoreError.self) {
            try PersistentContainer(TeamsModel.self, stores: [refusing])
        }

        let container = try PersistentContainer(TeamsModel.self, at: folder.store)
        defer { container.close() }
        let context = container.newBackgroundContext()
        let teams = try context.fetch(Team.self)
        #expect(teams.map(\.name) == ["Northgate"] && teams[0].id == nil)
    }

    @Test func aReadOnlyStoreIsNotChanged() throws {
        let folder = try TemporaryFolder()
        try PersistentContainer(TeamsModel.self, at: folder.store).close()
        var description = PersistentStoreDescription(path: folder.store)
        description.isReadOnly = true
        let container = try PersistentContainer(TeamsModel.self, stores: [description])
        defer { container.close() }
        let context = container.newBackgroundContext()
        _ = Team(context: context)
        #expect {
            try context.save()
        } throws: { error in
            if case StoreError.readOnly? = error as? StoreError { true } else { false }
        }
    }

    @Test(arguments: [("teams.xml", "xml"), ("teams.db", "sqlite"), (":memory:", "memory")])
    func theNameDecidesTheTypeOfANewStore(name: String, type: String) throws {
        let folder = try TemporaryFolder()
        let path = name == ":memory:" ? name : folder.url.appending(path: name).path
        let container = try PersistentContainer(TeamsModel.self, at: path)
        defer { container.close() }
        #expect(container.persistentStoreCoordinator.store.type == type)
    }

    @Test func anotherTypeThanTheFilesIsRefused() throws {
        let folder = try TemporaryFolder()
        try PersistentContainer(TeamsModel.self, at: folder.store).close()
        for (type, part) in [("xml", "is a store of the type sqlite, not xml"), ("odd", "no type")]
        {
            var description = PersistentStoreDescription(path: folder.store)
            description.type = type
            #expect {
                try PersistentContainer(TeamsModel.self, stores: [description])
            } throws: { "\($0)".contains(part) }
        }
    }

    @Test func aStoreOfALaterVersionIsRefused() throws {
        let folder = try TemporaryFolder()
        try PersistentContainer(TeamsModel.self, at: folder.store).close()
        var file = TeamsModel.embedded.file
        file.current = file.versions[0]
        file.currentVersionName = "Teams"
        #expect {
            try PersistentContainer(modelFile: file, stores: [.init(path: folder.store)])
        } throws: { "\($0)".contains("is of the later version Teams 2, and going back to Teams") }
        try PersistentContainer(TeamsModel.self, at: folder.store).close()
    }

    /// Nothing is created for stores that cannot be opened together.
    @Test func storesThatDoNotFitTogetherLeaveNoFiles() throws {
        let folder = try TemporaryFolder()
        var first = PersistentStoreDescription(path: folder.store)
        first.configuration = "Default"
        var second = PersistentStoreDescription(path: folder.store + "2")
        second.configuration = "Elsewhere"
        #expect {
            try PersistentContainer(TeamsModel.self, stores: [first, second])
        } throws: { "\($0)".contains("has no configuration Elsewhere") }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test func aModelIsFoundByItsNameOrNot() throws {
        #expect {
            try PersistentContainer(name: "NoSuchModel", at: ":memory:")
        } throws: { "\($0)".contains("NoSuchModel: there is no model of that name in") }
    }

    @Test func aModelIsReadFromAFile() throws {
        let url = URL(fileURLWithPath: samplePath("League"))
        let model = try Model(contentsOf: url)
        let container = try PersistentContainer(model: model, at: ":memory:")
        #expect(container.managedObjectModel === model && container.name == "League")
        #expect(throws: ModelErrors.self) { try Model(contentsOfFile: "/no/such/model") }
    }
}
