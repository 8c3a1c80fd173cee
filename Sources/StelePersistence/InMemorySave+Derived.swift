import SteleModel
import StelePredicates

extension InMemoryReader: DerivationReader {}

extension InMemorySave {
    /// Computes derived values from the contents after the save, and adds their changes to the
    /// outcome.
    mutating func derive(_ derived: DerivedAttributes, at time: Double) throws(StoreError) {
        var after = contents
        after.apply(outcome)
        let reader = InMemoryReader(after)
        var places: [ObjectID: (row: Int?, history: Int?)] = [:]
        for (place, row) in outcome.rows.enumerated() {
            places[id(row), default: (nil, nil)].row = place
        }
        for (place, change) in history.enumerated() {
            let id = ObjectID(root: model.entities[change.entity].root, key: change.key)
            places[id, default: (nil, nil)].history = place
        }
        var added: [HistoryChange] = []
        for found in try derived.outcomes(of: changes(after), reader, at: time) {
            take(found, places[id(found.snapshot)] ?? (nil, nil), &added)
        }
        history.add(updates: added, before: .delete)
    }

    private func id(_ row: Snapshot) -> ObjectID {
        ObjectID(root: model.entities[row.entity].root, key: row.key)
    }

    private func changes(_ after: InMemoryContents) -> [DerivedAttributes.Change] {
        history.map { told in
            let id = ObjectID(root: model.entities[told.entity].root, key: told.key)
            var change = ObjectChange(
                told.kind, entity: told.entity, key: told.key, before: contents.row(id))
            var toManys = told.kind == .insert ? insertedToManys[id] ?? [] : []
            for value in told.before ?? [] {
                switch value {
                case .slot(let slot, _): change.changedSlots.append(slot)
                case .members(let relationship, _, _): toManys.append(relationship)
                }
            }
            change.toManys = toManys.map { ToManyChange(relationship: $0) }
            return (change, after.row(id))
        }
    }

    /// - Parameters:
    ///   - place: where the save has the object among its rows and changes.
    ///   - added: the updates of objects that the save does not change otherwise.
    private mutating func take(
        _ found: DerivedAttributes.Outcome, _ place: (row: Int?, history: Int?),
        _ added: inout [HistoryChange]
    ) {
        let snapshot = found.snapshot
        if found.before.isEmpty && place.history == nil { return }
        if let row = place.row {
            outcome.rows[row] = snapshot
        } else if !found.before.isEmpty {
            outcome.rows.append(snapshot)
        }
        let before = found.before.map { BeforeValue.slot($0.slot, $0.value) }
        guard let change = place.history else {
            added.append(
                HistoryChange(
                    kind: .update, entity: snapshot.entity, key: snapshot.key,
                    version: snapshot.version, before: before, snapshot: snapshot))
            return
        }
        history[change].snapshot = snapshot
        if history[change].kind == .update { history[change].before? += before }
    }
}
