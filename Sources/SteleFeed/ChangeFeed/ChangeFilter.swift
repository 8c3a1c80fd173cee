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

    /// Whether the objects' values are needed, for the condition or for the output.
    var needsValues: Bool { values || condition != nil || tombstones || sight != nil }
}

/// A change that a filter matches.
package struct ToldChange {
    /// Whether an update makes the object match the filter's `where` or no longer match.
    package enum Crossing {
        case enters, leaves
    }

    package let change: HistoryChange
    /// Nil where the object matches before and after, or there is no condition.
    var crossing: Crossing?
}

/// Applies a filter, on one thread.
struct ChangeJudge {
    private let filter: ChangeFilter
    private let model: Model
    /// By concrete entity.
    private let evaluators: [Int: PredicateEvaluator<RecordedObject>]
    /// Nil where everything is seen.
    private let veil: ChangeVeil?

    /// - Parameter reader: a view of the store, for a filter with a sight.
    package init(_ filter: ChangeFilter, model: Model, _ reader: (any StoreReader)?) {
        self.filter = filter
        self.model = model
        if let sight = filter.sight, let reader {
            veil = ChangeVeil(sight, reader)
        } else {
            veil = nil
        }
        evaluators = filter.condition?.evaluators(model) ?? [:]
    }

    /// The matching changes of a save, in their order.
    /// - Throws: `StoreError` for a filter with a sight.
    package func told(of transaction: HistoryTransaction) throws(StoreError) -> [ToldChange] {
        let changes = try veil?.seen(transaction, filter.tells) ?? transaction.changes
        guard filter.isPartial else { return changes.map { ToldChange(change: $0) } }
        return changes.compactMap(told)
    }

    private func told(_ change: HistoryChange) -> ToldChange? {
        guard filter.tells(change.entity), hasUpdated(change) else { return nil }
        guard filter.condition != nil, let evaluator = evaluators[change.entity] else {
            return ToldChange(change: change)
        }
        let fits = change.snapshot.map { holds(evaluator, $0) }
        guard change.kind == .update else {
            return fits == false ? nil : ToldChange(change: change)
        }
        let fitted = change.snapshotBefore(in: model).map { holds(evaluator, $0) }
        switch (fitted, fits) {
        case (false, false): return nil
        case (false, true): return ToldChange(change: change, crossing: .enters)
        case (true, false): return ToldChange(change: change, crossing: .leaves)
        // The object before or after is not known. It may match, so the change is included.
        default: return ToldChange(change: change)
        }
    }

    /// A predicate that cannot be evaluated on an object, such as a MATCHES that takes too long,
    /// includes the change, so that no event is lost.
    private func holds(
        _ evaluator: PredicateEvaluator<RecordedObject>, _ snapshot: Snapshot
    ) -> Bool {
        do throws(PredicateError) {
            return try evaluator.evaluate(RecordedObject(snapshot, model))
        } catch {
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
