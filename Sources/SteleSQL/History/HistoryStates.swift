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

    private static let laterImages = SQLText(
        "SELECT Z_PK, ZENTITYPK, ZVERSION, ZVALUES FROM \(HistoryTables.beforeImages) "
            + "WHERE ZFAMILY = ?1 AND ZENTITYPK IN (SELECT value FROM json_each(?2)) "
            + "AND Z_PK >= ?3 ORDER BY Z_PK DESC")

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
            Self.laterImages,
            [.int(Int64(schema.number(of: root))), .string(list), .int(first)],
            [.integer, .integer, .integer, .text])
        // Newest first: the page's own changes among the images of all later ones.
        var steps: [(key: Int64, object: Int64, row: ChangeRow?, image: String?)] = rows.map {
            ($0.key, $0.object, $0, $0.image)
        }
        let own = Set(rows.map(\.key))
        for image in later {
            guard case .int(let key) = image[0], case .int(let object) = image[1],
                case .string(let text) = image[3], !own.contains(key)
            else { continue }
            steps.append((key, object, nil, text))
        }
        steps.sort { $0.key > $1.key }
        var unknown = Set<Int64>()
        for step in steps {
            if let row = step.row, row.kind != .delete, !unknown.contains(step.object),
                var state = now[step.object]
            {
                state.version = row.kind == .insert ? 1 : row.version ?? state.version
                states[row.key] = state
            }
            guard let image = step.image else {
                // Before an update that another program made, nothing is known.
                if step.row?.kind == .update || step.row?.kind == .delete {
                    unknown.insert(step.object)
                }
                continue
            }
            takeBack(image, step.object, &now, entities, row: step.row, &states)
        }
    }

    /// Turns the state after a change into the one before it.
    private func takeBack(
        _ image: String, _ object: Int64, _ now: inout [Int64: Snapshot],
        _ entities: [Int64: Int], row: ChangeRow?, _ states: inout [Int64: Snapshot]
    ) {
        if var state = now[object] {
            for case .slot(let slot, let value) in images.values(image, entity: state.entity) {
                state.values[slot] = value
            }
            now[object] = state
            return
        }
        // No row now: this is the image of its delete, which holds the whole object.
        guard let entity = entities[object] else { return }
        var values = [Value](repeating: .null, count: schema.model.entities[entity].slots.count)
        for case .slot(let slot, let value) in images.values(image, entity: entity) {
            values[slot] = value
        }
        let state = Snapshot(
            entity: entity, key: object, version: row?.version ?? 0, values: values)
        now[object] = state
        if let row, row.kind == .delete { states[row.key] = state }
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
