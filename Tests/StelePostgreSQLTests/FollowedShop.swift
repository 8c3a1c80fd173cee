// The tables of another program, a store that follows them, and a way to compare the two.

import Foundation
import SteleGraph
import SteleModel
import StelePersistence
import StelePredicates
import StelePostgreSQL
import SteleSystem
import TestSupport
import Testing

/// The tables of a shop in a schema of their own, with a store that follows them in another one.
struct FollowedShop: GraphTables {
    let server: PostgreSQLServer
    let tables = "t" + String(UInt64.random(in: 0 ... .max), radix: 16)
    let model: Model
    let place = UUID().uuidString

    static let creation = """
        CREATE TYPE mood AS ENUM ('glad', 'sad');
        CREATE TABLE customer (
          id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
          email varchar(80) NOT NULL UNIQUE, name text, mood mood DEFAULT 'glad',
          joined timestamptz DEFAULT now(), balance numeric(12,2) NOT NULL DEFAULT 0
          CHECK (balance >= 0), rank int, active boolean NOT NULL DEFAULT true,
          friend bigint REFERENCES customer ON DELETE SET NULL);
        CREATE TABLE profile (
          customer_id bigint PRIMARY KEY REFERENCES customer ON DELETE CASCADE, about text);
        CREATE TABLE product (
          code uuid PRIMARY KEY DEFAULT gen_random_uuid(), title text NOT NULL,
          price double precision, extra jsonb, weight real, span interval, picture bytea);
        CREATE TABLE purchase (
          id serial PRIMARY KEY, customer_id bigint NOT NULL REFERENCES customer ON DELETE CASCADE,
          product uuid REFERENCES product, day date, count smallint,
          twice int GENERATED ALWAYS AS (count * 2) STORED);
        CREATE TABLE line (
          purchase_id int REFERENCES purchase ON DELETE CASCADE, place int, note text,
          PRIMARY KEY (purchase_id, place));
        CREATE TABLE remark (
          id bigserial PRIMARY KEY, purchase_id int, place int, text text,
          FOREIGN KEY (purchase_id, place) REFERENCES line ON DELETE CASCADE ON UPDATE CASCADE);
        CREATE TABLE tag (name text PRIMARY KEY);
        CREATE TABLE product_tag (
          product uuid REFERENCES product ON DELETE CASCADE,
          tag text REFERENCES tag ON UPDATE CASCADE ON DELETE CASCADE, PRIMARY KEY (product, tag));
        INSERT INTO customer (email, name, rank) SELECT 'c' || n, 'Name ' || n, n
          FROM generate_series(1, 5) n;
        UPDATE customer SET friend = 1 WHERE id > 3;
        INSERT INTO profile VALUES (1, 'me'), (2, 'two');
        INSERT INTO product (title, price, extra) VALUES ('Tea', 2.5, '{"a": 1}'), ('Jam', 3, NULL);
        INSERT INTO tag VALUES ('food'), ('drink');
        INSERT INTO product_tag SELECT code, 'food' FROM product;
        INSERT INTO purchase (customer_id, product, day, count)
          SELECT 1, code, '2026-01-02', 3 FROM product;
        INSERT INTO line SELECT id, 1, 'first' FROM purchase;
        INSERT INTO remark (purchase_id, place, text) SELECT id, 1, 'well' FROM purchase;
        """

    init(_ sql: String = FollowedShop.creation) throws {
        server = try #require(PostgreSQLServer.shared)
        try server.sql("CREATE SCHEMA \(tables)")
        try server.sql(sql, schema: tables)
        model = try Model(
            PostgreSQLTables.model(url: server.url(schema: tables), name: "Shop").model)
    }

    /// Opens the store, or another one of the same tables.
    func open(_ place: String? = nil) throws -> PostgreSQLStore {
        try PostgreSQLStore.open(url: server.url(path: place ?? self.place), model: model)
    }

    /// Runs SQL on the tables.
    @discardableResult
    func sql(_ text: String) throws -> [String] { try server.sql(text, schema: tables) }

    /// The schema of the store, which is made where there is none.
    func storeSchema() throws -> String {
        String(try #require(try server.url(path: place).split(separator: "%3D").last))
    }

    /// Waits until the store has taken all that is written to the tables.
    func settle() throws {
        let schema = try storeSchema()
        let names = try server.sql(
            "SELECT relname FROM pg_class WHERE relname LIKE 'stele\\_news\\_%' AND relkind = 'r' "
                + "AND relnamespace = '\(schema)'::regnamespace")
        let count = names.map { "(SELECT COUNT(*) FROM \($0))" }.joined(separator: " + ")
        let end = MonotonicClock.deadline(in: 30)
        while MonotonicClock.now < end {
            if try server.sql("SELECT \(count)", schema: schema) == ["0"] { return }
            usleep(20_000)
        }
        throw Missing("an end of what is written")
    }

    /// Checks that the store has what a new one of the same tables has.
    func expectWhole(_ store: PostgreSQLStore, _ comment: String = "") throws {
        try settle()
        let copy = try open(UUID().uuidString)
        defer { copy.close() }
        let (have, want) = (try describe(store), try describe(copy))
        let missing = want.filter { !have.contains($0) }
        let more = have.filter { !want.contains($0) }
        #expect(
            missing.isEmpty && more.isEmpty && have.count == want.count,
            "\(comment) missing: \(missing.prefix(5)), too much: \(more.prefix(5))")
    }

    func remove() { _ = try? server.sql("DROP SCHEMA \(tables) CASCADE") }
}

/// Saves to a store that follows tables.
protocol FollowsTables {}

extension FollowsTables {
    /// Saves changes in a context of their own.
    func save(
        _ store: PostgreSQLStore, _ work: (ManagedObjectContext) throws -> Void
    ) throws {
        let context = ManagedObjectContext(PersistentStoreCoordinator(store: store))
        defer { context.close() }
        try work(context)
        try context.save()
    }

    func all(_ name: String, _ context: ManagedObjectContext) throws -> [ManagedObject] {
        let entity = try context.coordinator.model.named(name)
        return try context.fetch(FetchRequest(entity: entity))
    }

    func relationship(_ path: String, _ model: Model) throws -> Relationship {
        let parts = path.split(separator: ".").map(String.init)
        return try #require(model.named(parts[0]).relationship(named: parts[1]))
    }

    /// The refusal of a save; empty where it is saved.
    func refusal(_ body: () throws -> Void) -> String {
        do {
            try body()
            return ""
        } catch { return "\(error)" }
    }
}

/// Describes all objects of a store without their keys, which each store gives its own.
protocol GraphTables {
    var model: Model { get }
}

extension GraphTables {
    func describe(_ store: any PersistentStore) throws -> [String] {
        let reader = try store.reader()
        defer { reader.close() }
        var names: [ObjectID: String] = [:]
        var all: [Snapshot] = []
        for entity in model.entities {
            for object in try reader.fetch(FetchRequest(entity: entity)) {
                all.append(object)
                names[ObjectID(root: entity.root, key: object.key)] = own(object)
            }
        }
        return try all.map { object in
            let entity = model.entities[object.entity]
            var ends: [String] = []
            for case .relationship(let it) in entity.slots {
                guard case .key(let key) = object.values[it.slot] else { continue }
                let id = ObjectID(root: model.destination(of: it).root, key: key)
                ends.append("\(it.name)=\(names[id] ?? "nothing")")
            }
            for it in entity.toManys {
                let keys = try reader.members(of: it, owners: [object.key])[object.key] ?? []
                let root = model.destination(of: it).root
                let members = keys.map { names[ObjectID(root: root, key: $0)] ?? "nothing" }
                ends.append("\(it.name)=\(members.sorted())")
            }
            return "\(own(object)) \(ends.joined(separator: " "))"
        }.sorted()
    }

    /// The attributes of an object.
    private func own(_ object: Snapshot) -> String {
        let entity = model.entities[object.entity]
        var values: [String] = []
        for case .attribute(let it) in entity.slots {
            values.append("\(it.name): \(object.values[it.slot])")
        }
        return "\(entity.name)(\(values.joined(separator: ", ")))"
    }
}
