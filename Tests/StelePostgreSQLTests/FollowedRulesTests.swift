// What the tables of another program refuse, locks, rights, and changes of the tables.

import Foundation
import SteleGraph
import SteleModel
import StelePersistence
import StelePostgreSQL
import StelePredicates
import SteleSystem
import TestSupport
import Testing

@Suite(.enabled(if: PostgreSQLServer.shared != nil), .timeLimit(.minutes(30)))
struct FollowedRulesTests: Sendable, FollowsTables {
    @Test func whatTheTablesRefuseIsRefused() throws {
        let shop = try FollowedShop()
        defer { shop.remove() }
        let store = try shop.open()
        defer { store.close() }
        let said = refusal {
            try save(store) { context in
                for customer in try all("Customer", context) {
                    customer["balance"] = .decimal(Decimal(-1))
                }
            }
        }
        #expect(said.contains("customer_balance_check"), "\(said)")
        let computed = refusal {
            try save(store) { context in
                for purchase in try all("Purchase", context) { purchase["twice"] = .int(1) }
            }
        }
        #expect(computed.contains("Purchase.twice is computed by the database"), "\(computed)")
        let json = refusal {
            try save(store) { context in
                for product in try all("Product", context) { product["extra"] = .string("{") }
            }
        }
        #expect(json.contains("invalid input syntax for type json"), "\(json)")
        #expect(try shop.sql("SELECT COUNT(*) FROM customer WHERE balance <> 0") == ["0"])
        try shop.expectWhole(store)
    }

    /// The save waits for the row, and finds that its object is not the one that was read.
    @Test func aRowThatAnotherProgramHasWrittenMeanwhileIsNotOverwritten() throws {
        let shop = try FollowedShop()
        defer { shop.remove() }
        let store = try shop.open()
        defer { store.close() }
        let other = SystemThread(name: "other") {
            _ = try? shop.sql(
                "BEGIN; UPDATE customer SET name = 'theirs' WHERE id = 1; "
                    + "SELECT pg_sleep(1); COMMIT")
        }
        usleep(400_000)
        let said = refusal {
            try save(store) { context in
                for customer in try all("Customer", context) { customer["name"] = .string("mine") }
            }
        }
        other?.join()
        #expect(said.contains("another program has changed the objects"), "\(said)")
        #expect(try shop.sql("SELECT name FROM customer WHERE id = 1") == ["theirs"])
        try shop.expectWhole(store)
    }

    /// Links that another program makes while a save of the same object waits are not taken back.
    @Test func linksThatAnotherProgramMakesMeanwhileStay() throws {
        let shop = try FollowedShop()
        defer { shop.remove() }
        let store = try shop.open()
        defer { store.close() }
        try shop.sql("INSERT INTO tag VALUES ('late')")
        try shop.settle()
        let other = SystemThread(name: "other") {
            _ = try? shop.sql(
                "BEGIN; SELECT * FROM product WHERE title = 'Tea' FOR UPDATE; SELECT pg_sleep(0.6); "
                    + "INSERT INTO product_tag SELECT code, 'late' FROM product; COMMIT")
        }
        usleep(200_000)
        try save(store) { context in
            let tea = try #require(
                try all("Product", context).first { $0["title"] == .string("Tea") })
            tea["price"] = .double(9)
            let drink = try #require(
                try all("Tag", context).first { $0["name"] == .string("drink") })
            try tea.addMember(relationship("Product.tag", shop.model), drink)
        }
        other?.join()
        #expect(
            try shop.sql(
                "SELECT string_agg(tag, ' ' ORDER BY tag) FROM product_tag JOIN product p "
                    + "ON p.code = product WHERE title = 'Tea'") == ["drink food late"])
        try shop.expectWhole(store)
    }

    @Test func aLockThatDoesNotEndRefusesOneSaveAlone() throws {
        let shop = try FollowedShop()
        defer { shop.remove() }
        let store = try shop.open()
        defer { store.close() }
        let other = SystemThread(name: "other") {
            _ = try? shop.sql(
                "BEGIN; SELECT * FROM tag WHERE name = 'food' FOR UPDATE; SELECT pg_sleep(4); COMMIT"
            )
        }
        usleep(300_000)
        let begun = MonotonicClock.now
        let said = refusal {
            try save(store) { context in
                for tag in try all("Tag", context) {
                    if tag["name"] == .string("food") { try context.delete(tag) }
                }
            }
        }
        #expect(said.contains("tag locked, and does not end"), "\(said)")
        try save(store) { context in
            let tag = try context.insert(shop.model.named("Tag"))
            tag["name"] = .string("other")
        }
        #expect(MonotonicClock.now - begun < 3_000_000_000)
        other?.join()
        try shop.expectWhole(store)
    }

    @Test func tablesThatChangeUnderTheStoreAreToldAndHeal() throws {
        let shop = try FollowedShop()
        defer { shop.remove() }
        let store = try shop.open()
        defer { store.close() }
        let other = try shop.open()
        defer { other.close() }
        try shop.sql("ALTER TABLE customer RENAME rank TO grade; UPDATE customer SET name = 'x'")
        let end = MonotonicClock.deadline(in: 20)
        var said = ""
        while said.isEmpty, MonotonicClock.now < end {
            usleep(50_000)
            said = refusal { try store.checkPresence() }
        }
        #expect(said.contains("are not as the model has them"), "\(said)")
        let save = refusal {
            try self.save(store) { context in
                let tag = try context.insert(shop.model.named("Tag"))
                tag["name"] = .string("other")
            }
        }
        #expect(save == said)
        try shop.sql("ALTER TABLE customer RENAME grade TO rank")
        try shop.expectWhole(store)
        // One of the two has taken it.
        for node in [store, other] {
            var told = "none"
            let limit = MonotonicClock.deadline(in: 10)
            while !told.isEmpty, MonotonicClock.now < limit {
                told = refusal { try node.checkPresence() }
                usleep(50_000)
            }
            #expect(told.isEmpty, "\(told)")
        }
    }

    @Test func whatTheRoleLacksIsNamedAtOnce() throws {
        let shop = try FollowedShop()
        defer { shop.remove() }
        let role = "r" + String(UInt64.random(in: 0 ... .max), radix: 16)
        let schema = "s" + role
        try shop.sql(
            "CREATE ROLE \(role) LOGIN; CREATE SCHEMA \(schema) AUTHORIZATION \(role); "
                + "GRANT USAGE ON SCHEMA \(shop.tables) TO \(role); "
                + "GRANT SELECT ON ALL TABLES IN SCHEMA \(shop.tables) TO \(role)")
        let url = shop.server.url(schema: schema).replacing("//postgres@", with: "//\(role)@")
        let said = refusal { try PostgreSQLStore.open(url: url, model: shop.model).close() }
        #expect(said.contains("GRANT INSERT, UPDATE, DELETE, TRIGGER ON"), "\(said)")
        #expect(said.contains("GRANT USAGE ON SEQUENCE"), "\(said)")
        try shop.sql(
            "GRANT ALL ON ALL TABLES IN SCHEMA \(shop.tables) TO \(role); "
                + "GRANT USAGE ON ALL SEQUENCES IN SCHEMA \(shop.tables) TO \(role)")
        let store = try PostgreSQLStore.open(url: url, model: shop.model)
        defer { store.close() }
        try save(store) { context in
            let customer = try context.insert(shop.model.named("Customer"))
            customer["email"] = .string("ann")
        }
        #expect(try shop.sql("SELECT COUNT(*) FROM customer") == ["6"])
    }

    /// A deferred constraint, texts of other types, and links that only the store has.
    @Test func whatIsDeferredOtherTypesAndOwnLinks() throws {
        let shop = try FollowedShop(
            """
            CREATE TABLE parent (id int PRIMARY KEY, address inet, since timestamptz[]);
            CREATE TABLE child (
              id int PRIMARY KEY,
              parent int NOT NULL REFERENCES parent DEFERRABLE INITIALLY IMMEDIATE,
              elder int REFERENCES child);
            INSERT INTO parent VALUES (1, '10.0.0.9', '{2026-01-02 03:04:05+02}'), (2, NULL, NULL);
            INSERT INTO child VALUES (1, 1, NULL);
            """)
        defer { shop.remove() }
        let store = try shop.open()
        defer { store.close() }
        let lines = try shop.describe(store)
        #expect(lines.contains { $0.contains(#"address: string("10.0.0.9")"#) }, "\(lines)")
        #expect(lines.contains { $0.contains("2026-01-02 01:04:05+00") }, "\(lines)")
        let said = refusal {
            try save(store) { context in
                for parent in try all("Parent", context) where parent["id"] == .int(1) {
                    parent["id"] = .int(7)
                }
            }
        }
        #expect(said.contains("violates foreign key constraint"), "\(said)")
        try save(store) { context in
            var elder: ManagedObject?
            for id in (10..<14).reversed() {
                let child = try context.insert(shop.model.named("Child"))
                child["id"] = .int(Int64(id))
                try child.setToOne(
                    relationship("Child.parent", shop.model), try all("Parent", context).first)
                if let elder {
                    try elder.setToOne(relationship("Child.elder", shop.model), child)
                }
                elder = child
            }
        }
        #expect(try shop.sql("SELECT COUNT(elder) FROM child") == ["3"])
        try shop.expectWhole(store)
    }
}
