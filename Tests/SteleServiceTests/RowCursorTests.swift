// Pages of grouped and of distinct rows by `after`: whole, once, and while rows come and go.

import SteleHTTP
import SteleJSON
import SteleModel
import TestSupport
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct RowCursorTests {
    /// The people of `GroupingTests`, in a file or in memory.
    private static func people(inMemory: Bool, streams: Bool = false) throws -> ServiceFixture {
        let fixture = try ServiceFixture(TestModels.people(), inMemory: inMemory) {
            // So small that longer pages are streamed.
            if streams { $0.limits.maximumListLimit = 1 }
        }
        let made = fixture.post(
            "/League",
            """
            [{"name":"North","teams":[
               {"name":"Rovers","people":[{"name":"Ann","age":30,"salary":100},
                 {"name":"Bo","age":40,"salary":300},{"name":"Cy","age":50}]},
               {"name":"City","people":[{"name":"Di","age":20,"salary":500},
                 {"name":"Ed","age":40,"salary":100}]}]},
             {"name":"South","teams":[
               {"name":"athletic","people":[{"name":"Flo","age":60,"salary":700.1},
                 {"name":"Gus","age":30,"salary":700.2}]},
               {"name":"Albion","people":[{"name":"Ida","age":40,"salary":700.15}]}]}]
            """)
        #expect(made.status == 201, "\(made.text)")
        let alone = fixture.post(
            "/Person", #"[{"name":"Hal","age":40,"salary":900},{"name":"Ivo"}]"#)
        #expect(alone.status == 201, "\(alone.text)")
        return fixture
    }

    /// A page that ends at a computed Decimal of many digits has a next one.
    @Test(arguments: [true, false])
    func pagesEndAtComputedDecimals(_ inMemory: Bool) throws {
        let fixture = try ServiceFixture(
            makeModel([
                EntityMaker("Item").attribute("price", .decimal).attribute("qty", .integer32)
            ]), inMemory: inMemory)
        let seed = drawSeed("pagesEndAtComputedDecimals")
        var numbers = SeededNumbers(seed: seed)
        let items = (0..<24).map { _ in
            let (price, qty) = (numbers.below(1_000), 1 + numbers.below(13))
            return #"{"price":\#(price).\#(10 + numbers.below(90)),"qty":\#(qty)}"#
        }
        #expect(fixture.post("/Item", "[\(items.joined(separator: ","))]").status == 201)
        for list in [
            "select=_id&sort=-price/qty", "select=_id&sort=price/7,-price",
            "select=qty,a:average(price)&groupBy=qty&sort=a,qty",
            "select=qty,a:sum(price)/7&groupBy=qty&sort=-a,qty",
            "select=a:price/3&distinct=true&sort=a",
        ] {
            let all = try Self.rows(fixture.get("/Item?limit=100&\(list)"))
            let rows = try fixture.pages("/Item?limit=1&\(list)").flatMap { try $0.json.elements }
            #expect(rows == all, "\(seed): \(list)")
        }
    }

    /// What a `Link` cannot hold, nor the address of the next request, is told by number.
    @Test(arguments: [true, false], ["", "&select=name", "&select=name&distinct=true"])
    func pagesByLongValuesAreToldByNumber(_ inMemory: Bool, _ shape: String) throws {
        let fixture = try Self.people(inMemory: inMemory)
        let rows = ["b", "c", "d"].map { letter in
            #"{"name":"~\#(String(repeating: letter, count: 3_000))"}"#
        }
        #expect(fixture.post("/Person", "[\(rows.joined(separator: ","))]").status == 201)
        let pages = fixture.pages("/Person?sort=-name&limit=2" + shape)
        var names: [String] = []
        for page in pages {
            let root = try JSONDocument(page.text).root
            names += (0..<root.count).compactMap {
                (root[$0]?["name"]?.string ?? root[$0]?["object"]?["name"]?.string).map {
                    String($0.prefix(2))
                }
            }
        }
        #expect(
            names == ["~d", "~c", "~b", "Iv", "Id", "Ha", "Gu", "Fl", "Ed", "Di", "Cy", "Bo", "An"])
        let links = pages.compactMap { $0.next?.contains("offset=") }
        #expect(links.first == true && links.contains(false))
        // Whose number nobody knows is not guessed at.
        let upwards = fixture.get("/Person?sort=name&limit=10" + shape)
        let place = try #require(upwards.next)
        #expect(place.contains("after="))
        let answer = fixture.get(place.replacing("limit=10", with: "limit=1"))
        #expect(
            answer.status == 400 && answer.text.contains("offset"), "\(answer.text.prefix(300))")
    }

    static let lists = [
        "select=team.name,n:count()&groupBy=team.name",
        "select=team.name,n:count()&groupBy=team.name&sort=-n",
        "select=team.name&groupBy=team.name&sort=-average(salary)",
        "select=pay:average(salary)&groupBy=team.name&sort=pay",
        "select=n:count()&groupBy=team.name,age&sort=-sum(salary),-age",
        "select=n:count()&groupBy=team.name,age&sort=-team.name[c]",
        "select=team,total:sum(age)&groupBy=team&sort=-max(name)",
        "select=team.league.name,n:count()&groupBy=team.league.name,age&having=n < 3&sort=-n",
        "select=n:count()&groupBy=age % 20",
        "select=age&distinct=true", "select=age,team.name&distinct=true&sort=-team.name",
        "select=salary,age&distinct=true&sort=-age,salary&where=age != nil",
        "select=name&distinct=true&sort=-name[c]", "select=_entity,age&distinct=true",
        "select=n:count()&groupBy=team&distinct=true&sort=-n",
    ].map { $0.replacing("age % 20", with: "modulus(age, 20)") }

    private static func rows(_ answer: Answer) throws -> [JSONValue] {
        guard answer.status == 200, case .array(let rows) = try answer.json else {
            Issue.record("\(answer.status) \(answer.text)")
            return []
        }
        return rows
    }

    @Test(arguments: lists, [false, true])
    func pagesAreTheWholeListInPieces(_ list: String, inMemory: Bool) throws {
        let people = try Self.people(inMemory: inMemory)
        let whole = people.get(GroupingTests.target("/Person", list))
        let all = try Self.rows(whole)
        #expect(whole["Link"] == nil && all.count > 2, "\(whole.text)")
        for limit in 1...3 {
            let pages = people.pages(
                GroupingTests.target("/Person", list + "&limit=\(limit)"))
            #expect(try pages.flatMap(Self.rows) == all, "limit \(limit)")
            for next in pages.compactMap(\.next) {
                #expect(next.contains("after=") && !next.contains("offset"))
            }
        }
    }

    @Test(arguments: [false, true])
    func whatComesAndGoesBeforeAPageMovesNoOther(inMemory: Bool) throws {
        for (list, name) in [
            ("select=name,n:count()&groupBy=name&sort=-name", "name"),
            ("select=name&distinct=true&sort=-name", "name"),
        ] {
            let people = try Self.people(inMemory: inMemory)
            let first = people.get(GroupingTests.target("/Person", list + "&limit=3"))
            #expect(try Self.rows(first).map { $0[name] } == ["Ivo", "Ida", "Hal"])
            // The row that the page ended with goes, others come before and behind it.
            let hal = people.get(GroupingTests.target("/Person", "where=name == 'Hal'&select=_id"))
            let id = try #require(hal.text.firstMatch(of: /\d+/)?.output)
            #expect(people.ask("DELETE", "/Person/\(id)").status == 204)
            #expect(people.post("/Person", #"[{"name":"Zoe"},{"name":"Guy"}]"#).status == 201)
            let second = people.get(try #require(first.next))
            #expect(
                try Self.rows(second).map { $0[name] } == ["Guy", "Gus", "Flo"], "\(second.text)")
        }
    }

    @Test(arguments: [false, true])
    func aLongPageThatIsStreamedSaysWhereTheNextBegins(inMemory: Bool) throws {
        let people = try Self.people(inMemory: inMemory, streams: true)
        for list in ["select=age,n:count()&groupBy=age&sort=-n", "select=age&distinct=true"] {
            let all = people.get(GroupingTests.target("/Person", list + "&format=csv")).text
            var lines: [Substring] = []
            for page in people.pages(
                GroupingTests.target("/Person", list + "&format=csv&limit=2"))
            {
                lines += page.text.split(separator: "\r\n").dropFirst(lines.isEmpty ? 0 : 1)
            }
            #expect(lines == all.split(separator: "\r\n"))
        }
    }

    @Test func aCursorOfOtherRowsIsRefused() throws {
        let people = try Self.people(inMemory: false)
        let list = "select=age,n:count()&groupBy=age&limit=1"
        let link = try #require(people.get(GroupingTests.target("/Person", list)).next)
        let cursor = try #require(link.split(separator: "after=").last)
        for other in [
            "select=age,n:count()&groupBy=age&sort=n", "select=age&distinct=true",
            "select=age,n:count()&groupBy=age&having=n > 1", "sort=age",
        ] {
            let answer = people.get(GroupingTests.target("/Person", other) + "&after=\(cursor)")
            #expect(answer.status == 400 && answer.code == "request.cursor", "\(answer.text)")
        }
    }
}
