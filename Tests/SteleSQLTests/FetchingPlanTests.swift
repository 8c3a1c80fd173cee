// Indexes serve wherever one can: what SQLite means to do with the statements.

import Testing

@Suite struct FetchingPlanTests {
    private func plan(_ entity: String, _ predicate: String) throws -> String {
        let fetching = try Fetching()
        let database = try FetchingDatabase(fetching.translator.schema)
        return try database.plan(fetching.translator.count(fetching.request(entity, predicate)))
            .joined(separator: "; ")
    }

    @Test(arguments: [
        ("Person", "age > 40", "Z_Person_age (ZAGE>?)"),
        ("Person", "age BETWEEN {10, 20}", "Z_Person_age (ZAGE>? AND ZAGE<?)"),
        ("Person", "NOT age > 40", "Z_Person_age (ZAGE<?)"),
        ("Person", "NOT (age BETWEEN {10, 20})", "Z_Person_age (ZAGE<?)"),
        ("Person", "NOT (age BETWEEN {10, 20})", "Z_Person_age (ZAGE>?)"),
        ("Person", "NOT (age BETWEEN {10, 20})", "Z_Person_age (ZAGE=?)"),
        ("Person", "NOT (age >= 10 AND age <= 20)", "Z_Person_age (ZAGE<?)"),
        ("Person", "NOT (age >= 10 AND age <= 20)", "Z_Person_age (ZAGE>?)"),
        ("Person", "NOT (name BETWEEN {\"a\", \"b\"})", "Z_Person_name (ZNAME>?)"),
        ("Team", "ALL members.age BETWEEN {3, 90}", "t1 USING INDEX Z_Person_age (ZAGE<?)"),
        ("Team", "ALL members.age BETWEEN {3, 90}", "t1 USING INDEX Z_Person_age (ZAGE>?)"),
        ("Person", "name IN[c] {\"kiss\", \"Ab\"}", "Z_Person_name (ZNAME>? AND ZNAME<?)"),
        ("Person", "name IN[c] {\"kiss\", \"Ab\"}", "MULTI-INDEX OR"),
        ("Person", "NOT age > 40", "Z_Person_age (ZAGE=?)"),
        ("Person", "age IN {1, 2, 3}", "Z_Person_age (ZAGE=?)"),
        ("Person", "age IN {1,2,3,4,5,6,7,8,9,10}", "Z_Person_age (ZAGE=?)"),
        ("Person", "age == 3 OR age == 4", "Z_Person_age (ZAGE=?)"),
        ("Person", "age == 3 OR name == \"x\"", "Z_Person_name (ZNAME=?)"),
        ("Person", "name == \"x\"", "Z_Person_name (ZNAME=?)"),
        ("Person", "name == nil", "Z_Person_name (ZNAME=?)"),
        ("Person", "NOT name != \"x\"", "Z_Person_name (ZNAME=?)"),
        ("Person", "name BEGINSWITH \"Ab\"", "Z_Person_name (ZNAME>? AND ZNAME<?)"),
        ("Person", "name LIKE \"Ab*\"", "Z_Person_name (ZNAME>? AND ZNAME<?)"),
        ("Person", "name BEGINSWITH[c] \"Ab\"", "Z_Person_name (ZNAME>? AND ZNAME<?)"),
        ("Person", "name ==[c] \"kiss\"", "Z_Person_name (ZNAME>? AND ZNAME<?)"),
        ("Person", "name LIKE[c] \"ab*\"", "MULTI-INDEX OR"),
        (
            "Person", "name IN {\"a\",\"b\",\"c\",\"d\",\"e\",\"f\",\"g\",\"h\",\"i\"}",
            "Z_Person_name (ZNAME=?)"
        ),
        ("Person", "salary IN {1.5, 2.5}", "Z_Person_salary (ZSALARY=?)"),
        ("Person", "pay > 10.5", "Z_Person_pay (ZPAY>?)"),
        ("Person", "team == 3", "ZPERSON_ZTEAM_INDEX (ZTEAM=?)"),
        ("Person", "team IN {3, 4}", "ZPERSON_ZTEAM_INDEX (ZTEAM=?)"),
        ("Person", "_id IN {3, 4}", "USING INTEGER PRIMARY KEY (rowid=?)"),
        ("Person", "_id IN {1,2,3,4,5,6,7,8,9,10}", "USING INTEGER PRIMARY KEY (rowid=?)"),
        ("Person", "SELF == 3", "USING INTEGER PRIMARY KEY (rowid=?)"),
        ("Director", "age > 40", "Z_Person_age (ZAGE>?)"),
        ("Person", "ANY skills == 7", "t0 USING INTEGER PRIMARY KEY (rowid=?)"),
        ("Team", "ANY members.age > 40", "t1 USING INDEX Z_Person_age (ZAGE>?)"),
        ("Team", "ANY members.age > 40", "t0 USING INTEGER PRIMARY KEY (rowid=?)"),
        ("Team", "league == 3 AND ANY members.age > 4", "ZTEAM_ZLEAGUE_INDEX (ZLEAGUE=?)"),
        ("Team", "ANY members.age > founded", "t1 USING INDEX ZPERSON_ZTEAM_INDEX (ZTEAM=?)"),
        ("Team", "members.@count > 3", "SCAN t1 USING COVERING INDEX ZPERSON_ZTEAM_INDEX"),
        ("Team", "NONE members.age > 95", "t1 USING INDEX Z_Person_age (ZAGE>?)"),
        (
            "Team", "SUBQUERY(members, $p, $p.age > 60 AND $p.salary > 9).@count > 5",
            "SEARCH t1 USING INDEX Z_Person_salary (ZSALARY>?)"
        ),
        (
            "Team", "SUBQUERY(members, $p, $p.age > 60 AND $p.salary > 9).@count > 5",
            "SEARCH t1 USING INDEX ZPERSON_ZTEAM_INDEX (ZTEAM=?)"
        ),
        ("Team", "SUBQUERY(members, $p, $p.age > 60).@avg.pay > 5", "Z_Person_age (ZAGE>?)"),
        (
            "Person", "team.name == \"Team 7\"",
            "SEARCH t0 USING COVERING INDEX ZPERSON_ZTEAM_INDEX (ZTEAM=?)"
        ),
        ("Person", "team.members.@count > 3", "SCAN t1 USING COVERING INDEX ZPERSON_ZTEAM_INDEX"),
        (
            "Person", "ANY team.members.age > salary",
            "SEARCH t0 USING INDEX ZPERSON_ZTEAM_INDEX (ZTEAM=?)"
        ),
        ("Person", "salary IN {1.1,2,3,4,5,6,7,8,9,10}", "Z_Person_salary (ZSALARY=?)"),
        ("Person", "friends.friends.@count > 3", "COVERING INDEX sqlite_autoindex_Z_2FRIENDS_1"),
        ("Team", "members.@count == 0", "ZPERSON_ZTEAM_INDEX (ZTEAM=?)"),
    ])
    func anIndexServes(_ entity: String, _ predicate: String, _ step: String) throws {
        let plan = try plan(entity, predicate)
        #expect(plan.contains(step), "\(predicate): \(plan)")
    }

    @Test func groupsComeInTheirOrderWithoutASecondSort() throws {
        let fetching = try Fetching()
        let database = try FetchingDatabase(fetching.translator.schema)
        let request = try fetching.request(
            "Person", limit: 10, select: ["team", "count()", "average(salary)", "max(age)"],
            groupBy: ["team"])
        let plan = try database.plan(fetching.translator.rows(request))
        #expect(plan == ["SCAN t0 USING INDEX ZPERSON_ZTEAM_INDEX"])
    }

    @Test func groupsAcrossAToOneAreTotalledByItsIndex() throws {
        let fetching = try Fetching()
        let database = try FetchingDatabase(fetching.translator.schema)
        let request = try fetching.request(
            "Person", select: ["team.name", "count()", "average(salary)"], groupBy: ["team.name"],
            having: "count() > 400")
        let plan = try database.plan(fetching.translator.rows(request))
        #expect(plan.contains("SCAN t0 USING INDEX ZPERSON_ZTEAM_INDEX"))
    }

    @Test func anOrderedPageWalksTheIndexOfItsKey() throws {
        let fetching = try Fetching()
        let database = try FetchingDatabase(fetching.translator.schema)
        let first = try fetching.translator.keys(fetching.request("Person", sort: "name", limit: 9))
        #expect(try database.plan(first) == ["SCAN t0 USING COVERING INDEX Z_Person_name"])
        let next = try fetching.request(
            "Person", sort: "name", limit: 9, after: [.string("x"), .int(3)])
        let plan = try database.plan(fetching.translator.keys(next))
        #expect(plan == ["SEARCH t0 USING COVERING INDEX Z_Person_name (ZNAME>?)"])
    }

    @Test func membersOfManyOwnersAreOneSearch() throws {
        let fetching = try Fetching()
        let database = try FetchingDatabase(fetching.translator.schema)
        let members = try #require(fetching.entity("Team").relationship(named: "members"))
        let one = try database.plan(fetching.translator.memberSnapshots(of: members, owners: [3]))
        #expect(one == ["SEARCH t0 USING INDEX ZPERSON_ZTEAM_INDEX (ZTEAM=?)"])
        let many = try database.plan(
            fetching.translator.memberSnapshots(of: members, owners: [3, 4]))
        #expect(many.first == "SEARCH t0 USING INDEX ZPERSON_ZTEAM_INDEX (ZTEAM=?)")
        #expect(!many.contains { $0.contains("TEMP B-TREE") })
    }
}
