// The order of rows is total, and pages by position are the list cut in pieces.

import SteleModel
import SteleSQL
import TestSupport
import Testing

@Suite struct FetchingOrderTests {
    @Test func theOrderEndsWithTheKey() throws {
        let fetching = try Fetching()
        func order(_ sort: String) throws -> String {
            let request = try fetching.request("Person", sort: sort)
            let text = try fetching.translator.keys(request).sql.string
            return String(text.dropFirst("SELECT t0.Z_PK FROM ZPERSON t0 ".count))
        }
        #expect(try order("") == "ORDER BY t0.Z_PK")
        #expect(try order("name") == "ORDER BY t0.ZNAME, t0.Z_PK")
        #expect(try order("-name;age") == "ORDER BY t0.ZNAME DESC, t0.ZAGE, t0.Z_PK")
        #expect(try order("name[c]") == "ORDER BY STELE_FOLD(t0.ZNAME, 1), t0.Z_PK")
        #expect(try order("-_id;name") == "ORDER BY t0.Z_PK DESC")
        #expect(
            try order("-skills.@count") == "ORDER BY (SELECT COUNT(*) FROM Z_2SKILLS t1 "
                + "WHERE t1.Z_2PEOPLE = t0.Z_PK) DESC, t0.Z_PK")
        #expect(
            try order("team.name;-team.league.name") == "LEFT JOIN ZTEAM t1 ON t1.Z_PK = t0.ZTEAM "
                + "LEFT JOIN ZLEAGUE t2 ON t2.Z_PK = t1.ZLEAGUE "
                + "ORDER BY t1.ZNAME, t2.ZNAME DESC, t0.Z_PK")
    }

    @Test func aJoinIsSharedByConditionOrderAndColumns() throws {
        let fetching = try Fetching()
        let request = try fetching.request(
            "Person", "team.name > \"x\"", sort: "team.name", select: ["team.name"])
        #expect(
            try fetching.translator.rows(request).sql.string
                == "SELECT t1.ZNAME FROM ZPERSON t0 LEFT JOIN ZTEAM t1 ON t1.Z_PK = t0.ZTEAM "
                + "WHERE t1.ZNAME > ?1 ORDER BY t1.ZNAME, t0.Z_PK")
    }

    @Test func aPageBeginsAfterAPosition() throws {
        let fetching = try Fetching()
        func filter(_ sort: String, _ after: [Value]) throws -> String {
            let request = try fetching.request("Person", sort: sort, after: after)
            let text = try fetching.translator.keys(request).sql.string
            let parts = text.split(separator: " WHERE ", maxSplits: 1)
            return String(parts[1].prefix(upTo: parts[1].ranges(of: " ORDER BY ")[0].lowerBound))
        }
        #expect(try filter("", [.key(7)]) == "t0.Z_PK > ?1")
        #expect(
            try filter("name", [.string("x"), .key(7)])
                == "t0.ZNAME >= ?1 AND (t0.ZNAME > ?1 OR t0.Z_PK > ?2)")
        #expect(
            try filter("name", [.null, .key(7)])
                == "t0.ZNAME IS NOT NULL OR t0.ZNAME IS NULL AND t0.Z_PK > ?1")
        #expect(
            try filter("-name", [.string("x"), .key(7)])
                == "t0.ZNAME < ?1 OR t0.ZNAME IS NULL OR t0.ZNAME = ?1 AND t0.Z_PK > ?2")
        #expect(try filter("-name", [.null, .key(7)]) == "t0.ZNAME IS NULL AND t0.Z_PK > ?1")
        #expect(
            try filter("name;-age", [.string("x"), .int(3), .key(7)])
                == "t0.ZNAME >= ?1 AND (t0.ZNAME > ?1 OR t0.ZAGE < ?2 OR t0.ZAGE IS NULL "
                + "OR t0.ZAGE = ?2 AND t0.Z_PK > ?3)")
    }

    @Test func pagesByPositionAreTheWholeListInPieces() throws {
        let seed = drawSeed(#function)
        var random = SeededNumbers(seed: seed)
        let fetching = try Fetching()
        let graph = FetchingGraph(fetching.translator.schema, &random)
        let database = try FetchingDatabase(fetching.translator.schema)
        try graph.write(to: database)
        let keys = [
            "name", "-name", "age", "-age", "salary", "-team.name", "name[c]", "-name[c]", "_id",
            "-_entity", "team", "-skills.@count", "active", "-born",
        ]
        for _ in 0..<120 {
            let sort = (0..<Int.random(in: 0...3, using: &random))
                .compactMap { _ in keys.randomElement(using: &random) }.joined(separator: ";")
            let whole = try database.rows(
                fetching.translator.keys(fetching.request("Person", "age != 3", sort: sort)))
            var pages: [[Value]] = []
            var after: [Value]?
            while true {
                let request = try fetching.request(
                    "Person", "age != 3", sort: sort, limit: 5, after: after)
                let page = try database.rows(fetching.translator.keys(request))
                pages += page
                guard case .key(let last)? = page.last?.first, page.count == 5 else { break }
                after = try database.rows(
                    fetching.translator.position(of: last, in: request)
                ).first
            }
            #expect(pages == whole, "seed \(seed), sort \(sort)")
            #expect(whole.count > 5)
        }
    }

    @Test func aPositionOfAnotherOrderIsRefused() throws {
        let fetching = try Fetching()
        let request = try fetching.request("Person", sort: "name;age", after: [.key(7)])
        #expect(throws: (any Error).self) { try fetching.translator.keys(request) }
    }
}
