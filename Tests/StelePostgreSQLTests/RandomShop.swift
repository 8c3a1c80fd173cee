// Random work on the shop, by another program and by saves.

import SteleGraph
import SteleModel
import StelePredicates
import TestSupport

/// Random transactions of another program.
enum RandomSQL {
    static func transaction(_ numbers: inout SeededNumbers) -> String {
        let count = 1 + numbers.below(4)
        let statements = (0..<count).map { _ in statement(&numbers) }
        let end = numbers.one(in: 8) ? "ROLLBACK" : "COMMIT"
        return "BEGIN; \(statements.joined(separator: "; ")); \(end)"
    }

    private static func statement(_ numbers: inout SeededNumbers) -> String {
        let n = numbers.below(1_000)
        func some(_ table: String, _ column: String) -> String {
            "(SELECT \(column) FROM \(table) ORDER BY md5(\(column)::text || '\(n)') LIMIT 1)"
        }
        let customer = some("customer", "id")
        let product = some("product", "code")
        return numbers.pick(
            "INSERT INTO customer (email, rank, friend) VALUES ('m' || \(n) || random(), \(n), "
                + "\(customer))",
            "UPDATE customer SET name = 'n\(n)', balance = \(n) / 7.0 WHERE id = \(customer)",
            "UPDATE customer SET friend = \(customer), mood = NULL WHERE id % 3 = \(n % 3)",
            "DELETE FROM customer WHERE id = \(customer)",
            "INSERT INTO profile VALUES (\(customer), 'p\(n)') "
                + "ON CONFLICT (customer_id) DO UPDATE SET about = 'q\(n)'",
            "UPDATE profile SET customer_id = \(customer) WHERE customer_id = "
                + "\(some("profile", "customer_id"))",
            "INSERT INTO product (title, price, span, picture) VALUES ('t\(n)', \(n), '\(n) min', "
                + "'\\x0\(n % 10)')",
            "UPDATE product SET extra = '{\"n\": \(n)}', weight = \(n) * 0.1 "
                + "WHERE code = \(product)",
            "DELETE FROM product WHERE code = \(product)",
            "INSERT INTO purchase (customer_id, product, day, count) "
                + "VALUES (\(customer), \(product), '2026-01-01'::date + \(n), \(n))",
            "UPDATE purchase SET customer_id = \(customer), count = NULL WHERE id = "
                + "\(some("purchase", "id"))",
            "INSERT INTO line VALUES (\(some("purchase", "id")), \(n % 5), 'l\(n)') "
                + "ON CONFLICT DO NOTHING",
            "UPDATE line SET place = place + 100 WHERE purchase_id = \(some("purchase", "id"))",
            "INSERT INTO remark (purchase_id, place, text) SELECT purchase_id, place, 'r\(n)' "
                + "FROM line ORDER BY md5(note || '\(n)') LIMIT 2",
            "DELETE FROM remark WHERE id = \(some("remark", "id"))",
            "INSERT INTO tag VALUES ('g\(n % 9)') ON CONFLICT DO NOTHING",
            "UPDATE tag SET name = 'h\(n)' WHERE name = \(some("tag", "name"))",
            "DELETE FROM tag WHERE name = \(some("tag", "name"))",
            "INSERT INTO product_tag VALUES (\(product), \(some("tag", "name"))) "
                + "ON CONFLICT DO NOTHING",
            "DELETE FROM product_tag WHERE product = \(product)")
    }
}

/// Random changes of a context.
enum RandomSave {
    static func change(
        _ model: Model, _ context: ManagedObjectContext, _ numbers: inout SeededNumbers
    ) throws {
        for _ in 0...numbers.below(3) { try step(model, context, &numbers) }
    }

    private static func step(
        _ model: Model, _ context: ManagedObjectContext, _ numbers: inout SeededNumbers
    ) throws {
        let n = numbers.below(1_000)
        func any(_ name: String) throws -> ManagedObject? {
            let found = try context.fetch(FetchRequest(entity: model.named(name)))
                .filter { !$0.isDeleted }
            return found.isEmpty ? nil : found[n % found.count]
        }
        func to(_ path: String) throws -> Relationship {
            let parts = path.split(separator: ".").map(String.init)
            guard let it = try model.named(parts[0]).relationship(named: parts[1]) else {
                throw Missing(path)
            }
            return it
        }
        switch numbers.below(9) {
        case 0:
            let new = try context.insert(model.named("Customer"))
            new["email"] = .string("s\(n) \(numbers.next())")
            try new.setToOne(to("Customer.friend"), try any("Customer"))
        case 1:
            guard let customer = try any("Customer") else { return }
            customer["name"] = .string("s\(n)")
            try customer.setToOne(to("Customer.friend"), try any("Customer"))
        case 2:
            if let customer = try any("Customer") { try context.delete(customer) }
        case 3:
            guard let customer = try any("Customer") else { return }
            let purchase = try context.insert(model.named("Purchase"))
            try purchase.setToOne(to("Purchase.customer"), customer)
            try purchase.setToOne(to("Purchase.product"), try any("Product"))
            let line = try context.insert(model.named("Line"))
            line["place"] = .int(Int64(n))
            try line.setToOne(to("Line.purchase"), purchase)
        case 4:
            if let purchase = try any("Purchase") { try context.delete(purchase) }
        case 5:
            let product = try context.insert(model.named("Product"))
            product["title"] = .string("s\(n)")
            if let tag = try any("Tag") { try product.setMembers(to("Product.tag"), [tag]) }
        case 6:
            guard let product = try any("Product") else { return }
            let tags = try context.fetch(FetchRequest(entity: model.named("Tag")))
            try product.setMembers(
                to("Product.tag"), tags.filter { _ in numbers.one(in: 2) })
        case 7:
            guard let line = try any("Line") else { return }
            line["place"] = .int(Int64(n + 1_000))
            line["note"] = .string("s\(n)")
        default:
            guard let customer = try any("Customer") else { return }
            let profile = try any("Profile") ?? context.insert(model.named("Profile"))
            profile["about"] = .string("s\(n)")
            try profile.setToOne(to("Profile.customer"), customer)
        }
    }
}
