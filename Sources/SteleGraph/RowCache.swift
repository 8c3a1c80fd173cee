/// The rows that are remembered between requests, exactly.

import SteleModel
import StelePersistence
import SteleSystem

/// The newest known state of objects, valid for every reader that may see it.
///
/// **What is held.** For an object an entry is either its newest known snapshot with `since`, a
/// token at which the object is known to have had it, or the mark that transaction `since` changed
/// it. A reader is a view of the store with all transactions up to its token T and no others. The
/// numbers of transactions only grow along with commits; a number is given anew only where its
/// commit failed.
///
/// **The rules.**
/// 1. A reader at T takes a snapshot only where `since <= T`.
/// 2. A reader at T puts a snapshot only where the object has no entry with `since > T`, and
///    where T is not below the shard's floor.
/// 3. Before a commit, on the writer's thread, each object that its transaction N inserts, updates
///    or deletes is marked `changed at N` (or, for a bulk save, dropped, with the floor raised to
///    N).
/// 4. After the commit the marks become the new snapshots with `since` N; those of deleted
///    objects stay.
/// 5. What is evicted raises its shard's floor to its `since`.
/// 6. A change by another program that left no history empties everything and begins an epoch. A
///    reader takes and puts only in the epoch it was opened in.
///
/// **Why no reader at T is given a state that it does not see.** Say that it takes S with
/// `since` = s <= T, and that some transaction N with s < N <= T changed the object. N is in the
/// reader's view, so its commit, and before it rule 3, came before the reader was opened, hence
/// before it took S. Rule 3 removed what was there, so S was put later, with `since` s < N. But
/// from rule 3 on either an entry with `since` >= N was there (entries only give way to such with
/// the same or a later `since`), or it was evicted or dropped and the floor was at least N (rules
/// 3 and 5); so rule 2 refused a reader's put, and rule 4 that of an earlier commit. Each rule
/// acts under the lock of the object's one shard, so none sees half of another.
///
/// **Reading without a view** (`PersistentStoreCoordinator.snapshot(_:in:)`). A row read at a moment
/// when T was the last commit known, before and after, may be that of a commit N > T which is on
/// disk and not known yet. Then N has inserted or changed the object, rule 3 has left `since` N or
/// a floor of N, and rule 2 refuses the row for T.
///
/// **Failed commits** leave marks and floors that are too high: they cost a miss, never a lie.
///
/// **Foreign changes.** A reader's epoch is read before its view is opened; after that the store is
/// asked for foreign changes, and the epoch compared (`ReaderView`). Equal means that every foreign
/// change in the view is in the epoch, too; a change after the view ends the epoch, and with it
/// the reader's use of the cache. The answer of `newest` is exact because the store is asked
/// first, because rule 3 comes before any commit, and because a commit is answered after rule 4.
///
/// Lock order: `life`, then one shard; never two shards.
final class RowCache: Sendable {
    /// A view of the store, as far as the cache must know it.
    struct View: Sendable {
        let token: Int64
        let epoch: UInt64
    }

    /// A save with more changes than this raises floors and leaves no entries.
    static let bulkChanges = 512
    private static let shardBits: UInt64 = 5

    private struct Life {
        var epoch: UInt64 = 1
        var generation = RowCache.drawGeneration()
        /// What the first epoch goes on from; none in later ones.
        var former: [StoreMark]
    }

    private let shards: [RowCacheShard]
    private let life: Mutex<Life>

    /// - Parameters:
    ///   - bytes: about how much memory the entries may take; 0 keeps nothing.
    ///   - former: what the store's state was called before.
    init(bytes: Int, former: [StoreMark] = []) {
        life = Mutex(Life(former: former))
        let count = 1 << Int(Self.shardBits)
        shards = (0..<count).map { _ in RowCacheShard(bytes: max(0, bytes) / count) }
    }

    /// Keys that follow each other go to different shards; roots are spread, too.
    private func shard(_ id: ObjectID) -> RowCacheShard {
        let mixed = UInt64(bitPattern: id.key &+ Int64(id.root) &* 7919) &* 0x9E37_79B9_7F4A_7C15
        return shards[Int(mixed >> (64 - Self.shardBits))]
    }

    var epoch: UInt64 { life.withLock { $0.epoch } }

    /// Eight hexadecimal digits, new with each epoch.
    var generation: String { life.withLock { $0.generation } }

    /// A generation that nothing else is of.
    static func drawGeneration() -> String {
        let digits = String(UInt32.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 8 - digits.utf8.count) + digits
    }

    /// The generations of before that this one goes on from, each up to a save.
    func former(of generation: String) -> [StoreMark] {
        life.withLock { $0.generation == generation ? $0.former : [] }
    }

    /// What the store's state may be called up to a save.
    func marks(upTo number: Int64) -> [StoreMark] {
        life.withLock { $0.former + [StoreMark(mark: $0.generation, last: number)] }
    }

    /// The epoch and its generation.
    var era: (epoch: UInt64, generation: String) { life.withLock { ($0.epoch, $0.generation) } }

    /// The object as that view sees it, or nil where the cache cannot tell.
    func snapshot(_ id: ObjectID, in view: View) -> Snapshot? {
        shard(id).snapshot(id, upTo: view.token, epoch: view.epoch)
    }

    /// The newest committed state, or nil where the cache cannot tell.
    func newest(_ id: ObjectID, upTo token: Int64) -> Snapshot? {
        shard(id).snapshot(id, upTo: token, epoch: nil)
    }

    /// Offers what that view has read.
    /// - Returns: whether nothing is known that speaks against its being the object in that view.
    @discardableResult
    func put(_ snapshot: Snapshot, root: Int, from view: View) -> Bool {
        let id = ObjectID(root: root, key: snapshot.key)
        return shard(id).put(snapshot, id, since: view.token, epoch: view.epoch)
    }

    /// Marks what is about to be changed.
    func willCommit(_ saves: [HistoryTransaction], model: Model) {
        for save in saves {
            let isBulk = save.changes.count > Self.bulkChanges
            if isBulk { for shard in shards { shard.raiseFloor(to: save.number) } }
            for change in save.changes {
                // Of what is new there is nothing to drop.
                if isBulk && change.kind == .insert { continue }
                guard let id = Self.identity(change, model) else { continue }
                shard(id).change(id, nil, at: save.number, keeping: !isBulk)
            }
        }
    }

    /// Takes what was changed.
    func didCommit(_ saves: [HistoryTransaction], model: Model) {
        for save in saves {
            let isBulk = save.changes.count > Self.bulkChanges
            for change in save.changes {
                guard let id = Self.identity(change, model) else { continue }
                let snapshot = change.kind == .delete || isBulk ? nil : change.snapshot
                if snapshot == nil && change.kind == .insert { continue }
                shard(id).change(id, snapshot, at: save.number, keeping: !isBulk)
            }
        }
    }

    /// Forgets everything; readers that are open now neither take nor put any more.
    func clear() {
        life.withLock { life in
            life.epoch += 1
            life.generation = Self.drawGeneration()
            life.former = []
            for shard in shards { shard.clear(epoch: life.epoch) }
        }
    }

    private static func identity(_ change: HistoryChange, _ model: Model) -> ObjectID? {
        guard model.entities.indices.contains(change.entity) else { return nil }
        return ObjectID(root: model.entities[change.entity].root, key: change.key)
    }
}
