// Collections that are no relationship's members, totals of shared ones, nesting: word for word.

import StelePredicates
import SteleSQL
import Testing

@Suite struct FetchingCollectionTests {
    @Test(arguments: golden)
    func aPredicateBecomesExactlyThisSQL(_ case: GoldenSQL) throws {
        let sql = try Fetching().filter(`case`.entity, `case`.asked)
        #expect(sql == `case`.sql)
    }

    static let golden = GoldenSQL.cases(
        """
        Team: NOT (members.@count > 3)
            ZTEAM t0 WHERE (t0.Z_PK IN (SELECT t1.ZTEAM FROM ZPERSON t1 GROUP BY t1.ZTEAM HAVING \
            COUNT(*) > ?1)) IS NOT TRUE
        Team: members.@count < 3
            ZTEAM t0 WHERE (t0.Z_PK IN (SELECT t1.ZTEAM FROM ZPERSON t1 GROUP BY t1.ZTEAM HAVING \
            COUNT(*) >= ?1)) IS NOT TRUE
        Person: team.members.@count > 3
            ZPERSON t0 WHERE +t0.ZTEAM IN (SELECT t1.ZTEAM FROM ZPERSON t1 GROUP BY t1.ZTEAM \
            HAVING COUNT(*) > ?1)
        Person: team.members.@avg.salary > salary
            ZPERSON t0 LEFT JOIN (SELECT t1.ZTEAM AS k, NULLIF(NULLIF(AVG(t1.ZSALARY), 9e999), \
            -9e999) AS v FROM ZPERSON t1 GROUP BY t1.ZTEAM) t2 ON t2.k = t0.ZTEAM WHERE t2.v > \
            t0.ZSALARY
        Person: ANY team.members.age > salary
            ZPERSON t0 LEFT JOIN (SELECT t1.ZTEAM AS k, MAX(t1.ZAGE) AS v FROM ZPERSON t1 GROUP \
            BY t1.ZTEAM) t2 ON t2.k = t0.ZTEAM WHERE t2.v > t0.ZSALARY
        Person: age IN team.members.age
            ZPERSON t0 WHERE (t0.ZTEAM, t0.ZAGE) IN (SELECT t1.ZTEAM, t1.ZAGE FROM ZPERSON t1)
        League: teams[0].name == "x"
            ZLEAGUE t0 LEFT JOIN ZTEAM t2 ON t2.Z_PK = (SELECT t1.Z_PK FROM ZTEAM t1 WHERE \
            t1.ZLEAGUE = t0.Z_PK ORDER BY t1.Z_FOK_LEAGUE, t1.Z_PK LIMIT 1 OFFSET ?1) WHERE \
            t2.ZNAME = ?2
        Team: median(members.age) > 3
            ZTEAM t0 WHERE t0.Z_PK IN (SELECT t1.ZTEAM FROM ZPERSON t1 GROUP BY t1.ZTEAM HAVING \
            STELE_MEDIAN(t1.ZAGE) > ?1)
        Team: (members.age UNION {1}).@count > 3
            ZTEAM t0 WHERE (SELECT COUNT(*) FROM (SELECT v FROM (SELECT +t1.ZAGE AS v FROM \
            ZPERSON t1 WHERE t1.ZTEAM = t0.Z_PK) a UNION SELECT v FROM (SELECT ?1 AS v) b) t2) > ?2
        """)

    /// What nests costs as much as it is long, and not twice for each level.
    @Test func nestedCollectionsAreTranslatedOnce() throws {
        var text = "$v.age > 3"
        for depth in 0..<40 {
            text = "SUBQUERY($v.friends, $v, \(text)).@count > \(depth % 3)"
        }
        let sql = try Fetching().filter("Person", "SUBQUERY(friends, $v, \(text)).@count > 9")
        #expect(sql.utf8.count < 40_000)
    }

    /// Indexes into collections of collections' elements, and totals of what is computed within.
    @Test func nestedIndexesAreTranslatedOnce() throws {
        let fetching = try Fetching()
        var league = "teams[0].founded"
        for _ in 0..<12 { league = "teams[\(league)].founded" }
        #expect(try fetching.filter("League", league + " == 1").utf8.count < 20_000)
        var distinct = "teams.@distinctUnionOfObjects[0].league"
        for _ in 0..<10 { distinct += ".teams.@distinctUnionOfObjects[0].league" }
        #expect(try fetching.filter("League", distinct + ".name == \"x\"").utf8.count < 20_000)
    }

    /// SQLite's parser holds some thirty parentheses open, and no more.
    @Test func chainsOfOperatorsAreWrittenWithoutParentheses() throws {
        let fetching = try Fetching()
        let database = try FetchingDatabase(fetching.translator.schema)
        for sign in [" + ", " - ", " * ", " / ", " | ", " & ", " << "] {
            let key = [" + ", " * "].contains(sign) ? "salary" : "age"
            let text = key + String(repeating: sign + "1", count: 250) + " == 1"
            let count = try fetching.translator.count(fetching.request("Person", text))
            #expect(throws: Never.self, "\(sign)") { try database.plan(count) }
        }
        #expect(
            try fetching.filter("Person", "age + 1 - 2 * (age - 3) * 4 / _id == 5")
                == "ZPERSON t0 WHERE (t0.ZAGE + ?1 - (?3 * (t0.ZAGE - ?2) * ?4 / t0.Z_PK)) = ?5")
        #expect(
            try fetching.filter("Person", "salary + 1 - age > 5")
                == "ZPERSON t0 WHERE NULLIF(NULLIF((t0.ZSALARY + ?1 - t0.ZAGE), 9e999), -9e999) "
                + "> ?2")
    }

    @Test func fewRowsAreSortedByWhoReadsThem() throws {
        let fetching = try Fetching()
        let few = try fetching.translator.snapshots(
            fetching.request("Person", "team.name == \"x\" AND age > 3"))
        #expect(few.isUnordered && !few.sql.string.contains("ORDER BY"))
        let page = try fetching.translator.snapshots(
            fetching.request("Person", "team.name == \"x\"", limit: 3))
        #expect(!page.isUnordered && page.sql.string.contains("ORDER BY t0.Z_PK"))
        let most = try fetching.translator.snapshots(fetching.request("Person", "age > 3"))
        #expect(!most.isUnordered && most.sql.string.hasSuffix("ORDER BY t0.Z_PK"))
    }
}
