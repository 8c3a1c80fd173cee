// Both sides of every kind of link, after inserting, moving, clearing, replacing, reordering.

import SteleModel
import StelePersistence
import Testing

@testable import SteleGraph

@Suite struct RelationshipTests {
    let fixture: Fixture
    init() throws { fixture = try Fixture.league() }

    @Test func aNewObjectsToOneReachesTheOwnersToMany() throws {
        let team = try fixture.insert("Team")[0]
        let context = fixture.context()
        let person = try context.insert(try fixture.entity("Person"))
        try person.set("team", try context.get(team))
        #expect(try context.get(team).keys("players") == [person.objectID.key])
        try context.save()
        #expect(person.objectID.key > 0 && !person.isInserted && !context.hasChanges)
        #expect(try fixture.storedMembers("Team.players", of: team.key) == [person.objectID.key])
        #expect(try fixture.stored("Person.team", of: person.objectID.key) == team.key)
    }

    @Test func settingAToOneDoesNotFetchTheMembersOfEitherOwner() throws {
        let teams = try fixture.insert("Team", count: 2)
        let people = try fixture.insert("Person", count: 3)
        let first = fixture.context()
        for id in people { try first.get(id).set("team", try first.get(teams[0])) }
        try first.save()

        let context = fixture.context()
        try context.get(people[1]).set("team", try context.get(teams[1]))
        #expect(context.toManys.states.count == 2)
        #expect(context.toManys.states.values.allSatisfy { $0.isFault })
        #expect(try context.get(teams[0]).keys("players") == [people[0].key, people[2].key])
        #expect(try context.get(teams[1]).keys("players") == [people[1].key])
        try context.save()
        #expect(
            try fixture.storedMembers("Team.players", of: teams[0].key)
                == [people[0].key, people[2].key])
        #expect(try fixture.storedMembers("Team.players", of: teams[1].key) == [people[1].key])
    }

    @Test func aMoveTellsHistoryOfBothOwnersWithoutBumpingThem() throws {
        let teams = try fixture.insert("Team", count: 2)
        let person = try fixture.insert("Person")[0]
        let first = fixture.context()
        try first.get(person).set("team", try first.get(teams[0]))
        try first.save()
        let context = fixture.context()
        try context.get(person).set("team", try context.get(teams[1]))
        try context.save()
        #expect(try fixture.version("Team", teams[0].key) == 1)
        #expect(try fixture.version("Person", person.key) == 3)
        let players = try fixture.relationship("Team.players").index
        let changes = try fixture.lastSave().changes
        #expect(changes.count == 3)
        let told = changes.flatMap { change in (change.before ?? []).map { (change.key, $0) } }
        #expect(
            told.contains {
                $0.0 == teams[0].key
                    && $0.1 == .members(relationship: players, added: [], removed: [person.key])
            })
        #expect(
            told.contains {
                $0.0 == teams[1].key
                    && $0.1 == .members(relationship: players, added: [person.key], removed: [])
            })
    }

    @Test func clearingAToOneTakesTheObjectOutOfTheToMany() throws {
        let team = try fixture.insert("Team")[0]
        let person = try fixture.insert("Person")[0]
        let first = fixture.context()
        try first.get(person).set("team", try first.get(team))
        try first.save()
        let context = fixture.context()
        try context.get(person).set("team", nil)
        #expect(try context.get(team).keys("players") == [])
        try context.save()
        #expect(try fixture.stored("Person.team", of: person.key) == nil)
        #expect(try fixture.storedMembers("Team.players", of: team.key) == [])
    }

    @Test func replacingMembersMovesThemFromOtherOwnersAndClearsThoseLeftOut() throws {
        let teams = try fixture.insert("Team", count: 2)
        let people = try fixture.insert("Person", count: 4)
        let first = fixture.context()
        try first.get(teams[0]).replace("players", try people[0...1].map { try first.get($0) })
        try first.get(teams[1]).replace("players", try people[2...3].map { try first.get($0) })
        try first.save()
        let context = fixture.context()
        try context.get(teams[0]).replace("players", try people[1...2].map { try context.get($0) })
        #expect(try context.get(teams[1]).keys("players") == [people[3].key])
        #expect(try context.get(people[0]).get("team") == nil)
        try context.save()
        #expect(
            try fixture.storedMembers("Team.players", of: teams[0].key)
                == [people[1].key, people[2].key])
        #expect(try fixture.storedMembers("Team.players", of: teams[1].key) == [people[3].key])
        #expect(try fixture.stored("Person.team", of: people[0].key) == nil)
        #expect(try fixture.stored("Person.team", of: people[2].key) == teams[0].key)
    }

    @Test func aOneToOneIsTakenFromBothFormerPartners() throws {
        let teams = try fixture.insert("Team", count: 2)
        let people = try fixture.insert("Person", count: 2)
        let first = fixture.context()
        try first.get(teams[0]).set("captain", try first.get(people[0]))
        try first.get(teams[1]).set("captain", try first.get(people[1]))
        try first.save()
        let context = fixture.context()
        try context.get(teams[0]).set("captain", try context.get(people[1]))
        try context.save()
        #expect(try fixture.stored("Team.captain", of: teams[0].key) == people[1].key)
        #expect(try fixture.stored("Team.captain", of: teams[1].key) == nil)
        #expect(try fixture.stored("Person.captainOf", of: people[0].key) == nil)
        #expect(try fixture.stored("Person.captainOf", of: people[1].key) == teams[0].key)
    }

    @Test func aToOneThatIsItsOwnInverseIsSymmetric() throws {
        let people = try fixture.insert("Person", count: 4)
        let first = fixture.context()
        try first.get(people[0]).set("spouse", try first.get(people[1]))
        try first.get(people[2]).set("spouse", try first.get(people[3]))
        try first.save()
        let context = fixture.context()
        try context.get(people[0]).set("spouse", try context.get(people[2]))
        try context.save()
        #expect(try fixture.stored("Person.spouse", of: people[0].key) == people[2].key)
        #expect(try fixture.stored("Person.spouse", of: people[2].key) == people[0].key)
        #expect(try fixture.stored("Person.spouse", of: people[1].key) == nil)
        #expect(try fixture.stored("Person.spouse", of: people[3].key) == nil)
        let last = fixture.context()
        try last.get(people[0]).set("spouse", try last.get(people[0]))
        try last.save()
        #expect(try fixture.stored("Person.spouse", of: people[0].key) == people[0].key)
        #expect(try fixture.stored("Person.spouse", of: people[2].key) == nil)
    }

    @Test func aToManyThatIsItsOwnInverseIsSymmetric() throws {
        let people = try fixture.insert("Person", count: 3)
        let context = fixture.context()
        let objects = try people.map { try context.get($0) }
        try objects[0].replace("friends", [objects[1], objects[2], objects[0]])
        #expect(try objects[1].keys("friends") == [people[0].key])
        try context.save()
        let all = people.map(\.key)
        #expect(try fixture.storedMembers("Person.friends", of: people[0].key) == all)
        #expect(try fixture.storedMembers("Person.friends", of: people[2].key) == [people[0].key])
        let second = fixture.context()
        try second.get(people[1]).remove("friends", try second.get(people[0]))
        try second.get(people[0]).remove("friends", try second.get(people[0]))
        try second.save()
        #expect(try fixture.storedMembers("Person.friends", of: people[0].key) == [people[2].key])
        #expect(try fixture.storedMembers("Person.friends", of: people[1].key) == [])
    }

    @Test func aReflexiveOneToManyKnowsBothEnds() throws {
        let people = try fixture.insert("Person", count: 3)
        let context = fixture.context()
        let objects = try people.map { try context.get($0) }
        try objects[0].add("mentees", objects[1])
        try objects[2].set("mentor", objects[0])
        try objects[0].set("mentor", objects[0])
        try context.save()
        #expect(
            try fixture.storedMembers("Person.mentees", of: people[0].key) == people.map(\.key))
        #expect(try fixture.stored("Person.mentor", of: people[1].key) == people[0].key)
    }

    @Test func manyToManyIsKeptOnBothSides() throws {
        let people = try fixture.insert("Person", count: 2)
        let tags = try fixture.insert("Tag", count: 2)
        let context = fixture.context()
        let objects = try people.map { try context.get($0) }
        try objects[0].replace("tags", try tags.map { try context.get($0) })
        try context.get(tags[0]).add("people", objects[1])
        try context.get(tags[0]).add("people", objects[1])
        try context.save()
        #expect(try fixture.storedMembers("Tag.people", of: tags[0].key) == people.map(\.key))
        #expect(try fixture.storedMembers("Person.tags", of: people[1].key) == [tags[0].key])
        let second = fixture.context()
        try second.get(people[0]).replace("tags", [])
        #expect(try second.get(tags[0]).keys("people") == [people[1].key])
        try second.save()
        #expect(try fixture.storedMembers("Tag.people", of: tags[1].key) == [])
    }

    @Test func aToOneWithoutInverseStandsAlone() throws {
        let person = try fixture.insert("Person")[0]
        let context = fixture.context()
        let tag = try context.insert(try fixture.entity("Tag"))
        try context.get(person).set("favourite", tag)
        try context.save()
        #expect(try fixture.stored("Person.favourite", of: person.key) == tag.objectID.key)
    }

    @Test func aToManyWithoutInverseOwnsItsMembers() throws {
        let boxes = try fixture.insert("Box", count: 2)
        let items = try fixture.insert("Item", count: 2)
        let first = fixture.context()
        try first.get(boxes[0]).replace("items", try items.map { try first.get($0) })
        try first.save()
        let context = fixture.context()
        #expect(try context.get(boxes[0]).keys("items") == items.map(\.key))
        try context.get(boxes[1]).add("items", try context.get(items[0]))
        #expect(try context.get(boxes[0]).keys("items") == [items[1].key])
        try context.save()
        #expect(try fixture.storedMembers("Box.items", of: boxes[0].key) == [items[1].key])
        #expect(try fixture.storedMembers("Box.items", of: boxes[1].key) == [items[0].key])
    }

    @Test func linksThatEndAsTheyWereAreNoChange() throws {
        let teams = try fixture.insert("Team", count: 2)
        let person = try fixture.insert("Person")[0]
        let first = fixture.context()
        try first.get(person).set("team", try first.get(teams[0]))
        try first.save()
        let context = fixture.context()
        let object = try context.get(person)
        try object.set("team", try context.get(teams[1]))
        #expect(context.hasChanges && object.isUpdated)
        try object.set("team", try context.get(teams[0]))
        #expect(!context.hasChanges && !object.isUpdated)
        #expect(try context.saveRequest() == nil)
    }

    @Test func whatDoesNotFitIsRefused() throws {
        let context = fixture.context()
        let person = try context.insert(try fixture.entity("Person"))
        let tag = try context.insert(try fixture.entity("Tag"))
        let other = try fixture.context().insert(try fixture.entity("Team"))
        #expect(throws: ContextError.self) { try person.set("team", tag) }
        #expect(throws: ContextError.foreignObject) { try person.set("team", other) }
        #expect(throws: ContextError.abstractEntity("Place")) {
            try context.insert(try fixture.entity("Place"))
        }
        let team = try context.insert(try fixture.entity("Team"))
        try context.delete(team)
        #expect(throws: ContextError.deleted(entity: "Team", key: team.objectID.key)) {
            try person.set("team", team)
        }
        #expect(throws: ContextError.self) {
            try person.setToOne(try fixture.relationship("Team.captain"), person)
        }
    }

    @Test func subentitiesTakePartInInheritedRelationships() throws {
        let context = fixture.context()
        let team = try context.insert(try fixture.entity("Team"))
        let employee = try context.insert(try fixture.entity("Employee"))
        try team.add("players", employee)
        try context.save()
        #expect(
            try fixture.storedMembers("Team.players", of: team.objectID.key) == [
                employee.objectID.key
            ])
        let next = fixture.context()
        let person = try fixture.entity("Person")
        #expect(
            try next.object(entity: person, key: employee.objectID.key)?.entity.name == "Employee")
    }
}
