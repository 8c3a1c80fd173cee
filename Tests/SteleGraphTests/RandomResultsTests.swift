// Random saves against random queries: each difference, applied to what a listener has, leads to
// what the query gives.

import SteleModel
import StelePersistence
import StelePredicates
import Testing

@testable import SteleGraph

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// `make live-check` makes ten thousand comparisons, STELE_RESULTS as many; STELE_SEED repeats
/// a run.
@Suite struct RandomResultsTests {
    @Test(arguments: StoreKind.allCases)
    func eachDifferenceLeadsToWhatTheQueryGives(_ kind: StoreKind) throws {
        let given = getenv("STELE_RESULTS").flatMap { Int(String(cString: $0)) }
        let count = given.map { $0 / 2 } ?? (kind == .memory ? 600 : 200)
        let seed = drawSeed("eachDifferenceLeadsToWhatTheQueryGives(\(kind)), \(count) comparisons")
        let model = try makeLeague()
        var compared = 0
        var told = 0
        var rewound = 0
        var sequence: UInt64 = 0
        while compared < count {
            var play = try ResultsPlay(model, kind, SeededNumbers(seed &+ sequence &* 7919))
            do { try play.run(saves: 25) } catch {
                Issue.record("sequence \(sequence) of seed \(seed): \(error)")
                return
            }
            compared += play.compared
            told += play.told
            rewound += play.rewound
            guard play.failures.isEmpty else {
                Issue.record(
                    "sequence \(sequence) of seed \(seed):\n\(play.failures.joined(separator: "\n"))"
                )
                return
            }
            sequence += 1
        }
        #expect(told > count / 8, "hardly anything was told")
        #expect(rewound > count / 32, "hardly anything was taken back")
        print(
            "live check, \(kind): seed \(seed), \(compared) comparisons, \(told) differences, \(rewound) taken back"
        )
    }
}

/// One world, some queries of it, and what their listeners have.
private struct ResultsPlay {
    private let fixture: Fixture
    private var numbers: SeededNumbers
    private var followers: [Follower] = []
    private var tables: [Table] = []
    private var token: Int64 = 0
    private(set) var compared = 0
    private(set) var told = 0
    private(set) var rewound = 0
    private(set) var failures: [String] = []

    /// A listener of a query: the rows that it shows, by the differences that it was told.
    private struct Follower {
        let name: String
        let query: ResultsQuery
        let include: [Relationship]
        var columns: [Expression] = []
        var results: FetchedResults
        var keys: [Int64]
        var sections: [Value]
        var shown: [Int64: Content]
        /// As it was at the last saves.
        var former: [FetchedResults] = []
    }

    /// What is shown of a row.
    private struct Content: Equatable {
        var objects: [Snapshot] = []
        var values: [Value] = []
    }

    /// The same of rows of aggregates.
    private struct Table {
        let name: String
        var results: RowResults
        var keys: [Int64]
        var rows: [Int64: [Value]]
    }

    init(_ model: Model, _ kind: StoreKind, _ numbers: SeededNumbers) throws {
        fixture = try Fixture(model, kind)
        self.numbers = numbers
        for _ in 0..<8 { try change() }
        token = try read { try $0.token }
        for _ in 0..<7 { followers.append(try follower()) }
        followers.append(try plainFollower())
        for _ in 0..<3 { followers.append(try columnFollower()) }
        for _ in 0..<2 { tables.append(try table()) }
    }

    mutating func run(saves: Int) throws {
        for _ in 0..<saves {
            // Now and then several saves are followed at once.
            for _ in 0..<(Int.random(in: 0..<4, using: &numbers) == 0 ? 3 : 1) { try change() }
            try follow()
            if !failures.isEmpty { return }
        }
    }

    private func read<R>(_ body: (any StoreReader) throws -> R) throws -> R {
        let reader = try fixture.store.reader()
        defer { reader.close() }
        return try body(reader)
    }

    private mutating func pick<T>(_ all: [T]) throws -> T {
        try #require(all.randomElement(using: &numbers))
    }

    // MARK: Queries

    private static let people = [
        nil, "age > 40", "age < 30 OR name BEGINSWITH \"B\"", "team.name == \"T1\"", "team != nil",
        "ANY tags.name == \"x\"", "tags.@count > 1", "team.players.@count > 2",
        "captainOf.name CONTAINS \"T\"", "mentor.team.name == team.name", "ALL friends.age > 20",
        "SUBQUERY(friends, $f, $f.team.name == \"T2\").@count > 0", "favourite.name == \"y\"",
        "spouse.age > age", "NOT (ANY mentees.age > 50)",
    ]
    private static let teams = [
        nil, "players.@count > 1", "captain.age > 30", "ANY players.age < 25",
        "players.@max.age > 60", "SUBQUERY(players, $p, ANY $p.tags.name == \"x\").@count > 0",
    ]
    private static let peopleSorts = [
        "", "name", "-age,name[cd]", "team.name,-age", "mentor.age,name", "favourite.name",
        "tags.@count,-_id", "_entity,age",
    ]
    private static let teamSorts = ["", "name", "-players.@count", "captain.name,-name"]

    private mutating func request(_ entity: Entity) throws -> (FetchRequest, String) {
        let isTeam = entity.name == "Team"
        let condition = try pick(isTeam ? Self.teams : Self.people)
        let sort = try pick(isTeam ? Self.teamSorts : Self.peopleSorts)
        var request = FetchRequest(entity: entity)
        let check = PredicateCheck(model: fixture.model, entity: entity)
        request.predicate = try condition.map { try check.check(Predicate(format: $0)) }
        if !sort.isEmpty { request.sortDescriptors = try SortList(sort).checked(by: check) }
        request.includesSubentities = Int.random(in: 0..<6, using: &numbers) > 0
        if Int.random(in: 0..<2, using: &numbers) == 0 {
            request.fetchLimit = Int.random(in: 1...8, using: &numbers)
        }
        if Int.random(in: 0..<4, using: &numbers) == 0 {
            request.fetchOffset = Int.random(in: 1...4, using: &numbers)
        }
        let name =
            "\(entity.name) where \(condition ?? "-") sort \(sort) limit "
            + "\(request.fetchLimit ?? -1) offset \(request.fetchOffset)"
        return (request, name)
    }

    private mutating func follower() throws -> Follower {
        let entity = try fixture.entity(try pick(["Person", "Person", "Employee", "Team"]))
        let (request, name) = try request(entity)
        let isTeam = entity.name == "Team"
        let check = PredicateCheck(model: fixture.model, entity: entity)
        var section: Expression?
        let by = try pick(isTeam ? [nil, "captain.name"] : [nil, nil, "team.name", "age"])
        if let by { section = try SortList(by).checked(by: check).first?.expression }
        let path = try pick(
            isTeam ? [[], ["captain"], ["players"]] : [[], [], ["team"], ["tags"], ["mentor"]])
        let include = try path.map { try #require(entity.relationship(named: $0)) }
        let query = ResultsQuery(
            request, section: section,
            content: include.isEmpty ? .object : .including([include]), model: fixture.model)
        return try read { reader in
            let results = try FetchedResults(query, reader)
            var shown: [Int64: Content] = [:]
            for key in results.keys {
                shown[key] = try content(key, of: entity, include, [], reader)
            }
            return Follower(
                name: "\(name) section \(by ?? "-") include \(path)", query: query,
                include: include, results: results, keys: results.keys,
                sections: results.sections.map(\.name), shown: shown)
        }
    }

    /// One of whose rows nothing but their own values decides.
    private func plainFollower() throws -> Follower {
        let entity = try fixture.entity("Person")
        let check = PredicateCheck(model: fixture.model, entity: entity)
        var request = FetchRequest(entity: entity)
        request.predicate = try check.check(Predicate(format: "age > 20"))
        request.sortDescriptors = try SortList("-age,name[cd]").checked(by: check)
        request.fetchLimit = 6
        let query = ResultsQuery(request, model: fixture.model)
        return try read { reader in
            let results = try FetchedResults(query, reader)
            var shown: [Int64: Content] = [:]
            for key in results.keys { shown[key] = try content(key, of: entity, [], [], reader) }
            return Follower(
                name: "Person where age > 20", query: query, include: [], results: results,
                keys: results.keys, sections: [], shown: shown)
        }
    }

    private static let personColumns = [
        "name", "team.name", "captainOf.name", "mentor.team.name", "team.captain.age",
        "tags.@count", "team.players.@count", "friends.@max.age", "spouse.name", "age + 1",
        "mentees.@sum.age", "team.players.@max.age", "favourite.name", "team",
        "SUBQUERY(friends, $f, $f.team.name == \"T2\").@count",
    ]
    private static let teamColumns = [
        "name", "players.@count", "captain.name", "players.@max.age", "captain.team.name",
        "SUBQUERY(players, $p, $p.age > 40).@count",
    ]

    /// One whose rows are columns.
    private mutating func columnFollower() throws -> Follower {
        let entity = try fixture.entity(try pick(["Person", "Person", "Team"]))
        let (request, name) = try request(entity)
        let all = entity.name == "Team" ? Self.teamColumns : Self.personColumns
        let asked = [try pick(all), try pick(all)]
        let check = PredicateCheck(model: fixture.model, entity: entity)
        let columns = try asked.map { try check.check(Expression(format: $0)).0 }
        let query = ResultsQuery(
            request, content: .columns(columns, including: []), model: fixture.model)
        return try read { reader in
            let results = try FetchedResults(query, reader)
            var shown: [Int64: Content] = [:]
            for key in results.keys {
                shown[key] = try content(key, of: entity, [], columns, reader)
            }
            return Follower(
                name: "\(name) columns \(asked)", query: query, include: [], columns: columns,
                results: results, keys: results.keys, sections: [], shown: shown)
        }
    }

    private mutating func table() throws -> Table {
        let entity = try fixture.entity("Person")
        var (request, name) = try request(entity)
        var check = PredicateCheck(model: fixture.model, entity: entity)
        check.allowsRowAggregates = true
        let columns = try ["team.name", "count()", "average(age)"].map {
            ExpressionDescription(
                name: $0, expression: try check.check(Expression(format: $0)).0)
        }
        request.propertiesToFetch = columns
        request.propertiesToGroupBy = [columns[0].expression]
        request.sortDescriptors = [SortDescriptor(columns[1].expression, ascending: false)]
        return try read { reader in
            let results = try RowResults(
                request, identity: [0], maximumRows: 1_000, model: fixture.model, reader)
            return Table(
                name: "groups of \(name)", results: results, keys: results.keys,
                rows: Dictionary(uniqueKeysWithValues: zip(results.keys, results.rows)))
        }
    }

    /// What is shown of a row: its columns, or the object, and where a relationship is embedded its
    /// destinations.
    private func content(
        _ key: Int64, of entity: Entity, _ include: [Relationship], _ columns: [Expression],
        _ reader: any StoreReader
    ) throws -> Content {
        if !columns.isEmpty {
            var request = FetchRequest(entity: entity)
            request.predicate = .comparison(Comparison(.key("_id"), .equal, .constant(.int(key))))
            request.propertiesToFetch = columns.enumerated().map {
                ExpressionDescription(name: "c\($0)", expression: $1)
            }
            return Content(values: try reader.fetchRows(request).first ?? [])
        }
        guard let object = try reader.snapshot(ObjectID(root: entity.root, key: key)) else {
            return Content()
        }
        var found = [object]
        for relationship in include {
            let root = fixture.model.destination(of: relationship).root
            if relationship.isToMany {
                let members = try reader.members(of: relationship, owners: [key])[key] ?? []
                for member in members {
                    found += [try reader.snapshot(ObjectID(root: root, key: member))].compactMap(
                        \.self)
                }
            } else if case .key(let destination) = object.values[relationship.slot] {
                found += [try reader.snapshot(ObjectID(root: root, key: destination))].compactMap(
                    \.self)
            }
        }
        return Content(objects: found)
    }

    // MARK: Following

    private mutating func follow() throws {
        let start = token
        let saves = try read { try $0.history(after: start, limit: .max, values: true) }
        var opened: (any StoreReader)?
        defer { opened?.close() }
        let view = SavesView(after: start, saves) { [store = fixture.store] in
            let reader = try store.reader()
            opened = reader
            return reader
        }
        let now = try fixture.store.reader()
        defer { now.close() }
        for index in followers.indices {
            var one = followers[index]
            one.former = one.former.suffix(4) + [one.results]
            try follow(&one, view, now)
            try takeBack(one, now)
            followers[index] = one
            compared += 1
        }
        for index in tables.indices {
            var one = tables[index]
            try follow(&one, view, now)
            tables[index] = one
            compared += 1
        }
        token = view.token
    }

    private mutating func follow(
        _ it: inout Follower, _ view: SavesView, _ now: any StoreReader
    ) throws {
        for difference in try it.results.advance(in: view) {
            told += 1
            it.keys = difference.applied(to: it.keys)
            for change in difference.sectionDeletes.reversed() {
                it.sections.remove(at: change.index)
            }
            for change in difference.sectionInserts {
                it.sections.insert(change.name, at: change.index)
            }
            for key in difference.objectKeys {
                it.shown[key] = try content(
                    key, of: it.query.request.entity, it.include, it.columns, now)
            }
        }
        let fresh = try now.fetch(it.query.request).map(\.key)
        if it.keys != fresh || it.results.keys != fresh || it.results.token != view.token {
            failures.append(
                "\(it.name): told \(it.keys), holds \(it.results.keys), the query gives \(fresh)")
        }
        for (index, key) in fresh.enumerated() {
            let shown = try content(
                key, of: it.query.request.entity, it.include, it.columns, now)
            if it.shown[key] != shown {
                failures.append(
                    "\(it.name): row \(key) shows \(it.shown[key] ?? Content()) and is \(shown)")
            }
            if it.results.key(at: index) != key || it.results.index(of: key) != index {
                failures.append("\(it.name): row \(key) is not at \(index)")
            }
        }
        let sections = try FetchedResults(it.query, now).sections
        if it.results.sections != sections || it.sections != sections.map(\.name) {
            failures.append(
                "\(it.name): told sections \(it.sections), holds \(it.results.sections), there are "
                    + "\(sections)")
        }
    }

    /// What it was at an earlier save comes of the history, and leads to what it is.
    private mutating func takeBack(_ it: Follower, _ now: any StoreReader) throws {
        guard let then = it.former.randomElement(using: &numbers) else { return }
        let saves = try now.history(after: then.token, limit: .max, values: true)
        guard var back = it.results.rewound(through: saves, to: then.token) else { return }
        rewound += 1
        if back.keys != then.keys || back.sections != then.sections || back.token != then.token {
            failures.append(
                "\(it.name): was \(then.keys) \(then.sections), taken back \(back.keys) \(back.sections)"
            )
        }
        var keys = back.keys
        for difference in try back.advance(in: SavesView(after: then.token, saves) { now }) {
            keys = difference.applied(to: keys)
        }
        if keys != it.keys || back.keys != it.keys {
            failures.append("\(it.name): is \(it.keys), and again \(keys), \(back.keys)")
        }
    }

    private mutating func follow(
        _ it: inout Table, _ view: SavesView, _ now: any StoreReader
    ) throws {
        if let difference = try it.results.advance(in: view) {
            told += 1
            it.keys = difference.applied(to: it.keys)
            let rows = Dictionary(uniqueKeysWithValues: zip(it.results.keys, it.results.rows))
            for key in difference.objectKeys { it.rows[key] = rows[key] }
        }
        let fresh = try now.fetchRows(it.results.request)
        if it.keys.map({ it.rows[$0] ?? [] }) != fresh || it.results.token != view.token {
            failures.append("\(it.name): told \(it.keys), the query gives \(fresh)")
        }
    }

    // MARK: Saves

    /// A save of one to five random changes.
    private mutating func change() throws {
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

    private mutating func change(
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
                if try person.keys("tags").contains(tag.id.key) {
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

    private mutating func someone(_ people: [ManagedObject]) -> ManagedObject? {
        Int.random(in: 0..<4, using: &numbers) == 0 ? nil : people.randomElement(using: &numbers)
    }

    private mutating func name() -> String {
        ["Ann", "ann", "Bo", "Cy", "Bé", "", "zoë"].randomElement(using: &numbers) ?? ""
    }

    private mutating func age() -> Value {
        Int.random(in: 0..<8, using: &numbers) == 0
            ? .null : .int(Int64.random(in: 15...70, using: &numbers) / 5 * 5)
    }
}
