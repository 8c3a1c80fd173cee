// The history in pieces, on every store: together they are the history as it is read whole.

import StelePersistence
import TestSupport
import Testing

@testable import SteleGraph

@Suite struct HistoryPieceTests {
    /// Saves of one to thirty changes: inserts, updates with links, and deletions.
    private func fill(_ fixture: Fixture, _ numbers: inout SeededNumbers) throws {
        var kept: [ObjectID] = []
        for save in 1...12 {
            let context = fixture.context()
            for index in 0..<(1 + numbers.below(25)) {
                let name = numbers.one(in: 2) ? "Person" : "Team"
                let object = try context.insert(try fixture.entity(name))
                object["name"] = .string("\(save).\(index)")
            }
            for id in kept where numbers.one(in: 6) {
                guard let object = try context.existingObject(with: id) else { continue }
                if numbers.one(in: 3) {
                    try context.delete(object)
                } else {
                    object["name"] = .string("changed in \(save)")
                }
            }
            try context.save()
            let reader = try fixture.store.reader()
            defer { reader.close() }
            let last = try reader.history(after: Int64(save - 1), limit: 1, values: false)
            for change in last.first?.changes ?? [] where change.kind == .insert {
                let root = fixture.model.entities[change.entity].root
                kept.append(ObjectID(root: root, key: change.key))
            }
        }
    }

    /// Reads from a position to the end, with limits that are drawn anew each time.
    private func pieces(
        _ reader: any StoreReader, after start: HistoryPosition, values: Bool,
        _ numbers: inout SeededNumbers
    ) throws -> [HistoryTransaction] {
        var found: [HistoryTransaction] = []
        var position = start
        while true {
            let (limit, changes) = (1 + numbers.below(5), 1 + numbers.below(20))
            let piece = try reader.history(
                after: position, limit: limit, changes: changes, values: values)
            #expect(piece.saves.count <= limit)
            #expect(piece.saves.reduce(0) { $0 + $1.changes.count } <= changes)
            #expect(piece.saves.dropLast().allSatisfy { $0.rest == nil })
            for var save in piece.saves {
                position = HistoryPosition(after: save.number, change: save.rest)
                if let rest = save.rest, let last = save.changes.last {
                    #expect(last.position == rest)
                }
                save.rest = nil
                if found.last?.number == save.number {
                    found[found.count - 1].changes += save.changes
                } else {
                    found.append(save)
                }
            }
            if !piece.hasMore { return found }
            // Nothing but the end of a save, or of the history.
            if piece.saves.isEmpty { return found }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func piecesAreTheHistoryThatIsReadWhole(_ kind: StoreKind) throws {
        var numbers = SeededNumbers(seed: 12)
        let fixture = try Fixture(try makeLeague(), kind)
        try fill(fixture, &numbers)
        let reader = try fixture.store.reader()
        defer { reader.close() }
        for values in [false, true] {
            let whole = try reader.history(after: 0, limit: .max, values: values)
            #expect(whole.count == 12 && whole.allSatisfy { $0.rest == nil })
            for save in whole {
                let positions = save.changes.map(\.position)
                #expect(positions.first == 1 && zip(positions, positions.dropFirst()).allSatisfy(<))
            }
            for _ in 0..<20 {
                let found = try pieces(
                    reader, after: HistoryPosition(after: 0), values: values, &numbers)
                #expect(found.map { "\($0)" } == whole.map { "\($0)" }, "seed 12")
            }
            // From any position within a save on.
            for _ in 0..<40 {
                let save = whole[numbers.below(whole.count)]
                let index = numbers.below(save.changes.count + 1)
                let start = index == 0 ? 0 : save.changes[index - 1].position
                let found = try pieces(
                    reader, after: HistoryPosition(after: save.number, change: start),
                    values: values, &numbers)
                var first = save
                first.changes.removeFirst(index)
                let rest = [first] + whole.filter { $0.number > save.number }
                #expect(found.map { "\($0)" } == rest.map { "\($0)" }, "seed 12")
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aPositionThatTheHistoryDoesNotHaveGivesNothing(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        _ = try fixture.insert("Team", count: 3)
        let reader = try fixture.store.reader()
        defer { reader.close() }
        // Also beyond what the stores of a group have.
        for change in [7, 1 << 39, 1 << 40, 5 << 41, 1 << 61] as [Int64] {
            let beyond = try reader.history(
                after: HistoryPosition(after: 1, change: change), limit: 1, changes: 9,
                values: true)
            #expect(beyond.saves.map(\.number) == [1], "\(change)")
            #expect(beyond.saves.allSatisfy { $0.changes.isEmpty && $0.rest == nil }, "\(change)")
        }
        for position in [HistoryPosition(after: 5, change: 0), HistoryPosition(after: 5)] {
            let none = try reader.history(after: position, limit: 9, changes: 9, values: true)
            #expect(none.saves.isEmpty && !none.hasMore)
        }
        let highest = try reader.history(
            after: HistoryPosition(after: 1, change: .max), limit: 1, changes: 9, values: true)
        #expect(highest.saves.allSatisfy { $0.changes.isEmpty })
    }

    /// A save of more changes than a stretch holds is alone in it; those around it are whole.
    @Test(arguments: StoreKind.allCases)
    func aLargeSaveIsCutAndNoOther(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        for count in [3, HistoryStretch.mostChanges, HistoryStretch.mostChanges + 1, 2] {
            _ = try fixture.insert("Team", count: count)
        }
        let reader = try fixture.store.reader()
        defer { reader.close() }
        var last: Int64 = 0
        var found: [[Int64]] = []
        var cut: [Int64] = []
        while true {
            let next = try HistoryStretch(reader, after: last, values: true)
            found.append(next.saves.map(\.number))
            if let save = next.cut {
                cut.append(save.number)
                #expect(save.changes.count == HistoryStretch.mostChanges)
                var rest = try #require(SaveRest(save))
                #expect(try rest.next(reader, values: true)?.changes.count == 1)
                #expect(rest.position == nil)
            }
            guard !next.isLast, let end = next.saves.last else { break }
            last = end.number
        }
        #expect(found.flatMap(\.self) == [1, 2, 3, 4] && cut == [3])
        #expect(found.contains([3]))
        #expect(try reader.history(after: 2, through: 4, changes: 1_002, bytes: .max) == nil)
        let all = try reader.history(after: 2, through: 4, changes: 1_003, bytes: .max)
        #expect(all?.map(\.changes.count) == [1_001, 2])
    }
}
