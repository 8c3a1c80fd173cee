// Nothing leads to what is deleted, whoever races.

import Foundation
import SteleGraph
import SteleModel
import StelePersistence
import SteleSQLite
import TestSupport
import Testing

@Suite struct DanglingTests {
    private func chart() throws -> GraphStore { try GraphStore(try makeChart()) }

    @Test func whoLedToADeletedObjectWithoutInverseLeadsNowhere() throws {
        let it = try chart()
        let people = try it.insert("Person", count: 2)
        let organizations = try it.insert("Organization", count: 3)
        try it.change { context in
            try context.get(organizations[0]).set("leader", try context.get(people[0]))
            try context.get(organizations[1]).set("leader", try context.get(people[1]))
            try context.get(organizations[2]).set("leader", try context.get(people[0]))
        }
        try it.change { try $0.delete(try $0.get(people[0])) }
        #expect(
            try organizations.map { try it.stored($0)?.value("leader", in: it.model) } == [
                .null, .key(people[1].key), .null,
            ])
        let changes = try #require(try it.history().last).changes
        try #require(changes.map(\.kind) == [.delete, .update, .update])
        let before = changes[1].before
        let slot = try it.relationship("Organization.leader").slot
        #expect(before == [.slot(slot, .key(people[0].key))])
        #expect(changes[1].version == 3)
    }

    @Test func aRequiredReferenceWithoutInverseRefusesTheDeletion() throws {
        let it = try GraphStore([
            EntityMaker("Order").toOne("customer", "Customer", isOptional: false),
            EntityMaker("Customer").attribute("name", .string),
        ])
        let customer = try it.insert("Customer")[0]
        try it.change { context in
            try context.insert(try it.entity("Order")).set("customer", try context.get(customer))
        }
        #expect(throws: ValidationErrors.self) {
            try it.change { try $0.delete(try $0.get(customer)) }
        }
        #expect(try it.stored(customer) != nil)
    }

    @Test func aReferenceMadeMeanwhileSendsTheDeletionBack() throws {
        let it = try chart()
        let person = try it.insert("Person")[0]
        let organization = try it.insert("Organization")[0]
        let early = it.context()
        try early.delete(try early.get(person))
        try it.change { try $0.get(organization).set("leader", try $0.get(person)) }
        #expect {
            try early.save()
        } throws: { error in
            if case StoreError.moved? = error as? StoreError { return true }
            return false
        }
        #expect(try it.stored(person) != nil)
    }

    @Test func anOwnerWithoutInverseIsToldWhenItsMemberIsDeletedOrTaken() throws {
        let it = try chart()
        let people = try it.insert("Person", count: 4)
        try it.change { context in
            for member in people[2...] {
                try context.get(people[0]).add("employees", try context.get(member))
            }
        }
        // Two take the same member at the same time: the later one begins again.
        let early = it.context()
        try early.get(people[1]).add("employees", try early.get(people[2]))
        try it.change { try $0.get(people[0]).remove("employees", try $0.get(people[2])) }
        #expect(throws: StoreError.self) { try early.save() }
        try it.change { try $0.delete(try $0.get(people[3])) }
        let changes = try #require(try it.history().last).changes
        let index = try it.relationship("Person.employees").index
        #expect(
            changes.first { $0.kind == .update }?.before
                == [.members(relationship: index, added: [], removed: [people[3].key])])
        #expect(try it.storedMembers("Person.employees", of: people[0].key) == [])
    }

    @Test func linkingAndDeletingAtTheSameTimeLeavesNothingDangling() throws {
        let it = try chart()
        let league = try GraphStore(try sampleModel("League"))
        for round in 0..<6 {
            let people = try it.insert("Person", count: 8)
            let organizations = try it.insert("Organization", count: 8)
            let team = try league.insert("Team")[0]
            let group = DispatchGroup()
            for index in 0..<8 {
                DispatchQueue.global().async(group: group) {
                    for _ in 0..<20 {
                        do {
                            try it.change { context in
                                let person = try context.existingObject(with: people[index / 2])
                                guard let person else { return }
                                if index == round {
                                    try context.delete(person)
                                } else {
                                    try context.get(organizations[index]).set("leader", person)
                                }
                            }
                            break
                        } catch { continue }
                    }
                    for _ in 0..<20 {
                        do {
                            try league.change { context in
                                guard let team = try context.existingObject(with: team)
                                else { return }
                                if index == 3 { return try context.delete(team) }
                                let player = try context.insert(try league.entity("Player"))
                                player["name"] = .string("P")
                                try player.set("team", team)
                            }
                            break
                        } catch { continue }
                    }
                }
            }
            group.wait()
        }
        let raw = try RawDatabase(it.folder.store)
        #expect(
            try raw.texts(
                "SELECT Z_PK FROM ZORGANIZATION WHERE ZLEADER NOT IN (SELECT Z_PK FROM ZPERSON)")
                == [])
        #expect(
            try RawDatabase(league.folder.store).texts(
                "SELECT Z_PK FROM ZPLAYER WHERE ZTEAM NOT IN (SELECT Z_PK FROM ZTEAM)") == [])
    }
}
