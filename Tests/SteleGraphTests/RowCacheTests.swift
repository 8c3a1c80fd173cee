// The row cache: each rule by itself, then all of them under writers and readers at once.

import SteleModel
import StelePersistence
import SteleSystem
import TestSupport
import Testing

@testable import SteleGraph

@Suite struct RowCacheTests {
    let model: Model
    let cache = RowCache(bytes: 1 << 20)
    let id = ObjectID(root: 0, key: 7)

    init() throws {
        model = try makeModel([EntityMaker("Row").attribute("number", .integer64)])
    }

    private func row(_ number: Int64, key: Int64 = 7) -> Snapshot {
        Snapshot(entity: 0, key: key, version: number, values: [.int(number)])
    }

    private func view(_ token: Int64) -> RowCache.View { .init(token: token, epoch: cache.epoch) }

    private func save(
        _ number: Int64, _ kind: ObjectChange.Kind, _ rows: [Snapshot]
    ) -> [HistoryTransaction] {
        let changes = rows.map {
            HistoryChange(
                kind: kind, entity: 0, key: $0.key, version: $0.version, snapshot: $0)
        }
        return [
            HistoryTransaction(
                number: number, timestamp: 0, author: nil, contextName: nil, changes: changes)
        ]
    }

    @Test func whatAReaderPutsServesItselfAndLaterOnes() {
        cache.put(row(1), root: 0, from: view(5))
        #expect(cache.snapshot(id, in: view(5)) == row(1))
        #expect(cache.snapshot(id, in: view(9)) == row(1))
        #expect(cache.snapshot(id, in: view(4)) == nil)
        #expect(cache.newest(id, upTo: 5) == row(1))
    }

    @Test func fromBeforeACommitOnNothingOldIsGiven() {
        cache.put(row(1), root: 0, from: view(5))
        cache.willCommit(save(6, .update, [row(2)]), model: model)
        #expect(cache.newest(id, upTo: 5) == nil)
        #expect(cache.snapshot(id, in: view(5)) == nil)
        // A reader of the time before cannot bring it back.
        cache.put(row(1), root: 0, from: view(5))
        #expect(cache.snapshot(id, in: view(6)) == nil)
        cache.didCommit(save(6, .update, [row(2)]), model: model)
        #expect(cache.snapshot(id, in: view(6)) == row(2))
        #expect(cache.snapshot(id, in: view(5)) == nil)
        cache.put(row(1), root: 0, from: view(5))
        #expect(cache.snapshot(id, in: view(6)) == row(2))
    }

    @Test func aReaderAfterACommitMayPutBeforeItsEndIsTold() {
        cache.willCommit(save(6, .update, [row(2)]), model: model)
        cache.put(row(2), root: 0, from: view(6))
        #expect(cache.snapshot(id, in: view(6)) == row(2))
        #expect(cache.newest(id, upTo: 5) == nil)
    }

    @Test func aDeletedObjectStaysMarked() {
        cache.put(row(1), root: 0, from: view(5))
        cache.willCommit(save(6, .delete, [row(1)]), model: model)
        cache.didCommit(save(6, .delete, [row(1)]), model: model)
        cache.put(row(1), root: 0, from: view(5))
        #expect(cache.newest(id, upTo: 6) == nil)
        #expect(cache.snapshot(id, in: view(6)) == nil)
    }

    @Test func whatIsEvictedIsNotBroughtBackOlder() {
        let small = RowCache(bytes: 64 * 1024)
        let (old, new) = (
            RowCache.View(token: 5, epoch: small.epoch), RowCache.View(token: 9, epoch: small.epoch)
        )
        small.willCommit(save(6, .update, [row(2)]), model: model)
        small.didCommit(save(6, .update, [row(2)]), model: model)
        for key in 100..<5_000 { small.put(row(1, key: Int64(key)), root: 0, from: new) }
        #expect(small.snapshot(id, in: new) == nil)
        small.put(row(1), root: 0, from: old)
        #expect(small.snapshot(id, in: new) == nil)
        small.put(row(2), root: 0, from: new)
        #expect(small.snapshot(id, in: new) == row(2))
    }

    @Test func whatIsUsedIsKeptLongest() {
        let small = RowCache(bytes: 256 * 1024)
        let view = RowCache.View(token: 1, epoch: small.epoch)
        for key in 1..<2_000 {
            small.put(row(1, key: Int64(key)), root: 0, from: view)
            _ = small.snapshot(ObjectID(root: 0, key: 1), in: view)
        }
        #expect(small.snapshot(ObjectID(root: 0, key: 1), in: view) != nil)
        #expect(small.snapshot(ObjectID(root: 0, key: 2), in: view) == nil)
    }

    @Test func aBulkSaveLeavesNoEntriesAndNoWayBack() {
        let rows = (1...2_000).map { row(1, key: Int64($0)) }
        for row in rows { cache.put(row, root: 0, from: view(5)) }
        cache.willCommit(save(6, .update, rows), model: model)
        #expect(rows.allSatisfy { cache.newest(.init(root: 0, key: $0.key), upTo: 6) == nil })
        cache.put(row(1), root: 0, from: view(5))
        cache.didCommit(save(6, .update, rows), model: model)
        cache.put(row(1), root: 0, from: view(5))
        #expect(cache.newest(id, upTo: 6) == nil)
        cache.put(row(2), root: 0, from: view(6))
        #expect(cache.newest(id, upTo: 6) == row(2))
    }

    @Test func aFailedCommitCostsAMissAndNoMore() {
        cache.put(row(1), root: 0, from: view(5))
        cache.willCommit(save(6, .update, [row(2)]), model: model)
        // It failed; its number goes to another object's change.
        cache.willCommit(save(6, .update, [row(1, key: 8)]), model: model)
        cache.didCommit(save(6, .update, [row(1, key: 8)]), model: model)
        #expect(cache.newest(id, upTo: 6) == nil)
        cache.put(row(1), root: 0, from: view(6))
        #expect(cache.newest(id, upTo: 6) == row(1))
    }

    /// No other view has the generation of one between whose parts another program has written.
    @Test func aViewAmongChangesElsewhereHasAGenerationOfItsOwn() throws {
        let store = CountingStore(InMemoryStore(model: model))
        let coordinator = PersistentStoreCoordinator(store: store)
        let seen = Mutex<[String]>([])
        store.reads.withLock {
            $0.elsewhere = {
                seen.withLock { $0.append(coordinator.cacheGeneration) }
                coordinator.commits.storeDidChangeElsewhere()
            }
        }
        let view = try ReaderView.open(coordinator, budget: nil, since: nil)
        view.reader.close()
        store.reads.withLock { $0.elsewhere = nil }
        let others = seen.withLock { $0 } + [coordinator.cacheGeneration]
        #expect(others.count == 4 && view.cache == nil)
        #expect(!others.contains(view.generation))
        #expect(view.generation.utf8.count == 8)
    }

    @Test func aChangeElsewhereEndsEverythingThatIsOpen() {
        let before = (view(5), cache.generation)
        cache.put(row(1), root: 0, from: before.0)
        cache.clear()
        #expect(cache.generation != before.1)
        #expect(cache.generation.utf8.count == 8)
        #expect(cache.newest(id, upTo: 9) == nil)
        cache.put(row(1), root: 0, from: before.0)
        #expect(cache.newest(id, upTo: 9) == nil)
        cache.put(row(2), root: 0, from: view(5))
        #expect(cache.snapshot(id, in: view(5)) == row(2))
        // The same token, the time before the change.
        #expect(cache.snapshot(id, in: before.0) == nil)
    }

    @Test func aHugeRowIsNotKept() {
        let huge = Snapshot(
            entity: 0, key: 7, version: 1,
            values: [.data(Array(repeating: 1, count: 1 << 20))])
        cache.put(huge, root: 0, from: view(5))
        #expect(cache.newest(id, upTo: 5) == nil)
    }

    @Test func noBytesIsNoCache() {
        let none = RowCache(bytes: 0)
        let view = RowCache.View(token: 5, epoch: none.epoch)
        none.put(row(1), root: 0, from: view)
        #expect(none.snapshot(id, in: view) == nil)
    }
}
