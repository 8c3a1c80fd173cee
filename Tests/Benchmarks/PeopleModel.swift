/// The people and teams that fetching is measured on: 100,000 and 200, skewed, with nulls.

import CSQLite
import SteleModel
import SteleSQLite
import TestSupport

/// A model of two entities, and a store of it that is filled by hand.
enum PeopleModel {
    static let people = 100_000
    static let teams = 200

    static func model() throws -> Model {
        try makeModel(
            name: "People",
            [
                EntityMaker("Person").attribute("age", .integer32).attribute("email", .string)
                    .attribute("hiredAt", .date).attribute("name", .string)
                    .attribute("salary", .double).toOne("team", "Team", inverse: "people")
                    .index("byAge", on: "age").index("byName", on: "name"),
                EntityMaker("Team").attribute("name", .string)
                    .toMany("people", "Person", inverse: "team"),
            ])
    }

    /// Makes the store's file: the tables by the library, the rows by plain SQL.
    static func makeStore(_ path: String) throws {
        try SQLiteStore.open(path: path, model: model()).close()
        let raw = RawSQL(path)
        raw.run("BEGIN")
        for team in 1...teams {
            raw.run(
                "INSERT INTO ZTEAM (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES "
                    + "(\(team), 2, 1, 'Team \(team)')")
        }
        var numbers = SeededNumbers(seed: 20_260)
        for key in 1...people {
            let letters = (0..<3).map { _ in UInt8(numbers.below(26)) }
            let name = String(
                decoding: [65 + letters[0], 97 + letters[1], 97 + letters[2]], as: UTF8.self)
            let skew = numbers.fraction()
            let team = numbers.below(32) == 0 ? "NULL" : "\(1 + Int(skew * skew * skew * 200))"
            let wealth = numbers.fraction()
            raw.run(
                "INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, ZAGE, ZTEAM, ZHIREDAT, ZSALARY, "
                    + "ZEMAIL, ZNAME) VALUES (\(key), 1, 1, \(18 + numbers.below(80)), \(team), "
                    + "\(numbers.below(700_000_000)), \(20_000 + wealth * wealth * 180_000), "
                    + "'person\(key)@example.com', '\(name) Person \(key)')")
        }
        raw.run(
            "UPDATE Z_PRIMARYKEY SET Z_MAX = \(people) WHERE Z_NAME = 'Person'; "
                + "UPDATE Z_PRIMARYKEY SET Z_MAX = \(teams) WHERE Z_NAME = 'Team'; COMMIT")
    }
}

extension SeededNumbers {
    /// A number from 0 up to 1.
    fileprivate mutating func fraction() -> Double { Double(next() >> 11) / 0x1p53 }
}
