// A statement that is used again for another request of its shape is the one that this would have.

import SteleModel
import StelePersistence
import StelePredicates
import SteleSQL
import Testing

@Suite struct FetchingShapeTests {
    private let fetching: Fetching
    private let cache = PredicateCache()

    init() throws { fetching = try Fetching(longDecimals: ["Person.pay"]) }

    /// A request as it is written, and the same by its shape.
    private func both(
        _ entity: String, _ text: String, sort: String = "", limit: Int? = nil, offset: Int = 0,
        after: [Value]? = nil
    ) throws -> (plain: FetchRequest, shaped: FetchRequest) {
        let plain = try fetching.request(
            entity, text, sort: sort, limit: limit, offset: offset, after: after)
        var shaped = plain
        let check = PredicateCheck(
            model: fetching.model, entity: plain.entity)
        try cache.set(text, on: &shaped, by: check)
        return (plain, shaped)
    }

    private func isAlike(
        _ make: (FetchRequest) throws -> FetchStatement, _ requests: (FetchRequest, FetchRequest)
    ) throws -> SQLText {
        let (plain, shaped) = (try make(requests.0), try make(requests.1))
        #expect(shaped.sql.string == plain.sql.string)
        #expect(shaped.bindings == plain.bindings)
        #expect(shaped.kinds == plain.kinds && shaped.isUnordered == plain.isUnordered)
        return shaped.sql
    }

    @Test(
        "other constants have the statement of the first, with their own bindings",
        arguments: [
            ("Person", "age > 3 AND name == 'ab'", "age > 4 AND name == 'bcd'"),
            ("Person", "NOT (age > 3) OR salary <= 1.5", "NOT (age > 9) OR salary <= 2.25"),
            ("Person", "name BEGINSWITH 'ab'", "name BEGINSWITH 'xyz'"),
            ("Person", "name BEGINSWITH 'a'", "name BEGINSWITH 'b'"),
            ("Person", "name BEGINSWITH[c] 'abc'", "name BEGINSWITH[c] 'XYZ'"),
            ("Person", "name BEGINSWITH[cd] 'abc'", "name BEGINSWITH[cd] 'xyz'"),
            ("Person", "name ==[c] 'abc'", "name ==[c] 'xyz'"),
            ("Person", "name LIKE 'ab*'", "name LIKE 'cde?*'"),
            ("Person", "name LIKE '*b'", "name LIKE '*cd'"),
            (
                "Person", "name ENDSWITH 'a' AND name CONTAINS 'b'",
                "name ENDSWITH 'c' AND name CONTAINS 'd'"
            ),
            ("Person", "team.name == 'a'", "team.name == 'b'"),
            (
                "Person", "team.name != 'a' AND team.league.name BEGINSWITH 'b'",
                "team.name != 'c' AND team.league.name BEGINSWITH 'd'"
            ),
            ("Person", "age IN {1, 2, 3}", "age IN {4, 5, 6}"),
            ("Person", "team.name IN {'a', nil, 'b'}", "team.name IN {'c', nil, 'd'}"),
            ("Person", "salary IN {1,2,3,4,5,6,7,8,9}", "salary IN {11,12,13,14,15,16,17,18,19}"),
            (
                "Person", "name IN {'1','2','3','4','5','6','7','8','9'}",
                "name IN {'a','b','c','d','e','f','g','h','i'}"
            ),
            ("Person", "age BETWEEN {1, 2}", "age BETWEEN {3, 4}"),
            ("Person", "NOT pay BETWEEN {1, 2.5}", "NOT pay BETWEEN {3, 4.5}"),
            ("Person", "pay == 0.5", "pay == 1.25"),
            (
                "Person", "team == 3 AND ANY skills.points > 4",
                "team == 5 AND ANY skills.points > 6"
            ),
            ("Person", "ALL friends.age > 3", "ALL friends.age > 4"),
            ("Person", "skills CONTAINS 3", "skills CONTAINS 4"),
            (
                "Team", "SUBQUERY(members, $m, $m.age > 3 AND $m.name == 'a').@count > 2",
                "SUBQUERY(members, $m, $m.age > 4 AND $m.name == 'b').@count > 2"
            ),
            ("Team", "ANY members.name BEGINSWITH 'ab'", "ANY members.name BEGINSWITH 'cd'"),
            (
                "Employee", "TERNARY(age > 3, salary, 1) > 2 AND boss.title == 'a'",
                "TERNARY(age > 4, salary, 1) > 2 AND boss.title == 'b'"
            ),
        ])
    func again(_ entity: String, _ first: String, _ second: String) throws {
        let translator = fetching.translator
        for make in [translator.snapshots, translator.keys, translator.count] {
            let before = try isAlike(make, both(entity, first))
            let after = try isAlike(make, both(entity, second))
            #expect(before === after, "the text is the very one")
        }
    }

    @Test(
        "what needs another text has it",
        arguments: [
            ("name BEGINSWITH 'ab'", "name BEGINSWITH ''"),
            ("name CONTAINS 'ab'", "name CONTAINS ''"),
            ("name BEGINSWITH 'ab'", "name BEGINSWITH 'a'"),
            ("name BEGINSWITH 'ab'", "name BEGINSWITH '\u{10FFFF}\u{10FFFF}'"),
            ("name BEGINSWITH '\u{10FFFF}'", "name BEGINSWITH 'é'"),
            ("name BEGINSWITH[c] 'abc'", "name BEGINSWITH[c] 'k'"),
            ("name BEGINSWITH[c] 'abc'", "name BEGINSWITH[c] 'é'"),
            ("name ==[c] 'é'", "name ==[c] 'ss'"),
            ("name LIKE 'ab*'", "name LIKE '*ab'"), ("name LIKE '?b*'", "name LIKE 'ab'"),
            ("pay == 0.5", "pay == 12345678901234567890.123456789"),
            ("salary == 0.5 AND pay > 12345678901234567890", "salary == 0.5 AND pay > 1.5"),
            ("_entity == 'Employee'", "_entity == 'Director'"),
            ("skills.@count > 0", "skills.@count > 5"),
            ("age == 3", "age == 9223372036854775808"),
        ])
    func another(_ first: String, _ second: String) throws {
        for text in [first, second, first, second] {
            _ = try isAlike(fetching.translator.snapshots, both("Person", text))
        }
    }

    @Test func pagesOfOneShapeHaveTheirOwnPlaces() throws {
        let make = fetching.translator.snapshots
        func page(_ age: Int, limit: Int?, offset: Int = 0, after: [Value]? = nil) throws -> SQLText
        {
            try isAlike(
                make,
                both(
                    "Person", "age > \(age)", sort: "-name;age", limit: limit, offset: offset,
                    after: after))
        }
        let first = try page(1, limit: 10)
        #expect(try page(2, limit: 20) === first)
        #expect(try page(2, limit: nil) !== first)
        #expect(try page(2, limit: 10, offset: 5) === page(3, limit: 20, offset: 7))
        let next = try page(2, limit: 10, after: [.string("b"), .int(3), .key(7)])
        #expect(try page(4, limit: 9, after: [.string("c"), .int(4), .key(8)]) === next)
        #expect(try page(4, limit: 9, after: [.null, .int(4), .key(8)]) !== next)
        #expect(try page(4, limit: 9, after: [.string("c"), .null, .key(8)]) !== next)
    }

    @Test func anotherOrderOrOtherColumnsAreAnotherStatement() throws {
        var (plain, shaped) = try both("Person", "age > 3")
        var texts: Set<SQLText> = []
        for sort in ["", "name", "-name", "name[c]"] {
            for select in [[], ["name"], ["name", "c:team.name"]] {
                let other = try fetching.request("Person", "age > 3", sort: sort, select: select)
                for keeping in [true, false] {
                    plain.sortDescriptors = other.sortDescriptors
                    plain.propertiesToFetch = other.propertiesToFetch
                    plain.includesSubentities = keeping
                    shaped.sortDescriptors = other.sortDescriptors
                    shaped.propertiesToFetch = other.propertiesToFetch
                    shaped.includesSubentities = keeping
                    let make =
                        select.isEmpty ? fetching.translator.snapshots : fetching.translator.rows
                    texts.insert(try isAlike(make, (plain, shaped)))
                }
            }
        }
        #expect(texts.count == 24)
    }

    @Test func groupsOfOneShapeAreOneStatement() throws {
        func request(_ age: Int, _ isShaped: Bool) throws -> FetchRequest {
            var request = try fetching.request(
                "Person", "age > \(age)", select: ["team.name", "n:count()"],
                groupBy: ["team.name"],
                having: "count() > 2")
            let check = PredicateCheck(
                model: fetching.model, entity: request.entity)
            if isShaped { try cache.set("age > \(age)", on: &request, by: check) }
            return request
        }
        let make = fetching.translator.rows
        let first = try isAlike(make, (request(3, false), request(3, true)))
        #expect(try isAlike(make, (request(4, false), request(4, true))) === first)
    }

    @Test func theTimeIsOfEachRequest() throws {
        func bindings(_ salary: Int) throws -> [Value] {
            let text = "born < now() AND salary > \(salary)"
            return try fetching.translator.snapshots(both("Person", text).shaped).bindings
        }
        guard case .date(let before)? = try bindings(1).first,
            case .date(let after)? = try bindings(2).first
        else { return #expect(Bool(false), "now() is bound") }
        #expect(after > before)
    }
}
