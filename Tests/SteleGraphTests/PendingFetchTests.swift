// Fetches on a context with unsaved changes: what matches, in which order, how many.

import SteleModel
import StelePersistence
import StelePredicates
import TestSupport
import Testing

@testable import SteleGraph

@Suite struct PendingFetchTests {
    private func request(
        _ fixture: Fixture, _ entity: String, _ predicate: String? = nil, sort: String? = nil
    ) throws -> FetchRequest {
        let entity = try fixture.entity(entity)
        var request = FetchRequest(entity: entity)
        let check = PredicateCheck(model: fixture.model, entity: entity)
        request.predicate = try predicate.map { try check.check(Predicate(format: $0)) }
        request.sortDescriptors = try sort.map { try SortList($0).checked(by: check) } ?? []
        return request
    }

    private func names(_ objects: [ManagedObject]) -> [String] {
        objects.map { if case .string(let name) = $0["name"] { name } else { "-" } }
    }

    /// People "A" to "F" of ages 10 to 60, saved.
    private func people(_ fixture: Fixture) throws -> [ObjectID] {
        let context = fixture.context()
        let made = try ["A", "B", "C", "D", "E", "F"].enumerated().map { index, name in
            let person = try context.insert(try fixture.entity("Person"))
            person["name"] = .string(name)
            person["age"] = .int(Int64(10 * (index + 1)))
            return person
        }
        try context.save()
        return made.map(\.objectID)
    }

    @Test(arguments: StoreKind.allCases)
    func changesDecideMembershipInBothDirections(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let ids = try people(fixture)
        let context = fixture.coordinator.newContext()
        var old = try request(fixture, "Person", "age > 35", sort: "name")
        let held = try ids.map { try context.get($0) }
        #expect(names(try context.fetch(old)) == ["D", "E", "F"])
        held[0]["age"] = .int(99)  // comes
        held[4]["age"] = .int(1)  // goes
        held[5]["name"] = .string("0")  // moves
        try context.delete(held[3])
        let new = try context.insert(try fixture.entity("Employee"))
        new["name"] = .string("B2")
        new["age"] = .int(50)
        #expect(names(try context.fetch(old)) == ["0", "A", "B2"])
        #expect(try context.count(old) == 3)
        #expect(try context.fetchIDs(old) == [ids[5], ids[0], new.objectID])
        old.includesSubentities = false
        #expect(names(try context.fetch(old)) == ["0", "A"])
        old.includesPendingChanges = false
        #expect(names(try context.fetch(old)) == ["D", "E", "0"])
        #expect(try context.count(old) == 3)
        context.rollback()
        old.includesPendingChanges = true
        #expect(names(try context.fetch(old)) == ["D", "E", "F"])
    }

    @Test(arguments: StoreKind.allCases)
    func limitAndOffsetCountAfterTheOverlay(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let ids = try people(fixture)
        let context = fixture.coordinator.newContext()
        let first = try context.get(ids[0])
        let third = try context.get(ids[2])
        try context.delete(first)
        third["name"] = .string("Z")
        let new = try context.insert(try fixture.entity("Person"))
        new["name"] = .string("AA")
        var all = try request(fixture, "Person", sort: "name")
        let expected = ["AA", "B", "D", "E", "F", "Z"]
        #expect(names(try context.fetch(all)) == expected)
        for offset in 0...7 {
            for limit in 0...7 {
                (all.fetchOffset, all.fetchLimit) = (offset, limit)
                let page = Array(expected.dropFirst(offset).prefix(limit))
                #expect(names(try context.fetch(all)) == page, "\(offset), \(limit)")
                #expect(try context.count(all) == page.count)
            }
        }
        var down = try request(fixture, "Person", sort: "-name")
        down.fetchLimit = 2
        #expect(names(try context.fetch(down)) == ["Z", "F"])
        withExtendedLifetime((first, third)) {}
    }

    @Test(arguments: StoreKind.allCases)
    func changesOfRelatedObjectsCount(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let ids = try people(fixture)
        let setup = fixture.context()
        let (red, blue) = (
            try setup.insert(try fixture.entity("Team")),
            try setup.insert(try fixture.entity("Team"))
        )
        red["name"] = .string("Red")
        blue["name"] = .string("Blue")
        for id in ids[0...2] { try setup.get(id).set("team", red) }
        for id in ids[3...5] { try setup.get(id).set("team", blue) }
        try setup.get(ids[1]).set("mentor", try setup.get(ids[5]))
        try setup.save()

        let context = fixture.coordinator.newContext()
        let team = try context.get(red.objectID)
        team["name"] = .string("Zed")
        let zed = try request(fixture, "Person", #"team.name == "Zed""#, sort: "name")
        #expect(names(try context.fetch(zed)) == ["A", "B", "C"])
        let byTeam = try request(fixture, "Person", sort: "team.name,name")
        #expect(names(try context.fetch(byTeam)) == ["D", "E", "F", "A", "B", "C"])
        let teams = try request(fixture, "Team", "ANY players.age > 70", sort: "name")
        #expect(try context.fetch(teams).isEmpty)
        let person = try context.get(ids[4])
        person["age"] = .int(71)
        #expect(names(try context.fetch(teams)) == ["Blue"])
        try person.set("team", team)
        #expect(names(try context.fetch(teams)) == ["Zed"])
        let counted = try request(fixture, "Team", "players.@count == 4")
        #expect(names(try context.fetch(counted)) == ["Zed"])
        let some = try request(
            fixture, "Team", "SUBQUERY(players, $p, $p.mentor.age > 59).@count == 1")
        #expect(names(try context.fetch(some)) == ["Zed"])
        try context.get(ids[5])["age"] = .int(1)
        #expect(try context.fetch(some).isEmpty)
        try context.delete(team)
        #expect(try context.fetch(zed).isEmpty)
        let homeless = try request(fixture, "Person", "team == nil", sort: "name")
        #expect(names(try context.fetch(homeless)) == ["A", "B", "C", "E"])
        withExtendedLifetime(person) {}
    }

    /// Any predicate gives with unsaved changes what it gives when they are saved.
    @Test(arguments: StoreKind.allCases)
    func whatIsUnsavedIsFoundAsIfItWereSaved(_ kind: StoreKind) throws {
        let seed = drawSeed("whatIsUnsavedIsFoundAsIfItWereSaved(\(kind))")
        var numbers = SeededNumbers(seed: seed)
        let questions: [(String, String?, String?)] = [
            ("Person", "age > 30", "-age,name"), ("Person", nil, "team.name,-name"),
            ("Person", "team.name BEGINSWITH \"T\"", "name"),
            ("Person", "mentor.team.captain != nil", nil),
            ("Person", "ANY tags.name == \"Tag 1\"", "name"),
            ("Person", "mentees.@count > 0", "-mentees.@count,name"),
            ("Person", "ANY friends.age < 40", "age"), ("Team", "players.@max.age > 40", nil),
            ("Team", "captain.name > \"P\"", "-captain.age"),
            ("Tag", "SUBQUERY(people, $p, $p.team != nil).@count > 0", "name"),
            ("Person", "favourite.name == \"Tag 2\"", "name"),
            ("Person", "NONE mentees.tags.name == \"Tag 1\"", "-name"),
            ("Person", "spouse.spouse == SELF", "spouse.name"),
            ("Person", "ANY (friends UNION mentor.friends).age > 40", "name"),
            ("Person", "(friends MINUS team.players).@count > 0", "-name"),
            ("Person", "TERNARY(age > 40, team, mentor.team).captain != nil", nil),
            ("Person", "{spouse, mentor}[LAST].age > 40", "age"),
        ]
        for round in 0..<(kind == .memory ? 12 : 4) {
            let fixture = try Fixture(try makeLeague(), kind)
            _ = try fixture.insert("Person", count: 10)
            _ = try fixture.insert("Team", count: 3)
            _ = try fixture.insert("Tag", count: 3)
            for saves in 0..<4 {
                let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
                for _ in 0..<12 { try change(context, fixture, &numbers) }
                var before: [[ObjectID]] = []
                var counts: [Int] = []
                var requests: [FetchRequest] = []
                for (entity, predicate, sort) in questions {
                    var asked = try request(fixture, entity, predicate, sort: sort)
                    if Bool.random(using: &numbers) {
                        asked.fetchLimit = Int.random(in: 0...6, using: &numbers)
                        asked.fetchOffset = Int.random(in: 0...3, using: &numbers)
                    }
                    requests.append(asked)
                    before.append(try context.fetchIDs(asked))
                    counts.append(try context.count(asked))
                }
                let result = try context.save()
                for (index, asked) in requests.enumerated() {
                    let saved = before[index].map { id in
                        result.permanentKeys[id].map { ObjectID(root: id.root, key: $0) } ?? id
                    }
                    let now = try fixture.context().fetchIDs(asked)
                    let comment = "round \(round).\(saves): \(questions[index])"
                    #expect(saved == now, "\(comment)")
                    #expect(counts[index] == now.count, "\(comment)")
                }
            }
        }
    }

    private func change(
        _ context: ManagedObjectContext, _ fixture: Fixture, _ numbers: inout SeededNumbers
    ) throws {
        func any(_ entity: String) throws -> ManagedObject? {
            try context.fetch(FetchRequest(entity: try fixture.entity(entity)))
                .randomElement(using: &numbers)
        }
        guard let person = try any("Person"), let other = try any("Person"),
            let team = try any("Team"), let tag = try any("Tag")
        else { return }
        switch Int.random(in: 0..<14, using: &numbers) {
        case 0:
            let made = try context.insert(try fixture.entity("Person"))
            made["name"] = .string("P\(Int.random(in: 0..<99, using: &numbers))")
        case 1, 2: person["age"] = .int(Int64.random(in: 0..<80, using: &numbers))
        case 3: person["name"] = .string("Q\(Int.random(in: 0..<99, using: &numbers))")
        case 4, 5: try person.set("team", Bool.random(using: &numbers) ? team : nil)
        case 6: team["name"] = .string("T\(Int.random(in: 0..<99, using: &numbers))")
        case 7: try team.set("captain", person)
        case 8: try person.add("tags", tag)
        case 9: try person.set("mentor", other)
        case 10: try person.add("friends", other)
        case 11: try person.set("favourite", tag)
        case 12: try person.set("spouse", other)
        default: try context.delete(Bool.random(using: &numbers) ? person : tag)
        }
    }
}
