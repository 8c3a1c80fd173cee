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
        for found in try derived.outcomes(of: changes(after), reader, at: time) {
            take(found)
        }
        history.sortChanges()
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

    private mutating func take(_ found: DerivedAttributes.Outcome) {
        let snapshot = found.snapshot
        let id = ObjectID(root: model.entities[snapshot.entity].root, key: snapshot.key)
        let place = history.firstIndex {
            $0.key == id.key && model.entities[$0.entity].root == id.root
        }
        if found.before.isEmpty && place == nil { return }
        if let row = outcome.rows.firstIndex(where: {
            $0.key == id.key && model.entities[$0.entity].root == id.root
        }) {
            outcome.rows[row] = snapshot
        } else if !found.before.isEmpty {
            outcome.rows.append(snapshot)
        }
        let before = found.before.map { BeforeValue.slot($0.slot, $0.value) }
        guard let place else {
            history.append(
                HistoryChange(
                    kind: .update, entity: snapshot.entity, key: snapshot.key,
                    version: snapshot.version, before: before, snapshot: snapshot))
            return
        }
        history[place].snapshot = snapshot
        if history[place].kind == .update { history[place].before? += before }
    }
}
