// Several changes of an object by one save, as one change.

import SteleModel
import StelePersistence
import TestSupport
import Testing

@testable import SteleFeed

@Suite struct ObjectChangesTests {
    private let model: Model
    private let document: Entity

    init() throws {
        model = try RightsModel.model()
        document = try #require(model.entity(named: "Document"))
    }

    private func change(
        _ kind: ObjectChange.Kind, _ title: String, was: [BeforeValue]? = nil, at position: Int64
    ) throws -> HistoryChange {
        let slot = try #require(document.attribute(named: "title")).slot
        var values = [Value](repeating: .null, count: document.slots.count)
        values[slot] = .string(title)
        var change = HistoryChange(
            kind: kind, entity: document.index, key: 1, version: position, before: was,
            snapshot: Snapshot(entity: document.index, key: 1, version: position, values: values))
        change.position = position
        return change
    }

    private func title(_ text: String) throws -> BeforeValue {
        .slot(try #require(document.attribute(named: "title")).slot, .string(text))
    }

    private func members(
        _ name: String, added: [Int64] = [], removed: [Int64] = []
    ) throws -> BeforeValue {
        let relationship = try #require(document.relationship(named: name))
        return .members(relationship: relationship.index, added: added, removed: removed)
    }

    private func merged(_ changes: [HistoryChange]) -> HistoryChange? {
        ObjectChanges(changes, in: model).change(wasVisible: true, isVisible: true, in: model)
    }

    @Test func theFirstValueBeforeAndTheLastOneCount() throws {
        let merged = try merged([
            change(.update, "b", was: [title("a")], at: 3),
            change(.update, "c", was: [title("b")], at: 9),
        ])
        #expect(merged?.position == 9 && merged?.kind == .update)
        #expect(try merged?.before == [title("a")])
    }

    @Test func aPropertyThatIsChangedBackIsNoChange() throws {
        #expect(
            try merged([
                change(.update, "b", was: [title("a")], at: 3),
                change(.update, "a", was: [title("b")], at: 9),
            ]) == nil)
        #expect(
            try merged([
                change(.update, "a", was: [members("tags", added: [1], removed: [2])], at: 3),
                change(.update, "a", was: [members("tags", added: [2], removed: [1])], at: 9),
            ]) == nil)
    }

    /// A member that is removed and added again may have another place.
    @Test func membersOfAnOrderedRelationshipThatComeBackMayBeReordered() throws {
        let merged = try merged([
            change(.update, "a", was: [members("comments", removed: [1, 2])], at: 3),
            change(.update, "a", was: [members("comments", added: [2, 1])], at: 9),
        ])
        #expect(try merged?.before == [members("comments")])
    }

    @Test func anInsertAndItsUpdatesAreOneInsert() throws {
        let changes = try ObjectChanges(
            [change(.insert, "a", at: 3), change(.update, "b", was: [title("a")], at: 9)],
            in: model)
        #expect(changes.before(in: model) == nil)
        let merged = changes.change(wasVisible: false, isVisible: true, in: model)
        #expect(merged?.kind == .insert && merged?.position == 9 && merged?.before == nil)
        #expect(changes.change(wasVisible: false, isVisible: false, in: model) == nil)
    }

    @Test func aDeletionHasTheObjectOfBefore() throws {
        let changes = try ObjectChanges(
            [
                change(.update, "b", was: [title("a")], at: 3), change(.delete, "b", at: 9),
            ], in: model)
        #expect(changes.after == nil)
        let merged = changes.change(wasVisible: true, isVisible: false, in: model)
        let slot = try #require(document.attribute(named: "title")).slot
        #expect(merged?.kind == .delete && merged?.snapshot?.values[slot] == .string("a"))
    }
}
