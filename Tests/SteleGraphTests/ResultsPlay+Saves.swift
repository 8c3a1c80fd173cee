// The saves of a results play.

import SteleModel
import StelePersistence
import StelePredicates
import Testing

@testable import SteleGraph

extension ResultsPlay {
    /// A save of one to five random changes.
    mutating func change() throws {
        let context = fixture.context()
        defer { context.close() }
        for _ in 0..<Int.random(in: 1...5, using: &numbers) {
            let people = try context.fetch(FetchRequest(entity: fixture.entity("Person")))
            let teams = try context.fetch(FetchRequest(entity: fixture.entity("Team")))
            let tags = try context.fetch(FetchRequest(entity: fixture.entity("Tag")))
            switch Int.random(in: 0..<20, using: &numbers) {
            case 0..<4 where people.count < 24:
                let made = try context.insert(
                    fixture.entity(Bool.random(using: &numbers) ? "Person" : "Employee"))
                made["name"] = .string(name())
                made["age"] = age()
                if let team = teams.randomElement(using: &numbers) { try made.set("team", team) }
            case 4 where teams.count < 5:
                try context.insert(fixture.entity("Team"))["name"] = .string(
                    "T\(Int.random(in: 1...3, using: &numbers))")
            case 5 where tags.count < 4:
                try context.insert(fixture.entity("Tag"))["name"] = .string(
                    Bool.random(using: &numbers) ? "x" : "y")
            case 6: if people.count > 8 { try context.delete(try pick(people)) }
            case 7: if teams.count > 2 { try context.delete(try pick(teams)) }
            case 8: if tags.count > 2 { try context.delete(try pick(tags)) }
            case 9:
                teams.randomElement(using: &numbers)?["name"] = .string(
                    "T\(Int.random(in: 1...3, using: &numbers))")
            case 10:
                tags.randomElement(using: &numbers)?["name"] = .string(
                    Bool.random(using: &numbers) ? "x" : "y")
            case 11: try teams.randomElement(using: &numbers)?.set("captain", someone(people))
            default:
                if let person = people.randomElement(using: &numbers) {
                    try change(person, people, teams, tags)
                }
            }
        }
        try context.save()
    }

    mutating func change(
        _ person: ManagedObject, _ people: [ManagedObject], _ teams: [ManagedObject],
        _ tags: [ManagedObject]
    ) throws {
        switch Int.random(in: 0..<8, using: &numbers) {
        case 0: person["name"] = .string(name())
        case 1, 2: person["age"] = age()
        case 3:
            try person.set(
                "team", Bool.random(using: &numbers) ? teams.randomElement(using: &numbers) : nil)
        case 4:
            if let tag = tags.randomElement(using: &numbers) {
                if try person.keys("tags").contains(tag.objectID.key) {
                    try person.remove("tags", tag)
                } else {
                    try person.add("tags", tag)
                }
            }
        case 5: try person.set("mentor", someone(people))
        case 6: try person.set("spouse", someone(people))
        default:
            try person.set("favourite", tags.randomElement(using: &numbers))
            if let friend = someone(people) { try person.add("friends", friend) }
        }
    }

    mutating func someone(_ people: [ManagedObject]) -> ManagedObject? {
        Int.random(in: 0..<4, using: &numbers) == 0 ? nil : people.randomElement(using: &numbers)
    }

    mutating func name() -> String {
        ["Ann", "ann", "Bo", "Cy", "Bé", "", "zoë"].randomElement(using: &numbers) ?? ""
    }

    mutating func age() -> Value {
        Int.random(in: 0..<8, using: &numbers) == 0
            ? .null : .int(Int64.random(in: 15...70, using: &numbers) / 5 * 5)
    }
}
