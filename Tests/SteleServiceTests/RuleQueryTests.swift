// Requests of a role whose rules lead over collections, subentities and null: they are answered as
// without the rules, over what is seen.

import SteleHTTP
import TestSupport
import Testing

@testable import SteleRequests
@testable import SteleService

@Suite struct RuleQueryTests {
    private static let json = """
        {"name": "Works", "entities": [
            {"name": "Owner", "attributes": [{"name": "name", "type": "String"},
                {"name": "code", "type": "Integer 32"}],
             "relationships": [{"name": "nodes", "destination": "Node", "inverse": "owner",
                "toMany": true},
                {"name": "boss", "destination": "Owner", "inverse": "staff"},
                {"name": "staff", "destination": "Owner", "inverse": "boss", "toMany": true}]},
            {"name": "Chief", "parent": "Owner"},
            {"name": "Node", "attributes": [{"name": "extent", "type": "Integer 32"}],
             "relationships": [{"name": "owner", "destination": "Owner", "inverse": "nodes"},
                {"name": "box", "destination": "Box", "inverse": "nodes"}]},
            {"name": "Box", "attributes": [{"name": "label", "type": "String"}],
             "relationships": [{"name": "nodes", "destination": "Node", "inverse": "box",
                "toMany": true, "ordered": true}]}]}
        """
    /// Owners 1 and 2 are plain, 3 is a chief. Node 2 has no owner. Boxes: 1 has all nodes, 2 has
    /// node 1 (owner 1), 3 has node 2 (no owner).
    private static let data = """
        [{"op":"insert","entity":"Owner","as":"a","values":{"name":"ann","code":7}},
         {"op":"insert","entity":"Owner","as":"b","values":{"name":"bob","code":5,
            "boss":{"_ref":"a"}}},
         {"op":"insert","entity":"Chief","as":"c","values":{"name":"cy","code":3}},
         {"op":"insert","entity":"Node","as":"n1","values":{"extent":1,"owner":{"_ref":"a"}}},
         {"op":"insert","entity":"Node","as":"n2","values":{"extent":2}},
         {"op":"insert","entity":"Node","as":"n3","values":{"extent":3,"owner":{"_ref":"b"}}},
         {"op":"insert","entity":"Node","as":"n4","values":{"extent":4,"owner":{"_ref":"b"}}},
         {"op":"insert","entity":"Node","as":"n5","values":{"extent":5,"owner":{"_ref":"c"}}},
         {"op":"insert","entity":"Box","values":{"label":"all","nodes":
            [{"_ref":"n1"},{"_ref":"n2"},{"_ref":"n3"},{"_ref":"n4"},{"_ref":"n5"}]}},
         {"op":"insert","entity":"Box","as":"h","values":{"label":"hidden"}},
         {"op":"insert","entity":"Box","as":"u","values":{"label":"none"}}]
        """

    private struct Stage {
        let fixture: ServiceFixture

        init(_ inMemory: Bool, _ owner: String, more: String = "") throws {
            let role = """
                {"Owner": {"read": "\(owner)"}\(more), "Node": {"read": true},
                 "Box": {"read": true}}
                """
            let rights = try RightsFile(RightsModel.rights(role: role))
            fixture = try ServiceFixture(RightsModel.model(json), inMemory: inMemory) {
                $0.rights = rights
            }
            #expect(ask("root", "POST", "/transactions", data).status == 200)
        }

        func ask(_ who: String, _ method: String, _ target: String, _ body: String? = nil)
            -> Answer
        {
            let token = [(name: "Authorization", value: "Bearer token-\(who)")]
            return fixture.ask(method, target, body, token)
        }

        func get(_ target: String) -> Answer {
            let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
            let query =
                parts.count < 2
                ? ""
                : "?"
                    + parts[1].split(separator: "&").map { pair in
                        let halves = pair.split(separator: "=", maxSplits: 1).map(String.init)
                        return "\(halves[0])=\(encoded(halves[1]))"
                    }.joined(separator: "&")
            return ask("ann", "GET", parts[0] + query)
        }
    }

    /// Rules by which owner 2 alone is seen, with words that no answer may have.
    private static let rules = [
        ("SUBQUERY(nodes, $n, $n.extent < 3 OR $n.extent == 5).@count == 0", ""),
        ("ANY nodes.extent == 3", ""),
        ("boss.nodes.@count > 0", ""),
        ("boss.name == 'ann'", #", "Chief": {"read": "boss.nodes.@count > 0"}"#),
    ]

    /// Requests whose groups, columns, aggregates and order lead over the owner.
    private static let requests = [
        (
            "/Node?groupBy=owner&select=owner,n:count()",
            #"[{"owner":null,"n":3},{"owner":2,"n":2}]"#
        ),
        (
            "/Node?groupBy=owner.name&select=owner.name,n:sum(extent)&sort=-n",
            #"[{"owner.name":null,"n":8},{"owner.name":"bob","n":7}]"#
        ),
        (
            "/Node?groupBy=owner.name&select=x:uppercase(owner.name),n:max(owner.code)&sort=-x",
            #"[{"x":"BOB","n":5},{"x":null,"n":null}]"#
        ),
        (
            "/Node?groupBy=owner.name&select=owner.name&having=max(owner.code) > 1",
            #"[{"owner.name":"bob"}]"#
        ),
        (
            "/Node?groupBy=owner.name&select=n:count()&having=owner.name == nil",
            #"[{"n":3}]"#
        ),
        (
            "/Node?select=owner.name&distinct=true&sort=-owner.name",
            #"[{"owner.name":"bob"},{"owner.name":null}]"#
        ),
        (
            "/Node?select=owner&distinct=true&sort=-owner&count=true",
            #"[{"owner":2},{"owner":null}]"#
        ),
        ("/Node?select=n:max(owner.code),m:count(distinct owner.name)", #"[{"n":5,"m":1}]"#),
        ("/Box?select=n:sum(nodes.@count),m:max(nodes.owner.@count)", #"[{"n":5,"m":5}]"#),
        ("/Node?select=n:sum(owner.nodes.@count)", #"[{"n":4}]"#),
        (
            "/Node?groupBy=owner.boss&select=owner.boss,n:count()",
            #"[{"owner.boss":null,"n":5}]"#
        ),
        ("/Node?sort=-owner.code,_id&select=_id&limit=2", #"[{"_id":3},{"_id":4}]"#),
    ]

    @Test(arguments: [false, true], rules.indices)
    func groupsAndColumnsAreThoseOfWhatIsSeen(_ inMemory: Bool, _ rule: Int) throws {
        let (text, more) = Self.rules[rule]
        let stage = try Stage(inMemory, text, more: more)
        for (target, expected) in Self.requests {
            let answer = stage.get(target)
            #expect(answer.text == expected, "\(text): \(target)")
        }
    }

    /// What is refused without rules is refused in the same words with them.
    @Test(arguments: [false, true], rules.indices)
    func errorsHaveNoWordsOfARule(_ inMemory: Bool, _ rule: Int) throws {
        let (text, more) = Self.rules[rule]
        let (stage, plain) = (
            try Stage(inMemory, text, more: more), try Stage(inMemory, "TRUEPREDICATE")
        )
        for target in [
            "/Node?select=owner.name&distinct=true&sort=owner.code",
            "/Node?groupBy=owner&select=owner.nodes.@count",
            "/Node?groupBy=owner.code&select=owner.name",
            "/Node?groupBy=owner.code&select=n:count()&having=owner.name == 'x'",
            "/Node?groupBy=owner.code&select=n:count()&sort=owner.name",
            "/Node?select=n:max(max(owner.code))", "/Node?select=owner.nam",
            "/Box?groupBy=nodes.owner&select=n:count()", "/Box?sort=nodes.owner.code",
            "/Box?where=nodes.owner.name == 'x'", "/Box?where=nodes.owner[0] > 1",
            "/Node?where=owner.name MATCHES '((('", "/Node?select=n:mode(owner.code)",
        ] {
            let (answer, other) = (stage.get(target), plain.get(target))
            #expect(other.status == 400, "\(target): \(other.text)")
            #expect(answer.text == other.text, "\(target)")
            for word in ["TERNARY", "$n", "boss", "nodes.extent"] where !target.contains(word) {
                #expect(!answer.text.contains(word), "\(target)")
            }
        }
    }

    /// Behind a to-many relationship an owner that is not seen is as none, also where the rule is
    /// true of null. Box 2 gets node 1, whose owner is hidden, and box 3 node 2, which has none.
    @Test(arguments: [false, true], ["code != 7", "NOT (code == 7)", "boss == nil AND code != 7"])
    func hiddenIsAsNullBehindAToMany(_ inMemory: Bool, _ rule: String) throws {
        let stage = try Stage(inMemory, rule)
        for (box, node) in [(2, 1), (3, 2)] {
            #expect(stage.ask("root", "PUT", "/Box/\(box)/nodes", "[\(node)]").status == 200)
        }
        for condition in [
            "ANY nodes.owner == nil", "ANY nodes.owner.name == nil", "ALL nodes.owner.name == nil",
            "NONE nodes.owner.name == 'bob'", "ALL nodes.owner.name != 'x'",
            "nodes.owner.@count == 1", "nodes.owner.name.@count == 1",
            "count(distinct nodes.owner.name) == 1",
            "nodes.owner.@distinctUnionOfObjects.@count == 1",
            "nodes.owner[0] == nil", "nodes.owner[FIRST].name == nil", "nodes.owner[SIZE] == 1",
            "count(nodes.owner UNION nodes.owner) == 1", "count(nodes.owner.name MINUS {'x'}) == 1",
            "SUBQUERY(nodes, $n, $n.owner == nil).@count == 1",
            "SUBQUERY(nodes.owner, $o, $o.code != 9).@count == 0",
            "TERNARY(nodes.owner.@count == 1, 1, 2) == 1", "nodes.owner.nodes.@count == 0",
            "ANY nodes.owner.boss.name == nil", "nodes.owner.@max.code == nil",
            "nodes.owner.@sum.code == 0", "ANY nodes.owner IN {1, nil}", "NOT (1 IN nodes.owner)",
            "nodes.owner.name.@unionOfObjects.@count == 1",
        ] {
            let answer = stage.get("/Box?select=_id&sort=_id&where=_id > 1 AND \(condition)")
            let expected =
                condition.hasPrefix("ANY nodes.owner IN") ? nil : #"[{"_id":2},{"_id":3}]"#
            if let expected { #expect(answer.text == expected, "\(condition)") }
            let (two, three) = (answer.text.contains("2"), answer.text.contains("3"))
            #expect(answer.status == 200 && two == three, "\(condition): \(answer.text)")
        }
        for column in [
            "nodes.owner", "nodes.owner.name", "nodes.owner.boss", "n:nodes.owner.@count",
        ] {
            let answers = [2, 3].map { stage.get("/Box?select=\(column)&where=_id == \($0)") }
            #expect(answers[0].text == answers[1].text, "\(column)")
        }
    }

    /// A null among the owners takes part as it does without rules.
    @Test(arguments: [false, true]) func nullIsAsWithoutRules(_ inMemory: Bool) throws {
        let stage = try Stage(inMemory, "code != 7")
        let plain = try Stage(inMemory, "TRUEPREDICATE")
        // Without rules the owner is truly gone.
        #expect(plain.ask("root", "DELETE", "/Owner/1").status == 204)
        for query in [
            "select=nodes.owner", "select=nodes.owner.name", "select=n:nodes.owner.@count",
            "select=n:nodes.owner.name.@distinctUnionOfObjects.@count",
            "select=n:count(distinct nodes.owner)", "select=n:nodes.owner.@avg.code",
            "select=n:nodes.owner[0].name,m:nodes.owner[2].name,o:nodes.owner[LAST].code",
            "select=_id&where=ALL nodes.owner.code > 1", "select=_id&where=ANY nodes.owner == nil",
            "select=n:count(nodes.owner UNION {2}),m:count(nodes.owner INTERSECT {2})",
        ] {
            let target = "/Box?\(query)&sort=_id"
            #expect(stage.get(target).text == plain.get(target).text, "\(target)")
            #expect(stage.get(target).status == 200, "\(target)")
        }
    }
}
