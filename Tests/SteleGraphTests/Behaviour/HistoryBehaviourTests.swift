// The history of saves as persistent history tells it, on every store.

import Foundation
import SteleModel
import StelePersistence
import StelePredicates
import TestSupport
import Testing

@testable import SteleGraph

@Suite struct HistoryBehaviourTests {
    private func history(_ fixture: Fixture, after token: Int64 = 0) throws -> [HistoryTransaction]
    {
        let reader = try fixture.store.reader()
        defer { reader.close() }
        return try reader.history(after: token, limit: .max, values: true)
    }

    @Test(arguments: StoreKind.allCases)
    func aTransactionTellsWhoWhatAndWhen(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let start = Date().timeIntervalSinceReferenceDate
        let context = fixture.coordinator.newContext(author: "ann", name: "sorting")
        let team = try context.insert(try fixture.entity("Team"))
        try context.save()
        context.transactionAuthor = "bo"
        team["name"] = .string("x")
        try context.save()
        try context.delete(team)
        try context.save()
        let all = try history(fixture)
        #expect(all.map(\.number) == [1, 2, 3])
        #expect(all.map(\.author) == ["ann", "bo", "bo"])
        #expect(all.allSatisfy { $0.contextName == "sorting" && $0.changes.count == 1 })
        #expect(all.map { $0.changes[0].kind } == [.insert, .update, .delete])
        #expect(all.allSatisfy { $0.changes[0].key == team.objectID.key })
        let end = Date().timeIntervalSinceReferenceDate
        #expect(all.allSatisfy { $0.timestamp >= start - 1 && $0.timestamp <= end + 1 })
        #expect(try history(fixture, after: 2).map(\.number) == [3])
    }

    /// Whatever order they were made in, and delete rules have reached the objects in.
    @Test(arguments: StoreKind.allCases)
    func updatesAndDeletionsAreInTheOrderOfIDs(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let teams = try fixture.insert("Team", count: 4)
        let people = try fixture.insert("Person", count: 4)
        func ids(_ kind: ObjectChange.Kind) throws -> [ObjectID] {
            try fixture.lastSave().changes.filter { $0.kind == kind }.map {
                ObjectID(root: fixture.model.entities[$0.entity].root, key: $0.key)
            }
        }
        func sorted(_ ids: [ObjectID]) -> [ObjectID] {
            ids.sorted { ($0.root, $0.key) < ($1.root, $1.key) }
        }
        let context = fixture.context()
        for (team, person) in [(teams[3], people[2]), (teams[1], people[0])] {
            try context.get(person).set("team", try context.get(team))
        }
        try context.get(people[1])["name"] = .string("x")
        try context.save()
        let updated = try ids(.update)
        #expect(updated == sorted(updated) && Set(people[0...2]).isSubset(of: updated))
        let deleted = [people[3], teams[2], people[1], teams[0]]
        for id in deleted { try context.delete(try context.get(id)) }
        try context.save()
        #expect(try ids(.delete) == sorted(deleted))
    }

    /// No delete rule cuts the link of two objects that are both deleted.
    @Test(arguments: StoreKind.allCases, ["Cascade", "Deny"])
    func deletionsHaveMembersThatAreDeletedToo(_ kind: StoreKind, _ rule: String) throws {
        let model = try RightsModel.model(
            """
            {"name": "Friends", "entities": [{"name": "Person", "relationships": [
                {"name": "friends", "destination": "Person", "inverse": "friends",
                 "toMany": true, "deleteRule": "\(rule)"}]}]}
            """)
        let fixture = try Fixture(model, kind)
        let people = try fixture.insert("Person", count: 2)
        let context = fixture.context()
        let objects = try people.map { try context.get($0) }
        let friends = try #require(fixture.entity("Person").relationship(named: "friends"))
        try objects[0].addMember(friends, objects[1])
        try context.save()
        // A link that was never stored, to an object that is deleted again, is none.
        let new = try context.insert(try fixture.entity("Person"))
        try objects[0].addMember(friends, new)
        try context.delete(new)
        for object in objects { try context.delete(object) }
        try context.save()
        let changes = try fixture.lastSave().changes
        #expect(changes.map(\.kind) == [.delete, .delete])
        for (change, other) in zip(changes, people.reversed()) {
            #expect(
                change.before == [
                    .members(relationship: friends.index, added: [], removed: [other.key])
                ])
        }
    }

    /// So are the members that a save links and unlinks.
    @Test(arguments: StoreKind.allCases)
    func membersAreInTheOrderOfIDs(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let team = try fixture.insert("Team", count: 1)[0]
        let people = try fixture.insert("Person", count: 4)
        func members() throws -> BeforeValue? {
            try fixture.lastSave().changes.lazy.flatMap { $0.before ?? [] }.first {
                if case .members = $0 { true } else { false }
            }
        }
        let relationship = try #require(fixture.entity("Team").relationship(named: "players")).index
        func keys(_ indexes: Int...) -> [Int64] { indexes.map { people[$0].key } }
        let context = fixture.context()
        for index in [3, 0, 2] {
            try context.get(people[index]).set("team", try context.get(team))
        }
        try context.save()
        #expect(
            try members()
                == .members(relationship: relationship, added: keys(0, 2, 3), removed: []))
        for index in [3, 0] { try context.delete(try context.get(people[index])) }
        try context.get(people[1]).set("team", try context.get(team))
        try context.save()
        #expect(
            try members()
                == .members(relationship: relationship, added: keys(1), removed: keys(0, 3)))
    }

    @Test(arguments: StoreKind.allCases)
    func authorsAreToldToTheByte(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let authors = ["\u{E1}", "a\u{301}", "\u{E1}"]
        for author in authors {
            let context = fixture.coordinator.newContext(author: author, name: author)
            _ = try context.insert(try fixture.entity("Team"))
            try context.save()
        }
        let told = try history(fixture)
        #expect(told.map { $0.author.map { Array($0.utf8) } } == authors.map { Array($0.utf8) })
        #expect(
            told.map { $0.contextName.map { Array($0.utf8) } } == authors.map { Array($0.utf8) })
    }

    @Test(arguments: StoreKind.allCases)
    func anUpdateNamesWhatChangedWithTheValuesBefore(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let (team, tag) = (try fixture.insert("Team")[0], try fixture.insert("Tag")[0])
        let id = try fixture.insert("Person")[0]
        try fixture.change { context in
            let ann = try context.get(id)
            ann["age"] = .int(3)
            try ann.set("team", try context.get(team))
            try ann.add("tags", try context.get(tag))
        }
        let changes = try #require(try history(fixture).last).changes
        let person = try fixture.entity("Person")
        let update = try #require(changes.first { $0.entity == person.index })
        let age = try #require(person.attribute(named: "age")?.slot)
        let slot = try fixture.relationship("Person.team").slot
        let tags = try fixture.relationship("Person.tags").index
        #expect(
            Set(update.before ?? []) == [
                .slot(age, .null), .slot(slot, .null),
                .members(relationship: tags, added: [tag.key], removed: []),
            ])
        #expect(update.version == 2 && update.snapshot?.values[age] == .int(3))
        // The owners of to-manys have changed, and their versions have not.
        #expect(changes.count == 3)
        #expect(changes.filter { $0.entity != person.index }.allSatisfy { $0.version == 1 })
    }

    @Test(arguments: StoreKind.allCases)
    func aDeleteTellsTheObjectAsItWas(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let id = try fixture.insert("Person")[0]
        try fixture.change { try $0.get(id)["age"] = .int(7) }
        try fixture.change { try $0.delete(try $0.get(id)) }
        let change = try #require(try history(fixture).last?.changes.first)
        let age = try #require(try fixture.entity("Person").attribute(named: "age")?.slot)
        #expect(change.kind == .delete && change.version == 2)
        #expect(change.snapshot?.values[age] == .int(7))
    }

    /// A deletion that was saved and taken back: the same object, in its second life.
    @Test(arguments: StoreKind.allCases)
    func anObjectThatIsInsertedAgainGoesOnInTheHistory(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        context.undoManager = UndoManager()
        let ann = try context.insert(try fixture.entity("Person"))
        ann["name"] = .string("Ann")
        try context.save()
        context.undoManager?.removeAllActions()
        try context.delete(ann)
        try context.save()
        try context.undo()
        try context.save()
        ann["age"] = .int(4)
        try context.save()
        let changes = try history(fixture).flatMap(\.changes)
        #expect(changes.map(\.kind) == [.insert, .delete, .insert, .update])
        #expect(changes.map(\.version) == [1, 1, 2, 3])
        let name = try #require(ann.entity.attribute(named: "name")?.slot)
        #expect(
            changes.map { $0.snapshot?.values[name] } == Array(repeating: .string("Ann"), count: 4))
        #expect(changes.map { $0.snapshot?.version } == [1, 1, 2, 3])
    }

    /// Raw values that are part of files and of other programs.
    @Test func numbersAreCoreDatas() {
        #expect(ObjectChange.Kind.insert.rawValue == 0)
        #expect(ObjectChange.Kind.update.rawValue == 1 && ObjectChange.Kind.delete.rawValue == 2)
        let events: [SnapshotEventType] = [
            .undoInsertion, .undoDeletion, .undoUpdate, .rollback, .refresh, .mergePolicy,
        ]
        #expect(events.map(\.rawValue) == [2, 4, 8, 16, 32, 64])
        #expect(
            ValidationError.Kind.allCases.map(\.rawValue) == [
                1550, 1570, 1580, 1590, 1600, 1610, 1620, 1630, 1640, 1650, 1660, 1670, 1680, 1690,
            ])
        #expect(
            ValidationError.Kind.allCases.allSatisfy {
                $0.name.hasPrefix("NS") && $0.name.hasSuffix("Error")
            })
    }
}
