/// The part of the history that is visible to a role.

import SteleGraph
import SteleModel
import StelePersistence
import StelePredicates

/// Turns saves into what is visible of them. An object that becomes visible is an insert, and one
/// that becomes hidden is a delete, also where the save has changed another object, on which the
/// rule depends.
///
/// A rule is judged by the objects before and after the save, also those that it has not changed:
/// they are as they were then, whatever later saves have changed of them.
final class ChangeVeil {
    private let sight: Sight
    private let reader: any StoreReader
    /// Objects as they are.
    private let present: StoreStates
    private let members: MemberHistory
    private var model: Model { sight.model }
    /// By the index of the concrete entity, how objects are judged; nil where all are seen.
    private var rules: [Int: PredicateEvaluator<FormerObject>] = [:]
    private let indexer: SaveIndexer
    private let time: JudgingTime
    private var current: JudgedSave?

    /// A save that is judged, with objects before and after it.
    private struct JudgedSave {
        let number: Int64
        let changes: SaveChanges
        /// The objects that the save has not changed.
        let others: StoreStates
        let before: FormerStates
        let after: FormerStates
    }

    /// - Parameters:
    ///   - reader: a view of everything. The caller closes it.
    ///   - indexes: those of large saves.
    ///   - time: what judging may take. Where it is over, judging fails: what is not known to be
    ///     visible is not told, and is not lost either.
    init(
        _ sight: Sight, _ reader: any StoreReader, _ indexes: SaveIndexes, _ time: JudgingTime
    ) {
        self.sight = sight
        self.time = time
        self.reader = reader
        let model = sight.model
        members = MemberHistory(model, reader, indexes.members, time)
        indexer = SaveIndexer(sight, reader, indexes, members, time)
        present = StoreStates(reader, time)
        for entity in model.entities {
            guard let rule = sight.rule(of: entity) else { continue }
            rules[entity.index] = try? PredicateEvaluator(rule, entity: entity, model: model)
        }
    }

    /// Begins the time of MATCHES.
    func beginMatching() {
        for rule in rules.values { rule.beginMatching(time.match) }
    }

    /// What is seen of a save, or of a piece of it.
    struct Seen {
        var changes: [HistoryChange]
        /// The position after which there may be more; nil for none.
        var rest: Int64?
    }

    /// The changes of a save, or of a piece of it, that are seen, in the order of their positions.
    /// Stored objects that become visible or hidden, or are deleted, where that may be by changes of
    /// others, come after all other changes of the save. Their positions follow from their keys, so
    /// they stay the same whatever else is seen later, and do not tell whether the save has changed
    /// such an object itself.
    /// - Parameters:
    ///   - start: the position after which the piece begins.
    ///   - tells: whether changes of an entity are asked for.
    func seen(
        _ save: HistoryTransaction, after start: Int64, _ tells: (Int) -> Bool
    ) throws(StoreError) -> Seen {
        let judged = try judged(save.number)
        let (before, after) = (judged.before, judged.after)
        let isWhole = start == 0 && save.rest == nil
        let objects = try judged.changes.take(save.changes, isWhole: isWhole)
        try prepare(save.changes, judged)
        var told: [HistoryChange] = []
        var crossings: [Crossing] = []
        for taken in objects where tells(taken.changes.entity) {
            let (id, changes) = (taken.id, taken.changes)
            let isOne = changes.lastIndex == 0
            if !isOne, !judged.changes.isTold(id, at: taken.index) { continue }
            let was = try isSeen(id, before)
            let isNow = try isSeen(id, after)
            if was != isNow, isCrossing(id, changes) {
                if !isOne { judged.changes.tell(id, at: changes.lastIndex) }
                guard taken.index == changes.lastIndex else { continue }
                crossings.append(Crossing(id: id, entity: changes.entity, isVisible: isNow))
                continue
            }
            guard let one = changes.change(wasVisible: was, isVisible: isNow, in: model) else {
                if !isOne { judged.changes.tell(id, at: nil) }
                continue
            }
            // Several changes are told as one, at the first that is seen by itself: where others are
            // must not show.
            let index = try changes.firstIndex { (change) throws(StoreError) in
                try veiled(change, before, after) != nil
            }
            if !isOne { judged.changes.tell(id, at: index) }
            guard taken.index == index, var one = try veiled(one, before, after) else { continue }
            one.position = taken.position
            told.append(one)
        }
        if let rest = save.rest { return Seen(changes: told, rest: rest) }
        let last = try self.told(crossings: isWhole ? crossings : nil, judged, after: start, tells)
        return Seen(changes: told + last.changes, rest: last.rest)
    }

    /// Whether an object of a save that becomes visible or hidden is reported after its other
    /// changes. One that is deleted stands with those that become hidden: which it is must not show.
    private func isCrossing(_ id: ObjectID, _ changes: ObjectChanges) -> Bool {
        indexer.hasFarRules(root: id.root) && changes.before(in: model) != nil
    }

    private func judged(_ save: Int64) throws(StoreError) -> JudgedSave {
        if let current, current.number == save { return current }
        let changes = SaveChanges(of: save, model, reader, indexer)
        let others =
            try reader.token <= save ? present : StoreStates(reader, time, after: save, members)
        let judged = JudgedSave(
            number: save, changes: changes, others: others,
            before: FormerStates(others, model, changes, isBefore: true),
            after: FormerStates(others, model, changes, isBefore: false))
        current = judged
        return judged
    }

    /// Reads the objects to which those of a save lead, which most rules ask for, with one query
    /// for each family.
    private func prepare(
        _ changes: [HistoryChange], _ save: JudgedSave
    ) throws(StoreError) {
        var wanted: [Int: Set<Int64>] = [:]
        for change in changes where model.entities.indices.contains(change.entity) {
            let values = change.snapshot?.values ?? []
            for (slot, property) in model.entities[change.entity].slots.enumerated() {
                guard case .relationship(let it) = property, values.indices.contains(slot),
                    case .key(let key) = values[slot]
                else { continue }
                wanted[model.destination(of: it).root, default: []].insert(key)
            }
        }
        for (root, keys) in wanted { try save.others.read(root, keys) }
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

    // MARK: Crossings

    /// The most objects that are judged at once.
    private static let mostCrossings = HistoryStretch.mostChanges

    /// The changes of objects that become visible or hidden without being made or deleted, or some of
    /// them.
    /// - Parameters:
    ///   - own: those that the save has changed itself, where the whole save was given.
    ///   - start: a position in the save.
    private func told(
        crossings own: [Crossing]?, _ save: JudgedSave, after start: Int64, _ tells: (Int) -> Bool
    ) throws(StoreError) -> Seen {
        var found = Seen(changes: [])
        if !indexer.hasFarRules { return found }
        let order = CrossingOrder(after: try save.changes.places(), model)
        let outsiders = try save.changes.index().outsiders
        var crossings: [Crossing]
        if let own, outsiders.count + own.count <= Self.mostCrossings {
            crossings = try own + judge(outsiders, save)
        } else {
            (crossings, found.rest) = try next(after: start, save, outsiders, order)
        }
        crossings.removeAll { !tells($0.entity) }
        crossings.sort { CrossingOrder.isAscending($0.id, $1.id) }
        try read(crossings.map(\.id), save.others)
        for crossing in crossings {
            guard var change = try change(of: crossing, save) else { continue }
            change.position = order.position(of: crossing.id)
            found.changes.append(change)
        }
        return found
    }

    /// The next ones of a save that may be large, in their order.
    /// - Returns: also the position after which there may be more; nil for none.
    private func next(
        after start: Int64, _ save: JudgedSave, _ outsiders: [ObjectID], _ order: CrossingOrder
    ) throws(StoreError) -> (crossings: [Crossing], rest: Int64?) {
        if time.isShared { throw .overBudget }
        let most = Self.mostCrossings
        let others = outsiders[outsiders.firstPlace { order.isAfter(start, $0) }...]
        var candidates = Array(others.prefix(most + 1))
        let places = try save.changes.places()
        for root in indexer.farRoots {
            candidates += places.former(root: root, atMost: most + 1) { order.isAfter(start, $0) }
        }
        candidates.sort(by: CrossingOrder.isAscending)
        let rest = candidates.count > most ? order.position(of: candidates[most - 1]) : nil
        let these = candidates.prefix(most)
        try beginNext(changes: these.count)
        let unchanged = Set(others.prefix(most))
        try save.changes.read(these.filter { !unchanged.contains($0) })
        return (try judge(these, save), rest)
    }

    /// Those among objects which a save has not made that it makes visible or hidden, or deletes.
    private func judge(
        _ candidates: some Sequence<ObjectID>, _ save: JudgedSave
    ) throws(StoreError) -> [Crossing] {
        try read(candidates, save.others)
        var found: [Crossing] = []
        var young: [Int: [Int64]] = [:]
        for id in candidates {
            guard let before = try save.before.state(of: id) else { continue }
            let wasVisible = try isSeen(before, save.before)
            guard let after = try save.after.state(of: id) else {
                if wasVisible {
                    found.append(Crossing(id: id, entity: before.entity, isVisible: false))
                }
                continue
            }
            let isNow = try isSeen(after, save.after)
            if wasVisible == isNow { continue }
            found.append(Crossing(id: id, entity: after.entity, isVisible: isNow))
            // A later save may have made it.
            if after.version <= 1 { young[id.root, default: []].append(id.key) }
        }
        for (root, keys) in young where try reader.token > save.number {
            let later = try members.inserted(root, keys, after: save.number)
            found.removeAll { $0.id.root == root && later.contains($0.id.key) }
        }
        return found
    }

    /// The change of an object that becomes visible has its values after the save, and that of one
    /// that becomes hidden those before it. These do not tell whether the save has changed the object
    /// itself.
    private func change(
        of crossing: Crossing, _ save: JudgedSave
    ) throws(StoreError) -> HistoryChange? {
        let states = crossing.isVisible ? save.after : save.before
        let snapshot = try states.state(of: crossing.id)
        let change = HistoryChange(
            kind: crossing.isVisible ? .insert : .delete, entity: crossing.entity,
            key: crossing.id.key, version: snapshot?.version, snapshot: snapshot)
        return try veiled(change, save.before, save.after)
    }

    /// Reads objects with one query for each family.
    private func read(
        _ ids: some Sequence<ObjectID>, _ states: StoreStates
    ) throws(StoreError) {
        for (root, ids) in Dictionary(grouping: ids, by: \.root) {
            try states.read(root, Set(ids.map(\.key)))
        }
    }

    /// Begins the time for the next objects, which are not in the piece that is judged.
    private func beginNext(changes: Int) throws(StoreError) {
        try time.demandWanted()
        time.end()
        time.begin(changes: changes)
        beginMatching()
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
