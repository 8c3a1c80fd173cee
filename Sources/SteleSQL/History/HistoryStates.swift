/// What objects were after each of their saves, worked out backwards from what they are now.

import SteleModel
import StelePersistence

/// Objects as they were: from the rows of now, or from a known state behind the page, each later
/// save's before-image is taken back.
struct HistoryStates {
    private let schema: SQLSchema
    private let connection: any SQLConnection
    private let images: BeforeImage
    private let known: KnownStates?

    init(
        _ schema: SQLSchema, _ connection: any SQLConnection, _ images: BeforeImage,
        _ known: KnownStates?
    ) {
        self.schema = schema
        self.connection = connection
        self.images = images
        self.known = known
    }

    /// The object after each change (for a delete before it), by the change's key. What a save
    /// without a before-image hides is left out.
    func after(_ rows: [ChangeRow]) throws(StoreError) -> [Int64: Snapshot] {
        var states: [Int64: Snapshot] = [:]
        let families = Dictionary(grouping: rows) { schema.model.entities[$0.entity].root }
        for (root, rows) in families {
            try add(rows, root: root, to: &states)
        }
        return states
    }

    private func add(
        _ rows: [ChangeRow], root: Int, to states: inout [Int64: Snapshot]
    ) throws(StoreError) {
        guard let first = rows.map(\.key).min() else { return }
        // An object never changes its entity, so the page's own rows tell that of each.
        let entities = Dictionary(
            rows.map { ($0.object, $0.entity) }, uniquingKeysWith: { first, _ in first })
        let lasts = Dictionary(rows.map { ($0.object, $0.key) }, uniquingKeysWith: max)
        // Each object's walk begins with what it is now, or at a state that is known behind.
        var ends: [Int64: Int64] = [:]
        var now: [Int64: Snapshot] = [:]
        for (key, last) in lasts {
            let state = known?.state(of: ObjectID(root: root, key: key), behind: last)
            ends[key] = state?.change ?? .max
            now[key] = state?.snapshot
        }
        let others = try current(root: root, keys: lasts.keys.filter { now[$0] == nil })
        now.merge(others) { $1 }
        let own = Set(rows.map(\.key))
        var later = try ImageWalk(
            connection, family: schema.number(of: root), objects: ends, from: first)
        later.remove { own.contains($0.key) }
        var taken: [Int64: Int] = [:]
        // Newest first: the page's own changes among the images of all later ones.
        var told = rows.sorted { $0.key > $1.key }[...]
        var unknown = Set<Int64>()
        while let step = try Self.next(&told, &later) {
            if unknown.contains(step.object) { continue }
            guard take(step, &now, entities, &states) else {
                unknown.insert(step.object)
                continue
            }
            if step.isTold { continue }
            taken[step.object, default: 0] += 1
            if taken[step.object, default: 0] % KnownStates.spacing == 0,
                let state = now[step.object]
            {
                known?.keep(
                    KnownStates.State(change: step.key, snapshot: state),
                    of: ObjectID(root: root, key: step.object))
            }
        }
    }

    /// The newest of what is left.
    private static func next(
        _ told: inout ArraySlice<ChangeRow>, _ later: inout ImageWalk
    ) throws(StoreError) -> Step? {
        if let row = told.first, row.key > later.nextKey ?? .min {
            told.removeFirst()
            return Step(
                key: row.key, object: row.object, kind: row.kind, isTold: true, image: row.image,
                version: row.version ?? (row.kind == .insert ? 1 : nil))
        }
        guard let (place, text) = try later.next() else { return nil }
        return Step(
            key: place.key, object: place.object, kind: .update, isTold: false, image: text,
            version: place.version)
    }

    /// One change of the page, or the image of a later one.
    private struct Step {
        var key: Int64
        var object: Int64
        var kind: ObjectChange.Kind
        /// Whether it is one of the page's own.
        var isTold: Bool
        var image: String?
        /// The version after it, or before a delete; nil where it is not known.
        var version: Int64?
    }

    /// Notes the state after a change, and turns it into the one before.
    /// - Returns: whether anything is known of what was before; where versions leave a gap,
    ///   another program has changed the object and told nobody how.
    private func take(
        _ step: Step, _ now: inout [Int64: Snapshot], _ entities: [Int64: Int],
        _ states: inout [Int64: Snapshot]
    ) -> Bool {
        guard var state = now[step.object] else { return bringBack(step, &now, entities, &states) }
        if let version = step.version, version != state.version { return false }
        if step.isTold && step.kind != .delete { states[step.key] = state }
        if step.kind == .insert || step.image == BeforeImage.none {
            // What was under this key before was another life, which its delete tells of.
            now[step.object] = nil
            return true
        }
        guard let image = step.image else { return false }
        var changesRow = false
        for case .slot(let slot, let value) in images.values(image, entity: state.entity) {
            state.values[slot] = value
            // A derived value changes without a version.
            if !schema.model.entities[state.entity].slots[slot].isDerived { changesRow = true }
        }
        if changesRow { state.version &-= 1 }
        now[step.object] = state
        return true
    }

    /// No row is there any more: the image of its delete holds the whole object.
    private func bringBack(
        _ step: Step, _ now: inout [Int64: Snapshot], _ entities: [Int64: Int],
        _ states: inout [Int64: Snapshot]
    ) -> Bool {
        guard let image = step.image, let version = step.version,
            let entity = entities[step.object], !step.isTold || step.kind == .delete
        else { return false }
        var values = [Value](repeating: .null, count: schema.model.entities[entity].slots.count)
        for case .slot(let slot, let value) in images.values(image, entity: entity) {
            values[slot] = value
        }
        let state = Snapshot(entity: entity, key: step.object, version: version, values: values)
        now[step.object] = state
        if step.isTold { states[step.key] = state }
        return true
    }

    private func current(root: Int, keys: [Int64]) throws(StoreError) -> [Int64: Snapshot] {
        guard let table = schema.tables[root], let shape = schema.shapes[root] else { return [:] }
        let sql = SQLText(
            "SELECT \(schema.selectList(of: table, alias: "t0")) FROM \(table.name) t0 "
                + "WHERE t0.Z_PK IN (SELECT value FROM json_each(?1))")
        let found = try connection.snapshots(sql, [.string(KeyList.json(keys))], shape)
        return Dictionary(found.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
    }
}
