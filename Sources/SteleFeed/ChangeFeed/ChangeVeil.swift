/// The part of the history that is visible to a role.

import SteleGraph
import SteleModel
import StelePersistence
import StelePredicates

/// Turns saves into what is visible of them. An object that becomes visible is an
/// insert, and one that leaves it is a delete, also where the save has changed another object, on
/// which the rule depends.
///
/// A rule is judged by the objects before and after the save. What the save has not changed is read
/// from the store as it is now: the history does not keep it.
final class ChangeVeil {
    private let sight: Sight
    private let present: PresentStates
    private var reader: any StoreReader { present.reader }
    private var model: Model { sight.model }
    /// By the index of the concrete entity, how objects are judged; nil where all are seen.
    private var rules: [Int: PredicateEvaluator<FormerObject>] = [:]
    /// The root entities of which not all objects are seen, with all objects that are.
    private let queries: [(root: Entity, seen: ResultsQuery)]

    private let time: JudgingTime

    /// - Parameters:
    ///   - reader: a view of everything. The caller closes it.
    ///   - time: what judging may take. Where it is over, judging fails: what is not known to be
    ///     visible is not told, and is not lost either.
    init(_ sight: Sight, _ reader: any StoreReader, _ time: JudgingTime) {
        self.sight = sight
        self.time = time
        present = PresentStates(reader, time)
        queries = sight.model.storedEntities.compactMap { entity in
            guard entity.parent == nil, let rule = sight.rule(of: entity) else { return nil }
            var request = FetchRequest(entity: entity)
            request.predicate = rule
            request.isChecked = true
            return (entity, ResultsQuery(request, model: sight.model))
        }
        for entity in model.entities {
            guard let rule = sight.rule(of: entity) else { continue }
            rules[entity.index] = try? PredicateEvaluator(rule, entity: entity, model: model)
        }
    }

    /// Begins the time of MATCHES.
    func beginMatching() {
        for rule in rules.values { rule.beginMatching(time.match) }
    }

    /// The changes of a save that are seen.
    /// - Parameter tells: whether changes of an entity are asked for.
    func seen(
        _ save: HistoryTransaction, _ tells: (Int) -> Bool
    ) throws(StoreError) -> [HistoryChange] {
        var before = FormerStates(present, isBefore: true)
        var after = FormerStates(present, isBefore: false)
        let changes = save.changes.filter { model.entities.indices.contains($0.entity) }
        for change in changes {
            let id = ObjectID(root: model.entities[change.entity].root, key: change.key)
            let former: Snapshot? =
                switch change.kind {
                case .insert: nil
                case .update: change.snapshotBefore(in: model)
                case .delete: change.snapshot
                }
            before.note(former, of: id)
            after.note(change.kind == .delete ? nil : change.snapshot, of: id)
            for case .members(let relationship, let added, let removed) in change.before ?? [] {
                before.note(
                    added, removed, of: model.relationships[relationship], owner: change.key,
                    in: model)
            }
        }
        try prepare(changes)
        var told: [HistoryChange] = []
        for change in changes where tells(change.entity) {
            let id = ObjectID(root: model.entities[change.entity].root, key: change.key)
            let was = try isSeen(id, before)
            let isNow = try isSeen(id, after)
            guard let one = Self.told(change, was, isNow, before.noted(id) ?? nil) else {
                continue
            }
            if let one = try veiled(one, before, after) { told.append(one) }
        }
        return told + (try crossings(of: save, before, after, tells))
    }

    /// Reads the objects to which those of a save lead, which most rules ask for, with one query
    /// for each family.
    private func prepare(_ changes: [HistoryChange]) throws(StoreError) {
        var wanted: [Int: Set<Int64>] = [:]
        for change in changes {
            let values = change.snapshot?.values ?? []
            for (slot, property) in model.entities[change.entity].slots.enumerated() {
                guard case .relationship(let it) = property, values.indices.contains(slot),
                    case .key(let key) = values[slot]
                else { continue }
                wanted[model.destination(of: it).root, default: []].insert(key)
            }
        }
        for (root, keys) in wanted { try present.read(root, keys) }
    }

    /// The change of an object that was visible before or is visible now; nil for another.
    private static func told(
        _ change: HistoryChange, _ was: Bool, _ isNow: Bool, _ former: Snapshot?
    ) -> HistoryChange? {
        switch (was, isNow) {
        case (false, false): return nil
        case (true, true): return change
        case (false, true):
            var insert = change
            insert.kind = .insert
            insert.before = nil
            return insert
        case (true, false):
            var delete = change
            delete.kind = .delete
            delete.before = nil
            delete.snapshot = former
            return delete
        }
    }

    private func isSeen(
        _ id: ObjectID, _ states: FormerStates
    ) throws(StoreError) -> Bool {
        guard let snapshot = try states.state(of: id) else { return false }
        return try isSeen(snapshot, states)
    }

    private func isSeen(
        _ snapshot: Snapshot, _ states: FormerStates
    ) throws(StoreError) -> Bool {
        guard
            let entity = model.entities.indices.contains(snapshot.entity)
                ? model.entities[snapshot.entity] : nil
        else { return false }
        guard sight.rule(of: entity) != nil else { return true }
        guard let rule = rules[entity.index] else { return false }
        try time.demand()
        let view = FormerView(states, model)
        let holds: Bool
        do throws(PredicateError) {
            holds = try rule.evaluate(FormerObject(view, snapshot))
        } catch {
            if error.isOfLimit { throw .overBudget }
            // An object that cannot be judged is not seen.
            holds = false
        }
        if let error = view.error { throw error }
        return holds
    }

    /// Objects that the save has not changed, and that it brings into sight or takes out of it,
    /// because a rule leads to what it has changed.
    private func crossings(
        of save: HistoryTransaction, _ before: FormerStates, _ after: FormerStates,
        _ tells: (Int) -> Bool
    ) throws(StoreError) -> [HistoryChange] {
        var found: [HistoryChange] = []
        let now = FormerStates(present, isBefore: false)
        for (root, query) in queries where root.subtree.contains(where: tells) {
            for key in try query.keysAffected(by: save, reader).sorted() {
                let id = ObjectID(root: root.index, key: key)
                if before.noted(id) != nil { continue }
                guard let snapshot = try present.snapshot(id), tells(snapshot.entity) else {
                    continue
                }
                let (was, isNow) = (try isSeen(snapshot, before), try isSeen(snapshot, after))
                if was == isNow { continue }
                // The history has no values of it. Those of now are told where it is visible now.
                let isShown = isNow ? try isSeen(snapshot, now) : false
                let change = HistoryChange(
                    kind: isNow ? .insert : .delete, entity: snapshot.entity, key: key,
                    version: isShown ? snapshot.version : nil,
                    snapshot: isShown ? snapshot : nil)
                if let change = try veiled(change, before, after) { found.append(change) }
            }
        }
        return found
    }

    // MARK: Values

    /// The change without the keys of what is not seen; nil for an update of nothing else.
    private func veiled(
        _ change: HistoryChange, _ before: FormerStates, _ after: FormerStates
    ) throws(StoreError) -> HistoryChange? {
        var veiled = change
        let slots = model.entities[change.entity].slots
        if var snapshot = change.snapshot {
            let states = change.kind == .delete ? before : after
            for slot in slots.indices where snapshot.values.indices.contains(slot) {
                snapshot.values[slot] = try self.veiled(
                    snapshot.values[slot], slot, change.entity, states)
            }
            veiled.snapshot = snapshot
        }
        guard let old = change.before else { return veiled }
        var left: [BeforeValue] = []
        for value in old {
            switch value {
            case .slot(let slot, let was):
                let then = try self.veiled(was, slot, change.entity, before)
                let now = veiled.snapshot.flatMap {
                    $0.values.indices.contains(slot) ? $0.values[slot] : nil
                }
                // From and to what is not seen, there is no change.
                if then.isNull, now?.isNull ?? false { continue }
                left.append(.slot(slot, then))
            case .members(let relationship, let added, let removed):
                guard model.relationships.indices.contains(relationship) else { continue }
                let destination = model.destination(of: model.relationships[relationship])
                let new = try seen(added, destination, after)
                let gone = try seen(removed, destination, before)
                // The history keeps no orders, so it cannot be known whether members that are seen
                // have changed theirs, or others among them.
                let isOfOthers = !added.isEmpty || !removed.isEmpty || !seesAll(of: destination)
                if new.isEmpty, gone.isEmpty, isOfOthers { continue }
                left.append(
                    .members(relationship: relationship, added: new, removed: gone))
            }
        }
        if left.isEmpty, !old.isEmpty { return nil }
        veiled.before = left
        return veiled
    }

    private func veiled(
        _ value: Value, _ slot: Int, _ entity: Int, _ states: FormerStates
    ) throws(StoreError) -> Value {
        guard case .key(let key) = value, model.entities[entity].slots.indices.contains(slot),
            case .relationship(let it) = model.entities[entity].slots[slot]
        else { return value }
        return try seen([key], model.destination(of: it), states).isEmpty ? .null : value
    }

    private func seesAll(of entity: Entity) -> Bool {
        sight.rule(of: model.entities[entity.root]) == nil
    }

    private func seen(
        _ keys: [Int64], _ destination: Entity, _ states: FormerStates
    ) throws(StoreError) -> [Int64] {
        if seesAll(of: destination) { return keys }
        let root = model.entities[destination.root]
        var left: [Int64] = []
        for key in keys {
            if try isSeen(ObjectID(root: root.index, key: key), states) { left.append(key) }
        }
        return left
    }
}
