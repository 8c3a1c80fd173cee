// Letting old history go: what is left tells what it told, and nothing else is touched.

import Foundation
import SteleGraph
import SteleModel
import StelePersistence
import SteleSQLite
import TestSupport
import Testing

@Suite struct HistoryDeletionTests {
    enum Kind: CaseIterable { case memory, sqlite }

    private let folder: TemporaryFolder
    private let model: Model

    init() throws {
        folder = try TemporaryFolder()
        model = try sampleModel("League")
    }

    private func open(_ kind: Kind) throws -> any PersistentStore {
        kind == .memory
            ? InMemoryStore(model: model) : try SQLiteStore.open(path: folder.store, model: model)
    }

    /// Inserts, updates of a few objects again and again, links and deletes.
    private func fill(_ store: any PersistentStore, saves: Int) throws {
        let coordinator = PersistentStoreCoordinator(store: store)
        let team = try #require(model.entity(named: "Team"))
        let player = try #require(model.entity(named: "Player"))
        let toTeam = try #require(player.relationship(named: "team"))
        let context = coordinator.newContext()
        let home = try context.insert(team)
        home["name"] = .string("Home")
        try context.save()
        var players: [ManagedObject] = []
        for index in 1..<saves {
            switch index % 4 {
            case 0 where players.count > 2: try context.delete(players.removeFirst())
            case 1:
                let new = try context.insert(player)
                new["name"] = .string("\(index)")
                try new.setToOne(toTeam, home)
                players.append(new)
            default:
                home["city"] = .string(String(repeating: "\(index) ", count: 20))
                players.last?["goals"] = .int(Int64(index))
            }
            try context.save()
        }
    }

    private func history(_ store: any PersistentStore) throws -> [String] {
        let reader = try store.reader()
        defer { reader.close() }
        return try reader.history(after: 0, limit: .max >> 8, values: true).map { "\($0)" }
    }

    private func first(_ store: any PersistentStore) throws -> Int64? {
        let reader = try store.reader()
        defer { reader.close() }
        return try reader.oldestTransaction()
    }

    @Test(arguments: Kind.allCases)
    func whatIsLeftTellsWhatItTold(_ kind: Kind) throws {
        let store = try open(kind)
        defer { store.close() }
        try fill(store, saves: 60)
        let whole = try history(store)
        #expect(whole.count == 60)
        #expect(try store.deleteHistory(before: 0, limit: 10) == 0)
        #expect(try store.deleteHistory(before: 21, limit: 8) == 8)
        #expect(try first(store) == 9)
        #expect(try history(store) == Array(whole.dropFirst(8)))
        #expect(try store.deleteHistory(before: 21, limit: 100) == 12)
        #expect(try store.deleteHistory(before: 21, limit: 100) == 0)
        #expect(try history(store) == Array(whole.dropFirst(20)))
        // What comes after goes on where it was, and is told as well.
        try fill(store, saves: 10)
        let grown = try history(store)
        #expect(grown.count == 50 && grown.prefix(40) == whole.dropFirst(20))
        #expect(try store.deleteHistory(before: 1_000, limit: 1_000) == 50)
        #expect(try first(store) == nil && history(store).isEmpty)
        try fill(store, saves: 2)
        #expect(try first(store) == 71)
    }

    @Test func nothingIsLeftBehindInTheFile() throws {
        let store = try open(.sqlite)
        // Enough that images have places.
        let coordinator = PersistentStoreCoordinator(store: store)
        let team = try #require(model.entity(named: "Team"))
        let context = coordinator.newContext()
        let teams = try (0..<500).map { _ in try context.insert(team) }
        for round in 0..<12 {
            for team in teams { team["name"] = .string("\(round)") }
            try context.save()
        }
        let raw = try RawDatabase(folder.store)
        func count(_ table: String) throws -> Int {
            try #require(raw.texts("SELECT COUNT(*) FROM \(table)").first.flatMap { Int($0) })
        }
        #expect(try count("STELE_BEFOREIMAGE") == 5_500)
        #expect(try count("STELE_IMAGEPLACE") > 4_096)
        #expect(try store.deleteHistory(before: 11, limit: 100) == 10)
        #expect(try count("ATRANSACTION") == 2)
        #expect(try count("ACHANGE") == 1_000)
        #expect(try count("STELE_BEFOREIMAGE") == 1_000)
        let orphans =
            "STELE_IMAGEPLACE WHERE ZFAMILY > 0 AND ZIMAGE NOT IN (SELECT Z_PK FROM STELE_BEFOREIMAGE)"
        #expect(try count(orphans) == 0)
        #expect(try count("ZTEAM") == 500)
        teams[0]["name"] = .string("last")
        try context.save()
        let reader = try store.reader()
        defer { reader.close() }
        let told = try reader.history(after: 0, limit: 10, values: true)
        #expect(told.map(\.number) == [11, 12, 13])
        #expect(told[0].changes[0].snapshot?.value("name", in: model) == .string("10"))
        #expect(told[2].changes[0].before?.count == 1)
        reader.close()
        store.close()
        #expect(try raw.texts("PRAGMA integrity_check") == ["ok"])
    }

    @Test(arguments: Kind.allCases)
    func ageAndSizeSayWhatIsToGo(_ kind: Kind) throws {
        let store = try open(kind)
        defer { store.close() }
        let before = Date().timeIntervalSinceReferenceDate
        try fill(store, saves: 40)
        func firstToKeep(_ time: Double?, _ bytes: Int?) throws -> Int64 {
            let reader = try store.reader()
            defer { reader.close() }
            return try reader.firstTransactionToKeep(since: time, bytes: bytes)
        }
        #expect(try firstToKeep(before - 1, nil) <= 1)
        #expect(try firstToKeep(before + 3_600, nil) == 41)
        #expect(try firstToKeep(nil, 1 << 30) <= 1)
        let half = try firstToKeep(nil, 8_000)
        #expect(half > 5 && half < 40, "\(half)")
        #expect(try firstToKeep(nil, 4_000) > half)
        #expect(try firstToKeep(before + 3_600, 1 << 30) == 41)
        #expect(try firstToKeep(nil, 0) >= 40)
    }
}
