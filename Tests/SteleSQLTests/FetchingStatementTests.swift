// Whole statements: lists, counts, pages, members, what is bound.

import SteleModel
import StelePersistence
import StelePredicates
import SteleSQL
import Testing

@Suite struct FetchingStatementTests {
    private func keys(
        _ entity: String, _ predicate: String? = nil, sort: String = "", limit: Int? = nil,
        offset: Int = 0
    ) throws -> String {
        let fetching = try Fetching()
        return try fetching.translator.keys(
            fetching.request(entity, predicate, sort: sort, limit: limit, offset: offset)
        ).sql.string
    }

    @Test func aListIsWrittenAsByHand() throws {
        let fetching = try Fetching()
        let statement = try fetching.translator.snapshots(
            fetching.request("Team", "founded > 40", sort: "name", limit: 100))
        #expect(
            statement.sql.string
                == "SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZFOUNDED, t0.ZLEAGUE, t0.Z_FOK_LEAGUE, "
                + "t0.ZNAME FROM ZTEAM t0 WHERE t0.ZFOUNDED > ?1 "
                + "ORDER BY t0.ZNAME, t0.Z_PK LIMIT ?2")
        #expect(statement.bindings == [.int(40), .int(100)])
        #expect(statement.kinds.isEmpty)
    }

    @Test func oneShapeIsOneText() throws {
        #expect(
            try keys("Person", "age > 4 AND name == \"a\"", limit: 3)
                == keys("Person", "age > 5 AND name == \"b\"", limit: 4))
        #expect(
            try keys("Person", "age IN {1, 2, 3}") == keys("Person", "age IN {1, 2, 3, 4}"))
        #expect(
            try keys("Person", "age IN {1,2,3,4,5,6,7,8,9}")
                == keys("Person", "age IN {1,2,3,4,5,6,7,8,9,10,11,12}"))
    }

    @Test func onlyAPartOfATableAsksForItsEntities() throws {
        #expect(
            try keys("Person", limit: 9)
                == "SELECT t0.Z_PK FROM ZPERSON t0 ORDER BY t0.Z_PK LIMIT ?1")
        #expect(
            try keys("Director", limit: 9)
                == "SELECT t0.Z_PK FROM ZPERSON t0 WHERE t0.Z_ENT = 4 ORDER BY t0.Z_PK LIMIT ?1")
        #expect(
            try keys("Employee", sort: "name")
                == "SELECT t0.Z_PK FROM ZPERSON t0 WHERE +t0.Z_ENT BETWEEN 3 AND 4 "
                + "ORDER BY t0.ZNAME, t0.Z_PK")
        let fetching = try Fetching()
        var request = try fetching.request("Employee", "age > 3")
        request.includesSubentities = false
        #expect(
            try fetching.translator.count(request).sql.string
                == "SELECT COUNT(*) FROM ZPERSON t0 WHERE +t0.Z_ENT = 3 AND t0.ZAGE > ?1")
    }

    @Test func pagesAreBound() throws {
        #expect(try keys("Team", offset: 3).hasSuffix(" LIMIT -1 OFFSET ?1"))
        #expect(try keys("Team", limit: 2, offset: 3).hasSuffix(" LIMIT ?1 OFFSET ?2"))
    }

    @Test func aCountNeedsNoOrder() throws {
        let fetching = try Fetching()
        let count = { try fetching.translator.count($0).sql.string }
        #expect(
            try count(fetching.request("Team", "founded > 3", sort: "name"))
                == "SELECT COUNT(*) FROM ZTEAM t0 WHERE t0.ZFOUNDED > ?1")
        #expect(
            try count(fetching.request("Team", limit: 5))
                == "SELECT COUNT(*) FROM (SELECT 1 FROM ZTEAM t0 LIMIT ?1) n")
    }

    @Test func whatIsBoundForNothingIsNotBound() throws {
        let fetching = try Fetching()
        let statement = try fetching.translator.keys(
            fetching.request("Person", "age > 3 AND age * 2 > nil"))
        #expect(statement.sql.string.contains("WHERE t0.ZAGE > ?1 AND FALSE"))
        #expect(statement.bindings == [.int(3)])
    }

    @Test func aLongListIsOneValue() throws {
        let fetching = try Fetching()
        let list = (1...20).map { "\"\($0)\\\"\\n\"" }.joined(separator: ", ")
        let statement = try fetching.translator.keys(
            fetching.request("Person", "name IN {\(list)}"))
        #expect(statement.bindings.count == 1)
        let database = try FetchingDatabase(fetching.translator.schema)
        let values = try database.rows(
            "SELECT value FROM json_each(?1)", statement.bindings, [.text])
        #expect(values == (1...20).map { [.string("\($0)\"\n")] })
    }

    @Test func membersComeInTheirOrder() throws {
        let fetching = try Fetching()
        func members(_ entity: String, _ name: String, _ owners: [Int64]) throws -> FetchStatement {
            let it = try #require(fetching.entity(entity).relationship(named: name))
            return try fetching.translator.members(of: it, owners: owners)
        }
        let one = try members("League", "teams", [3])
        #expect(
            one.sql.string == "SELECT t0.ZLEAGUE, t0.Z_PK FROM ZTEAM t0 WHERE t0.ZLEAGUE = ?1 "
                + "ORDER BY t0.ZLEAGUE, t0.Z_FOK_LEAGUE, t0.Z_PK")
        #expect(one.bindings == [.key(3)])
        let many = try members("Skill", "people", [3, 4])
        #expect(
            many.sql.string == "SELECT t0.Z_5SKILLS, t0.Z_2PEOPLE FROM Z_2SKILLS t0 "
                + "WHERE t0.Z_5SKILLS IN (SELECT value FROM json_each(?1)) "
                + "ORDER BY t0.Z_5SKILLS, t0.Z_FOK_2PEOPLE, t0.Z_2PEOPLE")
        #expect(many.bindings == [.string("[3,4]")])
        #expect(
            try members("Team", "fans", [1]).sql.string == "SELECT t0.Z6FANS, t0.Z_PK "
                + "FROM ZPERSON t0 WHERE t0.Z6FANS = ?1 ORDER BY t0.Z6FANS, t0.Z_PK")
    }

    @Test func membersOfPairsBringTheirRows() throws {
        let fetching = try Fetching()
        let skills = try #require(fetching.entity("Person").relationship(named: "skills"))
        #expect(
            try fetching.translator.memberSnapshots(of: skills, owners: [1]).sql.string
                == "SELECT t0.Z_2PEOPLE, t1.Z_PK, t1.Z_ENT, t1.Z_OPT, t1.ZPOINTS, t1.ZNAME "
                + "FROM Z_2SKILLS t0 JOIN ZSKILL t1 ON t1.Z_PK = t0.Z_5SKILLS "
                + "WHERE t0.Z_2PEOPLE = ?1 ORDER BY t0.Z_2PEOPLE, t0.Z_5SKILLS")
    }

    @Test func objectsAreFoundByTheirKeys() throws {
        let fetching = try Fetching()
        let root = try fetching.entity("League").root
        let list = "SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZNAME FROM ZLEAGUE t0 WHERE "
        #expect(fetching.translator.snapshotByKey(root: root).string == list + "t0.Z_PK = ?1")
        #expect(
            fetching.translator.snapshotsByKey(root: root).string
                == list + "t0.Z_PK IN (SELECT value FROM json_each(?1))")
    }

    @Test func aLongDecimalComparesByItsKey() throws {
        let long = try Fetching(longDecimals: ["Person.pay"])
        #expect(
            try long.filter("Director", "pay > 3").hasSuffix(
                "STELE_DECIMAL_KEY(t0.ZPAY) > STELE_DECIMAL_KEY(?1)"))
        let sorted = try long.translator.keys(long.request("Person", sort: "-pay"))
        #expect(sorted.sql.string.hasSuffix("ORDER BY STELE_DECIMAL_KEY(t0.ZPAY) DESC, t0.Z_PK"))
    }

    @Test func aPredicateWithoutSQLIsUnsupported() throws {
        let fetching = try Fetching()
        #expect {
            var request = FetchRequest(entity: try fetching.entity("Person"))
            request.predicate = try Predicate(format: "age + mode(friends.age) > 3")
            _ = try fetching.translator.keys(request)
        } throws: { error in
            if case StoreError.unsupported(let text) = error { !text.isEmpty } else { false }
        }
    }
}

@Suite struct FetchingPrefixTests {
    @Test(arguments: [
        ("Ab", "Ac"), ("a\u{10FFFF}", "b"), ("a\u{10FFFF}\u{10FFFF}", "b"),
        ("\u{D7FF}", "\u{E000}"),
        ("é", "ê"), ("\u{7F}", "\u{80}"), ("\u{FFFF}", "\u{10000}"),
    ])
    func theNextTextIsAboveAllThatBeginSo(_ prefix: String, _ next: String) throws {
        let fetching = try Fetching()
        var request = try fetching.request("Person")
        request.predicate = .comparison(
            Comparison(.key("name"), .beginsWith, .constant(.string(prefix))))
        #expect(try fetching.translator.keys(request).bindings == [.string(prefix), .string(next)])
    }

    @Test func nothingIsAboveTheGreatestText() throws {
        let fetching = try Fetching()
        var request = try fetching.request("Person")
        request.predicate = .comparison(
            Comparison(.key("name"), .beginsWith, .constant(.string("\u{10FFFF}"))))
        let statement = try fetching.translator.keys(request)
        #expect(statement.sql.string.contains("WHERE t0.ZNAME >= ?1 ORDER BY"))
    }
}
