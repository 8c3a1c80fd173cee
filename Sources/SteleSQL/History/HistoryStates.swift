/// What objects were after each of their saves, worked out backwards from what they are now.

import SteleModel
import StelePersistence

/// Objects as they were: from the rows of now, each later save's before-image is taken back.
struct HistoryStates {
    private let schema: SQLSchema
    private let connection: any SQLConnection
    private let images: BeforeImage

    init(_ schema: SQLSchema, _ connection: any SQLConnection, _ images: BeforeImage) {
        self.schema = schema
        self.connection = connection
        self.images = images
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
        let keys = Array(entities.keys)
        var now = try current(root: root, keys: keys)
        let list = KeyList.json(keys)
        let later = try connection.rows(
            ImagePlaces.images,
            [.int(Int64(schema.number(of: root))), .string(list), .int(first)],
            [.integer, .integer, .integer, .text])
        // Newest first: the page's own changes among the images of all later ones.
        var steps = rows.map {
            Step(
                key: $0.key, object: $0.object, kind: $0.kind, isTold: true, image: $0.image,
                version: $0.version ?? ($0.kind == .insert ? 1 : nil))
        }
        let own = Set(rows.map(\.key))
        for image in later {
            guard case .int(let key) = image[0], case .int(let object) = image[1],
                case .string(let text) = image[3], !own.contains(key)
            else { continue }
            var step = Step(key: key, object: object, kind: .update, isTold: false, image: text)
            if case .int(let version) = image[2] { step.version = version }
            steps.append(step)
        }
        steps.sort { $0.key > $1.key }
        var unknown = Set<Int64>()
        for step in steps where !unknown.contains(step.object) {
            if !take(step, &now, entities, &states) { unknown.insert(step.object) }
        }
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
            if !isDerived(slot, state.entity) { changesRow = true }
        }
        if changesRow { state.version &-= 1 }
        now[step.object] = state
        return true
    }

    private func isDerived(_ slot: Int, _ entity: Int) -> Bool {
        if case .attribute(let it) = schema.model.entities[entity].slots[slot] { return it.isDerived }
        return false
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
