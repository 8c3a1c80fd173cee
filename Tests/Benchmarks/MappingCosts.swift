/// What carrying out a mapping model takes, over the same copy by SQL: `Benchmarks mapping`.

import Foundation
import SteleGraph
import SteleMigration
import SteleModel
import StelePersistence
import StelePredicates
import SteleSQLite
import TestSupport

/// A migration of many objects, with an expression, by a mapping model and by `INSERT … SELECT`.
enum MappingCosts {
    private static let rounds = 3

    /// - Parameter count: the number of objects; nil for a million.
    static func run(_ folder: String, _ count: String?) throws {
        let count = count.flatMap { Int($0) } ?? 1_000_000
        let old = try makeModel([
            EntityMaker("Person").attribute("name", .string).attribute("age", .integer64)
                .attribute("score", .double)
        ])
        let new = try makeModel([
            EntityMaker("Person").attribute("name", .string).attribute("age", .integer64)
                .attribute("points", .double)
        ])
        let source = folder + "/old.sqlite"
        try SQLiteStore.open(path: source, model: old).close()
        let raw = RawSQL(source)
        raw.run(
            "INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, ZNAME, ZAGE, ZSCORE) "
                + "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count)) "
                + "SELECT i, 1, 1, 'the person with number ' || i, i % 90, i / 3.0 FROM n")
        let clock = ContinuousClock()
        for round in 1...rounds {
            var memory = 0
            let ours = try clock.measure {
                memory = try migrate(source, folder + "/ours\(round).sqlite", old, new)
            }
            let theirs = try byHand(source, folder + "/theirs\(round).sqlite", new, clock)
            print(
                "\(count) objects: \(ours) with \(memory / 1024) MiB, by hand \(theirs), "
                    + "\((ours / theirs * 100).rounded() / 100) times")
        }
    }

    /// - Returns: the most memory in KiB.
    private static func migrate(
        _ source: String, _ path: String, _ old: Model, _ new: Model
    ) throws -> Int {
        var mapping = EntityMapping(
            name: "PersonToPerson", mappingType: .custom, source: "Person", destination: "Person")
        mapping.attributeMappings = [
            PropertyMapping(name: "name", value: .source("name")),
            PropertyMapping(
                name: "age", value: .expression(try Expression(format: "$source.age * 2 + 1"))),
            PropertyMapping(name: "points", value: .source("score")),
        ]
        let from = try SQLiteStore.open(path: source, model: old)
        defer { from.close() }
        let to = try SQLiteStore.open(path: path, model: new, identifier: from.identifier)
        defer { to.close() }
        let manager = MigrationManager(
            from: from, to: to, mappingModel: MappingModel([mapping]))
        return try PeakMemory.during { try manager.migrate() }
    }

    private static func byHand(
        _ source: String, _ path: String, _ new: Model, _ clock: ContinuousClock
    ) throws -> Duration {
        try SQLiteStore.open(path: path, model: new).close()
        let raw = RawSQL(path)
        raw.run("PRAGMA synchronous = FULL; PRAGMA cache_size = -16384; ATTACH '\(source)' AS old")
        return clock.measure {
            raw.run(
                "INSERT INTO main.ZPERSON (Z_PK, Z_ENT, Z_OPT, ZNAME, ZAGE, ZPOINTS) "
                    + "SELECT Z_PK, 1, 1, ZNAME, ZAGE * 2 + 1, ZSCORE FROM old.ZPERSON")
        }
    }
}
