// A store that follows the tables of another program.

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
struct FollowedTablesTests: Sendable, FollowsTables {
    @Test func theObjectsAreTheRows() throws {
        let shop = try FollowedShop()
        defer { shop.remove() }
        let store = try shop.open()
        defer { store.close() }
        let lines = try shop.describe(store)
        #expect(lines.count == 17, "\(lines)")
        #expect(lines.contains { $0.contains("Tea") && $0.contains("food") }, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("Profile(about: string(\"me\")") }, "\(lines)")
    }

    @Test func whatAnotherProgramWritesIsInTheStoreAndItsHistory() throws {
        let shop = try FollowedShop()
        defer { shop.remove() }
        let store = try shop.open()
        defer { store.close() }
        try shop.sql(
            """
            BEGIN; UPDATE customer SET name = 'Ann', balance = 2.5 WHERE id = 1;
            INSERT INTO customer (email, friend) VALUES ('new', 1);
            DELETE FROM customer WHERE id = 5;
            INSERT INTO product_tag SELECT code, 'drink' FROM product; COMMIT
            """)
        try shop.expectWhole(store)
        let reader = try store.reader()
        defer { reader.close() }
        let saves = try reader.history(after: 0, limit: 10, values: true)
        // One transaction of the other program is one of the history.
        #expect(saves.count == 1 && saves.first?.author == "postgresql")
        let customer = try shop.model.named("Customer").index
        let kinds = saves.flatMap(\.changes).filter { $0.entity == customer }.map {
            "\($0.kind) \($0.key)"
        }
        #expect(
            Set(kinds) == ["update 1", "insert 6", "delete 5"], "\(kinds)")
    }

    @Test func aSaveIsInTheTables() throws {
        let shop = try FollowedShop()
        defer { shop.remove() }
        let store = try shop.open()
        defer { store.close() }
        let model = shop.model
        try save(store) { context in
            let customer = try context.insert(model.named("Customer"))
            customer["email"] = .string("ann")
            let purchase = try context.insert(model.named("Purchase"))
            try purchase.setToOne(relationship("Purchase.customer", model), customer)
            purchase["count"] = .int(4)
            let line = try context.insert(model.named("Line"))
            line["place"] = .int(7)
            try line.setToOne(relationship("Line.purchase", model), purchase)
            let remark = try context.insert(model.named("Remark"))
            try remark.setToOne(relationship("Remark.line", model), line)
            let product = try #require(try all("Product", context).first)
            try purchase.setToOne(relationship("Purchase.product", model), product)
            try product.setMembers(relationship("Product.tag", model), try all("Tag", context))
        }
        #expect(
            try shop.sql(
                "SELECT c.email, c.mood, c.joined IS NOT NULL, p.count, p.twice, l.place, r.place "
                    + "FROM customer c JOIN purchase p ON p.customer_id = c.id "
                    + "JOIN line l ON l.purchase_id = p.id "
                    + "JOIN remark r ON r.purchase_id = p.id WHERE email = 'ann'")
                == ["ann|glad|t|4|8|7|7"])
        // The values that the database has made are those of the save.
        let reader = try store.reader()
        defer { reader.close() }
        let saves = try reader.history(after: 0, limit: 10, values: true)
        #expect(saves.count == 1)
        let entity = try model.named("Customer")
        let made = try #require(saves.first?.changes.first { $0.entity == entity.index }?.snapshot)
        guard case .attribute(let id)? = entity.property(named: "id") else { throw Missing("id") }
        #expect(made.values[id.slot] == .int(6) && made.version == 1)
        try shop.expectWhole(store)
        try save(store) { context in
            for purchase in try all("Purchase", context) { try context.delete(purchase) }
            for product in try all("Product", context) { try context.delete(product) }
        }
        #expect(
            try shop.sql(
                "SELECT (SELECT COUNT(*) FROM purchase) + (SELECT COUNT(*) FROM line) "
                    + "+ (SELECT COUNT(*) FROM remark) + (SELECT COUNT(*) FROM product_tag) "
                    + "+ (SELECT COUNT(*) FROM product)") == ["0"])
        try shop.expectWhole(store)
    }

    @Test func triggersKeysAndTruncateAreFollowed() throws {
        let shop = try FollowedShop(
            FollowedShop.creation + """
                CREATE FUNCTION soft() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                UPDATE customer SET name = 'gone' WHERE id = OLD.id; RETURN NULL; END $$;
                CREATE TRIGGER soft BEFORE DELETE ON customer FOR EACH ROW EXECUTE FUNCTION soft();
                CREATE FUNCTION upper_title() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                NEW.title = upper(NEW.title); RETURN NEW; END $$;
                CREATE TRIGGER up BEFORE INSERT OR UPDATE ON product
                FOR EACH ROW EXECUTE FUNCTION upper_title();
                """)
        defer { shop.remove() }
        let store = try shop.open()
        defer { store.close() }
        let kept = refusal {
            try save(store) { context in
                let customers = try all("Customer", context)
                try context.delete(try #require(customers.first { $0["id"] == .int(3) }))
            }
        }
        #expect(kept.contains("keeps the row of Customer 3"), "\(kept)")
        #expect(try shop.sql("SELECT name FROM customer WHERE id = 3") == ["Name 3"])
        try save(store) { context in
            let product = try context.insert(shop.model.named("Product"))
            product["title"] = .string("ham")
        }
        try shop.expectWhole(store, "soft")
        try shop.sql("UPDATE tag SET name = 'meal' WHERE name = 'food'")
        try shop.expectWhole(store, "a key")
        try shop.sql("UPDATE line SET place = 9")
        try shop.expectWhole(store, "a key of several columns")
        try shop.sql("TRUNCATE customer CASCADE")
        try shop.expectWhole(store, "truncate")
        try save(store) { context in
            let tag = try #require(try all("Tag", context).first)
            tag["name"] = .string("renamed")
        }
        try shop.expectWhole(store, "a key by a save")
    }

    @Test func modelsThatDoNotFitTheTablesAreRefused() throws {
        let shop = try FollowedShop()
        defer { shop.remove() }
        try shop.open().close()
        let plain = try sampleModel("League")
        #expect(
            refusal {
                try PostgreSQLStore.open(url: shop.server.url(path: shop.place), model: plain)
            }
            .contains("belongs to another model"))
        try shop.sql(
            "ALTER TABLE tag RENAME TO old_tag; CREATE TABLE tag (name text PRIMARY KEY); "
                + "ALTER TABLE product_tag DROP CONSTRAINT product_tag_tag_fkey; "
                + "ALTER TABLE product_tag ADD FOREIGN KEY (tag) REFERENCES tag NOT VALID")
        let again = refusal { try shop.open().close() }
        #expect(again.contains("has not the triggers by which the store"), "\(again)")
        try shop.sql("ALTER TABLE customer DROP COLUMN rank")
        let said = refusal { try shop.open().close() }
        #expect(said.contains("has no column rank, which Customer.rank has"), "\(said)")
        try shop.sql("ALTER TABLE customer ADD COLUMN rank text")
        let other = refusal { try shop.open().close() }
        #expect(other.contains("Customer.rank is of another type than its column"), "\(other)")
        try shop.sql("DROP TABLE line CASCADE")
        let table = refusal { try shop.open().close() }
        #expect(table.contains("line, which Line has"), "\(table)")
    }

    /// Programs write to the tables and to several stores of them at once: at the end the stores
    /// have what a new copy has, and the history leads there.
    @Test func whateverIsWrittenWhereAllHaveIt() throws {
        let shop = try FollowedShop()
        defer { shop.remove() }
        let seed = drawSeed("whateverIsWrittenWhereAllHaveIt")
        let nodes = [try shop.open(), try shop.open()]
        defer { nodes.forEach { $0.close() } }
        let start = Set(try keys(nodes[0], shop.model))
        let outcomes = Mutex<[String: Int]>([:])
        for round in 0..<4 {
            _ = onThreads(4) { thread in
                var numbers = SeededNumbers(seed: seed &+ UInt64(round * 4 + thread))
                for _ in 0..<25 {
                    let said = refusal {
                        if thread < 2 {
                            try shop.sql(RandomSQL.transaction(&numbers))
                        } else {
                            try save(nodes[thread - 2]) {
                                try RandomSave.change(shop.model, $0, &numbers)
                            }
                        }
                    }
                    let kind = thread < 2 ? "sql" : "save"
                    outcomes.withLock { $0["\(kind) \(said.isEmpty)", default: 0] += 1 }
                }
            }
            try shop.expectWhole(nodes[0], "seed \(seed), round \(round)")
        }
        let counts = outcomes.withLock { $0 }
        print("whateverIsWrittenWhereAllHaveIt: \(counts)")
        #expect(counts["sql true"] ?? 0 > 20 && counts["save true"] ?? 0 > 20, "\(counts)")
        // The history from the first state on leads to the last one.
        let reader = try nodes[1].reader()
        defer { reader.close() }
        var live = start
        var last: Int64 = 0
        for saved in try reader.history(after: 0, limit: 100_000, values: false) {
            #expect(saved.number == last + 1, "seed \(seed)")
            last = saved.number
            for change in saved.changes {
                let id = ObjectID(
                    root: shop.model.entities[change.entity].root, key: change.key)
                switch change.kind {
                case .insert: #expect(live.insert(id).inserted, "seed \(seed), \(id) twice")
                case .update: #expect(live.contains(id), "seed \(seed), \(id) is not there")
                case .delete: #expect(live.remove(id) != nil, "seed \(seed), \(id) is not there")
                }
            }
        }
        #expect(live == Set(try keys(nodes[0], shop.model)), "seed \(seed)")
    }

    private func keys(_ store: PostgreSQLStore, _ model: Model) throws -> [ObjectID] {
        let reader = try store.reader()
        defer { reader.close() }
        return try model.entities.flatMap { entity in
            try reader.fetch(FetchRequest(entity: entity)).map {
                ObjectID(root: entity.root, key: $0.key)
            }
        }
    }
}
