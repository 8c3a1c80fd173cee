/// The JSON form, and what the call refuses.

import SteleHTTP
import SteleJSON
import StelePersistence
import SteleSystem
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct PageTests {
    private func problem(_ stage: Stage, _ query: String) -> Problem? {
        do {
            _ = try stage.page(query)
            return nil
        } catch {
            return error as? Problem
        }
    }

    @Test func pagesFollowOneAnotherByTheirLinks() throws {
        let stage = try Stage { $0.basePath = "/api" }
        for key in 1...25 {
            stage.store.commit([stage.staff.insert(stage.staff.person, Int64(key))])
        }
        var query = "limit=10"
        var all: [String] = []
        for expected in [10, 10, 5] {
            let (node, link) = try stage.page(query)
            #expect(node.count == expected)
            all += Stage.transactions(node)
            #expect((link == nil) == (expected == 5))
            guard let link else { break }
            #expect(link.hasPrefix("</api/changes?") && link.hasSuffix(">; rel=\"next\""))
            query = String(link.dropFirst("</api/changes?".count).dropLast(">; rel=\"next\"".count))
        }
        #expect(all == (1...25).map { "7f3a09c1-\($0)" })
    }

    /// A thread that others wait for judges no longer than its budget, one save included.
    @Test func aSaveThatTakesLongLeavesTheThreadThatOthersWaitFor() throws {
        var limits = Limits()
        limits.slowFeedJudging = JudgingLimits(
            nanoseconds: 400_000_000, nanosecondsAChange: 0, matchNanoseconds: 50_000_000)
        let stage = try Stage(limits: limits)
        stage.store.commit([stage.staff.insert(stage.staff.person, 1, name: "aaa")])
        stage.store.commit(
            (2...41).map {
                stage.staff.insert(stage.staff.person, Int64($0), name: SlowName.endless)
            })
        func answer(_ query: String, within budget: ReadBudget?) throws -> Response {
            let query =
                "entity=Person&where=name%20MATCHES%20%22(a%2B)%2B%24%22" + query
            let request = Request(method: "GET", path: "/changes", query: query)
            let parsed = try Query(query, for: Parameter.changes, limits: limits)
            return try stage.feed.answer(request, parsed, as: .json, within: budget)
        }
        let budget = ReadBudget(steps: 1_000_000, nanoseconds: 100_000_000, mayWait: true)
        let start = ThreadClock.now
        let long = #expect(throws: StoreError.self) { try answer("", within: budget) }
        guard case .overBudget? = long else {
            Issue.record("\(String(describing: long))")
            return
        }
        #expect(ThreadClock.now - start < 300_000_000)
        // What is not known not to match is told.
        let whole = try answer("", within: nil)
        guard case .bytes(let bytes) = whole.body else { throw Stage.NoStream() }
        #expect(Stage.transactions(try JSONDocument(bytes).root) == ["7f3a09c1-1", "7f3a09c1-2"])
    }

    @Test func aFilteredPageIsFullWhereTheHistoryHasEnough() throws {
        let stage = try Stage()
        for key in 1...100 {
            let entity = key % 10 == 0 ? stage.staff.team : stage.staff.person
            stage.store.commit([stage.staff.insert(entity, Int64(key))])
        }
        let (node, link) = try stage.page("entity=Team&limit=4&values=true")
        #expect(Stage.transactions(node) == [10, 20, 30, 40].map { "7f3a09c1-\($0)" })
        #expect(
            link == "</changes?entity=Team&limit=4&values=true&since=7f3a09c1-40>; rel=\"next\"")
        #expect(node[0]?["changes"]?[0]?["object"]?["name"]?.string == "Ann")
        let (rest, last) = try stage.page("entity=Team&since=7f3a09c1-40")
        #expect(rest.count == 6 && last == nil)
        let (none, _) = try stage.page("since=7f3a09c1-100")
        #expect(none.kind == .array && none.count == 0)
    }

    /// Large saves make short pages, and are read a few at a time.
    @Test func pagesAreBoundedInBytes() throws {
        let stage = try Stage()
        let name = String(repeating: "x", count: 600_000)
        for key in 1...30 {
            stage.store.commit([stage.staff.insert(stage.staff.person, Int64(key), name: name)])
        }
        var query = "values=true&limit=1000"
        var all: [String] = []
        while true {
            let (node, link) = try stage.page(query)
            #expect((1...8).contains(node.count), "\(node.count)")
            all += Stage.transactions(node)
            guard let link else { break }
            query = String(link.dropFirst("</changes?".count).dropLast(">; rel=\"next\"".count))
        }
        #expect(all == (1...30).map { "7f3a09c1-\($0)" })
        let reader = try stage.store.reader()
        let large = try HistoryStretch(reader, after: 0, values: true)
        #expect((1...4).contains(large.saves.count) && !large.isLast)
        let small = try HistoryStretch(reader, after: 0, values: false)
        #expect(small.saves.count == 30 && small.isLast)
        // All at once, or none.
        #expect(try reader.history(after: 0, through: 30, bytes: 8 << 20) == nil)
        #expect(try reader.history(after: 0, through: 30, saves: 29, bytes: 32 << 20) == nil)
        #expect(try reader.history(after: 0, through: 30, changes: 29, bytes: 32 << 20) == nil)
        #expect(try reader.history(after: 0, through: 31, bytes: 32 << 20) == nil)
        for (start, end) in [(0, 30), (3, 11), (29, 30), (30, 30)] {
            let some = try reader.history(
                after: Int64(start), through: Int64(end), bytes: 32 << 20)
            #expect(some?.map(\.number) == (start..<end).map { Int64($0 + 1) })
            #expect(some?.allSatisfy { $0.changes.first?.snapshot != nil } == true)
        }
        // Those that are told live are let go of, and read from the history.
        var told = SavesToTell()
        for save in try reader.history(after: 0, limit: 30, values: true) {
            told.add([save], isKept: true)
            #expect(told.saves.reduce(0) { $0 + $1.bytes } <= SavesToTell.maximumBytes)
        }
        #expect(told.latest == 30 && told.saves.count < 30)
        var recent = RecentSaves()
        recent.add(try reader.history(after: 0, limit: 29, values: true))
        #expect(recent.saves(after: 29) == nil || recent.saves.count <= 1)
        recent.add(try reader.history(after: 29, limit: 1, values: true))
        #expect(recent.saves(after: 29)?.map(\.number) == [30] && recent.saves(after: 10) == nil)
    }

    /// Who polls with a filter goes on from where the history was looked at, told or not.
    @Test func anAnswerHasTheTokenToGoOnFrom() throws {
        let stage = try Stage()
        func place(_ query: String) throws -> String? {
            let request = Request(method: "GET", path: "/changes", query: query)
            let parsed = try Query(query, for: Parameter.changes, limits: Limits())
            let response = try stage.feed.answer(request, parsed, as: .json)
            return response.headers.first { $0.name == "Last-Event-ID" }?.value
        }
        #expect(try place("") == "7f3a09c1-0")
        for key in 1...30 {
            stage.store.commit([stage.staff.insert(stage.staff.person, Int64(key))])
        }
        // Who sends back what he was given, and follows a Link, means the Link.
        let followed = Request(
            method: "GET", path: "/changes", headers: HTTPHeaders([("Last-Event-ID", "7f3a09c1-3")])
        )
        let parsed = try Query("since=7f3a09c1-29", for: Parameter.changes, limits: Limits())
        let answer = try stage.feed.answer(followed, parsed, as: .json)
        guard case .bytes(let bytes) = answer.body else { throw Stage.NoStream() }
        #expect(
            Stage.transactions(try JSONDocument(String(decoding: bytes, as: UTF8.self)).root).count
                == 1)
        // What is wrong is told by the name of what was gone by.
        let wrong = try Query("since=nonsense", for: Parameter.changes, limits: Limits())
        let refused = #expect(throws: Problem.self) {
            try stage.feed.answer(followed, wrong, as: .json)
        }
        #expect(refused?.detail.hasPrefix("since is not a token") == true)
        let token = try #require(try place("entity=Team&since=7f3a09c1-2"))
        #expect(token == "7f3a09c1-30")
        #expect(try place("limit=10") == "7f3a09c1-10")
        #expect(try place("limit=10&since=7f3a09c1-20") == "7f3a09c1-30")
        #expect(try place("since=0") == "7f3a09c1-30")
        stage.store.purge(through: 30)
        #expect(problem(stage, "entity=Team&since=7f3a09c1-2")?.status == 410)
        #expect(try place("entity=Team&since=\(token)") == token)
        stage.store.commit([stage.staff.insert(stage.staff.team, 1)])
        let (node, _) = try stage.page("entity=Team&since=\(token)")
        #expect(Stage.transactions(node) == ["7f3a09c1-31"])
    }

    @Test func aPageEndsWhereEnoughHasBeenLookedAt() throws {
        let stage = try Stage { $0.pageSaves = 300 }
        for key in 1...1_000 {
            let entity = key == 777 ? stage.staff.team : stage.staff.person
            stage.store.commit([stage.staff.insert(entity, Int64(key))])
        }
        var query = "entity=Team"
        var sizes: [Int] = []
        while true {
            let before = stage.store.reads.withLock { $0 }
            let (node, link) = try stage.page(query)
            #expect(stage.store.reads.withLock { $0 } - before < 20)
            sizes.append(node.count)
            guard let link else { break }
            query = String(link.dropFirst("</changes?".count).dropLast(">; rel=\"next\"".count))
        }
        #expect(sizes == [0, 0, 1, 0], "\(sizes)")
    }

    @Test func tokensThatCannotBeUsedAreRefused() throws {
        let stage = try Stage()
        for key in 1...9 {
            stage.store.commit([stage.staff.insert(stage.staff.person, Int64(key))])
        }
        stage.store.purge(through: 4)
        #expect(problem(stage, "since=7f3a09c1-2")?.status == 410)
        #expect(problem(stage, "since=7f3a09c1-10")?.status == 410)
        #expect(problem(stage, "since=ffffffff-5")?.kind.text == "134301")
        #expect(problem(stage, "since=nonsense")?.status == 400)
        #expect(problem(stage, "since=7f3a09c1-4") == nil)
        // Each says how to go on, and from where.
        for token in ["7f3a09c1-2", "7f3a09c1-10", "ffffffff-5"] {
            let hint = try #require(problem(stage, "since=\(token)")?.hint, "\(token)")
            #expect(hint.contains("since=7f3a09c1-9") && hint.contains("read the data"), "\(hint)")
        }
    }

    @Test func parametersAreReadStrictly() throws {
        let stage = try Stage()
        #expect(problem(stage, "entity=Persn")?.hint == "did you mean Person?")
        #expect(problem(stage, "entity=Person,")?.status == 400)
        #expect(problem(stage, "values=yes")?.status == 400)
        for limit in ["0", "-1", "10001", "ten", "%2B5"] {
            #expect(problem(stage, "limit=\(limit)")?.status == 400)
        }
        #expect(problem(stage, "sinse=0")?.hint == "did you mean since?")
    }

    @Test func theFormIsWhatAcceptNames() throws {
        func format(_ accept: String?) -> MediaType? {
            try? Accept(accept).best(of: [.json, .events])
        }
        for stream in [
            "text/event-stream", "Text/Event-Stream;q=0.5", "text/event-stream, */*",
            "application/json;q=0.5, text/event-stream",
            "text/*", "text/event-stream; charset=utf-8, application/json; q=0.9",
        ] { #expect(format(stream) == .events, "\(stream)") }
        for json in [
            nil, "", "*/*", "application/json", "text/html, */*;q=0.8",
            "application/json, text/event-stream", "text/event-stream, application/json",
            "application/json, text/event-stream;q=0.5", "text/event-stream;q=0, */*",
            "text/event-stream;q=0.5, */*", "text/event-stream;q=0.1, application/*;q=0.2",
        ] { #expect(format(json) == .json, "\(json ?? "-")") }
        #expect(format("text/event-stream;q=0") == nil && format("text/csv") == nil)
        let stage = try Stage()
        let request = Request(
            method: "GET", path: "/changes",
            headers: HTTPHeaders([("Last-Event-ID", "nonsense")]))
        let response = try stage.feed.answer(
            request, Query(nil, for: Parameter.changes, limits: Limits()), as: .events)
        #expect(response.status == 200)
        let headers = Dictionary(uniqueKeysWithValues: response.headers.map { ($0.name, $0.value) })
        #expect(headers["Content-Type"] == "text/event-stream; charset=utf-8")
        #expect(headers["X-Accel-Buffering"] == "no" && headers["Cache-Control"] == "no-store")
    }
}
