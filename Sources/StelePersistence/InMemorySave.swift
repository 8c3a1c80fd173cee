import SteleModel
import SteleSystem

/// One save to an in-memory store: checks a request and computes its outcome, without changing the
/// contents.
struct InMemorySave {
    /// An added or removed link.
    struct Link: Sendable {
        var relationship: Int
        var owner: Int64
        var member: Int64
        var isNew: Bool
    }

    /// The changes to apply, and the result for the caller.
    struct Outcome: Sendable {
        var rows: [Snapshot] = []
        var deleted: [ObjectID] = []
        var links: [Link] = []
        /// The new orders of whole to-many relationships.
        var orders: [(InMemoryContents.Place, [Int64])] = []
        /// The members added to the end of to-many relationships, in order.
        var tails: [(InMemoryContents.Place, [Int64])] = []
        var nextKeys: [Int: Int64] = [:]
        var receipt: Receipt?
        /// Nil where nothing changes, and for a save that the history leaves out.
        var transaction: HistoryTransaction?
        var result: SaveResult

        /// Whether objects or keys change, which a file has to have.
        var changesFile: Bool { !result.changes.isEmpty || !nextKeys.isEmpty }
    }

    let contents: InMemoryContents
    let model: Model
    private let request: SaveRequest
    var outcome: Outcome
    var history: [HistoryChange] = []
    /// The to-many relationships with members, by inserted object.
    private(set) var insertedToManys: [ObjectID: [Int]] = [:]

    init(_ contents: InMemoryContents, _ request: SaveRequest) {
        self.contents = contents
        self.request = request
        model = contents.model
        outcome = Outcome(result: SaveResult(token: request.readToken))
    }

    /// Computes the outcome.
    /// - Throws: `StoreError`: `.moved`, `.conflicts`, `.constraint`, or `.invalid` for a malformed
    ///   request.
    mutating func prepare(deriving derived: DerivedAttributes) throws(StoreError) {
        try request.checkNames(in: model)
        try checkExpectations()
        try checkVersions()
        try assignKeys()
        for change in request.changes { try take(change) }
        try checkUniqueness()
        defer {
            outcome.receipt = request.receipt?.receipt(of: outcome.result, at: ReferenceDate.now)
        }
        guard !history.isEmpty else { return }
        let time = ReferenceDate.now
        if !derived.isEmpty { try derive(derived, at: time) }
        guard request.isRecorded else {
            outcome.result.changes = history
            return
        }
        let number = max(contents.token + 1, request.number)
        outcome.transaction = HistoryTransaction(
            number: number, timestamp: time, author: request.author,
            contextName: request.contextName, changes: history)
        outcome.result.token = number
        outcome.result.changes = history
    }

    private func root(_ entity: Int) -> Int { model.entities[entity].root }

    // MARK: Checks

    private func checkExpectations() throws(StoreError) {
        for expectation in request.expectations {
            switch expectation {
            case .exists(let entity, let key):
                let row = contents.row(ObjectID(root: root(entity), key: key))
                guard let row, model.entities[entity].isKind(row.entity) else {
                    throw expectation.failure(in: model)
                }
            case .members(let index, let owner, let keys):
                let relationship = model.relationships[index]
                let members = contents.members(of: relationship, owner: owner)
                if Set(members) != Set(keys) { throw expectation.failure(in: model) }
            case .owners(let index, let member, let keys):
                let relationship = model.relationships[index]
                if contents.owners(of: member, by: relationship) != Set(keys) {
                    throw expectation.failure(in: model)
                }
            }
        }
    }

    /// Checks versions. They cover a row's own columns; a change of to-many relationships alone
    /// needs only that the row exists.
    private func checkVersions() throws(StoreError) {
        var conflicts: [MergeConflict] = []
        for change in request.changes where change.kind != .insert {
            let row = contents.row(ObjectID(root: root(change.entity), key: change.key))
            guard let before = change.before else {
                throw .invalid("the change of object \(change.key) has no snapshot from before it")
            }
            if change.kind == .update && change.changedSlots.isEmpty {
                if row == nil {
                    throw Expectation.exists(entity: change.entity, key: change.key)
                        .failure(in: model)
                }
            } else if row?.version != before.version || row?.entity != before.entity {
                conflicts.append(
                    MergeConflict(
                        entity: change.entity, key: change.key, cached: before, persisted: row,
                        changedSlots: change.changedSlots, values: change.values))
            }
        }
        if !conflicts.isEmpty { throw .conflicts(conflicts) }
    }

    /// Checks uniqueness constraints. A null differs from every value.
    private func checkUniqueness() throws(StoreError) {
        let deleted = Set(outcome.deleted)
        let changed = Set(outcome.rows.map { ObjectID(root: root($0.entity), key: $0.key) })
        for entity in model.entities {
            let inherited = entity.parent.map { model.entities[$0].uniquenessConstraints } ?? []
            for constraint in entity.uniquenessConstraints.dropFirst(inherited.count) {
                let shared = model.entity(sharing: constraint, of: entity)
                guard outcome.rows.contains(where: { shared.isKind($0.entity) }) else { continue }
                var known: [[Value]: Snapshot] = [:]
                for (key, row) in contents.families[entity.root] where shared.isKind(row.entity) {
                    let id = ObjectID(root: entity.root, key: key)
                    if deleted.contains(id) || changed.contains(id) { continue }
                    if let values = values(constraint, row) { known[values] = row }
                }
                for row in outcome.rows where shared.isKind(row.entity) {
                    guard let values = values(constraint, row) else { continue }
                    if let other = known.updateValue(row, forKey: values) {
                        throw .constraint(
                            conflict(row, with: other, constraint: constraint, values: values))
                    }
                }
            }
        }
    }

    /// - Parameter other: the row that has the same values.
    private func conflict(
        _ row: Snapshot, with other: Snapshot, constraint: [String], values: [Value]
    ) -> ConstraintConflict {
        let (refused, holder) = (asked(row), asked(other))
        let asked = refused.flatMap {
            self.values(
                constraint,
                Snapshot(entity: row.entity, key: row.key, version: 0, values: $0.values))
        }
        return ConstraintConflict(
            entity: row.entity, key: refused?.key ?? row.key, constraint: constraint,
            values: asked ?? values,
            holder: ConstraintConflict.Holder(
                entity: other.entity, key: holder?.key ?? other.key,
                isNew: holder?.kind == .insert))
    }

    /// Returns the request's change that makes a row; it has the temporary keys of new objects.
    private func asked(_ row: Snapshot) -> ObjectChange? {
        let root = root(row.entity)
        return request.changes.first { change in
            guard self.root(change.entity) == root else { return false }
            let id = ObjectID(root: root, key: change.key)
            return (outcome.result.permanentKeys[id] ?? change.key) == row.key
        }
    }

    private func values(_ constraint: [String], _ row: Snapshot) -> [Value]? {
        var values: [Value] = []
        for name in constraint {
            let entity = model.entities[row.entity]
            let slot = entity.attribute(named: name)?.slot ?? entity.relationship(named: name)?.slot
            guard let slot, row.values.indices.contains(slot), !row.values[slot].isNull else {
                return nil
            }
            values.append(row.values[slot])
        }
        return values
    }

    // MARK: Changes

    /// - Throws: `.noKeys` where all keys are given out, and for a key beyond them.
    private mutating func assignKeys() throws(StoreError) {
        let inserted = request.changes.filter { $0.kind == .insert && $0.key < 0 }
            .map { ObjectID(root: root($0.entity), key: $0.key) }
        for id in request.reservations + inserted {
            let next = outcome.nextKeys[id.root] ?? contents.nextKeys[id.root]
            let key = id.key > 0 ? id.key : next
            guard key < InMemoryLoading.keyLimit else {
                throw .noKeys(
                    "\(model.entities[id.root].name) has no keys left: the next one is \(key), and a "
                        + "store in memory or in a whole file has keys below "
                        + "\(InMemoryLoading.keyLimit). stele export, and stele import with --new-ids "
                        + "into a new store, give new keys; before an SQLite store is copied, Z_MAX in "
                        + "its Z_PRIMARYKEY may be set to the largest Z_PK")
            }
            outcome.nextKeys[id.root] = max(next, key + 1)
            if id.key <= 0 { outcome.result.permanentKeys.insert(key, for: id) }
        }
    }

    private func permanent(_ key: Int64, _ root: Int) throws(StoreError) -> Int64 {
        if key > 0 { return key }
        guard let given = outcome.result.permanentKeys[ObjectID(root: root, key: key)] else {
            throw .invalid("the request links an object that it does not insert")
        }
        return given
    }

    private mutating func take(_ change: ObjectChange) throws(StoreError) {
        let entity = model.entities[change.entity]
        let key = try permanent(change.key, entity.root)
        let id = ObjectID(root: entity.root, key: key)
        switch change.kind {
        case .delete:
            outcome.deleted.append(id)
            let members = try takeLinks(change, key)
            history.append(
                HistoryChange(
                    kind: .delete, entity: change.entity, key: key, version: change.before?.version,
                    before: members, snapshot: contents.row(id)))
        case .insert:
            if contents.row(id) != nil { throw .moved("\(entity.name) \(key) already exists") }
            // One that another program has written may be negative, which none in a file is.
            let next = change.before.map { Snapshot.version(after: $0.version) } ?? 1
            let version = next < 0 ? 1 : next
            let row = Snapshot(
                entity: change.entity, key: key, version: version,
                values: try stored(change, entity))
            outcome.rows.append(row)
            _ = try takeLinks(change, key)
            insertedToManys[id] = change.toManys.map(\.relationship)
            history.append(
                HistoryChange(
                    kind: .insert, entity: change.entity, key: key, version: version, snapshot: row)
            )
        case .update:
            try takeUpdate(change, entity, id)
        }
    }

    private mutating func takeUpdate(
        _ change: ObjectChange, _ entity: Entity, _ id: ObjectID
    ) throws(StoreError) {
        guard var row = contents.row(id) else { return }
        let values = try stored(change, entity)
        var before: [BeforeValue] = []
        for slot in change.changedSlots
        where row.values.indices.contains(slot) && values.indices.contains(slot) {
            if row.values[slot] == values[slot] { continue }
            before.append(.slot(slot, row.values[slot]))
            row.values[slot] = values[slot]
        }
        if !before.isEmpty {
            row.version = Snapshot.version(after: row.version)
            outcome.rows.append(row)
        }
        before += try takeLinks(change, id.key)
        if before.isEmpty { return }
        history.append(
            HistoryChange(
                kind: .update, entity: change.entity, key: id.key, version: row.version,
                before: before, snapshot: row))
    }

    /// Returns the values to store: with permanent keys, without transient attributes.
    private func stored(_ change: ObjectChange, _ entity: Entity) throws(StoreError) -> [Value] {
        var values = change.values
        for (slot, property) in entity.slots.enumerated() where values.indices.contains(slot) {
            switch property {
            case .attribute(let it):
                if it.declaration.isTransient { values[slot] = .null }
                guard case .external(let file) = values[slot] else { continue }
                guard let bytes = file.bytes else {
                    throw .failed(
                        "the file of \(it.name) of \(entity.name) \(change.key) cannot be read, and the "
                            + "store has no files: \(file.path)")
                }
                values[slot] = .data(bytes)
            case .relationship(let it):
                guard case .key(let key) = values[slot], key < 0 else { continue }
                values[slot] = .key(try permanent(key, model.destination(of: it).root))
            case .fetchedProperty, .transientRelationship: break
            }
        }
        return values
    }

    private mutating func takeLinks(
        _ change: ObjectChange, _ owner: Int64
    ) throws(StoreError) -> [BeforeValue] {
        var before: [BeforeValue] = []
        for toMany in change.toManys {
            guard model.relationships.indices.contains(toMany.relationship) else { continue }
            let root = model.destination(of: model.relationships[toMany.relationship]).root
            let added = try keys(toMany.added, root)
            let removed = try keys(toMany.removed, root)
            outcome.links += removed.map {
                Link(relationship: toMany.relationship, owner: owner, member: $0, isNew: false)
            }
            if change.kind != .delete {
                outcome.links += added.map {
                    Link(relationship: toMany.relationship, owner: owner, member: $0, isNew: true)
                }
            }
            let place = InMemoryContents.Place(relationship: toMany.relationship, owner: owner)
            if let order = toMany.order {
                outcome.orders.append((place, try keys(order, root)))
            } else if added.count > 1 {
                outcome.tails.append((place, added))
            }
            before.append(
                .members(relationship: toMany.relationship, added: added, removed: removed))
        }
        return before
    }

    private func keys(_ keys: [Int64], _ root: Int) throws(StoreError) -> [Int64] {
        try keys.map { key throws(StoreError) in try permanent(key, root) }
    }
}
