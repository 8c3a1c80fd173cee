// Predicates and the SQL that they become, word for word: values and to-one relationships.

import Testing

@Suite struct FetchingValueTests {
    @Test(arguments: golden)
    func aPredicateBecomesExactlyThisSQL(_ case: GoldenSQL) throws {
        let sql = try Fetching().filter(`case`.entity, `case`.asked)
        #expect(sql == `case`.sql)
    }

    static let golden = GoldenSQL.cases(
        """
        Person: age > 40
            ZPERSON t0 WHERE t0.ZAGE > ?1
        Person: 40 < age
            ZPERSON t0 WHERE t0.ZAGE > ?1
        Person: NOT age > 40
            ZPERSON t0 WHERE t0.ZAGE <= ?1 OR t0.ZAGE IS NULL
        Person: age > nil
            ZPERSON t0 WHERE FALSE
        Person: NOT age > nil
            ZPERSON t0 WHERE TRUE
        Person: name == team.name
            ZPERSON t0 LEFT JOIN ZTEAM t1 ON t1.Z_PK = t0.ZTEAM WHERE t0.ZNAME IS t1.ZNAME
        Person: age > team.founded
            ZPERSON t0 LEFT JOIN ZTEAM t1 ON t1.Z_PK = t0.ZTEAM WHERE t0.ZAGE > t1.ZFOUNDED
        Person: NOT age > team.founded
            ZPERSON t0 LEFT JOIN ZTEAM t1 ON t1.Z_PK = t0.ZTEAM WHERE (t0.ZAGE > t1.ZFOUNDED) IS \
            NOT TRUE
        Person: name BEGINSWITH ""
            ZPERSON t0 WHERE FALSE
        Person: name BEGINSWITH team.name
            ZPERSON t0 LEFT JOIN ZTEAM t1 ON t1.Z_PK = t0.ZTEAM WHERE STELE_BEGINSWITH(t0.ZNAME, \
            t1.ZNAME, 0)
        Person: team == 3
            ZPERSON t0 WHERE t0.ZTEAM = ?1
        Person: team._id == 3
            ZPERSON t0 WHERE t0.ZTEAM = ?1
        Person: team == nil
            ZPERSON t0 WHERE t0.ZTEAM IS NULL
        Person: team != 3
            ZPERSON t0 WHERE t0.ZTEAM IS NOT ?1
        Person: team IN {3, 4, 5}
            ZPERSON t0 WHERE t0.ZTEAM IN (?1, ?2, ?3, ?4)
        Person: age IN {1}
            ZPERSON t0 WHERE t0.ZAGE IN (?1)
        Person: NOT age IN {1, nil}
            ZPERSON t0 WHERE (t0.ZAGE IN (?1)) IS NOT TRUE
        Person: age IN {}
            ZPERSON t0 WHERE FALSE
        Person: salary IN {1.5, 2.5, 3.5}
            ZPERSON t0 WHERE t0.ZSALARY IN (?1, ?2, ?3, ?4)
        Person: _entity == "Employee"
            ZPERSON t0 WHERE t0.Z_ENT = ?1
        Person: _entity IN {"Employee", "Nope"}
            ZPERSON t0 WHERE t0.Z_ENT IN (?1, ?2)
        Person: _entity BEGINSWITH "E"
            ZPERSON t0 WHERE STELE_BEGINSWITH(CASE t0.Z_ENT WHEN 2 THEN 'Person' WHEN 3 THEN \
            'Employee' WHEN 4 THEN 'Director' END, ?1, 0)
        Person: _version > 2
            ZPERSON t0 WHERE t0.Z_OPT > ?1
        Employee: age > 40
            ZPERSON t0 WHERE +t0.Z_ENT BETWEEN 3 AND 4 AND t0.ZAGE > ?1
        Director: age > 40
            ZPERSON t0 WHERE +t0.Z_ENT = 4 AND t0.ZAGE > ?1
        Employee: boss.name == "x"
            ZPERSON t0 WHERE +t0.Z_ENT BETWEEN 3 AND 4 AND t0.ZBOSS IN (SELECT t1.Z_PK FROM \
            ZPERSON t1 WHERE t1.ZNAME = ?1)
        Employee: boss.boss._id == 4
            ZPERSON t0 WHERE +t0.Z_ENT BETWEEN 3 AND 4 AND t0.ZBOSS IN (SELECT t1.Z_PK FROM \
            ZPERSON t1 WHERE t1.ZBOSS = ?1)
        Employee: boss._entity == "Director"
            ZPERSON t0 WHERE +t0.Z_ENT BETWEEN 3 AND 4 AND t0.ZBOSS IN (SELECT t1.Z_PK FROM \
            ZPERSON t1 WHERE t1.Z_ENT = ?1)
        Person: team.name == "x" AND team.league.name == "y"
            ZPERSON t0 WHERE t0.ZTEAM IN (SELECT t1.Z_PK FROM ZTEAM t1 WHERE t1.ZNAME = ?1) AND \
            t0.ZTEAM IN (SELECT t2.Z_PK FROM ZTEAM t2 LEFT JOIN ZLEAGUE t3 ON t3.Z_PK = \
            t2.ZLEAGUE WHERE t3.ZNAME = ?2)
        Person: age > 40 AND (name == "x" OR salary < 3.5)
            ZPERSON t0 WHERE t0.ZAGE > ?1 AND (t0.ZNAME = ?2 OR t0.ZSALARY < ?3)
        Person: NOT (age > 40 AND (name == "x" OR salary < 3.5))
            ZPERSON t0 WHERE t0.ZAGE <= ?1 OR t0.ZAGE IS NULL OR t0.ZNAME IS NOT ?2 AND \
            (t0.ZSALARY >= ?3 OR t0.ZSALARY IS NULL)
        Person: age BETWEEN {10, 20}
            ZPERSON t0 WHERE t0.ZAGE BETWEEN ?1 AND ?2
        Person: NOT age BETWEEN {10, 20}
            ZPERSON t0 WHERE t0.ZAGE < ?1 OR t0.ZAGE > ?2 OR t0.ZAGE IS NULL
        Person: NOT (age BETWEEN {10, salary})
            ZPERSON t0 WHERE (t0.ZAGE BETWEEN ?1 AND t0.ZSALARY) IS NOT TRUE
        Person: NOT (age BETWEEN {10, nil})
            ZPERSON t0 WHERE TRUE
        Person: age > 50 AND NOT (_id BETWEEN {10, 20})
            ZPERSON t0 WHERE t0.ZAGE > ?1 AND (t0.Z_PK < ?2 OR t0.Z_PK > ?3)
        Person: pay > 10.5
            ZPERSON t0 WHERE t0.ZPAY > ?1
        Person: pay > 1234567890123456789.5
            ZPERSON t0 WHERE STELE_DECIMAL_KEY(t0.ZPAY) > STELE_DECIMAL_KEY(?1)
        Person: pay + 1 > 3
            ZPERSON t0 WHERE STELE_DECIMAL_KEY(STELE_DECIMAL_ADD(t0.ZPAY, ?1)) > \
            STELE_DECIMAL_KEY(?2)
        Person: age / 2 == 3
            ZPERSON t0 WHERE (t0.ZAGE / ?1) = ?2
        Person: age * salary > 10 - age
            ZPERSON t0 WHERE NULLIF(NULLIF((t0.ZAGE * t0.ZSALARY), 9e999), -9e999) > (?1 - t0.ZAGE)
        Person: born - 3 > born
            ZPERSON t0 WHERE STELE_STORED(5, CAST(t0.ZBORN AS REAL) - ?1) > t0.ZBORN
        Person: TERNARY(age > 3, name, team.name) == "x"
            ZPERSON t0 LEFT JOIN ZTEAM t1 ON t1.Z_PK = t0.ZTEAM WHERE CASE WHEN t0.ZAGE > ?1 \
            THEN t0.ZNAME ELSE t1.ZNAME END = ?2
        Person: SELF == 3
            ZPERSON t0 WHERE t0.Z_PK = ?1
        Person: SELF IN {3, 4}
            ZPERSON t0 WHERE t0.Z_PK IN (?1, ?2)
        Person: TRUEPREDICATE
            ZPERSON t0
        Person: age == 3 OR age == 4
            ZPERSON t0 WHERE t0.ZAGE = ?1 OR t0.ZAGE = ?2
        Person: noindex(age) == 3
            ZPERSON t0 WHERE +t0.ZAGE = ?1
        Person: age > nil AND age * 2 > 3
            ZPERSON t0 WHERE FALSE AND (t0.ZAGE * ?1) > ?2
        Person: active == YES
            ZPERSON t0 WHERE t0.ZACTIVE = ?1
        Person: pay == 0.1
            ZPERSON t0 WHERE t0.ZPAY = ?1
        Person: age == 40.5
            ZPERSON t0 WHERE t0.ZAGE = ?1
        Person: code == nil
            ZPERSON t0 WHERE t0.ZCODE IS NULL
        Person: team.name IN {"a"}
            ZPERSON t0 WHERE t0.ZTEAM IN (SELECT t1.Z_PK FROM ZTEAM t1 WHERE t1.ZNAME IN (?1))
        Person: NOT _id == 3
            ZPERSON t0 WHERE t0.Z_PK <> ?1
        Person: NOT _id > 3
            ZPERSON t0 WHERE t0.Z_PK <= ?1
        Person: abs(age) > 3
            ZPERSON t0 WHERE MAX(t0.ZAGE, -t0.ZAGE) > ?1
        Person: age & 3 == 1
            ZPERSON t0 WHERE (t0.ZAGE & ?1) = ?2
        Employee: boss == nil
            ZPERSON t0 WHERE +t0.Z_ENT BETWEEN 3 AND 4 AND t0.ZBOSS IS NULL
        Person: sqrt(age) > 3
            ZPERSON t0 WHERE SQRT(t0.ZAGE) > ?1
        Person: modulus(age, 3) == 1
            ZPERSON t0 WHERE (t0.ZAGE % ?1) = ?2
        """)
}
