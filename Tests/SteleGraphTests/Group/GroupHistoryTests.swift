// The history of a group of stores, over restarts and deletions.

import TestSupport
import Testing

@testable import SteleGraph
@testable import StelePersistence

@Suite struct GroupHistoryTests {
    private let two = ["Notes", "Passwords"]

    @Test func theHistoryGoesOnAfterARestart() throws {
        let folder = try TemporaryFolder()
        var stage: GroupStage? = try GroupStage(two, in: folder)
        for number in 1...5 {
            try stage?.change {
                try GroupStage.insert(number % 2 == 0 ? "Note" : "System", "\(number)", in: $0)
            }
        }
        let line = try #require(stage?.coordinator.store.historyLine)
        let generation = line.generation(of: 3)
        stage = nil
        let again = try GroupStage(two, in: folder)
        #expect(again.coordinator.currentToken == 5)
        #expect(again.coordinator.store.historyLine.has(generation, 3))
        try again.change { try GroupStage.insert("Note", "6", in: $0) }
        #expect(
            try again.read { try $0.history(after: 3, limit: 9, values: false) }.map(\.number)
                == [4, 5, 6])
        #expect(again.coordinator.store.historyLine.generation(of: 6) != generation)
    }

    /// A store that is closed with the others gives out the next numbers when it is opened alone.
    @Test func aSaveToOneStoreAloneIsAfterTheSavesOfAll() throws {
        let folder = try TemporaryFolder()
        var stage: GroupStage? = try GroupStage(two, in: folder)
        for name in ["System", "Note", "Note"] {
            try stage?.change { try GroupStage.insert(name, name, in: $0) }
        }
        let line = try #require(stage?.coordinator.store.historyLine)
        let generation = line.generation(of: 3)
        stage = nil
        let alone = PersistentStoreCoordinator(
            store: try #require(try GroupStage.stores(["Passwords"], in: folder).first))
        let context = ManagedObjectContext(alone)
        try GroupStage.insert("System", "alone", in: context)
        #expect(try context.save().token == 4)
        alone.store.close()
        let again = try GroupStage(two, in: folder)
        #expect(again.coordinator.store.historyLine.has(generation, 3))
        #expect(!again.coordinator.store.historyLine.has(generation, 4))
        #expect(
            try again.read { try $0.history(after: 3, limit: 9, values: false) }.map(\.number)
                == [4])
    }

    /// The last tokens are valid after restarts, whichever store has the last save.
    @Test func theLastTokenIsValidAfterRestarts() throws {
        let folder = try TemporaryFolder()
        var tokens: [(generation: String, number: Int64)] = []
        for names in [["System", "Note", "Note"], [], ["System"], []] {
            let stage = try GroupStage(two, in: folder)
            let line = stage.coordinator.store.historyLine
            for token in tokens { #expect(line.has(token.generation, token.number)) }
            for name in names { try stage.change { try GroupStage.insert(name, name, in: $0) } }
            let last = stage.coordinator.currentToken
            tokens.append((line.generation(of: last), last))
        }
        #expect(tokens.map(\.number) == [3, 3, 4, 4])
    }

    /// The numbers of one store have gaps, so its limits say nothing of the others' saves.
    @Test(arguments: [StoreKind.sqlite, .memory])
    func historyIsDeletedInAllStoresUpToTheSameSave(_ kind: StoreKind) throws {
        let stage = try GroupStage(two, kind)
        for number in 0..<30 {
            try stage.change {
                try GroupStage.insert(
                    number % 3 == 2 || number < 10 ? "Note" : "System", "x", in: $0)
            }
        }
        // The first save of Passwords is number 11. Nothing is too old or too large.
        #expect(try stage.read { try $0.firstTransactionToKeep(since: 0, bytes: nil) } <= 1)
        #expect(try stage.read { try $0.firstTransactionToKeep(since: nil, bytes: 1 << 30) } <= 1)
        while try stage.coordinator.store.deleteHistory(before: 25, limit: 4) > 0 {
            let left = try stage.history().map(\.number)
            #expect(left == Array((left.first ?? 0)...30))
            #expect(try stage.read { try $0.oldestTransaction() } == left.first)
        }
        #expect(try stage.history().map(\.number) == Array(25...30))
    }
}
