import StelePersistence
import SteleSystem

/// What several views of a store have read of its history: the past does not change, so a later view
/// reads on from there.
final class MemberHistoryCache: Sendable {
    /// The changes of an object by some saves.
    struct Known: Sendable {
        /// The number of the save before the first one.
        let start: Int64
        /// The number of the last one.
        private(set) var end: Int64
        /// Oldest first.
        private(set) var changes: [MemberChange]

        init(start: Int64, end: Int64, changes: [MemberChange]) {
            self.start = start
            self.end = end
            self.changes = changes
        }

        /// Adds the changes of the saves through one, of which some may be known.
        mutating func add(_ later: [MemberChange], through save: Int64) {
            changes += later[later.firstPlace { $0.save > end }...]
            end = save
        }
    }

    /// The least keys, by root entity, of the objects that some saves have made.
    struct Inserted: Sendable {
        let start: Int64
        var end: Int64
        var least: [Int: Int64]
    }

    private struct Kept {
        var known: [ObjectID: Known] = [:]
        var count = 0
        var inserted: Inserted?
    }

    private let kept = Mutex(Kept())

    /// The most changes that are kept.
    static let most = 50_000

    /// What is known of objects from a save on.
    func known(_ ids: [ObjectID], from save: Int64) -> [ObjectID: Known] {
        kept.withLock { kept in
            var found: [ObjectID: Known] = [:]
            for id in ids { if let it = kept.known[id], it.start <= save { found[id] = it } }
            return found
        }
    }

    /// Keeps what is known of objects. Above the limit the others are dropped.
    func keep(_ found: [ObjectID: Known]) {
        kept.withLock { kept in
            for (id, it) in found {
                let old = kept.known[id]
                if let old, old.end >= it.end, old.start <= it.start { continue }
                kept.count += it.changes.count - (old.map { $0.changes.count } ?? -1)
                kept.known[id] = it
            }
            guard kept.count > Self.most else { return }
            let size = found.values.reduce(found.count) { $0 + $1.changes.count }
            (kept.known, kept.count) = size > Self.most ? ([:], 0) : (found, size)
        }
    }

    /// The least keys of the objects that were made from a save on.
    /// - Parameters:
    ///   - other: the save from which they are read, where they are not known.
    ///   - token: the last save of the view.
    ///   - read: reads those of the saves after one.
    /// - Throws: as the closure.
    func inserted(
        from save: Int64, orFrom other: Int64, through token: Int64,
        _ read: (Int64) throws(StoreError) -> [Int: Int64]
    ) throws(StoreError) -> Inserted {
        var found =
            kept.withLock { $0.inserted.flatMap { $0.start <= save ? $0 : nil } }
            ?? Inserted(start: other, end: other, least: [:])
        guard found.end < token else { return found }
        found.least.merge(try read(found.end), uniquingKeysWith: min)
        found.end = token
        let read = found
        kept.withLock { kept in
            if kept.inserted.map({ $0.end < token || $0.start > read.start }) ?? true {
                kept.inserted = read
            }
        }
        return found
    }
}
