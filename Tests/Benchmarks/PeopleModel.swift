/// The people and teams that fetching is measured on: 100,000 and 200, skewed, with nulls.

import CSQLite
import SteleModel
import SteleSQLite

/// A model of two entities, and a store of it that is filled by hand.
enum PeopleModel {
    static let people = 100_000
    static let teams = 200

    static func model() throws -> Model {
        var model = ManagedObjectModel(name: "People")
        var person = EntityDescription(name: "Person")
        person.properties = [
            attribute("age", .integer32), attribute("email", .string),
            attribute("hiredAt", .date), attribute("name", .string),
            attribute("salary", .double), relationship("team", "Team", "people", isToMany: false),
        ]
        person.fetchIndexes = [("byAge", "age"), ("byName", "name")].map { name, key in
            var index = FetchIndexDescription(name: name)
            index.elements = [.init(propertyName: key)]
            return index
        }
        var team = EntityDescription(name: "Team")
        team.properties = [
            attribute("name", .string), relationship("people", "Person", "team", isToMany: true),
        ]
        model.entities = [person, team]
        return try Model(model)
    }

    private static func attribute(_ name: String, _ type: AttributeType) -> PropertyDescription {
        var it = AttributeDescription(name: name, type: type)
        it.isOptional = true
        return .attribute(it)
    }

    private static func relationship(
        _ name: String, _ destination: String, _ inverse: String, isToMany: Bool
    ) -> PropertyDescription {
        var it = RelationshipDescription(name: name, destinationName: destination)
        it.isOptional = true
        it.isToMany = isToMany
        if !isToMany { it.maximumCount = 1 }
        it.inverseName = inverse
        it.inverseEntityName = destination
        return .relationship(it)
    }

    /// Makes the store's file: the tables by the library, the rows by plain SQL.
    static func makeStore(_ path: String) throws {
        try SQLiteStore.open(path: path, model: model()).close()
        let raw = RawSQL(path)
        raw.run("BEGIN")
        for team in 1...teams {
            raw.run("INSERT INTO ZTEAM (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES "
                + "(\(team), 2, 1, 'Team \(team)')")
        }
        var numbers = Numbers(state: 20_260)
        for key in 1...people {
            let letters = (0..<3).map { _ in UInt8(numbers.below(26)) }
            let name = String(
                decoding: [65 + letters[0], 97 + letters[1], 97 + letters[2]], as: UTF8.self)
            let skew = numbers.fraction()
            let team = numbers.below(32) == 0 ? "NULL" : "\(1 + Int(skew * skew * skew * 200))"
            let wealth = numbers.fraction()
            raw.run("INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, ZAGE, ZTEAM, ZHIREDAT, ZSALARY, "
                + "ZEMAIL, ZNAME) VALUES (\(key), 1, 1, \(18 + numbers.below(80)), \(team), "
                + "\(numbers.below(700_000_000)), \(20_000 + wealth * wealth * 180_000), "
                + "'person\(key)@example.com', '\(name) Person \(key)')")
        }
        raw.run("UPDATE Z_PRIMARYKEY SET Z_MAX = \(people) WHERE Z_NAME = 'Person'; "
            + "UPDATE Z_PRIMARYKEY SET Z_MAX = \(teams) WHERE Z_NAME = 'Team'; COMMIT")
    }

    /// Numbers that are the same in each run.
    private struct Numbers {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }

        mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
        mutating func fraction() -> Double { Double(next() >> 11) / 0x1p53 }
    }
}
