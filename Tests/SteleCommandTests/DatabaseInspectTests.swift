// What a store in a database has, and its metadata, as a user asks for them.

import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: PostgreSQLServer.shared != nil), .timeLimit(.minutes(30)))
struct DatabaseInspectTests {
    private let folder: TemporaryFolder
    private let server: PostgreSQLServer
    private let schema: String
    private let url: String

    private static let model = """
        {"entities":[
          {"name":"Person","uniquenessConstraints":[["name"]],
           "attributes":[{"name":"name","type":"String"},{"name":"age","type":"Integer 16"},
             {"name":"mark","type":"UUID"},{"name":"born","type":"Date"}],
           "relationships":[
             {"name":"pets","destination":"Pet","toMany":true,"inverse":"owner"},
             {"name":"friends","destination":"Person","toMany":true,"inverse":"friends"}]},
          {"name":"Pet","attributes":[{"name":"name","type":"String"}],
           "relationships":[{"name":"owner","destination":"Person","inverse":"pets"}]}]}
        """

    init() throws {
        folder = try TemporaryFolder()
        server = try #require(PostgreSQLServer.shared)
        schema = "s" + String(UInt64.random(in: 0 ... .max), radix: 16)
        try server.sql("CREATE SCHEMA \(schema)")
        url = server.url(schema: schema)
        try folder.write(Self.model, to: "Staff.json")
        try folder.write(
            #"[{"name":"Ann","age":40},{"name":"Bo"},{"name":"Cy"}]"#, to: "Person.json")
        try folder.write(#"[{"name":"Rex"}]"#, to: "Pet.json")
        for file in ["Person.json", "Pet.json"] {
            let done = try stele("import", "Staff.json", file, "--store", url)
            #expect(done.status == 0, "\(done.errors)")
        }
        try server.sql(
            "UPDATE zpet SET zowner = 1; INSERT INTO z_1friends VALUES (1, 2), (2, 1)",
            schema: schema)
    }

    private func remove() { _ = try? server.sql("DROP SCHEMA \(schema) CASCADE") }

    private func stele(
        _ arguments: String...
    ) throws -> (status: Int32, output: String, errors: String) {
        try Program.run(arguments, folder: folder.path)
    }

    @Test func aSoundStoreHasNoDifferences() throws {
        defer { remove() }
        let (status, output, errors) = try stele("inspect", url, "--model", "Staff.json")
        #expect(status == 0, "\(output)\(errors)")
        for part in [
            "type               postgresql", "model              Staff (current)",
            "those of the model", "in the store, transactions 1 to 2", "no differences",
            "Person      1        3  ZPERSON", "pg_amcheck",
        ] {
            #expect(output.contains(part), "\(part): \(output)")
        }
        let json = try stele("inspect", url, "--json")
        #expect(json.status == 0 && json.output.contains(#""indexBytes": "#), "\(json)")
        // The store has its model.
        #expect(!json.output.contains("name one by --model"))
        #expect(!json.output.contains("postgres@"))
        let checked = try stele("check", url, "--model", "Staff.json")
        #expect(checked.status == 0 && checked.output.contains("no differences"), "\(checked)")
        #expect(
            checked.output.hasPrefix("postgresql:///postgres, schema \(schema): "), "\(checked)")
    }

    /// The server writes the names of types in quotes then.
    @Test func aSettingOfTheDatabaseIsNoDifference() throws {
        defer { remove() }
        let found = try stele(
            "check", url + "%20-cquote_all_identifiers%3Don", "--model", "Staff.json")
        #expect(found.status == 0, "\(found)")
    }

    /// Each is found, and named with its table and column.
    @Test func whatDoesNotAgreeIsFound() throws {
        defer { remove() }
        let faults = [
            ("UPDATE zpet SET zowner = 99", "ZPET.ZOWNER: in 1 row (first: Z_PK 1)"),
            ("UPDATE zperson SET zage = 99999 WHERE z_pk = 2", "out of the range of Integer 16"),
            ("UPDATE zperson SET zmark = 'abc'", "does not have 16 bytes"),
            ("UPDATE zperson SET zborn = '-Infinity'", "beyond the years that it can have"),
            ("UPDATE zperson SET z_ent = 7 WHERE z_pk = 3", "ZPERSON.Z_ENT: in 1 row"),
            ("DELETE FROM z_1friends WHERE reflexive = 2", "is its own inverse"),
            ("UPDATE z_primarykey SET z_max = 1 WHERE z_name = 'Person'", "largest Z_PK is 3"),
            ("DELETE FROM atransaction WHERE z_pk = 2", "the change is in no transaction"),
            ("DROP INDEX \(try uniqueIndex())", "there is no unique index on ZNAME"),
            ("UPDATE zperson SET zname = 'Ann'", "there more than once (first: Z_PK 1)"),
            ("DELETE FROM stele_commit WHERE z_pk = 1", "STELE_COMMIT: there is no row 1"),
            (
                "ALTER TABLE zpet ALTER COLUMN zname TYPE text COLLATE \"default\"",
                "ZPET.ZNAME: the collation is default, and a store has C"
            ),
            ("ALTER TABLE zpet DROP COLUMN zname", "no column ZNAME"),
        ]
        for (statement, sign) in faults {
            let reflexive = try server.sql(
                "SELECT column_name FROM information_schema.columns "
                    + "WHERE table_schema = '\(schema)' AND table_name = 'z_1friends' "
                    + "ORDER BY ordinal_position LIMIT 1")
            try server.sql(
                statement.replacing("reflexive", with: reflexive.first ?? ""), schema: schema)
            let found = try stele("check", url, "--model", "Staff.json")
            #expect(found.status == 1)
            #expect(found.output.contains(sign), "\(statement): \(found.output)")
        }
    }

    /// The view pg_indexes would describe those of all schemas, also of one that another test drops.
    private func uniqueIndex() throws -> String {
        try #require(
            try server.sql(
                "SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid "
                    + "JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0] "
                    + "WHERE i.indrelid = '\"\(schema)\".zperson'::regclass AND i.indisunique "
                    + "AND a.attname = 'zname'"
            ).first)
    }

    @Test func whatIsNoStoreIsRefused() throws {
        defer { remove() }
        let empty = try stele("inspect", server.url(schema: "public"))
        #expect(empty.status == 2 && empty.errors.contains("has no store in its schema"))
        let wrong = url.replacing("/postgres?", with: "/nothing?")
        let missing = try stele("inspect", wrong, url)
        #expect(missing.status == 2 && missing.output.contains("no differences"), "\(missing)")
        try folder.write(
            Self.model.replacing("Integer 16", with: "Integer 32"), to: "Other.json")
        let other = try stele("inspect", url, "--model", "Other.json")
        #expect(other.status == 1 && other.output.contains("not those of the given model"))
    }

    @Test func theMetadataIsReadAndChanged() throws {
        defer { remove() }
        let node = try Program(
            ["serve", "Staff.json", "--port", "0", "--store", url], folder: folder.path)
        _ = node.lines(3)
        let set = try stele(
            "store", "metadata", "--store", url, "--set", "owner=ops", "--set", "release=3")
        #expect(set.status == 0, "\(set.errors)")
        #expect(set.output.contains(#""owner": "ops""#) && set.output.contains(#""release": 3"#))
        #expect(set.output.contains("NSStoreModelVersionHashes"))
        let removed = try stele("store", "metadata", "--store", url, "--remove", "owner")
        #expect(removed.status == 0 && !removed.output.contains("owner"), "\(removed)")
        let mistyped = try stele("store", "metadata", "--store", url, "--remove", "releas")
        #expect(mistyped.status == 1 && mistyped.errors.contains("did you mean release?"))
        let refused = try stele("store", "metadata", "--store", url, "--set", "NSStoreUUID=1")
        #expect(refused.status == 1 && !refused.errors.contains("postgres@"), "\(refused)")
        #expect(removed.output.contains(#""release": 3"#))
        node.signal(SIGTERM)
        #expect(node.end().status == 0)
        let none = try stele("store", "metadata", "--store", server.url(schema: "public"))
        #expect(none.status == 1 && none.errors.contains("has no store in its schema"))
    }
}
