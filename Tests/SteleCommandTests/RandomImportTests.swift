/// Importing random graphs: in whatever order, files, batches and ends of relationships they are
/// written, the store has the same graph.

import Foundation
import SteleGraph
import SteleModel
import StelePersistence
import StelePredicates
import SteleService
import TestSupport
import Testing

@Suite struct RandomImportTests {
    @Test func randomGraphsAreImportedWhole() throws {
        var numbers = SeededNumbers(seed: drawSeed("randomGraphsAreImportedWhole"))
        let model = try RandomGraph.model()
        for round in 0..<60 {
            let graph = RandomGraph(&numbers)
            var writer = RandomRecords(graph, &numbers)
            let files = writer.files()
            let batch = 1 + numbers.below(numbers.one(in: 3) ? 200 : 12)
            let told = Comment(
                rawValue: "round \(round), \(writer.mode), batches of \(batch)\n"
                    + files.map { "--- \($0.0)\n\($0.1)" }.joined(separator: "\n"))
            let house = try House(model)
            func load(_ policy: ImportOptions.Conflict) throws -> Import.Summary? {
                do {
                    return try house.load(files, keys: RandomGraph.keys, batch: batch) {
                        $0.onConflict = policy
                        $0.givesNewIDs = writer.mode == .newIDs
                    }
                } catch {
                    Issue.record("\(error): \(told)")
                    return nil
                }
            }
            let policy: ImportOptions.Conflict =
                switch writer.repeats {
                case .none: .error
                case .split: .update
                case .again: .skip
                }
            guard try load(policy) != nil else { return }
            let found = try graph.lines(of: house)
            #expect(found == graph.lines, told)
            // All objects are recognised, but those without a key.
            let again = try load(.skip)
            #expect(again?.total == 0, told)
            #expect(try graph.lines(of: house) == graph.lines, told)
            if found != graph.lines { return }
        }
    }
}

/// Objects by numbers, and their links.
struct RandomGraph {
    struct Person {
        var isEmployee = false
        var age = 0
        var city: Int?
        /// An employee.
        var boss: Int?
        var friends: Set<Int> = []
    }

    static let keys = [("City", "name,country"), ("Person", "name"), ("Employee", "badge")]

    let countries: Int
    /// The country of each city; the name of a city is unique in its country.
    var cities: [Int] = []
    var people: [Person] = []
    /// The members of each group, in their order.
    var groups: [[Int]] = []
    /// The person of each ticket.
    var tickets: [Int] = []

    static func model() throws -> Model {
        try makeModel([
            EntityMaker("Country").attribute("code", .string)
                .toMany("cities", "City", inverse: "country").unique("code"),
            EntityMaker("City").attribute("name", .string)
                .toOne("country", "Country", inverse: "cities")
                .toMany("people", "Person", inverse: "city"),
            EntityMaker("Person").attribute("name", .string).attribute("age", .integer32)
                .toOne("city", "City", inverse: "people")
                .toOne("boss", "Employee", inverse: "reports")
                .toMany("friends", "Person", inverse: "friends")
                .toMany("groups", "Group", inverse: "members")
                .toMany("tickets", "Ticket", inverse: "person"),
            EntityMaker("Employee", parent: "Person").attribute("badge", .string)
                .toMany("reports", "Person", inverse: "boss"),
            EntityMaker("Group").attribute("name", .string)
                .toMany("members", "Person", inverse: "groups", ordered: true).unique("name"),
            EntityMaker("Ticket").attribute("number", .integer32)
                .toOne("person", "Person", inverse: "tickets", isOptional: false),
        ])
    }

    init(_ numbers: inout SeededNumbers) {
        countries = 1 + numbers.below(4)
        for _ in 0..<numbers.below(12) { cities.append(numbers.below(countries)) }
        let count = 1 + numbers.below(25)
        for _ in 0..<count {
            people.append(Person(isEmployee: numbers.one(in: 3), age: numbers.below(90)))
        }
        let employees = people.indices.filter { people[$0].isEmployee }
        for index in people.indices {
            if !cities.isEmpty, numbers.one(in: 2) {
                people[index].city = numbers.below(cities.count)
            }
            if !employees.isEmpty, numbers.one(in: 2) {
                people[index].boss = numbers.pick(employees, or: 0)
            }
            for _ in 0..<numbers.below(4) {
                let friend = numbers.below(count)
                people[index].friends.insert(friend)
                people[friend].friends.insert(index)
            }
        }
        for _ in 0..<numbers.below(6) {
            groups.append(Array((0..<count).shuffled(using: &numbers).prefix(numbers.below(7))))
        }
        for _ in 0..<numbers.below(10) { tickets.append(numbers.below(count)) }
    }

    /// The name of a city, which another in another country may have.
    func cityName(_ city: Int) -> String { "N\(cities[..<city].count { $0 == cities[city] })" }

    private func cityText(_ city: Int?) -> String {
        city.map { "\(cityName($0)) in C\(cities[$0])" } ?? "-"
    }

    /// The graph as text, sorted.
    var lines: [String] {
        var lines = (0..<countries).map { "country C\($0)" }
        lines += cities.indices.map { "city \(cityText($0))" }
        for (index, person) in people.enumerated() {
            let badge = person.isEmployee ? "B\(index)" : "-"
            let boss = person.boss.map { "P\($0)" } ?? "-"
            let friends = person.friends.map { "P\($0)" }.sorted()
            lines.append(
                "P\(index) \(badge) \(person.age) \(cityText(person.city)) \(boss) \(friends)")
        }
        for (index, members) in groups.enumerated() {
            lines.append("G\(index) \(members.map { "P\($0)" })")
        }
        lines += tickets.enumerated().map { "ticket \($0) of P\($1)" }
        return lines.sorted()
    }

    /// The graph of a store as the same text.
    func lines(of house: House) throws -> [String] {
        let context = house.context()
        defer { context.close() }
        func all(_ entity: String) throws -> [ManagedObject] {
            try context.fetch(FetchRequest(entity: try house.entity(entity)))
        }
        func text(_ object: ManagedObject?, _ name: String) -> String {
            switch object?[name] {
            case .string(let text): text
            case .int(let number): "\(number)"
            default: "-"
            }
        }
        func one(_ object: ManagedObject, _ path: String) throws -> ManagedObject? {
            try object.toOne(try house.relationship(path))
        }
        func members(_ object: ManagedObject, _ path: String) throws -> [String] {
            try object.members(try house.relationship(path)).map { text($0, "name") }
        }
        func city(_ object: ManagedObject?) throws -> String {
            guard let object else { return "-" }
            return "\(text(object, "name")) in \(text(try one(object, "City.country"), "code"))"
        }
        var lines = try all("Country").map { "country \(text($0, "code"))" }
        lines += try all("City").map { "city \(try city($0))" }
        for it in try all("Person") {
            let badge = it.entity.name == "Employee" ? text(it, "badge") : "-"
            let home = try city(try one(it, "Person.city"))
            let boss = text(try one(it, "Person.boss"), "name")
            let friends = try members(it, "Person.friends").sorted()
            lines.append(
                "\(text(it, "name")) \(badge) \(text(it, "age")) \(home) \(boss) \(friends)")
        }
        for it in try all("Group") {
            lines.append("\(text(it, "name")) \(try members(it, "Group.members"))")
        }
        for it in try all("Ticket") {
            let person = text(try one(it, "Ticket.person"), "name")
            lines.append("ticket \(text(it, "number")) of \(person)")
        }
        return lines.sorted()
    }
}

/// Writes the records of a graph.
struct RandomRecords {
    enum Mode { case keys, ids, newIDs }
    /// Further records of an object: none, the rest of its values, or others that are not taken.
    enum Repeats { case none, split, again }

    let graph: RandomGraph
    let mode: Mode
    let repeats: Repeats
    private var numbers: SeededNumbers
    private var ids: [String: [Int]] = [:]

    private typealias Record = [String: Any]

    init(_ graph: RandomGraph, _ numbers: inout SeededNumbers) {
        self.graph = graph
        mode = numbers.pick([.keys, .ids, .newIDs], or: .keys)
        repeats = numbers.pick([.none, .split, .again], or: .none)
        self.numbers = SeededNumbers(seed: numbers.next())
        let counts = [
            ("Country", graph.countries), ("City", graph.cities.count),
            ("Person", graph.people.count), ("Group", graph.groups.count),
            ("Ticket", graph.tickets.count),
        ]
        for (entity, count) in counts {
            ids[entity] = Array((1...(2 * count + 5)).shuffled(using: &self.numbers).prefix(count))
        }
    }

    /// The files with their texts.
    mutating func files() -> [(String, String)] {
        var records = all().shuffled(using: &numbers)
        repeatSome(&records)
        let texts = records.map { record in
            let data = try? JSONSerialization.data(withJSONObject: record, options: .sortedKeys)
            return data.map { String(decoding: $0, as: UTF8.self) } ?? ""
        }
        // Further records of an object are after the first.
        guard repeats == .none, numbers.one(in: 2) else {
            return [("all.ndjson", texts.joined(separator: "\n"))]
        }
        let middle = numbers.below(texts.count)
        return [
            ("all.1.ndjson", texts[..<middle].joined(separator: "\n")),
            ("all.2.ndjson", texts[middle...].joined(separator: "\n")),
        ]
    }

    /// Adds further records of some objects.
    private mutating func repeatSome(_ records: inout [Record]) {
        if repeats == .none { return }
        for index in records.indices.reversed() where numbers.one(in: 3) {
            var rest = records[index]
            guard rest["_entity"] as? String != "Ticket" else { continue }
            let place = index + 1 + numbers.below(records.count - index)
            if repeats == .again {
                if rest["age"] != nil { rest["age"] = 99 }
                for name in ["friends", "groups", "members", "people"] where rest[name] != nil {
                    rest[name] = [Any]()
                }
                records.insert(rest, at: place)
                continue
            }
            // The first record may be without values, and have links that the second replaces.
            var first = rest
            for name in ["age", "city", "boss"] where numbers.one(in: 2) && first[name] != nil {
                first[name] = name == "age" ? 99 : NSNull()
                if name == "boss", let other = graph.people.firstIndex(where: \.isEmployee) {
                    first[name] = self.name("Employee", other)
                }
            }
            for name in ["friends", "groups", "members", "people", "reports", "cities", "tickets"] {
                rest[name] = nil
            }
            records[index] = first
            records.insert(rest, at: place)
        }
    }

    private func id(_ entity: String, _ index: Int) -> Int { ids[entity]?[index] ?? 0 }

    /// What a link to an object has.
    private func name(_ entity: String, _ index: Int) -> Any {
        if mode != .keys { return id(entity == "Employee" ? "Person" : entity, index) }
        switch entity {
        case "Country": return "C\(index)"
        case "City": return ["name": graph.cityName(index), "country": "C\(graph.cities[index])"]
        case "Employee": return "B\(index)"
        case "Group": return "G\(index)"
        default: return "P\(index)"
        }
    }

    private func record(_ entity: String, _ index: Int, _ values: Record) -> Record {
        var record = values
        record["_entity"] = entity
        if mode != .keys { record["_id"] = id(entity == "Employee" ? "Person" : entity, index) }
        return record
    }

    private mutating func all() -> [Record] {
        var cities = graph.cities.indices.map { index in
            record("City", index, ["name": graph.cityName(index)])
        }
        var countries = (0..<graph.countries).map { record("Country", $0, ["code": "C\($0)"]) }
        var people = graph.people.enumerated().map { index, person in
            var values: Record = ["name": "P\(index)", "age": person.age]
            if person.isEmployee { values["badge"] = "B\(index)" }
            return record(person.isEmployee ? "Employee" : "Person", index, values)
        }
        var groups = graph.groups.enumerated().map { index, members in
            record(
                "Group", index,
                ["name": "G\(index)", "members": members.map { name("Person", $0) }])
        }
        let tickets = graph.tickets.enumerated().map { index, person in
            record("Ticket", index, ["number": index, "person": name("Person", person)])
        }
        func add(_ it: Any, to record: inout Record, _ key: String) {
            record[key] = (record[key] as? [Any] ?? []) + [it]
        }
        // A link is at one end or at both; the key of a city needs its country.
        for (index, country) in graph.cities.enumerated() {
            let end = numbers.below(3)
            if end > 0 || mode == .keys { cities[index]["country"] = name("Country", country) }
            if end < 2 { add(name("City", index), to: &countries[country], "cities") }
        }
        for (index, person) in graph.people.enumerated() {
            if let city = person.city {
                let end = numbers.below(3)
                if end > 0 { people[index]["city"] = name("City", city) }
                if end < 2 { add(name("Person", index), to: &cities[city], "people") }
            }
            if let boss = person.boss {
                let end = numbers.below(3)
                if end > 0 { people[index]["boss"] = name("Employee", boss) }
                if end < 2 { add(name("Person", index), to: &people[boss], "reports") }
            }
            for friend in person.friends where friend >= index {
                let end = numbers.below(3)
                if end > 0 { add(name("Person", friend), to: &people[index], "friends") }
                if end < 2 { add(name("Person", index), to: &people[friend], "friends") }
            }
        }
        for (index, members) in graph.groups.enumerated() {
            for member in members where numbers.one(in: 3) {
                add(name("Group", index), to: &people[member], "groups")
            }
            if members.isEmpty, numbers.one(in: 2) { groups[index]["members"] = nil }
        }
        return countries + cities + people + groups + tickets
    }
}
