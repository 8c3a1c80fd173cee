import SteleModel
import StelePersistence
import SteleSystem

/// A cache of object snapshots that is exact for every reader.
///
/// **Contents.** An object's entry is either its newest known snapshot with `since`, a token at
/// which the object is known to have had it, or a mark that transaction `since` changed the object.
/// A reader at T is a view of the store with all transactions up to the token T and no others.
/// Transaction numbers increase with each commit; only the number of a failed commit is reused.
///
/// **Rules.**
/// 1. A reader at T takes a snapshot only if `since <= T`.
/// 2. A reader at T puts a snapshot only if the object has no entry with `since > T` and T is not
///    below the shard's floor.
/// 3. Before transaction N is committed, the writer's thread marks each object that N inserts,
///    updates or deletes "changed at N". A bulk save drops the entries instead and raises the floor
///    to N.
/// 4. After the commit, the marks become the new snapshots with `since` N. Marks of deleted objects
///    stay.
/// 5. Evicting an entry raises its shard's floor to the entry's `since`.
/// 6. A commit by another program empties the cache and begins an epoch. A reader takes and puts
///    only in the epoch in which it was opened.
///
/// **Why a reader at T never gets a state that it does not see.** Assume that it takes S with
/// `since` = s <= T, although a transaction N with s < N <= T changed the object. N is in the
/// reader's view, so its commit, and rule 3 before it, came before the reader was opened and before
/// it took S. Rule 3 removed the previous entry, so S was put later, with `since` s < N. From rule
/// 3 on, the object had an entry with `since` >= N (an entry is only replaced by one with the same
/// or a later `since`), or the entry was evicted or dropped and the floor was at least N (rules 3
/// and 5). Rule 2 therefore refused a reader's put, and rule 4 that of an earlier commit. Each rule
/// is applied under the lock of the object's shard, so no rule sees another one half applied.
///
/// **Reading without a view** (`PersistentStoreCoordinator.snapshot(_:in:)`). A row that is read
/// while T is the last known commit, before and after the read, may belong to a commit N > T that
/// is on disk but not yet known. N has then inserted or changed the object, rule 3 has left `since`
/// N or a floor of N, and rule 2 refuses the row for T.
///
/// **Failed commits** leave marks and floors that are too high. They cause misses, never a wrong
/// answer.
///
/// **Foreign commits.** A reader's epoch is read before its view is opened. Then the store checks
/// for foreign commits, and the epoch is compared (`ReaderView`). If it is equal, every foreign
/// commit in the view is in the epoch. A later foreign commit ends the epoch, and the reader no
/// longer uses the cache. The answer of `newest` is exact because the store is checked first,
/// because rule 3 precedes every commit, and because a commit is acknowledged after rule 4.
///
/// Lock order: `life`, then one shard; never two shards.
final class RowCache: Sendable {
    /// The token and the epoch of a view of the store.
    struct View: Sendable {
        let token: Int64
        let epoch: UInt64
    }

    /// The maximum number of changes of a save that leaves entries. A larger save raises the
    /// floors.
    static let bulkChanges = 512
    private static let shardBits: UInt64 = 5

    private struct Life {
        var epoch: UInt64 = 1
        var generation: String
        /// The earlier generations that the first epoch continues; empty in later epochs.
        var former: [StoreMark]
    }

    private let shards: [RowCacheShard]
    private let life: Mutex<Life>
    /// Whether all epochs have one generation.
    private let isOfOneGeneration: Bool

    /// Creates an empty cache.
    /// - Parameters:
    ///   - bytes: the approximate maximum size of the entries; 0 disables the cache.
    ///   - former: the earlier generations of the store's state.
    ///   - generation: that of all epochs, for a store that other programs change only as its
    ///     history tells; nil where each epoch has one of its own.
    init(bytes: Int, former: [StoreMark] = [], generation: String? = nil) {
        life = Mutex(Life(generation: generation ?? Self.drawGeneration(), former: former))
        isOfOneGeneration = generation != nil
        let count = 1 << Int(Self.shardBits)
        shards = (0..<count).map { _ in RowCacheShard(bytes: max(0, bytes) / count) }
    }

    /// Consecutive keys go to different shards, and so do the roots.
    private func shard(_ id: ObjectID) -> RowCacheShard {
        let mixed = UInt64(bitPattern: id.key &+ Int64(id.root) &* 7919) &* 0x9E37_79B9_7F4A_7C15
        return shards[Int(mixed >> (64 - Self.shardBits))]
    }

    var figures: RowCacheFigures {
        var figures = RowCacheFigures()
        for shard in shards { shard.add(to: &figures) }
        return figures
    }

    var epoch: UInt64 { life.withLock { $0.epoch } }

    /// The generation of the epoch: eight hexadecimal digits.
    var generation: String { life.withLock { $0.generation } }

    /// A new random generation.
    static func drawGeneration() -> String {
        let digits = String(UInt32.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 8 - digits.utf8.count) + digits
    }

    /// The earlier generations that this one continues, each with its last save.
    func former(of generation: String) -> [StoreMark] {
        life.withLock { $0.generation == generation ? $0.former : [] }
    }

    /// The names of the store's state up to a save.
    func marks(upTo number: Int64) -> [StoreMark] {
        life.withLock { $0.former + [StoreMark(mark: $0.generation, last: number)] }
    }

    var era: (epoch: UInt64, generation: String) { life.withLock { ($0.epoch, $0.generation) } }

    /// The object's snapshot in a view, or nil if the cache does not have it.
    func snapshot(_ id: ObjectID, in view: View) -> Snapshot? {
        shard(id).snapshot(id, upTo: view.token, epoch: view.epoch)
    }

    /// The object's newest committed snapshot, or nil if the cache does not have it.
    func newest(_ id: ObjectID, upTo token: Int64) -> Snapshot? {
        shard(id).snapshot(id, upTo: token, epoch: nil)
    }

    /// Puts a snapshot that was read in a view.
    /// - Returns: whether the snapshot is known to be the object's state in the view.
    @discardableResult
    func put(_ snapshot: Snapshot, root: Int, from view: View) -> Bool {
        let id = ObjectID(root: root, key: snapshot.key)
        return shard(id).put(snapshot, id, since: view.token, epoch: view.epoch)
    }

    /// Marks the objects that are about to be changed (rule 3).
    func willCommit(_ saves: [HistoryTransaction], model: Model) {
        for save in saves {
            let isBulk = save.changes.count > Self.bulkChanges
            if isBulk { for shard in shards { shard.raiseFloor(to: save.number) } }
            for change in save.changes {
                // A new object has no entry.
                if isBulk && change.kind == .insert { continue }
                guard let id = Self.identity(change, model) else { continue }
                shard(id).change(id, nil, at: save.number, keeping: !isBulk)
            }
        }
    }

    /// Puts the committed snapshots (rule 4).
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

    /// Removes all entries and begins an epoch. Open readers no longer use the cache.
    func clear() {
        life.withLock { life in
            life.epoch += 1
            if !isOfOneGeneration { life.generation = Self.drawGeneration() }
            life.former = []
            for shard in shards { shard.clear(epoch: life.epoch) }
        }
    }

    private static func identity(_ change: HistoryChange, _ model: Model) -> ObjectID? {
        guard model.entities.indices.contains(change.entity) else { return nil }
        return ObjectID(root: model.entities[change.entity].root, key: change.key)
    }
}

/// The figures of a row cache since its start.
public struct RowCacheFigures: Sendable, Hashable {
    /// Objects that were looked for and found.
    public var hits = 0
    /// Objects that were looked for and not found.
    public var misses = 0
    /// Entries now.
    public var rows = 0
    /// The approximate memory of the entries, in bytes.
    public var bytes = 0
}
