// Several changes of an object by one save, told as one.

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

    private func told(_ changes: [HistoryChange]) -> HistoryChange? {
        ObjectChanges(changes, in: model).told(true, true, in: model)
    }

    @Test func theFirstValueBeforeAndTheLastOneCount() throws {
        let told = try told([
            change(.update, "b", was: [title("a")], at: 3),
            change(.update, "c", was: [title("b")], at: 9),
        ])
        #expect(told?.position == 9 && told?.kind == .update)
        #expect(try told?.before == [title("a")])
    }

    @Test func whatIsTakenBackIsNoChange() throws {
        #expect(
            try told([
                change(.update, "b", was: [title("a")], at: 3),
                change(.update, "a", was: [title("b")], at: 9),
            ]) == nil)
        #expect(
            try told([
                change(.update, "a", was: [members("tags", added: [1], removed: [2])], at: 3),
                change(.update, "a", was: [members("tags", added: [2], removed: [1])], at: 9),
            ]) == nil)
    }

    /// A member that is removed and added again may have another place.
    @Test func membersOfAnOrderedRelationshipThatComeBackMayBeReordered() throws {
        let told = try told([
            change(.update, "a", was: [members("comments", removed: [1, 2])], at: 3),
            change(.update, "a", was: [members("comments", added: [2, 1])], at: 9),
        ])
        #expect(try told?.before == [members("comments")])
    }

    @Test func anInsertAndItsUpdatesAreOneInsert() throws {
        let changes = try ObjectChanges(
            [change(.insert, "a", at: 3), change(.update, "b", was: [title("a")], at: 9)],
            in: model)
        #expect(changes.before(in: model) == nil)
        let told = changes.told(false, true, in: model)
        #expect(told?.kind == .insert && told?.position == 9 && told?.before == nil)
        #expect(changes.told(false, false, in: model) == nil)
    }

    @Test func aDeletionHasTheObjectOfBefore() throws {
        let changes = try ObjectChanges(
            [
                change(.update, "b", was: [title("a")], at: 3), change(.delete, "b", at: 9),
            ], in: model)
        #expect(changes.after == nil)
        let told = changes.told(true, false, in: model)
        let slot = try #require(document.attribute(named: "title")).slot
        #expect(told?.kind == .delete && told?.snapshot?.values[slot] == .string("a"))
    }
}
