// The lists of a request: sort keys, columns, paths of relationships.

import SteleModel
import StelePredicates
import Testing

struct ListTests {
    @Test(
        "a list that cannot be read is refused with its place",
        arguments: [
            ("", 0), ("a,", 2), ("a,,b", 2), (",a", 0), ("é,b,é +", 7), ("a,b +", 5),
            ("a,name BEGNSWITH", 7), ("(a:b", 4), ("1x", 0), ("multiply:by:(a,b", 16),
            ("a,b)", 3),
        ])
    func refused(_ text: String, _ position: Int) throws {
        let error = try #require(throws: PredicateError.self) { try SortList(text) }
        #expect(error.position == position, "\(error)")
    }

    @Test("a list is split at commas outside quotes and brackets")
    func split() throws {
        let list = try SortList("TERNARY(name == 'a, b', 1, 2), {1, 2}[0] , -age")
        #expect(list.descriptors.map(\.ascending) == [true, true, false])
    }

    @Test("an alias that is an aggregate is none of another's operands; a property of its name is")
    func aliasesInAggregates() throws {
        var check = League.check()
        check.allowsRowAggregates = true
        check.aliases = [
            "age": try check.check(Expression(format: "average(age)")).0,
            "twice": try check.check(Expression(format: "age * 2")).0,
        ]
        func checked(_ text: String) throws -> String {
            try check.check(Expression(format: text)).0.description
        }
        #expect(try checked("average(age)") == "average(age)")
        #expect(try checked("age") == "average(age)")
        #expect(try checked("max(age + 1) - age") == "max(age + 1) - average(age)")
        #expect(try checked("sum(twice)") == "sum(age * 2)")
        #expect(try checked("count(distinct age)") == "count(distinct age)")
    }

    @Test(
        "expressions know whether they are aggregates over rows",
        arguments: [
            ("team.name", false, ExpressionType.value(.string)),
            ("count()", true, .value(.integer64)), ("average(age)+1", true, .value(.double)),
            ("sum(friends.age)", false, .value(.integer64)),
            ("max(friends.@count)", true, .value(.integer64)), ("age", false, .value(.integer16)),
        ])
    func aggregates(_ text: String, _ isAggregate: Bool, _ type: ExpressionType) throws {
        var check = League.check()
        check.allowsRowAggregates = true
        let expression = try Expression(format: text)
        #expect(try check.check(expression).1 == type)
        #expect(try check.isAggregate(expression) == isAggregate)
    }

    @Test("aggregates over rows do not nest")
    func nestedAggregates() throws {
        var check = League.check()
        check.allowsRowAggregates = true
        let expression = try Expression(format: "sum(max(age))")
        #expect(throws: PredicateError.self) { try check.check(expression) }
    }

    @Test("keys to sort by: one leading minus, letters in a last bracket are options")
    func sorting() throws {
        let list = try SortList(
            "-salary,name[cd], team.name[L] ,-average(pay),ranking[0],ranking[FIRST].name[c],- age + 1"
        )
        #expect(
            list.descriptors == [
                SortDescriptor(.key("salary"), ascending: false),
                SortDescriptor(.key("name"), options: [.caseInsensitive, .diacriticInsensitive]),
                SortDescriptor(.key("team", "name"), options: .localeSensitive),
                SortDescriptor(.function("average:", [.key("pay")]), ascending: false),
                SortDescriptor(.index(.key("ranking"), .at(.constant(.int(0))))),
                SortDescriptor(
                    .keyPath(.index(.key("ranking"), .first), ["name"]), options: .caseInsensitive),
                SortDescriptor(
                    .function("add:to:", [.key("age"), .constant(.int(1))]), ascending: false),
            ])
        for text in ["", "-", "name[cx", "a,-", "name cd"] {
            #expect(throws: PredicateError.self, "\(text)") { try SortList(text) }
        }
    }

    @Test("a sort knows the names of columns, and refuses what has no order")
    func aliases() throws {
        var check = League.check()
        check.allowsRowAggregates = true
        check.aliases = ["n": try check.check(Expression(format: "count()")).0]
        let sort = try SortList("-n,team.name").checked(by: check)
        #expect(sort.map(\.expression) == [.function("count:", []), .key("team", "name")])
        for text in ["n", "friends", "friends.age", "team", "photo"] {
            #expect(throws: PredicateError.self, "\(text)") {
                try SortList(text).checked(by: League.check())
            }
        }
        #expect(try SortList("friends.@count,length(name)").checked(by: League.check()).count == 2)
    }

    @Test("a path of relationships is resolved, and anything else is refused")
    func paths() throws {
        func resolved(_ text: String) throws -> [String] {
            try KeyPathResolution.relationships(text, from: League.person_, in: League.model)
                .map(\.name)
        }
        #expect(try resolved("team.league") == ["team", "league"])
        #expect(try resolved("friends") == ["friends"])
        for text in ["team.name", "nope", "age", "friends.@count", "1", "a + b", ""] {
            #expect(throws: PredicateError.self, "\(text)") { try resolved(text) }
        }
    }
}
