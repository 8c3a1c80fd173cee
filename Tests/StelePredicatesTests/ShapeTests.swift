/// A text of a known shape means what it would mean by itself.

import SteleModel
import StelePredicates
import Testing

@Suite struct ShapeTests {
    private func request(
        _ text: String, _ cache: PredicateCache, _ entity: String = "Person",
        _ variables: [String: String] = [:]
    ) throws -> FetchRequest {
        var request = FetchRequest(entity: League.entity(entity))
        try cache.set(text, on: &request, by: League.check(entity, variables))
        return request
    }

    @Test(
        "other constants in the same shape are the same predicate with other values",
        arguments: [
            ("name == 'Ann'", "name == \"it's\""), ("name ==[cd] 'Ann'", "name ==[cd] ''"),
            ("age > 30 AND height < 1.9", "age > 7 AND height < 25000.5"),
            ("age == -5", "age == -32768"), ("height == - 1.5", "height == - 0.1"),
            ("weight == 0.5", "weight == 0.1"), ("price == 0.1", "price == 99.99"),
            ("price == 1", "price == 9223372036854775807"), ("age == 0x1F", "age == 0xff"),
            ("born > '2001-01-02'", "born > '2001-01-09'"),
            (
                "born BETWEEN {'2001-01-02', '2001-01-03'}",
                "born BETWEEN {'2001-01-04', '2001-01-05'}"
            ),
            (
                "token == 'e621e1f8-c36c-495a-93fc-0c247a3e6e5f'",
                "token == '00000000-0000-0000-0000-0000000000ff'"
            ),
            ("team == 3", "team == 12"), ("team == '/Team/12'", "team == '/Team/4'"),
            ("team IN {3, 4}", "team IN {5, 6}"), ("_id == 3", "_id == 4"),
            ("age IN {1, nil, -3}", "age IN {4, nil, -6}"),
            ("team.name IN {'a', 'b'}", "team.name IN {'c', ''}"),
            ("team.league.name BEGINSWITH[c] 'a'", "team.league.name BEGINSWITH[c] 'bc'"),
            ("name LIKE 'a*'", "name LIKE '*?'"), ("name CONTAINS 'a'", "name CONTAINS 'é'"),
            ("site ENDSWITH 'a'", "site ENDSWITH '.org'"),
            ("ANY friends.age > 30", "ANY friends.age > 40"),
            ("NONE friends == 3", "NONE friends == 5"),
            ("friends CONTAINS 3", "friends CONTAINS 4"),
            ("NOT (age > 3 OR name == 'a')", "NOT (age > 4 OR name == 'b')"),
            (
                "SUBQUERY(friends, $f, $f.age > 30 AND $f.name == 'a').@count > 2",
                "SUBQUERY(friends, $f, $f.age > 31 AND $f.name == 'b').@count > 2"
            ),
            (
                "TERNARY(age > 3, 1, 2) == 1 AND name == 'a'",
                "TERNARY(age > 4, 1, 2) == 1 AND name == 'b'"
            ),
            ("price > 1 + 2 AND age > 3", "price > 1 + 2 AND age > 4"),
            ("active == YES AND age > 1", "active == YES AND age > 2"),
            ("active == 1", "active == 0"),
        ])
    func oneShape(_ first: String, _ second: String) throws {
        let cache = PredicateCache()
        let a = try request(first, cache)
        #expect(try a.predicate == League.checked(first))
        let b = try request(second, cache)
        #expect(try b.predicate == League.checked(second))
        #expect(a.filled != nil && a.filled?.prepared === b.filled?.prepared, "it was taken")
    }

    @Test(
        "what decides more than a value is never taken for another",
        arguments: [
            ("friends.@count > 0", "friends.@count > 5"),
            ("_entity == 'Person'", "_entity == 'Employee'"),
            ("name MATCHES 'a.*'", "name MATCHES 'b.*'"), ("age + 1 > 3", "age + 2 > 3"),
            ("5 < age", "6 < age"), ("age == 2", "age == 99999999999999999999"),
            ("age == 2", "age == 2.0"), ("height == 1", "height == 9007199254740993"),
            ("active == 1", "active == 2"),
            ("name == 'a'", "name == 'a\\n'"),
            ("age == 3.0", "age == 3.5"), ("age == 3", "age == -3"), ("age == YES", "age == NO"),
            ("age IN {1, 2}", "age IN {1, 2, 3}"), ("age IN {1, nil}", "age IN {1, 2}"),
            ("born == CAST(5, 'NSDate')", "born == CAST(6, 'NSDate')"),
            (
                "born IN {CAST(5, 'NSDate'), '2001-01-02'}",
                "born IN {CAST(6, 'NSDate'), '2001-01-03'}"
            ),
            ("age IN {YES, 5}", "age IN {YES, 6}"), ("price == 1 + 2", "price == 1 + 3"),
            ("team.ranking[0] == 3", "team.ranking[1] == 3"),
            ("CAST('5', 'NSNumber') == age", "CAST('6', 'NSNumber') == age"),
        ])
    func anotherShape(_ first: String, _ second: String) throws {
        let cache = PredicateCache()
        let a = try request(first, cache)
        let b = try request(second, cache)
        #expect(try b.predicate == League.checked(second))
        #expect(a.filled == nil || a.filled?.prepared !== b.filled?.prepared)
        #expect(try request(first, cache).predicate == League.checked(first), "and back")
        #expect(try request(second, cache).predicate == League.checked(second), "and again")
    }

    @Test(
        "what is refused by itself is refused with the same words in a known shape",
        arguments: [
            ("born > '2001-01-02'", "born > '2001-02-30'"),
            ("token == 'e621e1f8-c36c-495a-93fc-0c247a3e6e5f'", "token == 'e621'"),
            ("team == '/Team/12'", "team == '/League/12'"),
            ("team == '/Team/12'", "team == '/Team/x'"),
            ("name == 'a'", "name == 'a\0b'"), ("name == 'a\\t'", "name == '\\uD800'"),
            ("age > 3", "age > 3x"), ("name == 'a'", "name == 'a"), ("name == 'a'", "name == 5"),
        ])
    func refused(_ first: String, _ second: String) throws {
        func words(_ body: () throws -> Void) -> PredicateError? {
            do { try body() } catch { return error as? PredicateError }
            return nil
        }
        let cache = PredicateCache()
        _ = try request(first, cache)
        let expected = words { _ = try League.checked(second) }
        let found = words { _ = try request(second, cache) }
        #expect(expected != nil)
        #expect(found?.message == expected?.message && found?.hint == expected?.hint)
        #expect(found?.code == expected?.code && found?.position == expected?.position)
        #expect(try request(first, cache).predicate == League.checked(first))
    }

    @Test func entitiesAndVariablesAreApart() throws {
        let cache = PredicateCache()
        let person = try request("name == 'a'", cache)
        let team = try request("name == 'a'", cache, "Team")
        #expect(person.filled?.prepared !== team.filled?.prepared)
        for text in ["2001-01-02", "2001-01-03"] {
            let request = try request("born == $D AND age > 3", cache, "Person", ["D": text])
            #expect(
                try request.predicate
                    == League.checked("born == $D AND age > 3", "Person", ["D": text]))
        }
    }

    @Test func whatIsTooLongOrHasTooManyLiteralsIsNotKept() throws {
        for text in [
            "name == '\(String(repeating: "x", count: PredicateShape.textLength))'",
            "age IN {\((0...PredicateShape.literals).map(String.init).joined(separator: ","))}",
        ] {
            let request = try request(text, PredicateCache())
            #expect(request.filled == nil)
            #expect(try request.predicate == League.checked(text))
        }
    }

    @Test func whatIsInUseStaysHoweverManyNewShapesCome() throws {
        let cache = ShapeCache<Int>(entries: 64)
        let check = League.check()
        func shape(_ text: String) throws -> PredicateShape {
            var context = PredicateShape.Context()
            context.add(0)
            return try #require(PredicateShape(text, in: context))
        }
        func keep(_ text: String, _ plan: Int) throws {
            let parsed = try ParsedPredicate(shape(text))
            let checked = try check.check(parsed.predicate)
            let filled = try #require(check.prepared(parsed, checked: checked))
            cache.keep(plan, filled, of: try shape(text))
        }
        try keep("age > 1", 7)
        for number in 0..<2_000 {
            // Always another shape: so many spaces, and so many after the sign.
            let spaces = String(repeating: " ", count: number % 50 + 1)
            let more = String(repeating: " ", count: number / 50)
            try keep("height\(spaces)>\(more)1", number)
            let known = try #require(cache.plan(of: shape("age > \(number)")))
            #expect(known.plan == 7 && known.filled.values == [.int(Int64(number))])
        }
        #expect(cache.count <= 64, "\(cache.count)")
    }

    @Test func manyThreadsFindWhatEachOfThemKept() async throws {
        let cache = PredicateCache(entries: 32)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    for number in 0..<500 {
                        let key = ["age", "big", "#size"][(number + thread) % 3]
                        let spaces = String(repeating: " ", count: number % 40)
                        let text = "\(key) >\(spaces)\(number)"
                        var request = FetchRequest(entity: League.person_)
                        try cache.set(text, on: &request, by: League.check())
                        #expect(try request.predicate == League.checked(text))
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
