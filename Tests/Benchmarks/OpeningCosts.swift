/// Opening a large store against an empty one, in turn: `Benchmarks opening [MEBIBYTES]`.

import Foundation
import SteleModel
import SteleSQLite
import TestSupport

/// The time of an opening does not depend on the rows: nothing is scanned.
enum OpeningCosts {
    private static let rounds = 21
    /// The bytes of a row's text.
    private static let rowBytes = 1_000

    static func run(_ folder: String, _ mebibytes: Int) throws {
        let model = try makeModel([
            EntityMaker("Item").attribute("number", .integer64).attribute("text", .string)
                .toOne("parent", "Item", inverse: "children")
                .toMany("children", "Item", inverse: "parent").unique("number")
        ])
        let (empty, full) = (folder + "/empty.sqlite", folder + "/full.sqlite")
        for path in [empty, full] { try SQLiteStore.open(path: path, model: model).close() }
        try fill(full, rows: mebibytes << 20 / (rowBytes + 50))
        let size = try FileManager.default.attributesOfItem(atPath: full)[.size] as? Int ?? 0
        var times: (empty: [Duration], full: [Duration]) = ([], [])
        for _ in 0..<rounds {
            times.empty.append(try opening(empty, model))
            times.full.append(try opening(full, model))
        }
        func middle(_ all: [Duration]) -> Duration { all.sorted()[rounds / 2] }
        let ratio = middle(times.full) / middle(times.empty)
        print(
            "opening a store of \(size >> 20) MiB: \(middle(times.full)), an empty one "
                + "\(middle(times.empty)), the middle of \(rounds) rounds: ratio "
                + "\((ratio * 100).rounded() / 100)")
    }

    private static func opening(_ path: String, _ model: Model) throws -> Duration {
        let clock = ContinuousClock()
        let start = clock.now
        let store = try SQLiteStore.open(path: path, model: model)
        let time = clock.now - start
        store.close()
        return time
    }

    private static func fill(_ path: String, rows: Int) throws {
        let raw = try RawDatabase(path)
        try raw.run("PRAGMA synchronous = OFF; PRAGMA journal_mode = DELETE; BEGIN")
        try raw.run(
            "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows)) "
                + "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZNUMBER, ZTEXT) "
                + "SELECT i, 1, 1, i, hex(randomblob(\(rowBytes / 2))) FROM n")
        try raw.run("UPDATE Z_PRIMARYKEY SET Z_MAX = \(rows) WHERE Z_ENT = 1; COMMIT")
    }
}
