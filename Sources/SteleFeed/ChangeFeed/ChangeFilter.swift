/// What of the history a stream or a page tells.

import SteleModel
import StelePersistence
import StelePredicates

/// Streams with equal filters share their bytes.
package struct ChangeFilter: Sendable, Hashable {
    /// The indexes of the entities told, subentities among them, ascending; nil for all.
    package let entities: [Int]?
    /// Whether objects and old values are told.
    package let values: Bool
    /// The keys of which an update must have changed one, ascending; nil for any.
    package var updated: [String]?
    /// What an object must be, or have been.
    package var condition: ChangeCondition?

    /// Whether a change of that entity can be told.
    package func tells(_ entity: Int) -> Bool {
        guard let entities else { return true }
        return entities.contains(entity)
    }

    /// Whether streams of this filter may be silent while the history goes on.
    var isPartial: Bool { entities != nil || updated != nil || condition != nil }

    /// Whether it takes the objects' values to tell what is told.
    var needsValues: Bool { values || condition != nil }
}

/// A change as a filter tells it.
package struct ToldChange {
    /// How an update stands to a filter's `where`.
    package enum Crossing {
        case enters, leaves
    }

    package let change: HistoryChange
    /// Nil where the object fits before and after, or nobody asks.
    var crossing: Crossing?
}

/// A filter at work, on one thread.
struct ChangeJudge {
    private let filter: ChangeFilter
    private let model: Model
    /// By the concrete entity.
    private let evaluators: [Int: PredicateEvaluator<RecordedObject>]

    package init(_ filter: ChangeFilter, model: Model) {
        self.filter = filter
        self.model = model
        evaluators = filter.condition?.evaluators(model) ?? [:]
    }

    /// The changes told of a save, in their order.
    package func told(of transaction: HistoryTransaction) -> [ToldChange] {
        guard filter.isPartial else { return transaction.changes.map { ToldChange(change: $0) } }
        return transaction.changes.compactMap(told)
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
        // What was or is nobody knows: it may concern who listens, so it is told.
        default: return ToldChange(change: change)
        }
    }

    /// A predicate that cannot be evaluated on an object, a MATCHES that runs too long, lets its
    /// change through: no event is lost by it.
    private func holds(
        _ evaluator: PredicateEvaluator<RecordedObject>, _ snapshot: Snapshot
    ) -> Bool {
        do throws(PredicateError) {
            return try evaluator.evaluate(RecordedObject(snapshot, model))
        } catch {
            return true
        }
    }

    /// An update whose keys nobody knows may have changed any of them.
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
    /// The property's name; nil for what this model does not have: a history can be older than it.
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
