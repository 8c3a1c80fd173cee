/// The keys that new objects get, by those that they had.

import SteleModel

/// Permanent keys by temporary identities.
///
/// Objects that come one after the other get keys one after the other, so what is kept is runs of
/// them: a save of a hundred thousand new objects of one entity keeps one.
public struct PermanentKeys: Sendable {
    /// `temporary`, `temporary - 1`, … became `permanent`, `permanent + 1`, …
    private struct Run: Sendable {
        var temporary: Int64
        var permanent: Int64
        var count: Int64
    }

    /// By root entity, each by falling temporary keys.
    private var runs: [[Run]] = []
    /// How many objects got keys.
    public private(set) var count = 0

    public init() {}

    public var isEmpty: Bool { count == 0 }

    /// The object's permanent key; nil where it got none.
    public subscript(id: ObjectID) -> Int64? {
        guard runs.indices.contains(id.root) else { return nil }
        let place = place(of: id)
        guard place > 0 else { return nil }
        let run = runs[id.root][place - 1]
        let offset = run.temporary &- id.key
        return offset < run.count ? run.permanent + offset : nil
    }

    /// How many runs begin at that key or at one above it.
    private func place(of id: ObjectID) -> Int {
        let all = runs[id.root]
        // New objects are mostly noted in the order of their keys.
        if let last = all.last, id.key <= last.temporary { return all.count }
        return all.firstPlace { $0.temporary < id.key }
    }

    /// Notes an object's key. The first one that is noted of an object stays.
    public mutating func insert(_ permanent: Int64, for id: ObjectID) {
        if self[id] != nil { return }
        while runs.count <= id.root { runs.append([]) }
        count += 1
        let place = place(of: id)
        if place > 0 {
            let before = runs[id.root][place - 1]
            if before.temporary &- id.key == before.count,
                before.permanent + before.count == permanent
            {
                runs[id.root][place - 1].count += 1
                return
            }
        }
        runs[id.root].insert(Run(temporary: id.key, permanent: permanent, count: 1), at: place)
    }

    /// Notes the others' keys, too.
    public mutating func formUnion(_ others: PermanentKeys) {
        if isEmpty {
            self = others
            return
        }
        others.forEach { id, key in insert(key, for: id) }
    }

    /// Gives each identity with its key: by root entity, and there in the order in which objects
    /// were made.
    public func forEach(_ body: (_ id: ObjectID, _ key: Int64) -> Void) {
        for (root, runs) in runs.enumerated() {
            for run in runs {
                for offset in 0..<run.count {
                    body(
                        ObjectID(root: root, key: run.temporary - offset), run.permanent + offset)
                }
            }
        }
    }
}
