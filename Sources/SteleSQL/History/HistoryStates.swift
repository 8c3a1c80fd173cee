import SteleModel
import StelePersistence

/// The states of objects after each of their saves. They are computed backwards, by applying
/// before-images to the current rows or to known states of a later change.
struct HistoryStates {
    let schema: SQLSchema
    let connection: any SQLConnection
    let images: BeforeImage
    let known: KnownStates?
    /// Reads the current rows.
    let translator: FetchTranslator?

    /// The walk backwards over the changes of one inheritance tree.
    private struct Walk {
        /// The state of each object before the changes taken so far.
        var now: [Int64: Snapshot] = [:]
        /// The states found, by the change's key.
        var states: [Int64: Snapshot] = [:]
        /// The objects of which earlier states are not known.
        var unknown: Set<Int64> = []
    }

    /// Returns the object after each change, or before a deletion, by the change's key. States
    /// before a save without a before-image are left out.
    func after(_ rows: [ChangeRow]) throws(StoreError) -> [Int64: Snapshot] {
        var states: [Int64: Snapshot] = [:]
        let families = Dictionary(grouping: rows) { schema.model.entities[$0.entity].root }
        for (root, rows) in families {
            states.merge(try self.states(of: rows, root: root)) { $1 }
        }
        return states
    }

    /// Returns objects of a family before a change, by their keys. Where another program has changed
    /// an object, its state is that of now.
    func before(
        _ change: Int64, root: Int, keys: [Int64]
    ) throws(StoreError) -> [Int64: Snapshot] {
        let objects = Dictionary(
            keys.map { ($0, change - 1) }, uniquingKeysWith: { first, _ in first })
        var walk = try walk([], objects, root: root, from: change)
        for (key, snapshot) in try current(root: root, keys: Array(walk.unknown)) {
            walk.now[key] = snapshot
        }
        return walk.now
    }

    private func states(
        of rows: [ChangeRow], root: Int
    ) throws(StoreError) -> [Int64: Snapshot] {
        guard let first = rows.map(\.key).min() else { return [:] }
        let lasts = Dictionary(rows.map { ($0.object, $0.key) }, uniquingKeysWith: max)
        return try walk(rows, lasts, root: root, from: first).states
    }

    /// Walks backwards over changes, and over the before-images of later ones.
    /// - Parameters:
    ///   - lasts: the objects, each with the key of the last change before the walk.
    ///   - first: the key of the change at which the walk ends.
    private func walk(
        _ rows: [ChangeRow], _ lasts: [Int64: Int64], root: Int, from first: Int64
    ) throws(StoreError) -> Walk {
        var walk = Walk()
        // The walk of each object begins at its current row, or at a known state of a later change.
        var ends: [Int64: Int64] = [:]
        for (key, last) in lasts {
            let state = known?.state(of: ObjectID(root: root, key: key), behind: last)
            ends[key] = state?.change ?? .max
            walk.now[key] = state?.snapshot
        }
        let others = try current(root: root, keys: lasts.keys.filter { walk.now[$0] == nil })
        walk.now.merge(others) { $1 }
        let own = Set(rows.map(\.key))
        var later = try ImageWalk(
            connection, family: schema.number(of: root), objects: ends, from: first)
        later.remove { own.contains($0.key) }
        var taken: [Int64: Int] = [:]
        // Newest first: the given changes, and the before-images of all later ones.
        var told = rows.sorted { $0.key > $1.key }[...]
        while let step = try next(&told, &later) {
            // What was before a deletion is known again.
            if walk.unknown.contains(step.object), step.kind != .delete { continue }
            guard take(step, in: &walk) else {
                walk.unknown.insert(step.object)
                walk.now[step.object] = nil
                continue
            }
            walk.unknown.remove(step.object)
            if step.isTold { continue }
            taken[step.object, default: 0] += 1
            if taken[step.object, default: 0] % KnownStates.spacing == 0,
                let state = walk.now[step.object]
            {
                known?.keep(
                    KnownStates.State(change: step.key, snapshot: state),
                    of: ObjectID(root: root, key: step.object))
            }
        }
        return walk
    }

    /// Returns the newest remaining change.
    private func next(
        _ told: inout ArraySlice<ChangeRow>, _ later: inout ImageWalk
    ) throws(StoreError) -> Step? {
        if let row = told.first, row.key > later.nextKey ?? .min {
            told.removeFirst()
            return Step(
                key: row.key, object: row.object, kind: row.kind, isTold: true, image: row.image,
                version: row.version ?? (row.kind == .insert ? 1 : nil), entity: row.entity)
        }
        guard let (place, text) = try later.next() else { return nil }
        return Step(
            key: place.key, object: place.object, kind: place.deleted == nil ? .update : .delete,
            isTold: false, image: text, version: place.version,
            entity: place.deleted.flatMap(schema.entity(numbered:)))
    }

    /// A given change, or the before-image of a later one.
    private struct Step {
        var key: Int64
        var object: Int64
        var kind: ObjectChange.Kind
        /// Whether it is a given change.
        var isTold: Bool
        var image: String?
        /// The version after the change, or before a deletion; nil where it is not known.
        var version: Int64?
        /// The concrete entity, of a given change or a deletion.
        var entity: Int?
    }

    /// Records the state after a change, and replaces it by the state before.
    /// - Returns: false where the state before is not known, because the versions have a gap:
    ///   another program has changed the object without a before-image.
    private func take(_ step: Step, in walk: inout Walk) -> Bool {
        // An object that was made again under the key of a deleted one is another object.
        if step.kind == .delete { return bringBack(step, in: &walk) }
        guard var state = walk.now[step.object] else { return false }
        if let version = step.version, version != state.version { return false }
        if step.isTold { walk.states[step.key] = state }
        if step.kind == .insert || step.image == BeforeImage.none {
            // An earlier object under this key ended with its own deletion.
            walk.now[step.object] = nil
            return true
        }
        guard let image = step.image else { return false }
        var changesRow = false
        for case .slot(let slot, let value) in images.values(image, entity: state.entity) {
            state.values[slot] = value
            // A change of derived values alone does not raise the version.
            if !schema.model.entities[state.entity].slots[slot].isDerived { changesRow = true }
        }
        if changesRow || BeforeImage.hasRemoved(image) { state.version &-= 1 }
        walk.now[step.object] = state
        return true
    }

    /// Restores an object from the before-image of its deletion, which has all values.
    private func bringBack(_ step: Step, in walk: inout Walk) -> Bool {
        guard let image = step.image, let version = step.version, let entity = step.entity
        else { return false }
        var values = [Value](repeating: .null, count: schema.model.entities[entity].slots.count)
        for case .slot(let slot, let value) in images.values(image, entity: entity) {
            values[slot] = value
        }
        let state = Snapshot(entity: entity, key: step.object, version: version, values: values)
        walk.now[step.object] = state
        if step.isTold { walk.states[step.key] = state }
        return true
    }

    private func current(root: Int, keys: [Int64]) throws(StoreError) -> [Int64: Snapshot] {
        guard let shape = schema.shapes[root] else { return [:] }
        let sql = (translator ?? FetchTranslator(schema: schema)).snapshotsByKey(root: root)
        let found = try connection.snapshots(sql, [.string(KeyList.json(keys))], shape)
        return Dictionary(found.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
    }
}
