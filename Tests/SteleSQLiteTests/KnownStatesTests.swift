// The history read page by page: the same states as read at once, and not all later images for each
// page again.

import SteleGraph
import SteleModel
import StelePersistence
import SteleSQLite
import TestSupport
import Testing

@testable import SteleSQL

@Suite struct KnownStatesTests {
    private func things(_ count: Int) throws -> (GraphStore, [ObjectID]) {
        let it = try GraphStore([
            EntityMaker("Thing").attribute("name", .string)
                .attribute("order", .integer64)
        ])
        return (it, try it.insert("Thing", count: count))
    }

    private func read(_ it: GraphStore, after start: Int64 = 0, pages size: Int) throws
        -> [HistoryTransaction]
    {
        var all: [HistoryTransaction] = []
        while true {
            let reader = try it.store.reader()
            defer { reader.close() }
            let page = try reader.history(
                after: all.last?.number ?? start, limit: size, values: true)
            if page.isEmpty { return all }
            all += page
        }
    }

    private func snapshots(_ saves: [HistoryTransaction]) -> [Snapshot?] {
        saves.flatMap { $0.changes.map(\.snapshot) }
    }

    /// Who begins anywhere, whatever others have read before, and while more is saved.
    @Test func pagesTellWhatTheWholeTells() throws {
        let (it, things) = try things(6)
        var ids = things
        func save(_ number: Int) throws {
            try it.change { context in
                let place = Int.random(in: 0..<ids.count)
                if number % 60 == 59 {
                    try context.delete(try context.get(ids[place]))
                    ids.remove(at: place)
                    return
                }
                let one = try context.get(ids[place])
                one["order"] = .int(Int64(number))
                if number % 3 == 0 { one["name"] = .string("name \(number)") }
            }
            if number % 60 == 59 { ids += try it.insert("Thing", count: 1) }
        }
        for number in 0..<600 { try save(number) }
        for round in 0..<4 {
            let whole = snapshots(try read(it, pages: 10_000))
            #expect(whole.allSatisfy { $0 != nil })
            for size in [1, 7, 64] {
                #expect(snapshots(try read(it, pages: size)) == whole, "pages of \(size)")
            }
            let start = Int64.random(in: 0..<600)
            #expect(
                snapshots(try read(it, after: start, pages: 20))
                    == snapshots(try read(it, after: start, pages: 10_000)), "after \(start)")
            for number in 0..<20 { try save(1_000 + round * 20 + number) }
        }
    }

    @Test func aLongLineIsWalkedOnce() throws {
        let (it, ids) = try things(1)
        for number in 0..<1_500 {
            try it.change { try $0.get(ids[0])["order"] = .int(Int64(number)) }
        }
        it.store.close()
        let clock = ContinuousClock()
        let ratios = try (0..<3).map { _ in
            let fresh = try GraphStore(it.model, in: it.folder)
            defer { fresh.store.close() }
            let whole = try clock.measure { _ = try read(fresh, pages: 10_000) }
            return try clock.measure { _ = try read(fresh, pages: 16) } / whole
        }
        // All later images for each page would be 47 times as many as there are.
        #expect(ratios.min() ?? .infinity < 15, "\(ratios)")
    }

    @Test func theyAreBounded() {
        let id = ObjectID(root: 0, key: 1)
        let one = Snapshot(entity: 0, key: 1, version: 1, values: [.string("x")])
        let states = KnownStates(maximumBytes: 20_000)
        for change in stride(from: Int64(10_000), through: 1, by: -1) {
            states.keep(KnownStates.State(change: change, snapshot: one), of: id)
        }
        #expect((10...200).contains(states.count), "\(states.count)")
        // Those that were kept last are close together.
        let next = states.state(of: id, behind: 10)?.change ?? .max
        #expect(next > 10 && next < 100, "\(next)")
        #expect(states.state(of: id, behind: 10_000) == nil)
        #expect(states.state(of: ObjectID(root: 1, key: 1), behind: 0) == nil)
    }
}
