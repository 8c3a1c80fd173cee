// A small store in which every check has something to check.

import Foundation
import SteleModel
import SteleModelFiles
import StelePersistence
import SteleSQLite
import TestSupport

/// A store with all kinds of relationships, whose tables agree with its model.
struct Shop {
    let folder: TemporaryFolder
    let model: Model

    var path: String { folder.store }
    var files: String { folder.path + "/.store_SUPPORT/_EXTERNAL_DATA" }

    init() throws {
        folder = try TemporaryFolder()
        let source = try TemporaryFolder()
        model = try ModelFile.read(source.write(Self.json, to: "Shop.json")).model()
        try SQLiteStore.open(path: path, model: model).close()
        try run(Self.rows)
    }

    /// Changes the store behind the back of its metadata.
    func run(_ sql: String) throws {
        let database = try RawDatabase(path)
        try database.run(sql)
    }

    func inspect(_ models: [Model]? = nil) throws -> StoreInspection {
        try SQLiteStore.inspect(path: path, among: models ?? [model])
    }

    /// Makes a file of the folder of large values.
    func addFile(_ name: String, age: Double) throws {
        try FileManager.default.createDirectory(
            atPath: files, withIntermediateDirectories: true)
        let file = files + "/" + name
        try Data([1, 2, 3]).write(to: URL(filePath: file))
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -age)], ofItemAtPath: file)
    }

    /// A value that is in a file, as a literal of SQL.
    static func reference(_ name: String) -> String {
        "X'02\(name.utf8.map { String($0, radix: 16) }.joined())00'"
    }

    private static let rows = """
        INSERT INTO ZSHELF VALUES (1, 7, 1, 'top'), (2, 7, 1, 'low');
        INSERT INTO ZPERSON VALUES (1, 5, 1, 2, 3, 'Ann'), (2, 6, 1, NULL, NULL, 'Bea'),
            (3, 6, 1, NULL, NULL, 'Cid');
        INSERT INTO ZITEM VALUES (1, 2, 1, 1, 1, 2, 2048, 'a book', NULL),
            (2, 3, 1, 2, 1, NULL, 3072, 'a film', X'010203'),
            (3, 2, 1, 3, NULL, 3, NULL, 'b', NULL);
        INSERT INTO ZNOTE VALUES (1, 4, 1, 1, 'full'), (2, 4, 1, NULL, 'of none');
        INSERT INTO ZTAG VALUES (1, 8, 1, 'new');
        INSERT INTO Z_1TAGS VALUES (1, 1, 2048), (2, 1, 2048);
        INSERT INTO Z_5FRIENDS VALUES (1, 2), (2, 1), (3, 3);
        INSERT INTO ATRANSACTIONSTRING VALUES (1, 16003, 1, 'Ann');
        INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZAUTHORTS, ZTIMESTAMP)
            VALUES (4, 16002, 1, 86400.0), (5, 16002, NULL, 172800.0);
        INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID)
            VALUES (8, 16001, 0, 2, 1, 4), (9, 16001, 0, 3, 2, 5);
        UPDATE Z_PRIMARYKEY SET Z_MAX = 9 WHERE Z_SUPER = 0;
        """

    static let json = """
        {"entities": [
            {"name": "Item", "abstract": true,
             "attributes": [
                {"name": "title", "type": "String"}, {"name": "code", "type": "Integer 32"},
                {"name": "cover", "type": "Binary", "externalStorage": true}],
             "relationships": [
                {"name": "shelf", "destination": "Shelf", "inverse": "items"},
                {"name": "tags", "destination": "Tag", "inverse": "items", "toMany": true,
                 "ordered": true}],
             "uniquenessConstraints": [["code"]]},
            {"name": "Book", "parent": "Item", "relationships": [
                {"name": "writer", "destination": "Writer", "inverse": "books"}]},
            {"name": "Film", "parent": "Item"},
            {"name": "Note", "attributes": [{"name": "text", "type": "String"}]},
            {"name": "Person", "attributes": [{"name": "name", "type": "String"}],
             "relationships": [
                {"name": "friends", "destination": "Person", "inverse": "friends", "toMany": true},
                {"name": "favourite", "destination": "Item"}]},
            {"name": "Writer", "parent": "Person", "relationships": [
                {"name": "books", "destination": "Book", "inverse": "writer", "toMany": true}]},
            {"name": "Shelf", "attributes": [{"name": "name", "type": "String"}],
             "relationships": [
                {"name": "items", "destination": "Item", "inverse": "shelf", "toMany": true,
                 "ordered": true},
                {"name": "notes", "destination": "Note", "toMany": true}]},
            {"name": "Tag", "attributes": [{"name": "name", "type": "String"}],
             "relationships": [
                {"name": "items", "destination": "Item", "inverse": "tags", "toMany": true}]}
        ]}
        """
}
