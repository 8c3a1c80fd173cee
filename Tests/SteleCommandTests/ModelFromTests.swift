// Models of the tables of a database, by the command.

import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: PostgreSQLServer.shared != nil)) struct ModelFromTests {
    private let server: PostgreSQLServer
    private let folder: TemporaryFolder
    private let schema = "f" + String(UInt64.random(in: 0 ... .max), radix: 16)

    init() throws {
        server = try #require(PostgreSQLServer.shared)
        folder = try TemporaryFolder()
        try server.sql("CREATE SCHEMA \(schema)")
    }

    private func stele(
        _ arguments: String...
    ) throws -> (status: Int32, output: String, errors: String) {
        try Program.run(arguments, folder: folder.path)
    }

    @Test func aModelIsWrittenAndPrinted() throws {
        try server.sql(
            """
            CREATE TABLE teams (id serial PRIMARY KEY, name text NOT NULL);
            CREATE TABLE players (id serial PRIMARY KEY, team_id int REFERENCES teams);
            CREATE VIEW names AS SELECT name FROM teams;
            """, schema: schema)
        let url = server.url(schema: schema)
        let note = "stele: the view \(schema).names is left out: a model has tables alone\n"
        let written = try stele("model", "from", url, "--output", "Shop.xcdatamodeld")
        #expect(written.status == 0 && written.output.isEmpty, "\(written.errors)")
        #expect(written.errors == note)
        let printed = try stele(
            "model", "from", server.url(schema: "public"), "--schema", schema)
        #expect(printed.status == 0 && printed.errors == note, "\(printed.errors)")
        let contents = folder.url.appending(path: "Shop.xcdatamodeld/Shop.xcdatamodel/contents")
        #expect(try String(contentsOf: contents, encoding: .utf8) == printed.output)
        #expect(
            printed.output.contains(#"<entry key="postgresql.table" value="\#(schema).teams"/>"#))
        let model = try stele("model", "Shop.xcdatamodeld")
        #expect(model.status == 0 && model.output.contains("Players"), "\(model.errors)")
        #expect(!model.output.contains("Errors") && !model.output.contains("Not supported"))
        let again = try stele("model", "from", url, "-o", "Shop.xcdatamodeld")
        #expect(again.status == 1 && again.errors.contains("it exists already"))
        let other = try stele("model", "from", url, "-o", "Shop")
        #expect(other.status == 1 && other.errors.contains("must end in .xcdatamodeld"))
    }

    @Test func tablesAreServedBesideTheirProgram() throws {
        try server.sql(
            """
            CREATE TABLE teams (id serial PRIMARY KEY, name text NOT NULL CHECK (name <> ''));
            CREATE TABLE players (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), nick varchar(8),
              team_id int REFERENCES teams ON DELETE CASCADE, made timestamptz DEFAULT now());
            INSERT INTO teams (name) VALUES ('Oak');
            """, schema: schema)
        let made = try stele(
            "model", "from", server.url(schema: schema), "-o", "Shop.xcdatamodeld")
        #expect(made.status == 0, "\(made.errors)")
        let store = "k" + schema
        try server.sql("CREATE SCHEMA \(store)")
        let program = try Program(
            ["serve", "Shop.xcdatamodeld", "--port", "0", "--store", server.url(schema: store)],
            folder: folder.path)
        defer {
            program.signal(SIGTERM)
            #expect(program.end().status == 0)
        }
        let caller = try Caller(program.lines(3))
        let feed = try SocketSubscriber(caller, "/changes?values=true")
        let live = try SocketSubscriber(caller, "/Players?sort=nick&select=nick")
        let new = try #require(caller.ask("POST", "/Players", #"{"nick":"ann","team":1}"#))
        #expect(new.status == 201 && !new.body.contains(#""id":null"#), "\(new.body)")
        #expect(!new.body.contains(#""made":null"#), "\(new.body)")
        #expect(try server.sql("SELECT nick, team_id FROM players", schema: schema) == ["ann|1"])
        let refused = try #require(caller.ask("PATCH", "/Teams/1", #"{"name":""}"#))
        #expect(refused.status == 422 && refused.body.contains("teams_name_check"))
        try server.sql(
            "BEGIN; INSERT INTO players (nick) VALUES ('bo'); UPDATE teams SET name = 'Elm'; COMMIT",
            schema: schema)
        func has(_ stream: SocketSubscriber, _ text: String) -> Bool {
            stream.events.contains { String(decoding: $0.data, as: UTF8.self).contains(text) }
        }
        #expect(try feed.wait { has($0, "Elm") && has($0, "bo") })
        #expect(try live.wait { has($0, "bo") })
        #expect(
            caller.ask("GET", "/Players?sort=nick&select=nick,team.name")?.body
                == #"[{"nick":"ann","team.name":"Elm"},{"nick":"bo","team.name":null}]"#)
        #expect(caller.ask("DELETE", "/Teams/1")?.status == 204)
        #expect(try server.sql("SELECT nick FROM players", schema: schema) == ["bo"])
        let moved = try stele(
            "store", "migrate", "Shop.xcdatamodeld", "--store", server.url(schema: store), "--to",
            "shop.sqlite")
        #expect(moved.status == 0, "\(moved.errors)")
        let back = try stele(
            "store", "migrate", "Shop.xcdatamodeld", "--store", "shop.sqlite", "--to",
            server.url(schema: "k" + store))
        #expect(back.status == 1 && back.errors.contains("names tables of another program"))
    }

    @Test func whatIsNoDatabaseOrHasNoTablesIsRefused() throws {
        for wrong in ["mysql://joe:secret@db/shop", "joe:secret@db/shop", "Shop.xcdatamodeld"] {
            let (status, _, errors) = try stele("model", "from", wrong)
            #expect(status == 1 && !errors.contains("secret"))
            #expect(errors == "stele: the URL of a database begins with postgresql://\n")
        }
        let typo = try stele("model", "from", "postgresql://joe:secret@db/shop?sslmod=require")
        #expect(typo.status == 1 && typo.errors.contains("\"sslmod\""), "\(typo.errors)")
        #expect(!typo.errors.contains("secret"))
        let url = server.url(schema: schema)
        let empty = try stele("model", "from", url, "--output", "Shop.xcdatamodeld")
        #expect(empty.status == 1 && empty.errors.contains("has no table that a model can have"))
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/Shop.xcdatamodeld"))
        try server.sql("CREATE TABLE teams (id int PRIMARY KEY)", schema: schema)
        let missing = try stele("model", "from", url, "--schema", "nowhere")
        #expect(missing.status == 1 && missing.errors.contains("has no schema nowhere"))
        #expect(missing.errors.contains(schema), "\(missing.errors)")
    }
}
