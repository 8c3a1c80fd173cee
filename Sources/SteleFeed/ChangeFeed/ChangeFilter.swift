/// Which changes of the history a stream or a page contains.

import SteleModel
import StelePersistence
import StelePredicates

/// A filter. Streams with equal filters share their buffers.
package struct ChangeFilter: Sendable, Hashable {
    /// The indexes of the entities with their subentities, ascending; nil for all.
    package let entities: [Int]?
    /// Whether changes have objects and old values.
    package let values: Bool
    /// The keys of which an update must have changed one, ascending; nil for any.
    package var updated: [String]?
    /// The condition that an object must match before or after the change.
    package var condition: ChangeCondition?
    /// Whether deletions have tombstones, with the values that the model preserves.
    package var tombstones = false
    /// The maximum number of changes of a save in the answer; nil for all.
    package var changeLimit: Int?
    /// What is visible to the role; nil for everything.
    package var sight: Sight?

    /// Whether changes of that entity match.
    package func tells(_ entity: Int) -> Bool {
        guard let entities else { return true }
        return entities.contains(entity)
    }

    /// Whether some saves may not match.
    var isPartial: Bool {
        entities != nil || updated != nil || condition != nil || sight != nil
    }

    /// Whether objects are judged, by a condition or by what is visible.
    var isJudged: Bool { condition != nil || sight != nil }

    /// The maximum number of changes to read at once: with a limit and no filter, one more than
    /// the answer has.
    var changesToRead: Int {
        guard let changeLimit, !isPartial else { return HistoryStretch.mostChanges }
        return min(changeLimit + 1, HistoryStretch.mostChanges)
    }

    /// Whether some of the saves are to be read from the history: a change that was not read from
    /// it has no position after which a save is cut.
    func needsHistory(of saves: some Sequence<HistoryTransaction>) -> Bool {
        saves.contains { limits($0.changes.count) }
    }

    /// Whether `changeLimit` leaves out some of so many changes of a save.
    func limits(_ count: Int) -> Bool { changeLimit.map { count > $0 } ?? false }

    /// Whether the objects' values are needed, for the condition or for the output.
    var needsValues: Bool { values || condition != nil || tombstones || sight != nil }
}

/// A change that a filter matches.
package struct ToldChange {
    /// Whether an update makes the object match the filter's `where` or no longer match.
    package enum Crossing {
        case enters, leaves
    }

    package var change: HistoryChange
    /// Nil where the object matches before and after, or there is no condition.
    var crossing: Crossing?
}

/// Applies a filter, on one thread.
///
/// What is not known about an object includes its change, so that no event is lost: where its state
/// is not in the history, where the predicate fails on it, and where the time of a slow filter is
/// over. What is not known to be visible is never told: judging fails then.
struct ChangeJudge {
    private let filter: ChangeFilter
    private let model: Model
    /// By concrete entity.
    private let evaluators: [Int: PredicateEvaluator<RecordedObject>]
    /// Nil where everything is seen.
    private let veil: ChangeVeil?
    private let time: JudgingTime

    /// - Parameters:
    ///   - reader: a view of the store, for a filter with a sight.
    ///   - time: what judging may take.
    init(
        _ filter: ChangeFilter, _ renderer: ChangeRenderer, _ reader: (any StoreReader)?,
        _ time: JudgingTime
    ) {
        let model = renderer.model
        self.filter = filter
        self.model = model
        self.time = time
        if let sight = filter.sight, let reader {
            veil = ChangeVeil(sight, reader, renderer.indexes, time)
        } else {
            veil = nil
        }
        evaluators = filter.condition?.evaluators(model) ?? [:]
    }

    /// Begins the time for some changes.
    func begin(changes: Int) {
        guard filter.isJudged else { return }
        time.begin(changes: changes)
        for evaluator in evaluators.values { evaluator.beginMatching(time.match) }
        veil?.beginMatching()
    }

    /// The matching changes of a save, or of a piece of it, in their order.
    /// - Parameter start: the position after which the piece begins.
    /// - Throws: `StoreError`: `.overBudget` where the time is over on a thread that others wait
    ///   for, or before all is known to be visible.
    func told(
        of save: HistoryTransaction, after start: Int64 = 0
    ) throws(StoreError) -> (changes: [ToldChange], rest: Int64?) {
        let seen =
            try veil?.seen(save, after: start, filter.tells)
            ?? ChangeVeil.Seen(changes: save.changes, rest: save.rest)
        guard filter.isPartial else {
            return (seen.changes.map { ToldChange(change: $0) }, seen.rest)
        }
        var told: [ToldChange] = []
        for change in seen.changes { if let one = try self.told(change) { told.append(one) } }
        return (told, seen.rest)
    }

    private func told(_ change: HistoryChange) throws(StoreError) -> ToldChange? {
        guard filter.tells(change.entity), hasUpdated(change) else { return nil }
        guard filter.condition != nil, let evaluator = evaluators[change.entity] else {
            return ToldChange(change: change)
        }
        guard time.isLeft() else {
            if time.isShared { throw .overBudget }
            return ToldChange(change: change)
        }
        let fits = try change.snapshot.map { snapshot throws(StoreError) in
            try holds(evaluator, snapshot)
        }
        guard change.kind == .update else {
            return fits == false ? nil : ToldChange(change: change)
        }
        let former = change.snapshotBefore(in: model)
        let fitted = try former.map { snapshot throws(StoreError) in
            try holds(evaluator, snapshot)
        }
        switch (fitted, fits) {
        case (false, false): return nil
        case (false, true): return ToldChange(change: change, crossing: .enters)
        case (true, false): return ToldChange(change: change, crossing: .leaves)
        // The object before or after is not known. It may match, so the change is included.
        default: return ToldChange(change: change)
        }
    }

    /// A predicate that cannot be evaluated on an object, such as a MATCHES that takes too long,
    /// includes the change.
    private func holds(
        _ evaluator: PredicateEvaluator<RecordedObject>, _ snapshot: Snapshot
    ) throws(StoreError) -> Bool {
        do throws(PredicateError) {
            return try evaluator.evaluate(RecordedObject(snapshot, model))
        } catch {
            // It may be known on another thread.
            if time.isShared, error.isOfLimit { throw .overBudget }
            return true
        }
    }

    /// An update whose changed keys are not known may have changed any.
    private func hasUpdated(_ change: HistoryChange) -> Bool {
        guard let names = filter.updated else { return true }
        guard change.kind == .update else { return false }
        guard let before = change.before, model.entities.indices.contains(change.entity) else {
            return true
        }
        return before.contains { value in
            value.name(in: model.entities[change.entity], model).map(names.contains) ?? false
        }
    }
}

extension BeforeValue {
    /// The property's name; nil for one that the model does not have: a history may be older than
    /// the model.
    package func name(in entity: Entity, _ model: Model) -> String? {
        switch self {
        case .slot(let slot, _):
            entity.slots.indices.contains(slot) ? entity.slots[slot].name : nil
        case .members(let relationship, _, _):
            model.relationships.indices.contains(relationship)
                ? model.relationships[relationship].name : nil
        }
    }
}
