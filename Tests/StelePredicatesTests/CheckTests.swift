// How predicates are fitted to a model, and what is refused there.

import SteleModel
import StelePredicates
import Testing

struct CheckTests {
    @Test(
        "a predicate that fits prints as what it means",
        arguments: [
            // Names
            ("name == 'Ann'", "name == \"Ann\""),
            ("team.name == 'A' AND _id > 3", "team.name == \"A\" AND _id > 3"),
            ("_entity == 'Employee' OR _version == 1", "_entity == \"Employee\" OR _version == 1"),
            ("team.league.name != nil", "team.league.name != nil"),
            ("SELF == 3", "SELF == 3"),
            ("SELF IN {1, 2}", "SELF IN {1, 2}"),
            ("team == nil", "team == nil"),
            ("#size == 1", "#size == 1"),
            // Numbers take the attribute's kind
            ("age > 30.5", "age > 30.5"),
            ("age == 30.0", "age == 30"),
            ("height > 1", "height > 1.0"),
            ("height == 0.1", "height == 0.1"),
            ("price == 0.1", "price == 0.1"),
            ("price == 3", "price == 3.0"),
            ("active == YES", "active == 1"),
            ("age == YES", "age == 1"),
            ("age == 100000", "age == 100000"),
            ("age == 99999999999999999999", "age == 99999999999999999999"),
            ("3 < age", "3 < age"),
            ("age BETWEEN {1, 2.5}", "age BETWEEN {1, 2.5}"),
            ("age IN {1, 2.0, nil}", "age IN {1, 2, nil}"),
            ("1 IN {age, big}", "1 IN {age, big}"),
            // Dates, UUIDs, objects
            ("born > '2001-01-02'", "born > CAST(86400.000000, \"NSDate\")"),
            ("born == CAST(5, 'NSDate')", "born == CAST(5.000000, \"NSDate\")"),
            ("born > CAST('2001-01-02', 'NSDate')", "born > CAST(86400.000000, \"NSDate\")"),
            (
                "born IN {'2001-01-01', nil}", "born IN {CAST(0.000000, \"NSDate\"), nil}"
            ),
            ("born > now() - 3600", "born > now() - 3600"),
            (
                "token == 'e621e1f8-c36c-495a-93fc-0c247a3e6e5f'",
                "token == CAST(\"E621E1F8-C36C-495A-93FC-0C247A3E6E5F\", \"NSUUID\")"
            ),
            ("team == 3", "team == 3"),
            ("team == 'x-coredata://S/Team/p12'", "team == 12"),
            ("team == '/Team/12'", "team == 12"),
            ("team IN {3, 'x-coredata://S/Team/p4'}", "team IN {3, 4}"),
            ("photo == nil AND tags != nil", "photo == nil AND tags != nil"),
            ("site BEGINSWITH 'http'", "site BEGINSWITH \"http\""),
            // Collections
            ("ANY friends.age > 30", "ANY friends.age > 30"),
            ("ANY friends.team.players.name == 'x'", "ANY friends.team.players.name == \"x\""),
            ("NONE friends == 3", "NOT ANY friends == 3"),
            ("friends.@count > 2", "friends.@count > 2"),
            ("friends.@sum.age > 2.5", "friends.@sum.age > 2.5"),
            ("friends.age.@max > 2", "friends.age.@max > 2"),
            ("friends.@min.name == 'a'", "friends.@min.name == \"a\""),
            ("friends CONTAINS 3", "friends CONTAINS 3"),
            ("3 IN friends.age", "3 IN friends.age"),
            ("SELF IN friends.friends", "SELF IN friends.friends"),
            ("team.ranking[0] == SELF", "team.ranking[0] == SELF"),
            ("team.ranking[FIRST].name == 'x'", "team.ranking[FIRST].name == \"x\""),
            ("friends[SIZE] > 2", "friends[SIZE] > 2"),
            (
                "SUBQUERY(friends, $f, $f.age > age AND name == $f.name).@count > 0",
                "SUBQUERY(friends, $f, $f.age > age AND name == $f.name).@count > 0"
            ),
            (
                "SUBQUERY(friends, $f, SUBQUERY($f.friends, $g, $g == SELF).@count > 0).@count > 0",
                "SUBQUERY(friends, $f, SUBQUERY($f.friends, $g, $g == SELF).@count > 0).@count > 0"
            ),
            ("ANY {1, 2} == age", "ANY {1, 2} == age"),
            ("{1, 2} == {1, 2}", "{1, 2} == {1, 2}"),
            ("(friends UNION team.players).@count > 3", "(friends UNION team.players).@count > 3"),
            // Arithmetic and functions
            ("age + 1 > 10 * 3", "age + 1 > 30"),
            ("price == 0.1 + 0.2", "price == 0.3"),
            ("height + 0.1 > 2", "height + 0.1 > 2.0"),
            ("price * 2 > 1", "price * 2.0 > 1.0"),
            ("1 / 0 == nil", "nil == nil"),
            ("length(name) > 3", "length(name) > 3"),
            ("uppercase(name) == 'A'", "uppercase(name) == \"A\""),
            ("max(friends.age) > 3", "max(friends.age) > 3"),
            ("count(friends) > 3", "count(friends) > 3"),
            ("average({age, 3}) > 2", "average({age, 3}) > 2.0"),
            ("max({height, price}) > 3", "max({height, price * 1.0}) > 3.0"),
            ("CAST(age, 'NSString') == '3'", "CAST(age, \"NSString\") == \"3\""),
            (
                "TERNARY(age > 3, born, nil) > '2001-01-02'",
                "TERNARY(age > 3, born, nil) > CAST(86400.000000, \"NSDate\")"
            ),
            (
                "born == TERNARY(age > 3, '2001-01-02', nil)",
                "born == TERNARY(age > 3, CAST(86400.000000, \"NSDate\"), nil)"
            ),
            ("(age & 1) > 0", "age & 1 > 0"),
            ("born - '2001-01-02' > 5", "born - CAST(86400.000000, \"NSDate\") > 5.0"),
            ("noindex(name) == 'x'", "noindex(name) == \"x\""),
        ])
    func fits(_ text: String, _ printed: String) throws {
        let predicate = try League.checked(text)
        #expect(predicate.predicateFormat == printed)
        #expect(try League.check().check(predicate) == predicate, "checked again it is the same")
    }

    @Test("constants are held as the attribute holds its values")
    func constants() throws {
        func constant(_ text: String, _ variables: [String: VariableValue] = [:]) throws -> Value? {
            guard case .comparison(let it) = try League.checked(text, "Person", variables),
                case .constant(let value) = it.right
            else { return nil }
            return value
        }
        #expect(try constant("active == YES") == .bool(true))
        #expect(try constant("active == 2") == .int(2))
        #expect(try constant("age == YES") == .int(1))
        #expect(try constant("height == 3") == .double(3))
        #expect(try constant("height == 0.1") == .double(0.1))
        #expect(try constant("weight == 0.1") == .double(Double(Float(0.1))))
        #expect(try constant("price == 0.1") == .decimal(Decimal(string: "0.1") ?? 0))
        #expect(
            try constant("price == 12345678901234567890.123456789")
                == .decimal(Decimal(string: "12345678901234567890.123456789") ?? 0))
        for text in [
            "99999999999999999999e110", "12345678901234567890123456789012345678e91", "5e130",
            ".00000000000000000000000000000123456789012345678901",
        ] {
            let written = text.hasPrefix(".") ? "0" + text : text
            let value = try #require(DecimalText.parse(written.utf8))
            #expect(try constant("price == \(text)") == .decimal(value))
        }
        #expect(try constant("age == 3.0") == .int(3))
        #expect(try constant("team == 3") == .key(3))
        #expect(try constant("_id == 3") == .int(3))
        #expect(try constant("born == '2001-01-02'") == .date(86400))
        #expect(try constant("born == $D", ["D": "2001-01-02"]) == .date(86400))
        #expect(try constant("name == $D", ["D": "5"]) == .string("5"))
        #expect(try constant("age == $D", ["D": "5"]) == .int(5))
        for value: VariableValue in ["9007199254740993", .value(.int(9_007_199_254_740_993))] {
            for sign in ["==", "!=", "<", "<=", ">", ">="] {
                #expect(
                    try constant("height \(sign) $D", ["D": value])
                        == .double(9_007_199_254_740_992))
                #expect(
                    try constant("height \(sign) 9007199254740993") == .int(9_007_199_254_740_993))
            }
        }
        #expect(try constant("price == $D", ["D": "0.1"]) == .decimal(Decimal(string: "0.1") ?? 0))
        #expect(try constant("active == $D", ["D": "true"]) == .bool(true))
        #expect(try constant("age == $D", ["D": "nil"]) == .null)
        #expect(try constant("name == $D", ["D": "nil"]) == .string("nil"))
        #expect(try constant("team == $D", ["D": "x-coredata://S/Team/p7"]) == .key(7))
    }

    @Test("a variable with a type of its own is never read as another")
    func typedVariables() throws {
        func checked(_ text: String, _ value: VariableValue) throws -> String {
            try League.checked(text, "Person", ["V": value]).predicateFormat
        }
        #expect(try checked("name == $V", .value(.null)) == "name == nil")
        #expect(try checked("name == $V", .value(.string("nil"))) == "name == \"nil\"")
        #expect(try checked("age == $V", .value(.string("5"))) == "age == 5")
        #expect(try checked("$V == 5", .value(.int(5))) == "5 == 5")
        #expect(
            try checked("born > $V", .value(.string("2001-01-02")))
                == "born > CAST(86400.000000, \"NSDate\")")
        #expect(try checked("name IN $V", .value(.string("a,b"))) == "name IN \"a,b\"")
        #expect(
            try checked("name IN $V", .list([.string("nil"), .null, .string("{a}")]))
                == "name IN {\"nil\", nil, \"{a}\"}")
        #expect(
            try checked("age BETWEEN $V", .list([.int(1), .string("2")]))
                == "age BETWEEN {1, 2}")
        for (text, value) in [
            ("name == $V", VariableValue.value(.int(5))), ("age == $V", .value(.string("nil"))),
            ("born == $V", .value(.string("nil"))), ("age == $V", .list([.int(5)])),
            ("age BETWEEN $V", .value(.string("1,2"))), ("name LIKE $V", .value(.bool(true))),
        ] {
            let error = #expect(throws: PredicateError.self) { _ = try checked(text, value) }
            #expect(error?.message.contains("$V") == true, "\(text): \(error?.message ?? "")")
        }
    }

    @Test(
        "a variable that meets a list is one",
        arguments: [
            ("age IN $L", "1,2", "age IN {1, 2}"),
            ("age IN $L", "{1, 2}", "age IN {1, 2}"),
            ("name IN $L", "a,b", "name IN {\"a\", \"b\"}"),
            ("name IN $L", "", "name IN {}"),
            ("team IN $L", "3,4", "team IN {3, 4}"),
            ("age BETWEEN $L", "1,5", "age BETWEEN {1, 5}"),
            (
                "born BETWEEN $L", "2001-01-01,2001-01-02",
                "born BETWEEN {CAST(0.000000, \"NSDate\"), CAST(86400.000000, \"NSDate\")}"
            ),
            ("name CONTAINS $L", "a", "name CONTAINS \"a\""),
            ("name LIKE $L", "5*", "name LIKE \"5*\""),
            ("age + $L > 3", "4", "age + 4 > 3"),
        ])
    func lists(_ text: String, _ variable: String, _ printed: String) throws {
        #expect(
            try League.checked(text, "Person", ["L": .written(variable)]).predicateFormat == printed
        )
    }

    @Test(
        "an integer in a variable is the nearest Double in a list and between bounds",
        arguments: [
            "9007199254740993,1", "{9007199254740993, 1}",
            .list([.int(9_007_199_254_740_993), .int(1)]),
        ] as [VariableValue])
    func integersBesideDoubles(_ list: VariableValue) throws {
        func items(_ text: String) throws -> [Expression] {
            let value = VariableValue.value(.int(9_007_199_254_740_993))
            guard
                case .comparison(let it) =
                    try League.checked(text, "Person", ["L": list, "V": value]),
                case .aggregate(let items) = it.right
            else { return [] }
            return items
        }
        let exact = Expression.constant(.int(9_007_199_254_740_993))
        let nearest = Expression.constant(.double(9_007_199_254_740_992))
        #expect(try items("height IN $L").first == nearest)
        #expect(try items("height IN {$V, 1}").first == nearest)
        #expect(try items("height IN {9007199254740993, 1}").first == exact)
        #expect(try items("height BETWEEN $L").first == nearest)
        #expect(try items("height BETWEEN {$V, 1}").first == nearest)
        #expect(try items("height BETWEEN {9007199254740993, 1}").first == exact)
    }

    @Test("free variables can be replaced by values and key paths; a SUBQUERY's own are not free")
    func replacing() throws {
        let predicate = try Predicate(
            format:
                "team == $S.team AND SUBQUERY(friends, $S, $S.age > $T).@count > 0 AND SELF != $S")
        let replaced = predicate.replacingVariables { name, path in
            switch (name, path) {
            case ("S", ["team"]): .constant(.key(4))
            case ("S", []): .constant(.key(9))
            case ("T", []): .constant(.int(30))
            default: nil
            }
        }
        #expect(
            replaced.predicateFormat
                == "team == 4 AND SUBQUERY(friends, $S, $S.age > 30).@count > 0 AND SELF != 9")
    }

    struct Refused: Sendable, CustomTestStringConvertible {
        var text: String, code: String, near: String, hint: String
        var testDescription: String { text }
        init(_ text: String, _ code: String, _ near: String, _ hint: String = "") {
            (self.text, self.near, self.hint) = (text, near, hint)
            self.code = code.contains(".") ? code : "predicate." + code
        }
    }

    @Test(
        "what does not fit is refused with the reason",
        arguments: [
            Refused("nmae == 'x'", "unknown-key", "nmae", "did you mean name?"),
            Refused("Name == 'x'", "unknown-key", "Name", "did you mean name?"),
            Refused("team.nam == 'x'", "unknown-key", "nam", "did you mean name?"),
            Refused("salary > 3", "unknown-key", "salary", "Employee"),
            Refused("name == Bob", "unknown-key", "Bob", "quotes"),
            Refused("friends.@cuont > 3", "unknown-key", "@cuont", "@count"),
            Refused("_idd == 3", "unknown-key", "_idd", "_id"),
            Refused("rivals == 3", "feature.not-built", "rivals"),
            Refused("name.length > 3", "type", "length"),
            Refused("name == 3", "type", "3", "quotes"),
            Refused("name == YES", "type", "1", "YES and NO"),
            Refused("age == '3'", "type", "\"3\"", "quotes"),
            Refused("active == 'YES'", "type", "\"YES\""),
            Refused("name == age", "type", "age"),
            Refused("age IN {1, 'a'}", "type", "\"a\""),
            Refused("name IN {1}", "type", "1"),
            Refused("born > 3", "type", "3", "CAST"),
            Refused("born > 'yesterday'", "type", "\"yesterday\"", "2026-01-31"),
            Refused("born == age", "type", "age"),
            Refused("token == 'x'", "type", "\"x\""),
            Refused("token == 3", "type", "3"),
            Refused("team == 'x'", "type", "\"x\"", "x-coredata"),
            Refused("team == 1.5", "type", "1.5"),
            Refused("team == 'x-coredata://S/Person/p12'", "type", "\"x-coredata://S/Person/p12\""),
            Refused("team == SELF", "type", "SELF", "no common parent"),
            Refused("team > 3", "type", "team", "_id"),
            Refused("team == name", "type", "name"),
            Refused("photo == 'x'", "type", "\"x\""),
            Refused("tags == 3", "type", "3"),
            Refused("friends.age > 3", "type", "friends.age", "ANY"),
            Refused("friends == nil", "type", "friends", "count(friends) > 5"),
            Refused("age > friends.age", "type", "friends.age", "ANY"),
            Refused("friends.name CONTAINS friends.name", "type", "friends.name"),
            Refused("friends.name BEGINSWITH 'x'", "type", "friends.name", "ANY"),
            Refused("friends.age BETWEEN {1, 2}", "type", "friends.age", "ANY"),
            Refused("friends.age IN {1, 2}", "type", "friends.age", "ANY"),
            Refused("ANY name == 'x'", "type", "name"),
            Refused("ALL team.name == 'x'", "type", "team.name"),
            Refused("age BETWEEN 3", "type", "3", "BETWEEN {low, high}"),
            Refused("age BETWEEN {1}", "type", "{1}", "BETWEEN {low, high}"),
            Refused("age BETWEEN {1, 2, 3}", "type", "{1, 2, 3}"),
            Refused("age BETWEEN friends.age", "type", "friends.age"),
            Refused("age IN 3", "type", "3", "{1, 2}"),
            Refused("age LIKE '3*'", "type", "age", "CAST"),
            Refused("name LIKE 3", "type", "3"),
            Refused("name BEGINSWITH age", "type", "age"),
            Refused("name + 1 > 2", "type", "name"),
            Refused("friends.age + 1 > 2", "type", "friends.age"),
            Refused("born * 2 > 3", "type", "born"),
            Refused("born + born > born", "type", "born"),
            Refused("length(age) > 2", "type", "age"),
            Refused("sqrt(name) > 2", "type", "name"),
            Refused("name.@count > 2", "type", "@count"),
            Refused("friends.@sum > 2", "type", "@sum"),
            Refused("friends.@sum.name > 2", "type", "name"),
            Refused("friends.@count.age > 2", "type", "age"),
            Refused("sum(age) > 2", "type", "sum", "having"),
            Refused("count() > 2", "type", "count", "having"),
            Refused("sum(friends.name) > 2", "type", "friends.name"),
            Refused("sum(friends) > 2", "type", "friends"),
            Refused("sum({age, \"a\"}) > 2", "type", "{age, \"a\"}"),
            Refused("max({age, \"a\"}) > 2", "type", "{age, \"a\"}"),
            Refused("CAST('0x10', 'NSNumber') == 16", "type", "\"0x10\""),
            Refused("friends[0] == 3", "type", "friends", "ordered"),
            Refused("team.ranking['a'] == 3", "type", "\"a\""),
            Refused("name[0] == 'a'", "type", "name"),
            Refused("SUBQUERY(team, $t, $t.name == 'x').@count > 0", "type", "team"),
            Refused("SUBQUERY(friends, $f, $g.age > 1).@count > 0", "variable", "$g", "$f"),
            Refused("age > $X", "variable", "$X", "var.X"),
            Refused("age UNION {1} == {1}", "type", "age"),
            Refused("ANYKEY == 3", "unsupported", "ANYKEY"),
            Refused("$x := 3 == 3", "unsupported", "x"),
            Refused("CAST(name, 'NSDate') > now()", "type", "name"),
            Refused("distanceToLocation:fromLocation:(age, {1, 2}) < 3", "type", "age", "latitude"),
        ])
    func refuses(_ refused: Refused) throws {
        let error = try #require(throws: PredicateError.self) { try League.checked(refused.text) }
        #expect(error.code == refused.code)
        #expect(error.near == refused.near)
        if !refused.hint.isEmpty {
            #expect(error.hint?.contains(refused.hint) == true, "\(error)")
        }
    }

    @Test("a variable's text that is not of the type it meets is refused")
    func wrongVariables() {
        for (text, value) in [("age > $X", "old"), ("born > $X", "old"), ("token == $X", "t")] {
            #expect(throws: PredicateError.self) {
                try League.checked(text, "Person", ["X": .written(value)])
            }
        }
    }

    @Test("the position of an unknown key is found in the text, as a word of its own")
    func located() throws {
        let text = "größe_nmae == 1 AND nmae == 'x'"
        let error = PredicateError(.unknownKey, "no", near: "nmae")
        #expect(error.located(in: text).position == 20)
        #expect(error.located(in: "a").position == 0)
    }

    @Test("a subentity's own keys are known when it is asked for itself")
    func subentity() throws {
        #expect(
            try League.checked("salary > 3 AND name == 'x'", "Employee").predicateFormat
                == "salary > 3.0 AND name == \"x\"")
    }

    @Test("collection operators come last in the steps, wherever the text has them")
    func steps() throws {
        for path in [["players", "@sum", "age"], ["players", "age", "@sum"]] {
            let steps = try KeyPathResolution.resolve(
                path, from: League.team_, in: League.model)
            guard steps.count == 3, case .toMany(let relationship) = steps[0],
                case .attribute(let attribute) = steps[1],
                case .collectionOperator("@sum") = steps[2]
            else {
                Issue.record("\(steps)")
                continue
            }
            #expect(relationship.name == "players")
            #expect(attribute.name == "age")
        }
    }
}
