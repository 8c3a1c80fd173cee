// The queries of a results play.

import SteleModel
import StelePersistence
import StelePredicates
import Testing

@testable import SteleGraph

extension ResultsPlay {
    static let people = [
        nil, "age > 40", "age < 30 OR name BEGINSWITH \"B\"", "team.name == \"T1\"", "team != nil",
        "ANY tags.name == \"x\"", "tags.@count > 1", "team.players.@count > 2",
        "captainOf.name CONTAINS \"T\"", "mentor.team.name == team.name", "ALL friends.age > 20",
        "SUBQUERY(friends, $f, $f.team.name == \"T2\").@count > 0", "favourite.name == \"y\"",
        "spouse.age > age", "NOT (ANY mentees.age > 50)",
        "SUBQUERY({SELF}, $s, $s.team.name == \"T1\").@count > 0",
        "SUBQUERY(SUBQUERY(friends, $f, $f.age > 30), $g, $g.team.name == \"T2\").@count > 0",
        "ANY SUBQUERY(friends, $f, $f.age > 20).team.name == \"T1\"",
        "ANY (friends UNION mentor.friends).age > 60", "(friends MINUS team.players).@count > 1",
        "TERNARY(age > 40, team, mentor.team).name == \"T1\"", "{spouse, mentor}[FIRST].age > 30",
    ]
    static let teams = [
        nil, "players.@count > 1", "captain.age > 30", "ANY players.age < 25",
        "players.@max.age > 60", "SUBQUERY(players, $p, ANY $p.tags.name == \"x\").@count > 0",
    ]
    static let peopleSorts = [
        "", "name", "-age,name[cd]", "team.name,-age", "mentor.age,name", "favourite.name",
        "tags.@count,-_id", "_entity,age",
    ]
    static let teamSorts = ["", "name", "-players.@count", "captain.name,-name"]

    mutating func request(_ entity: Entity) throws -> (FetchRequest, String) {
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

    mutating func follower() throws -> Follower {
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

    /// A query that depends on the own values of its rows alone.
    func plainFollower() throws -> Follower {
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

    static let personColumns = [
        "name", "team.name", "captainOf.name", "mentor.team.name", "team.captain.age",
        "tags.@count", "team.players.@count", "friends.@max.age", "spouse.name", "age + 1",
        "mentees.@sum.age", "team.players.@max.age", "favourite.name", "team",
        "SUBQUERY(friends, $f, $f.team.name == \"T2\").@count",
        "(friends UNION mentor.friends).@count", "{spouse, mentor}[LAST].name",
    ]
    static let teamColumns = [
        "name", "players.@count", "captain.name", "players.@max.age", "captain.team.name",
        "SUBQUERY(players, $p, $p.age > 40).@count",
    ]

    /// A query with columns.
    mutating func columnFollower() throws -> Follower {
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

    mutating func table() throws -> Table {
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

    /// The content of a row: its columns, or the object with the destinations that are embedded.
    func content(
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
}
