// Dictionary rows: columns, groups, totals, distinct rows.

import SteleModel
import StelePersistence
import StelePredicates
import SteleSQL
import Testing

@Suite struct FetchingRowsTests {
    private func rows(
        _ entity: String = "Person", _ predicate: String? = nil, select: [String],
        groupBy: [String] = [], having: String? = nil, sort: String = "", limit: Int? = nil,
        after: [Value]? = nil, distinct: Bool = false
    ) throws -> FetchStatement {
        let fetching = try Fetching()
        return try fetching.translator.rows(
            fetching.request(
                entity, predicate, sort: sort, limit: limit, after: after, select: select,
                groupBy: groupBy, having: having, distinct: distinct))
    }

    @Test func groupsAreWrittenAsByHand() throws {
        let statement = try rows(
            select: ["team", "count()", "average(salary)", "max(age)"], groupBy: ["team"],
            limit: 10)
        #expect(
            statement.sql.string
                == "SELECT t0.ZTEAM, COUNT(*), NULLIF(NULLIF(AVG(t0.ZSALARY), 9e999), -9e999), "
                + "MAX(t0.ZAGE) FROM ZPERSON t0 "
                + "GROUP BY t0.ZTEAM ORDER BY t0.ZTEAM LIMIT ?1")
        #expect(statement.bindings == [.int(10)])
        #expect(statement.kinds == [.key, .integer, .double, .integer])
    }

    @Test func aliasesSortAndConditionsOnGroupsHold() throws {
        let statement = try rows(
            select: ["team.name", "headcount:count()", "pay:average(pay)"],
            groupBy: ["team.name"], having: "count() > 3 AND headcount < 9", sort: "-headcount")
        #expect(
            statement.sql.string
                == "SELECT t2.ZNAME, SUM(t1.a0), STELE_DECIMAL_AVG_OF_PARTS(t1.a1) "
                + "FROM (SELECT t0.ZTEAM AS k0, COUNT(*) AS a0, "
                + "STELE_DECIMAL_PART(t0.ZPAY) AS a1 FROM ZPERSON t0 "
                + "GROUP BY t0.ZTEAM) t1 LEFT JOIN ZTEAM t2 ON t2.Z_PK = t1.k0 GROUP BY t2.ZNAME "
                + "HAVING SUM(t1.a0) > ?1 AND SUM(t1.a0) < ?2 ORDER BY SUM(t1.a0) DESC, t2.ZNAME")
        #expect(statement.kinds == [.text, .integer, .decimal])
    }

    @Test func totalsOfEverythingAreOneRow() throws {
        let statement = try rows(
            select: [
                "count()", "sum(salary)", "sum(age)", "min(born)", "sum(pay)",
                "count(distinct age)", "average(age)",
            ])
        #expect(
            statement.sql.string
                == "SELECT COUNT(*), "
                + "NULLIF(NULLIF(COALESCE(SUM(t0.ZSALARY), 0.0), 9e999), -9e999), "
                + "COALESCE(SUM(t0.ZAGE), 0), "
                + "MIN(t0.ZBORN), STELE_DECIMAL_SUM(t0.ZPAY), COUNT(DISTINCT t0.ZAGE), "
                + "AVG(t0.ZAGE) FROM ZPERSON t0")
        #expect(
            statement.kinds == [.integer, .double, .integer, .date, .decimal, .integer, .double])
    }

    @Test func columnsOfObjectsComeInTheirOrder() throws {
        let statement = try rows(
            "Person", "age > 3", select: ["name", "_id", "_version", "team", "double:age * 2"],
            sort: "-double", limit: 3)
        #expect(
            statement.sql.string
                == "SELECT t0.ZNAME, t0.Z_PK, t0.Z_OPT, t0.ZTEAM, (t0.ZAGE * ?1) FROM ZPERSON t0 "
                + "WHERE t0.ZAGE > ?2 ORDER BY (t0.ZAGE * ?3) DESC, t0.Z_PK LIMIT ?4")
        #expect(statement.bindings == [.int(2), .int(3), .int(2), .int(3)])
        #expect(statement.kinds == [.text, .integer, .integer, .key, .integer])
    }

    @Test func anEntityIsNamed() throws {
        #expect(
            try rows(select: ["_entity"]).sql.string
                == "SELECT CASE t0.Z_ENT WHEN 2 THEN 'Person' WHEN 3 THEN 'Employee' "
                + "WHEN 4 THEN 'Director' END FROM ZPERSON t0 ORDER BY t0.Z_PK")
    }

    @Test func membersAreCountedAndSummedForEachObject() throws {
        let sql = try rows(
            "Team", select: ["name", "members.@count", "sum(members.age)"]
        ).sql.string
        #expect(
            sql
                == "SELECT t0.ZNAME, (SELECT COUNT(*) FROM ZPERSON t1 WHERE t1.ZTEAM = t0.Z_PK), "
                + "(SELECT COALESCE(SUM(t2.ZAGE), 0) FROM ZPERSON t2 WHERE t2.ZTEAM = t0.Z_PK) "
                + "FROM ZTEAM t0 ORDER BY t0.Z_PK")
    }

    @Test func membersAreTotalledOverGroups() throws {
        let sql = try rows(
            "Team", select: ["league", "sum(members.@count)"], groupBy: ["league"]
        ).sql.string
        #expect(
            sql
                == "SELECT t0.ZLEAGUE, STELE_SUM((SELECT COUNT(*) FROM ZPERSON t1 "
                + "WHERE t1.ZTEAM = t0.Z_PK)) FROM ZTEAM t0 "
                + "GROUP BY t0.ZLEAGUE ORDER BY t0.ZLEAGUE")
    }

    @Test func wideIntegersAreSummedByUsAndNotInParts() throws {
        #expect(
            try rows(
                select: ["sum(_id)", "average(age * 2)", "average(distinct age)"]
            ).sql.string
                == "SELECT STELE_SUM(t0.Z_PK), STELE_AVG((t0.ZAGE * ?1)), AVG(DISTINCT t0.ZAGE) "
                + "FROM ZPERSON t0")
        #expect(
            try rows(select: ["sum(age * 2)"], groupBy: ["team.name"]).sql.string
                == "SELECT STELE_SUM((t0.ZAGE * ?1)) FROM ZPERSON t0 LEFT JOIN ZTEAM t1 ON "
                + "t1.Z_PK = t0.ZTEAM GROUP BY t1.ZNAME ORDER BY t1.ZNAME")
        #expect(
            try rows(
                select: ["sum(age)", "sum(salary * 2)"], groupBy: ["team.name"]
            ).sql.string.contains("SUM(t0.ZAGE) AS a0"))
    }

    @Test func aGroupsExpressionHasOneTextEverywhere() throws {
        let statement = try rows(select: ["age / 10", "count()"], groupBy: ["age / 10"])
        #expect(
            statement.sql.string
                == "SELECT (t0.ZAGE / ?1), COUNT(*) FROM ZPERSON t0 "
                + "GROUP BY (t0.ZAGE / ?1) ORDER BY (t0.ZAGE / ?1)")
        #expect(statement.bindings == [.int(10)])
    }

    @Test func distinctRowsAreSortedByTheirColumns() throws {
        #expect(
            try rows(select: ["age", "name"], sort: "-age", distinct: true).sql.string
                == "SELECT DISTINCT t0.ZAGE, t0.ZNAME FROM ZPERSON t0 "
                + "ORDER BY t0.ZAGE DESC, t0.ZNAME")
        #expect(throws: StoreError.self) {
            try rows(select: ["age"], sort: "salary", distinct: true)
        }
    }

    @Test func groupsGoOnAfterAPosition() throws {
        #expect(
            try rows(
                select: ["team", "count()"], groupBy: ["team"], limit: 3, after: [.key(4)]
            ).sql.string
                == "SELECT t0.ZTEAM, COUNT(*) FROM ZPERSON t0 GROUP BY t0.ZTEAM "
                + "HAVING t0.ZTEAM > ?1 ORDER BY t0.ZTEAM LIMIT ?2")
    }

    /// All pages are made alike, so that what is rounded is on each rounded alike.
    @Test func groupsMadeOfPartsGoOnAfterAPosition() throws {
        let statement = try rows(
            select: ["average(salary)"], groupBy: ["team.name", "age"], sort: "-average(salary)",
            after: [.double(2.5), .string("x"), .int(3)])
        let made = "NULLIF(NULLIF(SUM(t1.a0) / SUM(t1.a1), 9e999), -9e999)"
        let filter = "t2.ZNAME = ?2 AND t1.k1 > ?3"
        #expect(
            statement.sql.string
                == "SELECT \(made) FROM (SELECT t0.ZTEAM AS k0, t0.ZAGE AS k1, "
                + "TOTAL(t0.ZSALARY) AS a0, COUNT(t0.ZSALARY) AS a1 FROM ZPERSON t0 "
                + "GROUP BY t0.ZTEAM, t0.ZAGE) t1 LEFT JOIN ZTEAM t2 ON t2.Z_PK = t1.k0 "
                + "GROUP BY t2.ZNAME, t1.k1 HAVING \(made) < ?1 OR \(made) IS NULL OR "
                + "\(made) = ?1 AND (t2.ZNAME > ?2 OR \(filter)) "
                + "ORDER BY \(made) DESC, t2.ZNAME, t1.k1")
        #expect(statement.bindings == [.double(2.5), .string("x"), .int(3)])
    }

    @Test func distinctRowsGoOnAfterAPosition() throws {
        let statement = try rows(
            select: ["age", "name"], sort: "-name[c]",
            after: [.string("X"), .int(3), .string("x")],
            distinct: true)
        let fold = "STELE_FOLD(t0.ZNAME, 1)"
        #expect(
            statement.sql.string
                == "SELECT DISTINCT t0.ZAGE, t0.ZNAME FROM ZPERSON t0 WHERE \(fold) < "
                + "STELE_FOLD(?1, 1) OR \(fold) IS NULL OR \(fold) = STELE_FOLD(?1, 1) AND "
                + "(t0.ZAGE > ?2 OR t0.ZAGE = ?2 AND t0.ZNAME > ?3) "
                + "ORDER BY \(fold) DESC, t0.ZAGE, t0.ZNAME")
        #expect(throws: StoreError.self) {
            try rows(
                select: ["age", "name"], sort: "age", after: [.int(3), .int(3)], distinct: true)
        }
    }

    @Test func aColumnThatIsNeitherGroupedByNorTotalledIsRefused() throws {
        #expect(throws: StoreError.self) { try rows(select: ["age", "count()"]) }
        #expect(throws: StoreError.self) {
            try rows(select: ["age * 2", "count()"], groupBy: ["team"])
        }
    }

    @Test func groupsAndDistinctRowsAreCounted() throws {
        let fetching = try Fetching()
        let groups = try fetching.request("Person", select: ["team", "count()"], groupBy: ["team"])
        #expect(
            try fetching.translator.count(groups).sql.string
                == "SELECT COUNT(*) FROM (SELECT t0.ZTEAM, COUNT(*) FROM ZPERSON t0 "
                + "GROUP BY t0.ZTEAM) n")
    }
}
