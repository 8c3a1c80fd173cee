// The row cache under writers and readers at once; each answer is compared with the history.

import SteleModel
import StelePersistence
import SteleSystem
import TestSupport
import Testing

@testable import SteleGraph

@Suite struct RowCacheStressTests {
    private struct Answer: Sendable {
        var id: ObjectID
        var token: Int64
        /// For an answer for the newest state: what was committed before it was asked for.
        var earliest: Int64
        var snapshot: Snapshot?
    }

    /// What the threads share.
    private final class Board: Sendable {
        let coordinator: PersistentStoreCoordinator
        let ids: [ObjectID]
        let slot: Int
        let answers = Mutex<[Answer]>([])
        let writing = Atomic<Int>(0)

        init(_ coordinator: PersistentStoreCoordinator, _ ids: [ObjectID], slot: Int) {
            self.coordinator = coordinator
            self.ids = ids
            self.slot = slot
        }

        func pick(_ numbers: inout SeededNumbers) -> ObjectID {
            ids[Int.random(in: 0..<ids.count, using: &numbers)]
        }

        func write(_ seed: UInt64, rounds: Int) {
            var numbers = SeededNumbers(seed: seed)
            for round in 0..<rounds {
                let context = ManagedObjectContext(coordinator)
                do {
                    for _ in 0..<Int.random(in: 1...3, using: &numbers) {
                        let object = try context.existingObject(with: pick(&numbers))
                        guard let object else { continue }
                        object.setSlot(slot, .string("\(seed) \(round)"))
                        if Int.random(in: 0..<900, using: &numbers) == 0 {
                            try context.delete(object)
                        }
                    }
                    try context.save()
                } catch StoreError.conflicts {
                    // Somebody else was faster: nothing is saved, which is as good.
                } catch { Issue.record("\(error)") }
            }
            writing.subtract(1, ordering: .sequentiallyConsistent)
        }

        func read(_ seed: UInt64) {
            var numbers = SeededNumbers(seed: seed)
            var own: [Answer] = []
            while writing.load(ordering: .sequentiallyConsistent) > 0 {
                let (id, earliest) = (pick(&numbers), coordinator.currentToken)
                if let cached = coordinator.cachedSnapshot(id) {
                    own.append(
                        Answer(
                            id: id, token: coordinator.currentToken, earliest: earliest,
                            snapshot: cached))
                }
                do { own += try readView(&numbers) } catch { Issue.record("\(error)") }
                if own.count > 40_000 { own.removeFirst(own.count / 2) }
            }
            answers.withLock { $0 += own }
        }

        /// Several objects in one context: all of one moment.
        private func readView(_ numbers: inout SeededNumbers) throws -> [Answer] {
            let context = ManagedObjectContext(coordinator)
            let token = try context.token()
            var found: [Answer] = []
            for _ in 0..<6 {
                let id = pick(&numbers)
                let snapshot = try context.snapshot(id)
                found.append(Answer(id: id, token: token, earliest: token, snapshot: snapshot))
            }
            let keys = (0..<4).map { _ in pick(&numbers).key }
            let many = try context.snapshots(root: 0, keys: keys)
            for key in keys {
                let id = ObjectID(root: 0, key: key)
                found.append(Answer(id: id, token: token, earliest: token, snapshot: many[key]))
            }
            return found
        }
    }

    /// What each object was, transaction by transaction.
    private func history(
        _ store: any PersistentStore
    ) throws -> [ObjectID: [(token: Int64, snapshot: Snapshot?)]] {
        var states: [ObjectID: [(token: Int64, snapshot: Snapshot?)]] = [:]
        let reader = try store.reader()
        defer { reader.close() }
        for save in try reader.history(after: 0, limit: .max, values: true) {
            for change in save.changes {
                let snapshot = change.kind == .delete ? nil : change.snapshot
                states[ObjectID(root: 0, key: change.key), default: []]
                    .append((save.number, snapshot))
            }
        }
        return states
    }

    @Test(arguments: [2_048, 64 * 1_024, 4_096 * 1_024], StoreKind.allCases)
    func everyAnswerIsTheHistoryAtItsToken(cacheBytes: Int, kind: StoreKind) throws {
        let seed = drawSeed("everyAnswerIsTheHistoryAtItsToken(\(cacheBytes), \(kind))")
        let fixture = try Fixture(
            try makeModel([EntityMaker("Row").attribute("name", .string)]), kind,
            rowCacheBytes: cacheBytes)
        let ids = try fixture.insert("Row", count: 40)
        let slot = try #require(try fixture.entity("Row").attribute(named: "name")).slot
        let board = Board(fixture.coordinator, ids, slot: slot)
        board.writing.store(3, ordering: .sequentiallyConsistent)
        onThreads(6) {
            let number = UInt64($0 / 2)
            if $0 % 2 == 0 {
                board.write(seed &+ number, rounds: 400)
            } else {
                board.read(seed &+ 100 &+ number)
            }
        }
        let states = try history(fixture.store)
        let answers = board.answers.withLock { $0 }
        #expect(answers.count > 1_000)
        var wrong = 0
        for answer in answers {
            // A newest answer lies between what was committed before it was asked for and after.
            let moments = answer.earliest...max(answer.earliest, answer.token)
            let right = moments.contains { moment in
                states[answer.id]?.last { $0.token <= moment }?.snapshot == answer.snapshot
            }
            if !right { wrong += 1 }
        }
        #expect(wrong == 0, "seed \(seed), of \(answers.count)")
    }
}
