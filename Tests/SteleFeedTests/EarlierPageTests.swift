// Pages of the history that end at a save, with `until`.

import SteleHTTP
import Testing

@testable import SteleFeed
@testable import SteleRequests

@Suite struct EarlierPageTests {
    private func tokens(_ numbers: some Sequence<Int>) -> [String] {
        numbers.map { "7f3a09c1-\($0)" }
    }

    /// A history of people, with a team at each tenth save.
    private func stage(
        saves: Int, _ change: (inout ChangeFeed.Options) -> Void = { _ in }
    ) throws -> Stage {
        let stage = try Stage(change)
        for key in 1...saves {
            let entity = key % 10 == 0 ? stage.staff.team : stage.staff.person
            stage.store.commit([stage.staff.insert(entity, Int64(key))])
        }
        return stage
    }

    @Test func pagesLeadBackToTheOldestSave() throws {
        let stage = try stage(saves: 25)
        #expect(
            try stage.pages("limit=10&until=7f3a09c1-25")
                == [tokens(16...25), tokens(6...15), tokens(1...5)])
        #expect(try stage.pages("until=7f3a09c1-25") == [tokens(1...25)])
        #expect(try stage.pages("limit=10&until=7f3a09c1-20") == [tokens(11...20), tokens(1...10)])
        #expect(try stage.pages("until=7f3a09c1-0") == [[]])
        #expect(try stage.pages("until=0") == [[]])
        #expect(try Stage().pages("until=7f3a09c1-0") == [[]])
    }

    /// The pages backwards have the saves of the page forwards, as they are there.
    @Test(arguments: ["", "&entity=Team", "&values=true", "&entity=Person&where=name==%22Ann%22"])
    func theyHaveWhatThePagesForwardsHave(_ filter: String) throws {
        let stage = try stage(saves: 300)
        stage.store.commit([stage.staff.delete(stage.staff.team, 10)])
        for limit in [1, 7, 100] {
            let forwards = try stage.pages("limit=\(limit)\(filter)").flatMap(\.self)
            let backwards = try stage.pages("limit=\(limit)\(filter)&until=7f3a09c1-301")
            #expect(backwards.reversed().flatMap(\.self) == forwards, "\(limit)")
            #expect(backwards.dropLast().allSatisfy { $0.count == limit }, "\(limit)")
        }
        let (page, _) = try stage.page("limit=3\(filter)&until=7f3a09c1-301")
        let first = try #require(Stage.transactions(page).first?.split(separator: "-").last)
        let before = try #require(Int(first)) - 1
        let (since, _) = try stage.pageBytes("limit=3\(filter)&since=7f3a09c1-\(before)")
        let (until, _) = try stage.pageBytes("limit=3\(filter)&until=7f3a09c1-301")
        #expect(since == until)
    }

    @Test func aPageEndsWhereEnoughHasBeenRead() throws {
        let stage = try stage(saves: 1_000) { $0.pageSaves = 300 }
        let before = stage.store.reads.withLock { $0 }
        let pages = try stage.pages("entity=Team&limit=500&until=7f3a09c1-1000")
        #expect(stage.store.reads.withLock { $0 } - before < 60)
        #expect(pages.count > 2 && pages.reversed().flatMap(\.self).count == 100)
        #expect(pages.allSatisfy { $0.count <= 60 }, "\(pages.map(\.count))")
    }

    @Test func pagesAreBoundedInBytes() throws {
        let stage = try Stage()
        let name = String(repeating: "x", count: 600_000)
        for key in 1...30 {
            stage.store.commit([stage.staff.insert(stage.staff.person, Int64(key), name: name)])
        }
        let pages = try stage.pages("values=true&limit=1000&until=7f3a09c1-30")
        #expect(pages.allSatisfy { (1...8).contains($0.count) }, "\(pages.map(\.count))")
        #expect(pages.reversed().flatMap(\.self) == tokens(1...30))
    }

    /// What was deleted from the history is not there, which is no error: the page ends before it.
    @Test func theyEndWithTheOldestSaveKept() throws {
        let stage = try stage(saves: 30)
        stage.store.purge(through: 12)
        #expect(
            try stage.pages("limit=10&until=7f3a09c1-30") == [tokens(21...30), tokens(13...20)])
        #expect(try stage.pages("until=7f3a09c1-12") == [[]])
        stage.store.purge(through: 30)
        #expect(try stage.pages("until=7f3a09c1-30") == [[]])
    }

    @Test func tokensThatCannotBeUsedAreRefused() throws {
        let stage = try stage(saves: 9)
        func problem(_ query: String) -> Problem? {
            do {
                _ = try stage.page(query)
                return nil
            } catch {
                return error as? Problem
            }
        }
        #expect(problem("until=7f3a09c1-10")?.status == 410)
        #expect(problem("until=ffffffff-5")?.kind.text == "134301")
        #expect(problem("until=nonsense")?.status == 400)
        #expect(problem("until=nonsense")?.hint == "until=7f3a09c1-9 ends with the newest save")
        #expect(problem("until=7f3a09c1-5&since=7f3a09c1-2")?.status == 400)
        let query = try Query(
            "until=7f3a09c1-5", for: Parameter.changes, limits: Limits())
        #expect(throws: Problem.self) {
            try stage.feed.answer(Request(method: "GET", path: "/changes"), query, as: .events)
        }
    }
}
