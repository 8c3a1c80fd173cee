// Readers with a budget: what costs more is broken off, and not tried again at once.

import Dispatch
import SteleModel
import StelePersistence
import StelePredicates
import SteleSystem
import TestSupport
import Testing

@testable import SteleSQLite

@Suite struct BudgetTests {
    private static let budget = ReadBudget(steps: 40_000, nanoseconds: 10_000_000_000)

    /// A store with many players.
    private func store(_ folder: TemporaryFolder, players: Int = 20_000) throws -> SQLiteStore {
        let store = try SQLiteStore.open(path: folder.store, model: sampleModel("League"))
        let player = try #require(store.model.entity(named: "Player"))
        var request = SaveRequest(readToken: 0)
        request.changes = (1...players).map { number in
            ObjectChange(
                .insert, entity: player.index, key: Int64(-number),
                values: player.row(["name": .string("Player \(number)"), "goals": .int(1)]))
        }
        _ = try store.save(request)
        return store
    }

    private func request(_ store: SQLiteStore, _ text: String) throws -> FetchRequest {
        var request = FetchRequest(
            entity: try #require(store.model.entity(named: "Player")))
        request.predicate = try Predicate(format: text)
        return request
    }

    /// A count under a budget; nil where it was refused for it.
    private func count(
        _ store: SQLiteStore, _ text: String, within budget: ReadBudget? = budget
    ) throws -> Int? {
        do {
            let reader = try store.reader(budget: budget)
            defer { reader.close() }
            return try reader.count(request(store, text))
        } catch StoreError.overBudget {
            return nil
        }
    }

    @Test func whatCostsMoreThanTheBudgetIsBrokenOff() throws {
        let folder = try TemporaryFolder()
        let store = try store(folder)
        defer { store.close() }
        #expect(try count(store, "_id == 7") == 1)
        #expect(try count(store, "name CONTAINS '19'") == nil)
        let reader = try store.reader()
        defer { reader.close() }
        #expect(try reader.count(request(store, "name CONTAINS '19'")) > 0, "without one it ends")
    }

    @Test func theBudgetIsForAllReadingTogether() throws {
        let folder = try TemporaryFolder()
        let store = try store(folder, players: 2_000)
        defer { store.close() }
        let reader = try store.reader(budget: Self.budget)
        defer { reader.close() }
        var reads = 0
        #expect(throws: StoreError.self) {
            while reads < 1_000 {
                _ = try reader.count(request(store, "goals == 1 AND name != 'x'"))
                reads += 1
            }
        }
        #expect(reads > 0 && reads < 100, "\(reads)")
    }

    @Test func aStatementThatWasBrokenOffIsRefusedForAWhile() throws {
        let folder = try TemporaryFolder()
        let store = try store(folder)
        defer { store.close() }
        // The same statement: short where the number of the first player is asked for.
        #expect(try count(store, "goals == 1 AND name ENDSWITH '1' AND _id < 5") == 1)
        #expect(try count(store, "goals == 1 AND name ENDSWITH '1' AND _id < 19000") == nil)
        var refused = 0
        while try count(store, "goals == 1 AND name ENDSWITH '1' AND _id < 5") == nil {
            refused += 1
            try #require(refused < 100)
        }
        #expect(refused >= 8)
    }

    @Test func aBudgetOfAnotherThreadHasItsOwnRefusals() throws {
        let folder = try TemporaryFolder()
        let store = try store(folder)
        defer { store.close() }
        let short = ReadBudget(
            steps: 100_000, nanoseconds: 10_000_000_000, mayWait: true, beginsElsewhere: true)
        let judging = ReadBudget(steps: 100_000, nanoseconds: 10_000_000_000, mayWait: true)
        // What is interrupted within a millisecond is not to blame: folding takes longer, in as many
        // steps, on a fast machine too.
        func text(_ bound: Int) -> String {
            "goals == 1 AND name ENDSWITH[cd] '1' AND _id < \(bound)"
        }
        // Too slow for a thread that must not wait, and not for a reader.
        #expect(try count(store, text(5_000)) == nil)
        #expect(try count(store, text(5_000), within: short) == 500)
        // Too slow for a reader: the next uses have to hurry there.
        #expect(try count(store, text(20_000), within: short) == nil)
        #expect(try count(store, text(5_000), within: short) == nil)
        #expect(try count(store, text(5), within: short) == 1, "what is short this time is read")
        #expect(try count(store, text(5)) == nil)
        // What does not begin again elsewhere does not hurry.
        #expect(try count(store, text(5_000), within: judging) == 500)
        #expect(try count(store, text(20_000), within: nil) == 2_000)
        for _ in 0..<100 { #expect(try count(store, text(5), within: short) == 1) }
        #expect(try count(store, text(5_000), within: short) == 500, "again after a while")
    }

    /// The next reader on the same connection has its own bounds, whoever still holds the cursor.
    @Test func aCursorKeptBeyondItsReaderTakesNoOtherReadersBudget() throws {
        let folder = try TemporaryFolder()
        let store = try store(folder)
        defer { store.close() }
        let first = try store.reader()
        var cursor: (any FetchCursor)? = try first.cursor(request(store, "goals == 1"))
        _ = try cursor?.next(10)
        first.close()
        let second = try store.reader(budget: Self.budget)
        defer { second.close() }
        cursor = nil
        #expect(throws: StoreError.self) {
            try second.count(request(store, "name CONTAINS '19'"))
        }
    }

    @Test func aSaveWithoutAThreadIsToldOfItsResult() throws {
        let folder = try TemporaryFolder()
        let store = try store(folder, players: 1)
        defer { store.close() }
        let team = try #require(store.model.entity(named: "Team"))
        let tokens = Mutex<[Int64]>([])
        let failures = Mutex<[String]>([])
        let told = DispatchSemaphore(value: 0)
        for number in 0..<100 {
            var request = SaveRequest(readToken: 1)
            request.changes = [
                ObjectChange(
                    .insert, entity: team.index, key: -1,
                    values: team.row(["name": .string("Team \(number)")]))
            ]
            store.save(request) { result in
                switch result {
                case .success(let saved): tokens.withLock { $0.append(saved.token) }
                case .failure(let error): failures.withLock { $0.append("\(error)") }
                }
                told.signal()
            }
        }
        for _ in 0..<100 { told.wait() }
        #expect(failures.withLock { $0 } == [])
        #expect(tokens.withLock { $0 } == (2...101).map(Int64.init), "in the order they came")
    }

    @Test func aClosedStoreTellsSoAtOnce() throws {
        let folder = try TemporaryFolder()
        let store = try store(folder, players: 1)
        store.close()
        let closed = Mutex(false)
        store.save(SaveRequest(readToken: 1)) { result in
            if case .failure(.closed) = result { closed.withLock { $0 = true } }
        }
        #expect(closed.withLock { $0 })
    }
}
