import SteleModel
import StelePersistence
import StelePredicates

/// The rows that saves may have changed, directly or through the relationships of a query.
struct AffectedRows {
    /// The changed properties of each object that may be a row, by object key.
    private(set) var keys: [Int64: UpdatedKeys] = [:]
    private let query: ResultsQuery
    private var model: Model { query.model }

    init(_ query: ResultsQuery) { self.query = query }

    // MARK: The rows' own changes

    /// Adds the changes of objects that can be rows.
    mutating func add(ownChangesOf save: HistoryTransaction) {
        for change in save.changes where query.isRow(change.entity) {
            keys[change.key, default: UpdatedKeys()].add(shown(change))
        }
    }

    private func shown(_ change: HistoryChange) -> UpdatedKeys {
        var shown = updated(change) { query.shows($0, isToMany: $1) }
        shown.hideNames { !query.mayName($0) }
        return shown
    }

    /// Whether an update changes a property of one of the names, or what it changes is not known.
    /// Any update may change `_version`.
    func updates(_ change: HistoryChange, oneOf names: Set<String>) -> Bool {
        names.contains("_version")
            || !updated(change) { name, _ in names.contains(name) }.isEmpty
    }

    /// The properties changed by an update for which `shows` is true.
    private func updated(
        _ change: HistoryChange, _ shows: (_ name: String, _ isToMany: Bool) -> Bool
    ) -> UpdatedKeys {
        guard change.kind == .update else { return UpdatedKeys() }
        guard let before = change.before, model.entities.indices.contains(change.entity) else {
            return .unknown
        }
        let slots = model.entities[change.entity].slots
        var keys = UpdatedKeys()
        for value in before {
            switch value {
            case .slot(let slot, _) where slots.indices.contains(slot):
                let name = slots[slot].name
                if shows(name, false) { keys.add(name) }
            case .members(let index, _, _) where model.relationships.indices.contains(index):
                let name = model.relationships[index].name
                if shows(name, true) { keys.add(name) }
            // The history may have been written with an older model.
            default: return .unknown
            }
        }
        return keys
    }

    // MARK: Changes of related objects

    /// Adds the objects that lead to a changed object, over the links in the reader's view and over
    /// the links before the saves.
    /// - Throws: `StoreError`.
    mutating func add(
        farChangesOf saves: ArraySlice<HistoryTransaction>, _ reader: any StoreReader
    ) throws(StoreError) {
        let changes = saves.flatMap(\.changes)
        for key in try owners(query.placesTree, of: changes, reader).values.joined() {
            keys[key, default: UpdatedKeys()].add(UpdatedKeys())
        }
        let seen = changes.filter { change in
            change.kind != .update || !updated(change, query.farContent.shows).isEmpty
        }
        for (first, owners) in try owners(query.contentsTree, of: seen, reader) {
            var shown = UpdatedKeys()
            shown.add(model.relationships[first].name)
            if !query.namesOthers { shown.hideNames { _ in true } }
            for key in owners { keys[key, default: UpdatedKeys()].add(shown) }
        }
    }

    /// The objects from which paths lead to a changed object, by the first relationship of the
    /// paths. They are followed backwards from their ends, so a change at any step counts.
    private func owners(
        _ tree: RelationshipTree, of changes: [HistoryChange], _ reader: any StoreReader
    ) throws(StoreError) -> [Int: Set<Int64>] {
        var found: [Int: Set<Int64>] = [:]
        var reached: [Set<Int64>] = tree.steps.map { _ in [] }
        for (index, step) in zip(tree.steps.indices, tree.steps).reversed() {
            let relationship = model.relationships[step.relationship]
            let destination = model.destination(of: relationship)
            let changed = changes.filter {
                model.entities.indices.contains($0.entity)
                    && model.entities[$0.entity].root == destination.root
            }
            reached[index].formUnion(changed.lazy.map(\.key))
            var owners = try owners(relationship, of: reached[index], reader)
            owners.formUnion(formerOwners(relationship, in: changed))
            if let before = step.before {
                reached[before].formUnion(owners)
            } else {
                found[step.relationship, default: []].formUnion(owners)
            }
        }
        return found
    }

    private func owners(
        _ relationship: Relationship, of members: Set<Int64>, _ reader: any StoreReader
    ) throws(StoreError) -> Set<Int64> {
        if members.isEmpty { return [] }
        let keys = members.sorted()
        guard let inverse = model.inverse(of: relationship) else {
            var found: Set<Int64> = []
            for part in keys.parts(of: ResultsRead.keysPerQuery) {
                let request = relationship.request(leadingTo: part, in: model)
                found.formUnion(try reader.fetch(request).map(\.key))
            }
            return found
        }
        if inverse.isToMany {
            return Set(try reader.members(of: inverse, owners: keys).values.joined())
        }
        let root = model.destination(of: relationship).root
        let objects = try reader.snapshots(root: root, keys: keys)
        return Set(objects.compactMap { Self.key(in: $0.values, inverse.slot) })
    }

    /// The former owners of objects that were deleted or have another owner now.
    private func formerOwners(
        _ relationship: Relationship, in changes: [HistoryChange]
    ) -> Set<Int64> {
        guard let inverse = model.toOneInverse(of: relationship) else { return [] }
        var found: Set<Int64> = []
        for change in changes {
            if change.kind == .delete, let values = change.snapshot?.values,
                let key = Self.key(in: values, inverse.slot)
            {
                found.insert(key)
            }
            for case .slot(inverse.slot, .key(let key)) in change.before ?? [] { found.insert(key) }
        }
        return found
    }

    private static func key(in values: [Value], _ slot: Int) -> Int64? {
        guard values.indices.contains(slot), case .key(let key) = values[slot] else { return nil }
        return key
    }
}

extension ResultsQuery {
    /// The keys of the objects that may match or no longer match because a save has changed other
    /// objects, to which the predicate leads. The save may have changed some of them, too.
    /// - Throws: `StoreError`.
    package func keysAffected(
        by save: HistoryTransaction, _ reader: any StoreReader
    ) throws(StoreError) -> Set<Int64> {
        if isOfRowsAlone { return [] }
        var names = Set<String>()
        request.predicate?.visitKeyPaths(alsoOfVariables: true) { names.formUnion($0) }
        var rows = AffectedRows(self)
        var used = save
        // An update of what the predicate does not read affects nothing.
        used.changes = save.changes.filter { change in
            change.kind != .update || rows.updates(change, oneOf: names)
        }
        if used.changes.isEmpty { return [] }
        if places.isUnbounded {
            return Set(try reader.fetch(FetchRequest(entity: request.entity)).map(\.key))
        }
        try rows.add(farChangesOf: [used], reader)
        return Set(rows.keys.keys)
    }
}

extension Array {
    /// The elements in arrays of at most `size` elements.
    func parts(of size: Int) -> [[Element]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}
