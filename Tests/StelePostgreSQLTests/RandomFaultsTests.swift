// Whatever is done to the tables under nodes that save: both sides agree, or the nodes say that they
// do not.

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
struct RandomFaultsTests: Sendable, FollowsTables {
    /// The seed of a run in STELE_SEED.
    @Test func bothSidesAgreeOrTheNodesSaySo() throws {
        let seed = drawSeed("bothSidesAgreeOrTheNodesSaySo")
        var numbers = SeededNumbers(seed: seed)
        var outcomes: [String: Int] = [:]
        for round in 0..<4 {
            let shop = try FollowedShop(TableFault.creation)
            defer { shop.remove() }
            let nodes = [try shop.open(), try shop.open()]
            defer { nodes.forEach { $0.close() } }
            let schema = try shop.storeSchema()
            let saved = Mutex<Set<Int64>>([])
            for step in 0..<8 {
                let faults = TableFault.all + TableFault.ofStore
                let fault = faults[numbers.below(faults.count)]
                let comment = "seed \(seed), round \(round), step \(step), \(fault.change)"
                let first = Int64(100 * step + 10)
                let pauses = (0..<3).map { _ in UInt32(numbers.below(30_000)) }
                let failures = onThreads(3) { thread -> String in
                    usleep(pauses[thread])
                    guard thread < 2 else { return refusal { try fault.apply(to: shop, schema) } }
                    for number in 0..<6 {
                        let id = first + Int64(20 * thread + number)
                        if add(id, "\(id)", to: nodes[thread], shop).isEmpty {
                            _ = saved.withLock { $0.insert(id) }
                        }
                    }
                    return ""
                }
                #expect(failures[2] == "", "\(comment)")
                for node in nodes {
                    let said = try difference(node, shop)
                    outcomes[said, default: 0] += 1
                    let isOfStore = fault.says.isEmpty
                    #expect(isOfStore ? said == "agree" : said != "differ", "\(comment)")
                }
                guard fault.back != nil else { break }
                try fault.takeBack(in: shop, schema)
                for node in nodes { #expect(told(node, isWell: true) == "", "\(comment)") }
                try shop.expectWhole(nodes[0], comment)
                let there = Set(try shop.sql("SELECT id FROM item").compactMap { Int64($0) })
                #expect(saved.withLock { $0 }.isSubset(of: there), "\(comment)")
            }
        }
        print("bothSidesAgreeOrTheNodesSaySo: \(outcomes)")
        #expect(outcomes["said", default: 0] > 0)
    }

    /// Compares a node with the table: "agree", "differ", or "said" where the node says that it is
    /// not well.
    private func difference(_ node: PostgreSQLStore, _ shop: FollowedShop) throws -> String {
        // What others have written is taken a moment later.
        let end = MonotonicClock.deadline(in: 5)
        while MonotonicClock.now < end {
            // As GET /readyz.
            let said = refusal {
                let reader = try node.reader()
                defer { reader.close() }
                _ = try reader.token
                try node.checkPresence()
            }
            guard said.isEmpty else { return "said" }
            let rows = (try? shop.sql("SELECT id FROM item ORDER BY id")) ?? ["no table"]
            if let ids = try? ids(node, shop), rows == ids.map(String.init) { return "agree" }
            usleep(50_000)
        }
        return "differ"
    }

    private func ids(_ node: PostgreSQLStore, _ shop: FollowedShop) throws -> [Int64] {
        let reader = try node.reader()
        defer { reader.close() }
        let entity = try shop.model.named("Item")
        guard case .attribute(let id)? = entity.property(named: "id") else { return [] }
        return try reader.fetch(FetchRequest(entity: entity)).map { object -> Int64 in
            if case .int(let id) = object.values[id.slot] { id } else { 0 }
        }.sorted()
    }
}
