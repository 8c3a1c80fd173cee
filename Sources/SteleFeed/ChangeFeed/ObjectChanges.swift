/// All that a save has changed of one object.

import SteleModel
import StelePersistence

/// The changes of an object by one save, which are several where an import has changed it in several
/// of its parts. The feed of a role has them as one: of the states between them it is not known whether
/// it may see them.
struct ObjectChanges {
    private let first: HistoryChange
    private let last: HistoryChange
    /// All of them, where there are several.
    private let several: [HistoryChange]
    /// What they have changed together, where there are several.
    private let merged: [BeforeValue]?

    init(_ change: HistoryChange) {
        (first, last, several, merged) = (change, change, [], change.before)
    }

    /// - Parameter changes: in their order, at least one.
    init(_ changes: [HistoryChange], in model: Model) {
        first = changes[0]
        last = changes[changes.count - 1]
        merged = Self.merged(changes, model)
        several = changes.count == 1 ? [] : changes
    }

    private var isOne: Bool { several.isEmpty }

    var entity: Int { last.entity }

    /// The object before the save; nil where it did not exist, or is not known.
    func before(in model: Model) -> Snapshot? {
        switch first.kind {
        case .insert: nil
        case .update: first.snapshotBefore(in: model)
        case .delete: first.snapshot
        }
    }

    /// The object after the save; nil where it does not exist, or is not known.
    var after: Snapshot? { last.snapshotAfter }

    /// The index of the first change for which a condition holds; that of the last one for none.
    /// - Throws: as the closure.
    func firstIndex(
        where holds: (HistoryChange) throws(StoreError) -> Bool
    ) throws(StoreError) -> Int {
        for (index, change) in several.enumerated() where try holds(change) { return index }
        return lastIndex
    }

    var lastIndex: Int { max(several.count - 1, 0) }

    /// The changes as those of an object that was visible before or is visible now; nil for another
    /// one, and for an update of nothing.
    func change(
        wasVisible: Bool, isVisible: Bool, in model: Model
    ) -> HistoryChange? {
        var change = last
        switch (wasVisible, isVisible) {
        case (false, false): return nil
        case (true, true):
            if isOne { return last }
            change.kind = .update
            change.before = merged?.filter { !isTakenBack($0) }
            if change.before?.isEmpty == true { return nil }
        case (false, true):
            change.kind = .insert
            change.before = nil
        case (true, false):
            change.kind = .delete
            change.before = nil
            change.snapshot = before(in: model)
            // The version after it may count changes that are not visible.
            change.version = change.snapshot?.version ?? change.version
        }
        return change
    }

    /// Whether a value is after all what it was.
    private func isTakenBack(_ value: BeforeValue) -> Bool {
        guard case .slot(let slot, let was) = value, let values = last.snapshot?.values,
            values.indices.contains(slot)
        else { return false }
        return values[slot] == was
    }

    /// The values before the first change of each property, and the members that were added and
    /// removed by all; nil where they are not known.
    private static func merged(
        _ changes: [HistoryChange], _ model: Model
    ) -> [BeforeValue]? {
        var slots: [Int: Value] = [:]
        var members: [Int: MemberChanges] = [:]
        for change in changes {
            guard let before = change.before else { return nil }
            for value in before {
                switch value {
                case .slot(let slot, let was): slots[slot] = slots[slot] ?? was
                case .members(let relationship, let added, let removed):
                    let isKnown = model.relationships.indices.contains(relationship)
                    let isOrdered = isKnown && model.relationships[relationship].isOrdered
                    members[relationship, default: MemberChanges(isOrdered: isOrdered)]
                        .add(added, removed)
                }
            }
        }
        return slots.sorted { $0.key < $1.key }.map { .slot($0.key, $0.value) }
            + members.sorted { $0.key < $1.key }.compactMap { $0.value.value(of: $0.key) }
    }
}

/// The members that several changes have added to a relationship and removed from it.
private struct MemberChanges {
    private var added: Set<Int64> = []
    private var removed: Set<Int64> = []
    private let isOrdered: Bool
    /// Whether their order may have changed as well.
    private var mayBeReordered = false

    init(isOrdered: Bool) { self.isOrdered = isOrdered }

    mutating func add(_ new: [Int64], _ gone: [Int64]) {
        if new.isEmpty, gone.isEmpty { mayBeReordered = true }
        for key in gone where added.remove(key) == nil { removed.insert(key) }
        // What is added again was removed before, and may have another place.
        for key in new {
            if removed.remove(key) == nil {
                added.insert(key)
            } else if isOrdered {
                mayBeReordered = true
            }
        }
    }

    /// Nil where the members are what they were.
    func value(of relationship: Int) -> BeforeValue? {
        if added.isEmpty, removed.isEmpty, !mayBeReordered { return nil }
        return .members(
            relationship: relationship, added: added.sorted(), removed: removed.sorted())
    }
}
