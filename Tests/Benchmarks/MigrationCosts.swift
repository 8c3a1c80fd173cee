/// Migration in place against the bare statement of SQLite, on copies of one store and in turn:
/// `Benchmarks migrate [ROWS]`.

import Foundation
import SteleMigration
import SteleModel
import SteleSQLite
import TestSupport

/// Adding an optional attribute.
enum MigrationCosts {
    private static let rounds = 9

    static func run(_ folder: String, _ rows: Int) throws {
        let person = EntityMaker("Person").attribute("name", .string).attribute("age", .integer64)
            .attribute("salary", .double).toOne("team", "Team", inverse: "people")
            .index("byName", on: "name")
        let team = EntityMaker("Team").attribute("name", .string)
            .toMany("people", "Person", inverse: "team")
        let source = try makeModel([person, team])
        let destination = try makeModel([person.attribute("email", .string), team])
        let mapping = try MappingModel.inferred(from: source, to: destination)
        let whole = folder + "/whole.sqlite"
        try SQLiteStore.open(path: whole, model: source).close()
        try RawDatabase(whole).run(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
            INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, ZNAME, ZAGE, ZSALARY, ZTEAM)
            SELECT i, 1, 1, 'Person ' || i, i % 90, i / 3.0, i % 1000 FROM n;
            UPDATE Z_PRIMARYKEY SET Z_MAX = \(rows) WHERE Z_ENT = 1
            """)
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
                try clock.measure {
                    try RawDatabase(paths.1).run("ALTER TABLE ZPERSON ADD COLUMN ZEMAIL VARCHAR")
                })
            for path in [paths.0, paths.1] { try FileManager.default.removeItem(atPath: path) }
        }
        let (ours, theirs) = (times.ours.sorted()[rounds / 2], times.theirs.sorted()[rounds / 2])
        print(
            "adding an optional attribute to \(rows) objects: \(ours) against \(theirs) for the "
                + "bare ALTER TABLE, times \((ours / theirs * 100).rounded() / 100) "
                + "(the middle of \(rounds) rounds)")
    }
}
