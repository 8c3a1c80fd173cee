// A store follows the tables that it was made with, and not others of the same names.

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
struct FollowedIdentityTests: Sendable, FollowsTables {
    /// Each is noticed by all nodes though nothing is written to the table, no save is lost in
    /// another table, and what can be changed back is.
    @Test(arguments: TableFault.all.indices)
    func aReplacedTableIsNotFollowed(_ place: Int) throws {
        let fault = TableFault.all[place]
        let shop = try FollowedShop(TableFault.creation)
        defer { shop.remove() }
        let nodes = [try shop.open(), try shop.open()]
        defer { nodes.forEach { $0.close() } }
        #expect(add(2, "two", to: nodes[0], shop) == "")
        try fault.apply(to: shop, shop.storeSchema())
        for node in nodes {
            let said = told(node, isWell: false)
            #expect(said.contains(fault.says) && said.contains("\(shop.tables).item"), "\(said)")
            let refused = add(3, "three", to: node, shop)
            #expect(refused == said)
            // What the store has is read.
            let reader = try node.reader()
            defer { reader.close() }
            #expect(
                try reader.count(FetchRequest(entity: shop.model.named("Item"))) == 2)
        }
        if place == 0 {
            #expect(try shop.sql("SELECT count(*) FROM item") == ["1"])
        }
        guard fault.back != nil else {
            let again = refusal { try shop.open().close() }
            #expect(!again.isEmpty)
            return
        }
        try fault.takeBack(in: shop, shop.storeSchema())
        for node in nodes { #expect(told(node, isWell: true) == "") }
        try shop.sql("INSERT INTO item VALUES (5, 'five', 5)")
        try shop.settle()
        #expect(add(6, "six", to: nodes[1], shop) == "")
        try shop.expectWhole(nodes[0])
        #expect(try shop.sql("SELECT count(*) FROM item") == ["4"])
    }

    /// The table is changed for another while saves are under way: each that is answered is in the
    /// table that the store follows.
    @Test func noSaveIsInAnotherTable() throws {
        let shop = try FollowedShop(TableFault.creation)
        defer { shop.remove() }
        let nodes = [try shop.open(), try shop.open()]
        defer { nodes.forEach { $0.close() } }
        try shop.sql("CREATE TABLE fresh (LIKE item INCLUDING ALL)")
        let saved = Mutex<[Int64]>([])
        let isDone = Mutex(false)
        let test = self
        let outcomes = onThreads(3) { thread -> [String] in
            if thread == 2 {
                for _ in 0..<20 {
                    _ = try? shop.sql(
                        "BEGIN; ALTER TABLE item RENAME TO old; ALTER TABLE fresh RENAME TO item; "
                            + "COMMIT; SELECT pg_sleep(0.02); "
                            + "BEGIN; ALTER TABLE item RENAME TO fresh; "
                            + "ALTER TABLE old RENAME TO item; COMMIT")
                }
                isDone.withLock { $0 = true }
                return []
            }
            var said: [String] = []
            var id = Int64(thread * 100_000 + 10)
            while !isDone.withLock({ $0 }) {
                id += 1
                let refused = test.add(id, "\(id)", to: nodes[thread], shop)
                if refused.isEmpty {
                    saved.withLock { $0.append(id) }
                } else {
                    said.append(refused)
                }
            }
            return said
        }
        let other = outcomes.flatMap { $0 }.filter {
            !$0.contains("renamed, dropped or made again")
        }
        #expect(Set(other).isEmpty)
        #expect(try shop.sql("SELECT count(*) FROM fresh") == ["0"])
        let there = try shop.sql("SELECT id FROM item WHERE id > 1 ORDER BY id")
        let answered = saved.withLock { $0.sorted().map(String.init) }
        #expect(there == answered && !there.isEmpty)
        for node in nodes { #expect(told(node, isWell: true) == "") }
        try shop.expectWhole(nodes[0])
    }
}
