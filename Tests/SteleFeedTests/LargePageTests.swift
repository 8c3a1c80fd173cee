// Saves of very many changes: pages of JSON are cut within them, streams have them in parts, and
// none is held as a whole.

import SteleJSON
import StelePersistence
import TestSupport
import Testing

@testable import SteleFeed
@testable import SteleHTTP
@testable import SteleRequests

@Suite struct LargePageTests {
    private typealias Told = (transaction: String, id: Int)

    /// People, and a team at each hundredth place.
    private func commit(_ stage: Stage, _ keys: ClosedRange<Int>) {
        stage.store.commit(
            keys.map { key in
                let entity = key % 100 == 0 ? stage.staff.team : stage.staff.person
                return stage.staff.insert(entity, Int64(key), name: key % 3 == 0 ? "Bo" : "Ann")
            })
    }

    /// A page that goes back shows where the changes of a save go on, and nothing else of a save of
    /// which the role has seen nothing.
    @Test func aSaveOfHiddenObjectsIsToldWithoutItsAuthor() throws {
        let stage = try Stage { $0.pageLooked = 1_000 }
        commit(stage, 1...2_500)
        let hidden = Sight(
            name: "none", model: stage.staff.model,
            rules: stage.staff.model.entities.map { _ in .constant(false) })
        let query = "until=7f3a09c1-1&limit=1"
        let request = Request(method: "GET", path: "/changes", query: query)
        let response = try stage.feed.answer(
            request, Query(query, for: Parameter.changes, limits: Limits()), as: .json,
            seenBy: hidden)
        guard case .bytes(let bytes) = response.body else { throw Stage.NoStream() }
        let page = String(decoding: bytes, as: UTF8.self)
        #expect(page.contains("\"changes\":[],\"rest\":\"7f3a09c1-1."), "\(page)")
        #expect(page.contains("\"author\":null,\"context\":null"), "\(page)")
    }

    private func told(_ save: JSONNode) throws -> [Told] {
        let transaction = try #require(save["transaction"]?.string)
        let changes = try #require(save["changes"])
        return try (0..<changes.count).map {
            (transaction, Int(try #require(changes[$0]?["_id"]?.integer)))
        }
    }

    /// The changes of all pages from one on, by their links.
    private func follow(
        _ stage: Stage, _ query: String, most: Int = 1_000
    ) throws -> (told: [Told], pages: Int) {
        var next: String? = query
        var found: [Told] = []
        var pages = 0
        while let query = next {
            let (page, link) = try stage.page(query)
            pages += 1
            var count = 0
            for index in 0..<page.count {
                let save = try #require(page[index])
                let changes = try told(save)
                count += changes.count
                found += changes
                // Only the last one of a page is cut, and the link leads to the rest.
                if let rest = save["rest"]?.string {
                    #expect(index == page.count - 1 && link?.contains("since=\(rest)>") == true)
                }
            }
            #expect(count <= most)
            next = link.map {
                String($0.dropFirst("</changes?".count).dropLast(">; rel=\"next\"".count))
            }
        }
        return (found, pages)
    }

    private func told(_ client: Client) throws -> [Told] {
        try client.events.filter { $0.name == "save" }.flatMap {
            try told(JSONDocument($0.data).root)
        }
    }

    @Test func linksLeadThroughALargeSaveAndGiveEachChangeOnce() throws {
        let stage = try Stage()
        commit(stage, 1...3)
        commit(stage, 4...2_503)
        commit(stage, 2_504...2_510)
        let (found, pages) = try follow(stage, "")
        #expect(found.map(\.id) == Array(1...2_510))
        #expect(found.filter { $0.transaction == "7f3a09c1-2" }.count == 2_500)
        #expect(pages == 4)
        let (first, link) = try stage.page("since=7f3a09c1-1")
        #expect(first.count == 1 && first[0]?["changes"]?.count == 1_000)
        #expect(first[0]?["rest"]?.string == "7f3a09c1-2.1000")
        #expect(link == "</changes?since=7f3a09c1-2.1000>; rel=\"next\"")
        #expect(stage.store.mostChangesRead.withLock { $0 } <= HistoryStretch.mostChanges)
    }

    /// By any limits, filters and sizes, the pages and the stream have the same.
    @Test func pagesAndStreamsHaveTheSameOfAllSaves() throws {
        var numbers = SeededNumbers(seed: drawSeed("pages and streams of large saves"))
        for _ in 0..<6 {
            let part = 1 + numbers.below(400)
            let stage = try Stage {
                $0.pageChanges = part
                $0.changesPerPart = 1 + part / 2
                $0.bufferBytes = 256 << 10
            }
            var last = 0
            for _ in 0..<8 {
                let count = 1 + numbers.below(numbers.one(in: 3) ? 3_000 : 30)
                commit(stage, last + 1...last + count)
                last += count
            }
            for filter in ["", "&entity=Team", "&entity=Person&where=name%3D%3D%22Bo%22"] {
                let values = numbers.one(in: 2)
                let isOfTeams = filter == "&entity=Team"
                let expected = (1...last).filter { key in
                    filter.isEmpty
                        || (key % 100 == 0) == isOfTeams && (isOfTeams || key % 3 == 0)
                }
                guard let end = expected.last else { continue }
                let limit = 1 + numbers.below(9)
                let (found, _) = try follow(
                    stage, "values=\(values)&limit=\(limit)\(filter)", most: part)
                #expect(found.map(\.id) == expected, "\(filter) \(part)")
                let client = try stage.connect(
                    since: "0",
                    entities: filter.isEmpty
                        ? nil : [isOfTeams ? stage.staff.team : stage.staff.person],
                    values: values, where: filter.contains("where") ? "name == \"Bo\"" : nil)
                #expect(client.wait { client in (try? told(client).last?.id) == end })
                #expect(
                    try told(client).map { "\($0)" } == found.map { "\($0)" },
                    "\(filter) \(part)")
            }
            #expect(stage.store.mostChangesRead.withLock { $0 } <= HistoryStretch.mostChanges)
        }
    }

    /// Subscribers that were live, that resume, and pages, beside a save of which nobody has more
    /// than a piece.
    @Test func noReaderHasMoreThanAPieceOfASave() throws {
        let stage = try Stage()
        let live = try (0..<3).map { _ in try stage.connect(values: true) }
        commit(stage, 1...20_000)
        let late = try (0..<3).map { _ in try stage.connect(since: "0", values: true) }
        _ = try stage.page("until=7f3a09c1-1&values=true")
        for client in live + late {
            #expect(client.wait { $0.lastEventID == "7f3a09c1-1" })
            #expect(try told(client).map(\.id) == Array(1...20_000))
            for (index, event) in client.events.enumerated() {
                #expect(event.data.utf8.count < 256 << 10)
                let part = try JSONDocument(event.data).root
                #expect(part["part"]?.integer == Int64(index + 1))
                #expect(part["of"]?.integer == Int64(client.events.count))
            }
        }
        #expect(stage.store.mostChangesRead.withLock { $0 } <= HistoryStretch.mostChanges)
    }

    /// The `id` is on the last part, so one that is cut off before has the whole save again.
    @Test func aStreamThatIsCutOffWithinPartsGetsTheSaveAgain() throws {
        let stage = try Stage { $0.bufferBytes = 64 << 10 }
        commit(stage, 1...1)
        commit(stage, 2...12_000)
        let client = try stage.connect(since: "0")
        #expect(client.wait { $0.events.count > 3 })
        #expect(client.lastEventID == "7f3a09c1-1")
        client.stream.drop()
        let back = try stage.connect(lastEventID: client.lastEventID)
        #expect(back.wait { $0.lastEventID == "7f3a09c1-2" })
        #expect(try told(back).map(\.id) == Array(2...12_000))
        #expect(try back.data(0)["part"]?.integer == 1)
    }

    /// Who has read pages and follows from there on has the rest of the save first.
    @Test func aStreamBeginsWithinASaveWhereAPageHasEnded() throws {
        let stage = try Stage()
        commit(stage, 1...2_500)
        commit(stage, 2_501...2_502)
        let (page, _) = try stage.page("since=0")
        let rest = try #require(page[0]?["rest"]?.string)
        let client = try stage.connect(lastEventID: rest)
        #expect(client.wait { $0.lastEventID == "7f3a09c1-2" })
        #expect(try told(client).map(\.id) == Array(1_001...2_502))
        #expect(client.events.map(\.id) == [rest, "7f3a09c1-1", "7f3a09c1-2"])
        #expect(try client.data(0)["of"]?.integer == 2)
    }

    /// Some changes of each save are enough to show it, and `rest` leads to the others.
    @Test(arguments: [50, 5_000, 20_000])
    func aLimitOfChangesCutsEachSave(count: Int) throws {
        let stage = try Stage()
        commit(stage, 1...2)
        commit(stage, 3...count)
        commit(stage, count + 1...count + 2)
        for query in ["since=0", "until=7f3a09c1-3"] {
            let (page, link) = try stage.page("\(query)&changeLimit=12")
            #expect(page.count == 3 && link == nil)
            #expect((0..<3).map { page[$0]?["changes"]?.count } == [2, 12, 2])
            #expect(page[0]?["rest"] == nil && page[2]?["rest"] == nil)
            let rest = try #require(page[1]?["rest"]?.string)
            #expect(try follow(stage, "since=\(rest)").told.map(\.id) == Array(15...count + 2))
        }
        let live = try stage.connect(changeLimit: 12)
        commit(stage, count + 3...count + 2_000)
        let late = try stage.connect(since: "7f3a09c1-3", changeLimit: 12)
        for client in [live, late] {
            #expect(client.wait { $0.lastEventID == "7f3a09c1-4" })
            #expect(try told(client).map(\.id) == Array(count + 3...count + 14))
            #expect(client.events.count == 1)
            #expect(try client.data(0)["part"] == nil)
            #expect(try client.data(0)["rest"]?.string == "7f3a09c1-4.12")
        }
        #expect(stage.store.mostChangesRead.withLock { $0 } <= HistoryStretch.mostChanges)
    }

    @Test func aSaveThatIsPurgedWithinItsPartsExpires() throws {
        let stage = try Stage { $0.bufferBytes = 64 << 10 }
        commit(stage, 1...20_000)
        commit(stage, 20_001...20_001)
        let (page, _) = try stage.page("since=0")
        let rest = try #require(page[0]?["rest"]?.string)
        let client = try stage.connect(since: "0")
        #expect(client.wait { $0.events.count > 1 })
        stage.store.purge(through: 1)
        #expect(client.wait { $0.events.last?.name == "expired" })
        #expect(client.lastEventID == "7f3a09c1-2")
        let refused = #expect(throws: Problem.self) { try stage.page("since=\(rest)") }
        #expect(refused?.status == 410)
    }

    @Test func positionsThatAreNoneAreRefused() throws {
        let stage = try Stage()
        commit(stage, 1...1_500)
        for token in [
            "7f3a09c1-1.", "7f3a09c1-1.x", "7f3a09c1-1.-4", "7f3a09c1-1.1.1", "7f3a09c1-1.07",
        ] {
            #expect(throws: Problem.self, "\(token)") { try stage.page("since=\(token)") }
        }
        #expect(throws: Problem.self) { try stage.page("until=7f3a09c1-1.1000") }
        for limit in ["0", "1001", "x"] {
            #expect(throws: Problem.self) { try stage.page("changeLimit=\(limit)") }
        }
        let (none, link) = try stage.page("since=7f3a09c1-1.1500")
        #expect(none.count == 0 && link == nil)
        for token in ["2.5", "9223372036854775807", "9223372036854775807.9223372036854775807"] {
            let beyond = #expect(throws: Problem.self) {
                try stage.page("since=7f3a09c1-\(token)")
            }
            #expect(beyond?.status == 410)
        }
        let (last, _) = try stage.page("since=7f3a09c1-1.9223372036854775807")
        #expect(last.count == 0)
    }
}
