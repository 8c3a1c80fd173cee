// Predicates and the SQL that they become, word for word: to-many relationships.

import Testing

@Suite struct FetchingRelationshipTests {
    @Test(arguments: golden)
    func aPredicateBecomesExactlyThisSQL(_ case: GoldenSQL) throws {
        let sql = try Fetching().filter(`case`.entity, `case`.asked)
        #expect(sql == `case`.sql)
    }

    /// A key that may lead to nothing is the one of the row that is there.
    @Test(arguments: dangling)
    func whatNoActionLeavesIsNone(_ case: GoldenSQL) throws {
        let sql = try Fetching(noAction: ["members"]).filter(`case`.entity, `case`.asked)
        #expect(sql == `case`.sql)
    }

    static let dangling = GoldenSQL.cases(
        """
        Person: team == 3
            ZPERSON t0 LEFT JOIN ZTEAM t1 ON t1.Z_PK = t0.ZTEAM WHERE t1.Z_PK = ?1
        Person: team == nil
            ZPERSON t0 LEFT JOIN ZTEAM t1 ON t1.Z_PK = t0.ZTEAM WHERE t1.Z_PK IS NULL
        Person: team.founded > age
            ZPERSON t0 LEFT JOIN ZTEAM t1 ON t1.Z_PK = t0.ZTEAM WHERE t1.ZFOUNDED > t0.ZAGE
        Person: team.name == "x"
            ZPERSON t0 WHERE t0.ZTEAM IN (SELECT t1.Z_PK FROM ZTEAM t1 WHERE t1.ZNAME = ?1)
        Team: league == nil
            ZTEAM t0 WHERE t0.ZLEAGUE IS NULL
        """)

    /// Only such a model pays: of all others the columns are read as they stand.
    @Test func aRowsKeysAreReadAsTheyStandWhereNoneMayDangle() throws {
        func list(_ noAction: Set<String>) throws -> String {
            let fetching = try Fetching(noAction: noAction)
            return try fetching.translator.snapshots(fetching.request("Person")).sql.string
        }
        #expect(try !list([]).contains("(SELECT") && list([]).contains("t0.ZTEAM"))
        #expect(
            try list(["members"])
                .contains("(SELECT e.Z_PK FROM ZTEAM e WHERE e.Z_PK = t0.ZTEAM)"))
    }

    static let golden = GoldenSQL.cases(
        """
        Person: _id IN {1,2,3,4,5,6,7,8,9,10}
            ZPERSON t0 WHERE t0.Z_PK IN (SELECT value FROM json_each(?1))
        Person: name IN {"a","b","c","d","e","f","g","h","i"}
            ZPERSON t0 WHERE t0.ZNAME IN (SELECT value FROM json_each(?1))
        Person: name IN[c] {"a","b","c","d","e","f","g","h","i"}
            ZPERSON t0 WHERE STELE_FOLD(t0.ZNAME, 1) IN (SELECT STELE_FOLD(value, 1) FROM \
            json_each(?1))
        Team: ANY members.age > 40
            ZTEAM t0 WHERE t0.Z_PK IN (SELECT t1.ZTEAM FROM ZPERSON t1 WHERE t1.ZAGE > ?1)
        Team: NONE members.age > 40
            ZTEAM t0 WHERE (t0.Z_PK IN (SELECT t1.ZTEAM FROM ZPERSON t1 WHERE t1.ZAGE > ?1)) IS \
            NOT TRUE
        Team: ALL members.age > 40
            ZTEAM t0 WHERE (t0.Z_PK IN (SELECT t1.ZTEAM FROM ZPERSON t1 WHERE t1.ZAGE <= ?1 OR \
            t1.ZAGE IS NULL)) IS NOT TRUE
        Team: NOT ALL members.age > 40
            ZTEAM t0 WHERE t0.Z_PK IN (SELECT t1.ZTEAM FROM ZPERSON t1 WHERE t1.ZAGE <= ?1 OR \
            t1.ZAGE IS NULL)
        Team: ANY members == 3
            ZTEAM t0 WHERE t0.Z_PK IN (SELECT t1.ZTEAM FROM ZPERSON t1 WHERE t1.Z_PK = ?1)
        Team: members CONTAINS 3
            ZTEAM t0 WHERE t0.Z_PK IN (SELECT t1.ZTEAM FROM ZPERSON t1 WHERE t1.Z_PK = ?1)
        Team: 3 IN members
            ZTEAM t0 WHERE t0.Z_PK IN (SELECT t1.ZTEAM FROM ZPERSON t1 WHERE t1.Z_PK = ?1)
        Team: NOT 3 IN members
            ZTEAM t0 WHERE (t0.Z_PK IN (SELECT t1.ZTEAM FROM ZPERSON t1 WHERE t1.Z_PK = ?1)) IS \
            NOT TRUE
        Team: 5 IN members.age
            ZTEAM t0 WHERE t0.Z_PK IN (SELECT t1.ZTEAM FROM ZPERSON t1 WHERE t1.ZAGE = ?1)
        Team: ANY members.age > founded
            ZTEAM t0 WHERE EXISTS (SELECT 1 FROM ZPERSON t1 WHERE t1.ZTEAM = t0.Z_PK AND t1.ZAGE \
            > t0.ZFOUNDED)
        Team: league == 3 AND ANY members.age > 4
            ZTEAM t0 WHERE t0.ZLEAGUE = ?1 AND EXISTS (SELECT 1 FROM ZPERSON t1 WHERE t1.ZTEAM = \
            t0.Z_PK AND t1.ZAGE > ?2)
        Team: ANY members.skills.name == "x"
            ZTEAM t0 WHERE t0.Z_PK IN (SELECT t1.ZTEAM FROM ZPERSON t1 JOIN Z_2SKILLS t2 ON \
            t2.Z_2PEOPLE = t1.Z_PK JOIN ZSKILL t3 ON t3.Z_PK = t2.Z_5SKILLS WHERE t3.ZNAME = ?1)
        League: ANY teams.members.skills.points > 3
            ZLEAGUE t0 WHERE t0.Z_PK IN (SELECT t1.ZLEAGUE FROM ZTEAM t1 JOIN ZPERSON t2 ON \
            t2.ZTEAM = t1.Z_PK JOIN Z_2SKILLS t3 ON t3.Z_2PEOPLE = t2.Z_PK JOIN ZSKILL t4 ON \
            t4.Z_PK = t3.Z_5SKILLS WHERE t4.ZPOINTS > ?1)
        Person: ANY skills.name == "x"
            ZPERSON t0 WHERE t0.Z_PK IN (SELECT t1.Z_2PEOPLE FROM Z_2SKILLS t1 JOIN ZSKILL t2 ON \
            t2.Z_PK = t1.Z_5SKILLS WHERE t2.ZNAME = ?1)
        Person: ANY skills == 7
            ZPERSON t0 WHERE t0.Z_PK IN (SELECT t1.Z_2PEOPLE FROM Z_2SKILLS t1 WHERE \
            t1.Z_5SKILLS = ?1)
        Person: ANY team.members.age > 40
            ZPERSON t0 WHERE t0.ZTEAM IN (SELECT t1.ZTEAM FROM ZPERSON t1 WHERE t1.ZAGE > ?1)
        Person: NONE team.members.age > 40
            ZPERSON t0 WHERE (t0.ZTEAM IN (SELECT t1.ZTEAM FROM ZPERSON t1 WHERE t1.ZAGE > ?1)) \
            IS NOT TRUE
        Person: ANY friends.team.name == nil
            ZPERSON t0 WHERE t0.Z_PK IN (SELECT t1.Z_2FRIENDS FROM Z_2FRIENDS t1 JOIN ZPERSON t2 \
            ON t2.Z_PK = t1.REFLEXIVE LEFT JOIN ZTEAM t3 ON t3.Z_PK = t2.ZTEAM WHERE t3.ZNAME IS \
            NULL)
        Team: ANY fans.age > 3
            ZTEAM t0 WHERE t0.Z_PK IN (SELECT t1.Z6FANS FROM ZPERSON t1 WHERE t1.ZAGE > ?1)
        Team: ANY members.name IN {"a", "b"}
            ZTEAM t0 WHERE t0.Z_PK IN (SELECT t1.ZTEAM FROM ZPERSON t1 WHERE t1.ZNAME IN (?1, \
            ?2))
        Team: members.@count > 3
            ZTEAM t0 WHERE t0.Z_PK IN (SELECT t1.ZTEAM FROM ZPERSON t1 GROUP BY t1.ZTEAM HAVING \
            COUNT(*) > ?1)
        Team: members.@avg.age > 3
            ZTEAM t0 WHERE t0.Z_PK IN (SELECT t1.ZTEAM FROM ZPERSON t1 GROUP BY t1.ZTEAM HAVING \
            AVG(t1.ZAGE) > ?1)
        Team: members.pay.@sum > 3
            ZTEAM t0 WHERE t0.Z_PK IN (SELECT t1.ZTEAM FROM ZPERSON t1 GROUP BY t1.ZTEAM HAVING \
            STELE_DECIMAL_KEY(STELE_DECIMAL_SUM(t1.ZPAY)) > STELE_DECIMAL_KEY(?1))
        Team: SUBQUERY(members, $x, $x.age > 3 AND $x.name == "a").@count > 0
            ZTEAM t0 WHERE t0.Z_PK IN (SELECT t1.ZTEAM FROM ZPERSON t1 WHERE t1.ZAGE > ?1 AND \
            t1.ZNAME = ?2)
        Team: SUBQUERY(members, $x, $x.age > founded).@count > 2
            ZTEAM t0 WHERE (SELECT COUNT(*) FROM ZPERSON t1 WHERE t1.ZTEAM = t0.Z_PK AND t1.ZAGE \
            > t0.ZFOUNDED) > ?1
        Team: ANY SUBQUERY(members, $x, $x.age > 3).name == "z"
            ZTEAM t0 WHERE t0.Z_PK IN (SELECT t1.ZTEAM FROM ZPERSON t1 WHERE t1.ZAGE > ?1 AND \
            t1.ZNAME = ?2)
        Person: sum(friends.age) > 3
            ZPERSON t0 WHERE t0.Z_PK IN (SELECT t1.Z_2FRIENDS FROM Z_2FRIENDS t1 JOIN ZPERSON t2 \
            ON t2.Z_PK = t1.REFLEXIVE GROUP BY t1.Z_2FRIENDS HAVING \
            COALESCE(SUM(t2.ZAGE), 0) > ?1)
        Person: count(distinct friends.age) > 3
            ZPERSON t0 WHERE t0.Z_PK IN (SELECT t1.Z_2FRIENDS FROM Z_2FRIENDS t1 JOIN ZPERSON t2 \
            ON t2.Z_PK = t1.REFLEXIVE GROUP BY t1.Z_2FRIENDS HAVING COUNT(DISTINCT t2.ZAGE) + \
            COALESCE(MAX(t2.ZAGE IS NULL), 0) > ?1)
        Person: SUBQUERY(friends.team, $x, $x.founded > 3).@count > 1
            ZPERSON t0 WHERE CASE WHEN (SELECT s * s * (SELECT MAX(rowid) FROM Z_2FRIENDS) > \
            65536 * ?2 * (SELECT MAX(Z_PK) FROM ZPERSON) FROM (SELECT COUNT(*) AS s FROM (SELECT \
            t2.ZTEAM IS NOT NULL AND t3.ZFOUNDED > ?1 AS v FROM Z_2FRIENDS t1 JOIN ZPERSON t2 ON \
            t2.Z_PK = t1.REFLEXIVE LEFT JOIN ZTEAM t3 ON t3.Z_PK = t2.ZTEAM ORDER BY t1.rowid \
            LIMIT 256) WHERE v)) THEN EXISTS (SELECT 1 FROM Z_2FRIENDS t1 JOIN ZPERSON t2 ON \
            t2.Z_PK = t1.REFLEXIVE LEFT JOIN ZTEAM t3 ON t3.Z_PK = t2.ZTEAM WHERE t1.Z_2FRIENDS = \
            t0.Z_PK AND t2.ZTEAM IS NOT NULL AND t3.ZFOUNDED > ?1 LIMIT 1 OFFSET ?2 - 1) ELSE \
            t0.Z_PK IN (SELECT t1.Z_2FRIENDS FROM Z_2FRIENDS t1 JOIN ZPERSON t2 ON t2.Z_PK = \
            t1.REFLEXIVE LEFT JOIN ZTEAM t3 ON t3.Z_PK = t2.ZTEAM WHERE t2.ZTEAM IS NOT NULL AND \
            t3.ZFOUNDED > ?1 GROUP BY +t1.Z_2FRIENDS HAVING COUNT(*) >= ?2) END
        Team: members.@count == 0
            ZTEAM t0 WHERE NOT EXISTS (SELECT 1 FROM ZPERSON t1 WHERE t1.ZTEAM = t0.Z_PK)
        Team: members.@count != 0
            ZTEAM t0 WHERE EXISTS (SELECT 1 FROM ZPERSON t1 WHERE t1.ZTEAM = t0.Z_PK)
        Team: SUBQUERY(members, $x, $x.age > 3).@count == 0
            ZTEAM t0 WHERE (t0.Z_PK IN (SELECT t1.ZTEAM FROM ZPERSON t1 WHERE t1.ZAGE > ?1)) IS \
            NOT TRUE
        Team: ALL members.age > founded
            ZTEAM t0 WHERE NOT EXISTS (SELECT 1 FROM ZPERSON t1 WHERE t1.ZTEAM = t0.Z_PK AND \
            (t1.ZAGE > t0.ZFOUNDED) IS NOT TRUE)
        Person: NOT (ANY skills.name == nil)
            ZPERSON t0 WHERE (t0.Z_PK IN (SELECT t1.Z_2PEOPLE FROM Z_2SKILLS t1 JOIN ZSKILL t2 \
            ON t2.Z_PK = t1.Z_5SKILLS WHERE t2.ZNAME IS NULL)) IS NOT TRUE
        Team: ANY members.friends == 5
            ZTEAM t0 WHERE t0.Z_PK IN (SELECT t1.ZTEAM FROM ZPERSON t1 JOIN Z_2FRIENDS t2 ON \
            t2.Z_2FRIENDS = t1.Z_PK WHERE t2.REFLEXIVE = ?1)
        """)
}
