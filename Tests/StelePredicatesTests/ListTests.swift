// The lists of a request: select, sort, groupBy, include.

import SteleModel
import StelePredicates
import Testing

struct ListTests {
    @Test(
        "columns are named by alias or as written",
        arguments: [
            ("name", ["name"]), ("name,age", ["name", "age"]),
            (" name , team.name ", ["name", "team.name"]),
            ("headcount:count(),pay:average(salary)", ["headcount", "pay"]),
            ("count( )", ["count()"]), ("count( distinct  name )", ["count(distinct name)"]),
            ("age + 1", ["age+1"]), ("sum( {1, 2} )", ["sum({1,2})"]),
            ("x : uppercase(name)", ["x"]), ("x:name == 'a' ", []),
            ("TERNARY(name == 'a, b', 1, 2), age", ["TERNARY(name=='a, b',1,2)", "age"]),
            ("multiply(age, 2),age", ["multiply(age,2)", "age"]), ("größe:age", ["größe"]),
            ("x:SUBQUERY(friends, $f, $f.age > 3).@count", ["x"]),
        ])
    func names(_ text: String, _ names: [String]) throws {
        if names.isEmpty {
            #expect(throws: PredicateError.self) { try SelectList(text) }
        } else {
            #expect(try SelectList(text).columns.map(\.name) == names)
        }
    }

    @Test(
        "a list that cannot be read is refused with its place",
        arguments: [
            ("", 0), ("a,", 2), ("a,,b", 2), (",a", 0), ("a,b,a", 4), ("é:a,b,é:c", 6),
            ("a,b +", 5),
            ("a,name BEGNSWITH", 7), ("(a:b", 4), ("1x:a", 0), ("multiply:by:(a,b)", 9),
            ("a,b)", 3),
        ])
    func refused(_ text: String, _ position: Int) throws {
        let error = try #require(throws: PredicateError.self) { try SelectList(text) }
        #expect(error.position == position, "\(error)")
    }

    @Test("a selector with colons gets told how it is written in a list")
    func selectors() throws {
        let error = try #require(throws: PredicateError.self) {
            try SelectList("multiply:by:(a,b)")
        }
        #expect(error.hint?.contains("multiply(a, b)") == true)
    }

    @Test("an alias that is an aggregate is none of another's operands; a property of its name is")
    func aliasesInAggregates() throws {
        let columns = try SelectList("age:average(age),twice:age * 2").checked(by: League.check())
        var check = League.check()
        check.allowsRowAggregates = true
        check.aliases = Dictionary(
            uniqueKeysWithValues: columns.map { ($0.name, $0.expression) })
        func checked(_ text: String) throws -> String {
            try check.check(Expression(format: text)).0.description
        }
        #expect(try checked("average(age)") == "average(age)")
        #expect(try checked("age") == "average(age)")
        #expect(try checked("max(age + 1) - age") == "max(age + 1) - average(age)")
        #expect(try checked("sum(twice)") == "sum(age * 2)")
        #expect(try checked("count(distinct age)") == "count(distinct age)")
    }

    @Test("columns know whether they are aggregates over rows")
    func aggregates() throws {
        let list = try SelectList(
            "team.name,n:count(),a:average(age)+1,s:sum(friends.age),m:max(friends.@count),age")
        let columns = try list.checked(by: League.check())
        #expect(columns.map(\.isAggregate) == [false, true, true, false, true, false])
        #expect(
            columns.map(\.type) == [
                .value(.string), .value(.integer64), .value(.double), .value(.integer64),
                .value(.integer64), .value(.integer16),
            ])
        #expect(throws: PredicateError.self) {
            try SelectList("sum(max(age))").checked(by: League.check())
        }
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
        let columns = try SelectList("team.name,n:count()").checked(by: League.check())
        let sort = try SortList("-n,team.name").checked(by: League.check(), columns: columns)
        #expect(sort.map(\.expression) == [.function("count:", []), .key("team", "name")])
        for text in ["n", "friends", "friends.age", "team", "photo"] {
            #expect(throws: PredicateError.self, "\(text)") {
                try SortList(text).checked(by: League.check())
            }
        }
        #expect(try SortList("friends.@count,length(name)").checked(by: League.check()).count == 2)
    }

    @Test("groupBy is a list of expressions, include a list of paths of relationships")
    func paths() throws {
        #expect(try ExpressionList("team.name, age / 10").expressions.count == 2)
        let include = try IncludeList("team.league,friends")
        #expect(include.paths == [["team", "league"], ["friends"]])
        #expect(
            try include.resolved(from: League.person_, in: League.model)
                .map { $0.map(\.name) } == [["team", "league"], ["friends"]])
        for text in ["team.name", "nope", "age"] {
            #expect(throws: PredicateError.self, "\(text)") {
                try IncludeList(text).resolved(from: League.person_, in: League.model)
            }
        }
        for text in ["friends.@count", "1", "a + b", ""] {
            #expect(throws: PredicateError.self, "\(text)") { try IncludeList(text) }
        }
    }
}
