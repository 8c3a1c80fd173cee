/// Migration in place against the bare statements of SQLite, on copies of one store and in turn:
/// `Benchmarks migrate [ROWS]`.

import Foundation
import SteleMigration
import SteleModel
import SteleSQLite
import TestSupport

/// Adding an optional attribute, and changing numeric types.
enum MigrationCosts {
    private static let rounds = 9

    /// A change of the model, and the statements that do the same by hand.
    private struct Case {
        let name: String
        let person: EntityMaker
        let statements: String
    }

    private static func person(
        age: AttributeType = .integer64, salary: AttributeType = .double
    ) -> EntityMaker {
        EntityMaker("Person").attribute("name", .string).attribute("age", age)
            .attribute("salary", salary).toOne("team", "Team", inverse: "people")
            .index("byName", on: "name")
    }

    private static let cases = [
        Case(
            name: "adding an optional attribute", person: person().attribute("email", .string),
            statements: "ALTER TABLE ZPERSON ADD COLUMN ZEMAIL VARCHAR"),
        Case(
            name: "Integer 64 to Integer 16", person: person(age: .integer16),
            statements: change("ZAGE", "INTEGER")),
        Case(
            name: "Integer 64 to Double", person: person(age: .double),
            statements: change("ZAGE", "FLOAT")),
        Case(
            name: "Integer 64 to Decimal", person: person(age: .decimal),
            statements: change("ZAGE", "DECIMAL")),
        Case(
            name: "Double to Float", person: person(salary: .float),
            statements: change("ZSALARY", "FLOAT")),
        Case(
            name: "Double to Decimal", person: person(salary: .decimal),
            statements: change("ZSALARY", "DECIMAL")),
    ]

    /// Another column with the values of one, in one transaction.
    private static func change(_ column: String, _ type: String) -> String {
        "BEGIN IMMEDIATE; ALTER TABLE ZPERSON ADD COLUMN ZNEW \(type); "
            + "UPDATE ZPERSON SET ZNEW = \(column); COMMIT"
    }

    static func run(_ folder: String, _ rows: Int) throws {
        let team = EntityMaker("Team").attribute("name", .string)
            .toMany("people", "Person", inverse: "team")
        let source = try makeModel([person(), team])
        let whole = folder + "/whole.sqlite"
        try SQLiteStore.open(path: whole, model: source).close()
        try RawDatabase(whole).run(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
            INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, ZNAME, ZAGE, ZSALARY, ZTEAM)
            SELECT i, 1, 1, 'Person ' || i, i % 90, i / 3.0, i % 1000 FROM n;
            UPDATE Z_PRIMARYKEY SET Z_MAX = \(rows) WHERE Z_ENT = 1
            """)
        for it in cases {
            try compare(it, source, try makeModel([it.person, team]), folder, rows)
        }
    }

    private static func compare(
        _ it: Case, _ source: Model, _ destination: Model, _ folder: String, _ rows: Int
    ) throws {
        let whole = folder + "/whole.sqlite"
        let mapping = try MappingModel.inferred(from: source, to: destination)
        let clock = ContinuousClock()
        var times: (ours: [Duration], theirs: [Duration]) = ([], [])
        for round in 0..<rounds {
            let paths = (folder + "/ours\(round).sqlite", folder + "/theirs\(round).sqlite")
            for path in [paths.0, paths.1] {
                try FileManager.default.copyItem(atPath: whole, toPath: path)
            }
            sync()
            times.ours.append(
                try clock.measure {
                    try SQLiteStore.migrate(
                        path: paths.0, from: source, to: destination, by: mapping)
                })
            times.theirs.append(
                try clock.measure { try RawDatabase(paths.1).run(it.statements) })
            for path in [paths.0, paths.1] { try FileManager.default.removeItem(atPath: path) }
        }
        let (ours, theirs) = (times.ours.sorted()[rounds / 2], times.theirs.sorted()[rounds / 2])
        print(
            "\(it.name) of \(rows) objects: \(ours) against \(theirs) for the bare statements, "
                + "times \((ours / theirs * 100).rounded() / 100) (the middle of \(rounds) rounds)")
    }
}
