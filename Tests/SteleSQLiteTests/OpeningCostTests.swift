// An opening reads no table of objects and no history, however large they are.

import Foundation
import SteleModel
import StatementTally
import TestSupport
import Testing

@testable import SteleSQLite

@Suite struct OpeningCostTests {
    private static let rows = 100_000

    private static func model() throws -> Model {
        try makeModel([
            EntityMaker("Item").attribute("name", .string) { $0.isIndexed = true }
                .attribute("picture", .binary) { $0.allowsExternalBinaryDataStorage = true }
                .toMany("tags", "Tag", inverse: "items", ordered: true)
                .toOne("parent", "Item", inverse: "children")
                .toMany("children", "Item", inverse: "parent").unique("name"),
            EntityMaker("Tag").attribute("itemCount", .integer64) {
                $0.derivationExpression = "items.@count"
            }.toMany("items", "Item", inverse: "tags"),
        ])
    }

    /// The rows, their links and a history of a save a row.
    private static func fill(_ path: String) throws {
        let raw = try RawDatabase(path)
        func insert(_ table: String, _ values: String) throws {
            try raw.run(
                "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows)) "
                    + "INSERT INTO \(table) SELECT \(values) FROM n")
        }
        try raw.run("BEGIN")
        try insert("ZITEM (Z_PK, Z_ENT, Z_OPT, ZNAME, ZPICTURE)", "i, 1, 1, 'item ' || i, X'0141'")
        try insert("ZTAG (Z_PK, Z_ENT, Z_OPT, ZITEMCOUNT)", "i, 2, 1, 1")
        try insert("ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP)", "i, 16002, i")
        try insert(
            "ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID)",
            "i, 16001, 0, 1, i, i")
        try insert(
            "STELE_BEFOREIMAGE (Z_PK, ZFAMILY, ZENTITYPK, ZVERSION, ZVALUES)",
            "i, 1, i, 2, '{\"picture\":{\"external\":\"' || hex(randomblob(18)) || '\"}}'")
        // The writer adds the places of images by the thousand, so few are after the mark.
        try insert("STELE_IMAGEPLACE", "1, i, i")
        try raw.run("INSERT INTO STELE_IMAGEPLACE VALUES (0, 0, \(rows))")
        try raw.run("UPDATE Z_PRIMARYKEY SET Z_MAX = \(rows)")
        try raw.run("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")
    }

    /// The steps of SQLite's machine for an opening and a closing.
    private static func steps(
        _ folder: TemporaryFolder, _ model: Model
    ) throws -> (steps: Int, texts: Set<String>) {
        let tally = StatementTally(path: folder.store)
        try SQLiteStore.open(path: folder.store, model: model).close()
        return (tally.steps, tally.texts)
    }

    /// The steps are those of an empty store. A file of an external value that is older than an
    /// hour, which a store removes where nothing names it, makes no difference: another thread looks
    /// for its name.
    @Test(arguments: [false, true]) func nothingIsScanned(withFiles: Bool) throws {
        let model = try Self.model()
        let (empty, full) = (try TemporaryFolder(), try TemporaryFolder())
        for folder in [empty, full] {
            try SQLiteStore.open(path: folder.store, model: model).close()
        }
        try Self.fill(full.store)
        let name = UUID().uuidString
        for folder in [empty, full] where withFiles {
            let files = ExternalFolder(store: folder.store).path
            try FileManager.default.createDirectory(
                atPath: files, withIntermediateDirectories: true)
            try Data(count: 200_000).write(to: URL(filePath: "\(files)/\(name)"))
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -7_200)],
                ofItemAtPath: "\(files)/\(name)")
        }
        let (few, many) = (try Self.steps(empty, model), try Self.steps(full, model))
        print("steps of an opening: \(few.steps) of an empty store, \(many.steps) of a full one")
        #expect(few.steps > 100)
        #expect(many.steps < few.steps + 500)
        // A count of a whole table is one step, and reads all of it.
        let counts = many.texts.filter {
            let text = $0.uppercased()
            return text.contains("COUNT(*) FROM ") && !text.contains(" WHERE ")
                && !text.contains("SQLITE_MASTER")
        }
        #expect(counts == [])
    }
}
