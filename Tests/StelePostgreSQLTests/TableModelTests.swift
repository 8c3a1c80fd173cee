// The model of tables that another program has made.

import Foundation
import SteleModel
import StelePersistence
import TestSupport
import Testing

@testable import StelePostgreSQL

@Suite(.enabled(if: PostgreSQLServer.shared != nil)) struct TableModelTests {
    private let server: PostgreSQLServer
    private let schema = "t" + String(UInt64.random(in: 0 ... .max), radix: 16)

    init() throws {
        server = try #require(PostgreSQLServer.shared)
        try server.sql("CREATE SCHEMA \(schema)")
    }

    /// The model of tables that SQL makes, as lines, with its notes.
    private func model(_ sql: String) throws -> (lines: [String], notes: [String]) {
        try server.sql(sql, schema: schema)
        let (model, notes) = try PostgreSQLTables.model(
            url: server.url(schema: schema), name: "Shop")
        try Self.check(model)
        return (
            model.entities.flatMap(\.lines).map { $0.replacing(schema, with: "s") },
            notes.map { $0.replacing(schema, with: "s") }
        )
    }

    /// That a model is valid, and the same after it is written and read.
    private static func check(_ model: ManagedObjectModel) throws {
        _ = try Model(model)
        let (read, notes) = try ContentsReader.read(model.xml(), name: model.name, place: "")
        #expect(read == model && notes.isEmpty, "\(notes)")
    }

    @Test func columnsAreAttributes() throws {
        let (lines, notes) = try model(
            """
            CREATE TYPE mood AS ENUM ('sad', 'o.k.', 'a|b');
            CREATE DOMAIN short AS varchar(20) NOT NULL DEFAULT 'none';
            CREATE DOMAIN shorter AS short;
            CREATE TABLE all_types (
              id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
              number serial, code uuid DEFAULT gen_random_uuid() UNIQUE, small smallint NOT NULL,
              ok boolean NOT NULL DEFAULT true, price numeric(10,2) NOT NULL DEFAULT -1.50,
              ratio real DEFAULT 0.5, mass double precision NOT NULL DEFAULT 2,
              title varchar(40) NOT NULL DEFAULT 'it''s', letters char(3), empty text DEFAULT '',
              mood mood DEFAULT 'o.k.', word shorter,
              "CREATED_AT" timestamptz NOT NULL DEFAULT now(), day date NOT NULL,
              made timestamp, bytes bytea, rest jsonb NOT NULL DEFAULT '{}',
              tags text[], span interval, twice numeric GENERATED ALWAYS AS (price * 2) STORED,
              made_by name DEFAULT CURRENT_USER, UNIQUE (title, day));
            """)
        #expect(notes.isEmpty, "\(notes)")
        #expect(
            lines == [
                "AllTypes s.all_types",
                "  id: Integer 64 optional [id]",
                "  number: Integer 32 optional [number]",
                "  code: UUID optional [code]",
                "  small: Integer 16 scalar [small]",
                "  ok: Boolean = YES scalar [ok]",
                "  price: Decimal = -1.5 [price]",
                "  ratio: Float optional = 0.5 [ratio]",
                "  mass: Double = 2.0 scalar [mass]",
                "  title: String = it's ..40 [title]",
                "  letters: String optional ..3 [letters]",
                "  empty: String optional =  [empty]",
                #"  mood: String optional = o.k. /sad|o\.k\.|a\|b/ [mood]"#,
                "  word: String = none ..20 [word]",
                "  createdAt: Date optional [CREATED_AT]",
                "  day: Date [day]",
                "  made: Date optional [made]",
                "  bytes: Binary optional [bytes]",
                "  rest: String = {} [rest]",
                "  tags: String optional [tags]",
                "  span: String optional [span]",
                "  twice: Decimal optional [twice]",
                "  madeBy: String optional [made_by]",
                "  unique id", "  unique code", "  unique title, day",
            ], "\(lines.joined(separator: "\n"))")
    }

    @Test func foreignKeysAreRelationships() throws {
        let (lines, notes) = try model(
            """
            CREATE TABLE teams (id int PRIMARY KEY, name text NOT NULL);
            CREATE TABLE players (id int PRIMARY KEY,
              team_id int NOT NULL REFERENCES teams ON DELETE CASCADE,
              captain_id int REFERENCES players ON DELETE SET NULL);
            CREATE TABLE games (home int NOT NULL REFERENCES teams, away int REFERENCES teams,
              day date, PRIMARY KEY (home, day));
            CREATE TABLE reports (home int, day date, body text, PRIMARY KEY (home, day),
              FOREIGN KEY (home, day) REFERENCES games ON DELETE RESTRICT);
            CREATE TABLE tags (id int PRIMARY KEY, team text, teams text);
            CREATE TABLE team_tags (team_id int REFERENCES teams, tag_id int REFERENCES tags,
              PRIMARY KEY (team_id, tag_id));
            CREATE TABLE friends (player_id int REFERENCES players,
              friend_id int REFERENCES players, PRIMARY KEY (player_id, friend_id));
            """)
        #expect(notes.isEmpty, "\(notes)")
        #expect(
            lines == [
                "Games s.games",
                "  home → Teams ← gamesByHome nullify [home]",
                "  away → Teams optional ← gamesByAway nullify [away]",
                "  day: Date [day]",
                "  reports → Reports optional ← games deny",
                "  unique home, day",
                "Players s.players",
                "  id: Integer 32 scalar [id]",
                "  team → Teams ← players nullify [team_id]",
                "  captain → Players optional ← players nullify [captain_id]",
                "  friend →→ Players optional ← player nullify s.friends [friend_id] [player_id]",
                "  player →→ Players optional ← friend nullify s.friends [player_id] [friend_id]",
                "  players →→ Players optional ← captain nullify",
                "  unique id",
                "Reports s.reports",
                "  games → Games ← reports nullify [home,day]",
                "  body: String optional [body]",
                "  unique games",
                "Tags s.tags",
                "  id: Integer 32 scalar [id]",
                "  team: String optional [team]",
                "  teams: String optional [teams]",
                "  teamsByTeamTags →→ Teams optional ← tags nullify s.team_tags "
                    + "[team_id] [tag_id]",
                "  unique id",
                "Teams s.teams",
                "  id: Integer 32 scalar [id]",
                "  name: String [name]",
                "  gamesByAway →→ Games optional ← away deny",
                "  gamesByHome →→ Games optional ← home deny",
                "  players →→ Players optional ← team cascade",
                "  tags →→ Tags optional ← teamsByTeamTags nullify s.team_tags [tag_id] [team_id]",
                "  unique id",
            ], "\(lines.joined(separator: "\n"))")
    }

    @Test func oddNamesAreNamesOfAModel() throws {
        let (lines, notes) = try model(
            """
            CREATE TABLE "Odd Name" ("select" int PRIMARY KEY, "2nd" text, description text,
              "a,b" text);
            CREATE TABLE odd_name (id int PRIMARY KEY, "ID" int, "_id" int, hash text,
              "fullName" text, "!" text, zone_id int REFERENCES odd_name);
            CREATE TABLE "2nd ""one"" t" ("a""b" int PRIMARY KEY);
            CREATE TABLE "odd-name" (key text PRIMARY KEY, odd_name_id int REFERENCES odd_name);
            """)
        #expect(
            notes == [
                "the table s.Odd Name is left out: a model cannot name a schema with a point, a "
                    + "column with a comma, and control characters"
            ], "\(notes)")
        #expect(
            lines == [
                "OddName s.odd-name",
                "  key: String [key]",
                "  oddName → OddName2 optional ← oddName nullify [odd_name_id]",
                "  unique key",
                "OddName2 s.odd_name",
                "  id: Integer 32 scalar [id]",
                "  id2: Integer 32 optional [ID]",
                "  id3: Integer 32 optional [_id]",
                "  hashValue2: String optional [hash]",
                "  fullName: String optional [fullName]",
                "  column: String optional [!]",
                "  zoneOddName2 → OddName2 optional ← oddName2 nullify [zone_id]",
                "  oddName →→ OddName optional ← oddName deny",
                "  oddName2 →→ OddName2 optional ← zoneOddName2 deny",
                "  unique id",
                "Table2ndOneT s.2nd \"one\" t",
                "  aB: Integer 32 scalar [a\"b]",
                "  unique aB",
            ], "\(lines.joined(separator: "\n"))")
    }

    @Test func whatIsLeftOutIsNoted() throws {
        let other = schema + "b"
        let (lines, notes) = try model(
            """
            CREATE SCHEMA \(other); CREATE TABLE \(other).far (id int PRIMARY KEY);
            CREATE TABLE log (line text); CREATE TABLE loose (a int UNIQUE, b int);
            CREATE TABLE strict (a int NOT NULL UNIQUE, b int);
            CREATE TABLE parts (id int, at date, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
            CREATE TABLE parts1 PARTITION OF parts FOR VALUES FROM ('2020-01-01') TO ('2021-01-01');
            CREATE TABLE base (id int PRIMARY KEY); CREATE TABLE elder (id int PRIMARY KEY);
            CREATE TABLE derived () INHERITS (elder);
            CREATE VIEW seen AS SELECT * FROM log; CREATE MATERIALIZED VIEW kept AS SELECT 1 AS a;
            CREATE TABLE links (id int PRIMARY KEY, far_id int REFERENCES \(other).far,
              part int, at date, other int REFERENCES base,
              FOREIGN KEY (part, at) REFERENCES parts, FOREIGN KEY (other, at) REFERENCES parts,
              CONSTRAINT again FOREIGN KEY (other) REFERENCES base);
            """)
        #expect(
            lines == [
                "Base s.base", "  id: Integer 32 scalar [id]", "  unique id",
                "Links s.links", "  id: Integer 32 scalar [id]",
                "  farId: Integer 32 optional [far_id]", "  part: Integer 32 optional [part]",
                "  at: Date optional [at]", "  other: Integer 32 optional [other]", "  unique id",
                "Parts s.parts", "  id: Integer 32 scalar [id]", "  at: Date [at]",
                "  unique id, at",
                "Strict s.strict", "  a: Integer 32 scalar [a]", "  b: Integer 32 optional [b]",
                "  unique a",
            ], "\(lines.joined(separator: "\n"))")
        let shared = "is left out: its column"
        let unkeyed =
            "is left out: it has no primary key, and no UNIQUE over columns that are NOT NULL"
        #expect(
            notes == [
                "the views s.kept, s.seen are left out: a model has tables alone",
                "the tables s.derived, s.elder are left out: they inherit from another table, or "
                    + "one from them",
                "the table s.log \(unkeyed)", "the table s.loose \(unkeyed)",
                "the foreign key links_far_id_fkey of s.links is left out: its other table sb.far "
                    + "is not in the model",
                "the foreign key again of s.links \(shared) other is also one of another "
                    + "foreign key",
                "the foreign key links_other_at_fkey of s.links \(shared) other is also one of "
                    + "another foreign key",
                "the foreign key links_part_at_fkey of s.links \(shared) at is also one of another "
                    + "foreign key",
            ], "\(notes.joined(separator: "\n"))")
    }

    @Test func tablesThatTheUserMayNotReadAreLeftOut() throws {
        try server.sql(
            """
            CREATE TABLE own (id int PRIMARY KEY); CREATE TABLE secret (id int PRIMARY KEY);
            CREATE ROLE \(schema) LOGIN; GRANT SELECT ON own TO \(schema);
            """, schema: schema)
        let url = server.url(schema: schema).replacing("postgres@", with: "\(schema)@")
        let reason = "the user needs SELECT on"
        #expect {
            try PostgreSQLTables.model(url: url, schema: schema, name: "Shop")
        } throws: { error in
            "\(error)".contains(
                "(the tables \(schema).own, \(schema).secret are left out: \(reason) them, and ")
        }
        try server.sql("GRANT USAGE ON SCHEMA \(schema) TO \(schema)")
        let (model, notes) = try PostgreSQLTables.model(url: url, name: "Shop")
        #expect(model.entities.map(\.name) == ["Own"])
        #expect(
            notes == [
                "the table \(schema).secret is left out: \(reason) it, and USAGE on the schema"
            ])
    }

    /// The catalog of tables in several schemas, with names that no search path changes.
    @Test func tablesAreReadByName() throws {
        let other = schema + "b"
        try server.sql(
            """
            CREATE SCHEMA \(other); CREATE TYPE \(other).mood AS ENUM ('a');
            CREATE FUNCTION \(other).next() RETURNS int LANGUAGE sql AS 'SELECT 1';
            CREATE TABLE \(other)."far?" (id serial PRIMARY KEY, mood \(other).mood[],
              one \(other).mood DEFAULT 'a', next int DEFAULT \(other).next());
            CREATE TABLE near (id bigint GENERATED BY DEFAULT AS IDENTITY, a varchar(7) UNIQUE);
            """, schema: schema)
        let url = server.url(schema: "\(schema),\(other)")
        let connection = try Connection(url)
        let path = "SELECT current_setting('search_path')"
        let before = try connection.queryOnce(path).text(0, 0)
        let names = [
            TableName(schema: other, name: "far?"), TableName(schema: schema, name: "near"),
            TableName(schema: schema, name: "none"),
        ]
        let read = try CatalogTable.read(names, connection)
        try connection.run("BEGIN")
        #expect(try CatalogTable.read(names, connection) == read)
        #expect(try connection.queryOnce(path).text(0, 0) == before)
        try connection.run("COMMIT")
        #expect(!connection.isInTransaction && read.count == 2)
        #expect(try CatalogTable.read([], connection).isEmpty)
        let far = try #require(read[names[0]])
        #expect(far.key == ["id"])
        #expect(
            far.columns.map(\.type) == ["integer", "\(other).mood[]", "\(other).mood", "integer"])
        #expect(far.columns.map(\.baseType) == ["int4", "_mood", "mood", "int4"])
        #expect(
            far.columns.map(\.defaultExpression) == [
                "nextval('\(other).\"far?_id_seq\"'::regclass)", nil, "'a'::\(other).mood",
                "\(other).next()",
            ])
        let near = try #require(read[names[1]])
        #expect(near.key.isEmpty && near.uniques == [["a"]])
        #expect(
            near.columns.first?.defaultExpression
                == "nextval('\(schema).near_id_seq'::regclass)")
        #expect(near.columns.last?.length == 7 && near.columns[0].isIdentityAlways == false)
    }

    @Test func aSchemaWithoutTablesIsRefused() throws {
        func refusal(_ schema: String?) -> String {
            do {
                _ = try PostgreSQLTables.model(
                    url: server.url(schema: self.schema), schema: schema, name: "Shop")
                return "made"
            } catch { return "\(error)" }
        }
        let empty = refusal(nil)
        #expect(empty.contains("\(schema) of postgresql:///postgres has no table that"), "\(empty)")
        #expect(refusal("nowhere").contains("has no schema nowhere: "))
        try server.sql("CREATE TABLE log (line text)", schema: schema)
        let unkeyed = refusal(schema)
        #expect(unkeyed.contains("(the table \(schema).log is left out: it has no"), "\(unkeyed)")
        #expect(refusal("nowhere").contains(schema))
        try PostgreSQLStore.open(
            url: server.url(path: schema), model: try sampleModel("League")
        ).close()
        let store = try #require(server.url(path: schema).split(separator: "%3D").last)
        #expect(refusal(String(store)).contains("the tables of the Stele store in the schema"))
    }
}

extension EntityDescription {
    /// The entity as lines.
    fileprivate var lines: [String] {
        let classes = [managedObjectClassName == name, codeGenerationType == .class, isSyncable]
        return ["\(name) \(userInfo.texts(TableKey.table))"]
            + (classes == [true, true, true] ? [] : ["  another class"])
            + properties.map(\.line)
            + uniquenessConstraints.map { "  unique \($0.joined(separator: ", "))" }
    }
}

extension [UserInfoEntry] {
    fileprivate func texts(_ keys: String...) -> String {
        keys.compactMap { key in first { $0.key == key }?.value }.joined(separator: "] [")
    }
}

extension PropertyDescription {
    fileprivate var line: String {
        switch self {
        case .attribute(let it): it.line
        case .relationship(let it): it.line
        case .fetchedProperty: "  fetched"
        }
    }
}

extension AttributeDescription {
    fileprivate var line: String {
        var line = "  \(name): \(type.name)" + (isOptional ? " optional" : "")
        switch defaultValue {
        case .null: break
        case .decimal(let it): line += " = \(it)"
        default: line += " = \(ValueText.text(defaultValue, type) ?? "?")"
        }
        if case .int(let length) = maximum { line += " ..\(length)" }
        if let regularExpression { line += " /\(regularExpression)/" }
        if usesScalarValueType == true { line += " scalar" }
        return line + " [\(userInfo.texts(TableKey.columns))]"
    }
}

extension RelationshipDescription {
    fileprivate var line: String {
        var line = "  \(name) \(isToMany ? "→→" : "→") \(destinationName)"
        if isOptional { line += " optional" }
        line += " ← \(inverseName ?? "nothing") \(deleteRule)"
        if inverseEntityName != destinationName || maximumCount != (isToMany ? 0 : 1) {
            line += " not whole"
        }
        let table = userInfo.texts(TableKey.table)
        let columns = userInfo.texts(TableKey.columns, TableKey.ownerColumns)
        return line + (table.isEmpty ? "" : " \(table)") + (columns.isEmpty ? "" : " [\(columns)]")
    }
}
