import SteleModel

/// The permanent keys of new objects, by temporary identity.
///
/// Objects created one after the other get consecutive keys, so keys are stored as runs: a save of
/// 100,000 new objects of one entity stores one run.
public struct PermanentKeys: Sendable {
    /// `temporary`, `temporary - 1`, … map to `permanent`, `permanent + 1`, …
    private struct Run: Sendable {
        var temporary: Int64
        var permanent: Int64
        var count: Int64
    }

    /// The runs by root entity, each by descending temporary key.
    private var runs: [[Run]] = []
    /// The number of objects.
    public private(set) var count = 0

    /// Creates an empty map.
    public init() {}

    /// Whether the map has no objects.
    public var isEmpty: Bool { count == 0 }

    /// The object's permanent key; nil where the map does not have the object.
    public subscript(id: ObjectID) -> Int64? {
        guard runs.indices.contains(id.root) else { return nil }
        let place = place(of: id)
        guard place > 0 else { return nil }
        let run = runs[id.root][place - 1]
        let offset = run.temporary &- id.key
        return offset < run.count ? run.permanent + offset : nil
    }

    /// Returns the number of runs that begin at or above the object's key.
    private func place(of id: ObjectID) -> Int {
        let all = runs[id.root]
        // Most objects are added in the order of their keys.
        if let last = all.last, id.key <= last.temporary { return all.count }
        return all.firstPlace { $0.temporary < id.key }
    }

    /// Adds an object's key. An object that is present keeps its first key.
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

    /// Adds the keys of another map.
    public mutating func formUnion(_ others: PermanentKeys) {
        if isEmpty {
            self = others
            return
        }
        others.forEach { id, key in insert(key, for: id) }
    }

    /// Calls a closure with each identity and its key, by root entity and in order of creation.
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
