// Order keys of ordered relationships: few rows for a move, however often.

import TestSupport
import Testing

@testable import SteleSQL

@Suite struct OrderKeysTests {
    /// Members in an order, with their keys as a table would hold them.
    struct Line {
        var order: [Int64]
        var keys: [Int64: Int64] = [:]

        init(_ count: Int64) {
            order = Array(1...count)
            _ = store()
        }

        /// Writes what must be written.
        /// - Returns: how many rows that is.
        mutating func store() -> Int {
            let changes = OrderKeys.changes(from: keys, to: order)
            for (member, key) in changes { keys[member] = key }
            return changes.count
        }

        var isInOrder: Bool {
            let found = order.map { keys[$0] ?? .min }
            return zip(found, found.dropFirst()).allSatisfy { $0 < $1 }
        }
    }

    @Test func newMembersAreSpacedAsCoreDataDoes() {
        let line = Line(3)
        #expect(line.keys == [1: 2048, 2: 3072, 3: 4096])
    }

    @Test func aMoveIsOneRow() {
        var line = Line(1_000)
        line.order.insert(line.order.removeLast(), at: 0)
        #expect(line.store() == 1 && line.isInOrder)
        line.order.append(line.order.remove(at: 500))
        #expect(line.store() == 1 && line.isInOrder)
        line.order.insert(line.order.remove(at: 3), at: 700)
        #expect(line.store() == 1 && line.isInOrder)
        #expect(line.store() == 0)
    }

    @Test(arguments: [0, 1, 500, 999])
    func movesToOnePlaceNeverWriteAll(_ place: Int) {
        var line = Line(1_000)
        var (rows, most) = (0, 0)
        for turn in 0..<1_000 {
            line.order.insert(line.order.remove(at: turn * 7 % 1_000), at: place)
            let written = line.store()
            #expect(line.isInOrder, "turn \(turn)")
            rows += written
            most = max(most, written)
        }
        #expect(rows < 1_000 * 16, "\(rows) rows for 1,000 moves")
        #expect(most < 1_000, "\(most) rows for one move")
    }

    @Test func anyOrderIsReached() {
        let seed = drawSeed("OrderKeysTests")
        var state = seed
        func random(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        var line = Line(40)
        for _ in 0..<2_000 {
            switch random(4) {
            case 0: line.order.insert(line.order.remove(at: random(40)), at: random(39))
            case 1: line.order.swapAt(random(40), random(40))
            case 2: line.order.reverse()
            default:
                // Another program's keys: equal, far off, or none.
                let member = line.order[random(40)]
                line.keys[member] = [nil, 1, .max, line.keys[line.order[random(40)]]][random(4)]
            }
            _ = line.store()
            #expect(line.isInOrder, "seed \(seed)")
        }
    }
}
