// What a database must be, and what is said of one that is not.

import Foundation
import SteleModel
import StelePersistence
import StelePostgreSQL
import TestSupport
import Testing

@Suite(.enabled(if: PostgreSQLServer.shared != nil)) struct OpeningTests {
    let server: PostgreSQLServer
    let model: Model

    init() throws {
        server = try #require(PostgreSQLServer.shared)
        model = try sampleModel("League")
    }

    /// The message of a store that cannot be opened.
    func refusal(_ url: String, _ model: Model? = nil) throws -> String {
        do {
            try PostgreSQLStore.open(url: url, model: model ?? self.model).close()
            return "opened"
        } catch { return "\(error)" }
    }

    @Test func anEmptySchemaBecomesAStoreWhichStaysOne() throws {
        let url = try server.url(path: UUID().uuidString)
        let first = try PostgreSQLStore.open(url: url, model: model)
        #expect(first.isNew)
        let identifier = first.identifier
        first.close()
        let second = try PostgreSQLStore.open(url: url, model: model)
        defer { second.close() }
        #expect(!second.isNew && second.identifier == identifier)
        #expect(second.place == "postgresql:///postgres")
    }

    @Test func tablesOfAnotherProgramAreRefused() throws {
        let path = UUID().uuidString
        let url = try server.url(path: path)
        let schema = try #require(url.split(separator: "%3D").last)
        try server.sql("CREATE TABLE orders (id int)", schema: String(schema))
        let said = try refusal(url)
        #expect(said.contains("has tables of another program, such as orders"), "\(said)")
        #expect(try server.sql("SELECT count(*) FROM orders", schema: String(schema)) == ["0"])
    }

    @Test func aStoreOfAnotherModelIsRefused() throws {
        let url = try server.url(path: UUID().uuidString)
        try PostgreSQLStore.open(url: url, model: model).close()
        let said = try refusal(url, try sampleModel("Recipes"))
        #expect(said.contains("the store belongs to another model"), "\(said)")
    }

    @Test func aWrongDatabaseSchemaAndServerAreNamed() throws {
        let folder = server.folder
        let none = try refusal("postgresql://postgres:secret@/nowhere?host=\(folder)")
        #expect(none.contains(#"database "nowhere" does not exist"#), "\(none)")
        #expect(!none.contains("secret"))
        let raw = try refusal("postgresql://postgres:se%cret@/postgres?host=\(folder)")
        #expect(raw.contains("written %25") && !raw.contains("cret@"), "\(raw)")
        let schema = try refusal(server.url(schema: "nowhere"))
        #expect(schema.contains("has no schema for the tables"), "\(schema)")
        let away = try refusal("postgresql://postgres@/postgres?host=/nowhere")
        #expect(away.contains("cannot be reached"), "\(away)")
        let place = ConnectionURL.place(of: "postgres://a:p%40s%3Fs@db:5432/shop?connect_timeout=1")
        #expect(place == "postgresql://db:5432/shop")
        // libpq takes what follows a plain / for the name of the database.
        let plain = "postgresql://joe:x/secret@db/shop"
        #expect(ConnectionURL.place(of: plain) == "postgresql://")
        #expect(try refusal(plain).contains("are written %25"))
        #expect(!(try refusal(plain)).contains("secret"))
        let typo = try refusal("postgresql://joe:secret@db/shop?sslmod=require")
        #expect(typo.contains("\"sslmod\"") && !typo.contains("secret"), "\(typo)")
        let several = ConnectionURL.place(of: "postgresql://u@db1:5432,db2:5433/shop")
        #expect(several == "postgresql://db1:5432,db2:5433/shop")
    }

    @Test func aStoreOfAnOlderVersionIsCompleted() throws {
        let schema = "old" + String(UInt32.random(in: 0...(.max)), radix: 16)
        try server.sql("CREATE SCHEMA \(schema)")
        let team = try #require(model.entity(named: "Team"))
        var request = SaveRequest(readToken: 0)
        request.changes = [
            ObjectChange(
                .insert, entity: team.index, key: -1, values: team.row(["name": .string("one")]))
        ]
        let first = try PostgreSQLStore.open(url: server.url(schema: schema), model: model)
        #expect(try first.save(request).token == 1)
        first.close()
        try server.sql(
            "ALTER TABLE STELE_COMMIT DROP ZWRITER; DELETE FROM STELE_COMMIT WHERE Z_PK > 1; "
                + "DROP FUNCTION stele1_sum", schema: schema)
        let next = try PostgreSQLStore.open(url: server.url(schema: schema), model: model)
        defer { next.close() }
        #expect(try next.save(request).token == 2)
        let left = try server.sql(
            "SELECT COUNT(*) FROM STELE_COMMIT WHERE ZCOUNT = 2 AND ZWRITER <> 0", schema: schema)
        #expect(left == ["2"])
        #expect(
            try server.sql("SELECT stele1_sum(1.50, 2, 2)", schema: schema) == ["1.5"])
    }

    @Test func aTextWithANullCharacterIsRefused() throws {
        let store = try PostgreSQLStore.open(
            url: server.url(path: UUID().uuidString), model: model)
        defer { store.close() }
        let team = try #require(model.entity(named: "Team"))
        var request = SaveRequest(readToken: 0)
        request.changes = [
            ObjectChange(
                .insert, entity: team.index, key: -1, values: team.row(["name": .string("a\0b")]))
        ]
        #expect {
            try store.save(request)
        } throws: { error in
            guard case StoreError.invalid(let text) = error else { return false }
            return text.contains("U+0000")
        }
    }
}
