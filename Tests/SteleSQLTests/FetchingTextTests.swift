// Predicates and the SQL that they become, word for word: text.

import Testing

@Suite struct FetchingTextTests {
    @Test(arguments: golden)
    func aPredicateBecomesExactlyThisSQL(_ case: GoldenSQL) throws {
        let sql = try Fetching().filter(`case`.entity, `case`.asked)
        #expect(sql == `case`.sql)
    }

    static let golden = GoldenSQL.cases(
        """
        Person: name == "x"
            ZPERSON t0 WHERE t0.ZNAME = ?1
        Person: name != "x"
            ZPERSON t0 WHERE t0.ZNAME IS NOT ?1
        Person: NOT name != "x"
            ZPERSON t0 WHERE t0.ZNAME = ?1
        Person: name == nil
            ZPERSON t0 WHERE t0.ZNAME IS NULL
        Person: name != nil
            ZPERSON t0 WHERE t0.ZNAME IS NOT NULL
        Person: name BEGINSWITH "Ab"
            ZPERSON t0 WHERE t0.ZNAME >= ?1 AND t0.ZNAME < ?2
        Person: NOT name BEGINSWITH "Ab"
            ZPERSON t0 WHERE (t0.ZNAME >= ?1 AND t0.ZNAME < ?2) IS NOT TRUE
        Person: name BEGINSWITH[c] "Ab"
            ZPERSON t0 WHERE (t0.ZNAME >= ?2 AND t0.ZNAME < ?3 OR t0.ZNAME >= ?4 AND t0.ZNAME < ?5 \
        OR t0.ZNAME >= ?6 AND t0.ZNAME < ?7 OR t0.ZNAME >= ?8 AND t0.ZNAME < ?9) \
        AND STELE_BEGINSWITH(t0.ZNAME, ?1, 1)
        Person: NOT name BEGINSWITH[c] "Ab"
            ZPERSON t0 WHERE (STELE_BEGINSWITH(t0.ZNAME, ?1, 1)) IS NOT TRUE
        Person: name BEGINSWITH[cd] "Ab"
            ZPERSON t0 WHERE STELE_BEGINSWITH(t0.ZNAME, ?1, 3)
        Person: team.name BEGINSWITH[c] "Ab"
            ZPERSON t0 WHERE t0.ZTEAM IN (SELECT t1.Z_PK FROM ZTEAM t1 WHERE \
        STELE_BEGINSWITH(t1.ZNAME, ?1, 1))
        Person: name LIKE "Ab*"
            ZPERSON t0 WHERE t0.ZNAME >= ?2 AND t0.ZNAME < ?3 AND STELE_LIKE(t0.ZNAME, ?1, 0)
        Person: name MATCHES[cd] "a+"
            ZPERSON t0 WHERE STELE_MATCHES(t0.ZNAME, ?1, 3)
        Person: name MATCHES[nc] ""
            ZPERSON t0 WHERE STELE_MATCHES(t0.ZNAME, ?1, 0)
        Person: name CONTAINS "x"
            ZPERSON t0 WHERE INSTR(t0.ZNAME, ?1) > 0
        Person: name ENDSWITH "x"
            ZPERSON t0 WHERE SUBSTR(CAST(t0.ZNAME AS BLOB), -LENGTH(CAST(?1 AS BLOB))) = \
        CAST(?1 AS BLOB)
        Person: name LIKE[cd] "*x*"
            ZPERSON t0 WHERE STELE_LIKE(t0.ZNAME, ?1, 3)
        Person: name ==[c] "x"
            ZPERSON t0 WHERE (t0.ZNAME >= ?2 AND t0.ZNAME < ?3 OR t0.ZNAME >= ?4 \
        AND t0.ZNAME < ?5) AND STELE_FOLD(t0.ZNAME, 1) = STELE_FOLD(?1, 1)
        Person: name IN[c] {"x", "xy", "1"}
            ZPERSON t0 WHERE (t0.ZNAME >= ?5 AND t0.ZNAME < ?6 OR t0.ZNAME >= ?7 \
        AND t0.ZNAME < ?8 OR t0.ZNAME >= ?9 AND t0.ZNAME < ?10) AND STELE_FOLD(t0.ZNAME, 1) IN \
        (STELE_FOLD(?1, 1), STELE_FOLD(?2, 1), STELE_FOLD(?3, 1), STELE_FOLD(?4, 1))
        Person: name IN[c] {"x", "é"}
            ZPERSON t0 WHERE STELE_FOLD(t0.ZNAME, 1) IN (STELE_FOLD(?1, 1), STELE_FOLD(?2, 1))
        Person: NOT (name IN[c] {"x"})
            ZPERSON t0 WHERE (STELE_FOLD(t0.ZNAME, 1) IN (STELE_FOLD(?1, 1))) IS NOT TRUE
        Person: name == "x" AND FALSEPREDICATE
            ZPERSON t0 WHERE t0.ZNAME = ?1 AND FALSE
        Person: name ==[l] "x"
            ZPERSON t0 WHERE t0.ZNAME = ?1
        Person: name <[l] "x"
            ZPERSON t0 WHERE STELE_FOLD(t0.ZNAME, 8) < STELE_FOLD(?1, 8)
        """)
}
