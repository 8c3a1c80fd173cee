// Roads on which a request could reach what its sender does not see.

import SteleHTTP
import TestSupport
import Testing

@testable import SteleRequests
@testable import SteleService

@Suite struct HiddenObjectTests {
    /// Public documents, and nothing else.
    private static let visitor = RightsModel.rights(
        role: #"{"Document": {"read": "isPublic == YES"}}"#)

    /// Paths from what is no plain relationship.
    @Test(
        arguments: [
            "{SELF}[0].source.title", "{SELF}[0].owner.login", "{source}[0].title",
            "{SELF, source}[1].title", "mode({SELF})[0].source.title", "{SELF}.source.title[0]",
            "TERNARY(1 == 1, {SELF}[0], source).source.title", "max({SELF}.source.title)",
            "{SELF}[0].folder.documents.@max.title", "source[0].title",
            // Objects that are named by their ids.
            "{SELF, 2}[1].title", "{SELF, 2}[1].owner.login", "({SELF} UNION {2})[1].title",
            "{SELF, 2}.SELF[1].title", "max({SELF, 2}.title)",
        ], [false, true])
    func aPathLeadsToNothingHidden(_ path: String, _ inMemory: Bool) throws {
        let service = try RightsFixture(inMemory: inMemory, rights: Self.visitor)
        for target in [
            "/Document?select=_id,x:\(encoded(path))",
            "/Document?where=\(encoded("\(path) IN {'b2', 'bob'}"))",
            "/Document?sort=\(encoded(path))&where=isPublic==YES",
        ] {
            let answer = service.ask("ann", "GET", target)
            // An error has the words of the request.
            if answer.code.hasPrefix("predicate.") { continue }
            #expect(answer.status == 200, "\(target): \(answer.text)")
            #expect(!answer.text.contains("b2") && !answer.text.contains("bob"), "\(target)")
            if target.contains("?where=") {
                #expect(service.told(answer) == "200 []", "\(target)")
            }
        }
    }

    @Test(arguments: [false, true]) func anIDNamesNothingHidden(_ inMemory: Bool) throws {
        let service = try RightsFixture(inMemory: inMemory, rights: Self.visitor)
        for condition in [
            "ANY {SELF, 2}.title == 'b2'", "SUBQUERY({SELF, 2}, $x, $x.title == 'b2').@count > 0",
            "SUBQUERY({SELF, 2}, $x, $x.owner.login == 'bob').@count > 0",
            "SUBQUERY({SELF, 2}, $x, $x.title MATCHES TERNARY($x.title == 'b2', '(((', 'x'))"
                + ".@count > 0",
        ] {
            let answer = service.ask("ann", "GET", "/Document?where=\(encoded(condition))")
            #expect(
                service.told(answer) == "200 []" || answer.code.hasPrefix("predicate."),
                "\(condition): \(answer.text)")
            #expect(!answer.text.contains("((("), "\(condition): \(answer.text)")
        }
    }

    /// Ids of two families are not those of one.
    @Test func objectsOfTwoFamiliesAreNotInOneList() throws {
        let service = try RightsFixture()
        for path in ["{SELF, owner}[1].title", "({SELF} UNION {owner})[1].title"] {
            let answer = service.ask("root", "GET", "/Document?select=x:\(encoded(path))")
            #expect(answer.code == "predicate.type", "\(path): \(answer.text)")
        }
    }

    @Test func aPathOfAListLeadsToWhatIsSeen() throws {
        let service = try RightsFixture(rights: Self.visitor)
        let target = "/Document?sort=_id&select=x:\(encoded("{SELF}[0].source.title"))"
        #expect(service.ask("root", "GET", target).text.contains("b2"))
        #expect(!service.ask("ann", "GET", target).text.contains("b2"))
    }

    /// An error of a condition tells of the object on which it came.
    @Test(arguments: [false, true])
    func aConditionFailsOnNothingHidden(_ inMemory: Bool) throws {
        let service = try RightsFixture(inMemory: inMemory)
        // A pattern that is invalid for one document.
        func pattern(_ title: String) -> String { "TERNARY(title == '\(title)', '(((', 'x')" }
        func each(_ title: String) -> String { "TERNARY($d.title == '\(title)', '(((', 'x')" }
        for (hidden, seen) in [("b2", "a1")] {
            let cases: [(target: String, condition: (String) -> String)] = [
                ("/Document/count", { "title MATCHES \(pattern($0))" }),
                ("/Document/count", { "pages > 0 AND NOT title MATCHES \(pattern($0))" }),
                (
                    "/Tag/count",
                    { "SUBQUERY(documents, $d, $d.title MATCHES \(each($0))).@count > 0" }
                ),
                (
                    "/Account/count",
                    { "SUBQUERY(documents, $d, NOT $d.title MATCHES \(each($0))).@count > 0" }
                ),
            ]
            for (target, condition) in cases {
                let asked = { (title: String) in
                    service.ask("ann", "GET", "\(target)?where=\(encoded(condition(title)))")
                }
                #expect(asked(hidden).status == 200, "\(target) \(condition(hidden))")
                #expect(asked(seen).status == 400, "\(target) \(condition(seen))")
            }
        }
        // One that is invalid is the name of a tag, which its documents are compared with.
        let tag = #"{"name":"(((","documents":[2]}"#
        #expect(service.ask("root", "POST", "/Tag", tag).status == 201)
        for quantifier in ["ANY", "ALL", "NONE"] {
            let condition = "_id == 3 AND \(quantifier) documents.title MATCHES name"
            let target = "/Tag/count?where=\(encoded(condition))"
            #expect(service.ask("ann", "GET", target).status == 200, "\(quantifier)")
            #expect(service.ask("root", "GET", target).status == 400, "\(quantifier)")
        }
    }

    /// SQLite takes a column that is compared with a constant for that constant elsewhere.
    @Test(arguments: [
        "title MATCHES %", "isPublic == YES AND title MATCHES %",
        "title MATCHES % AND isPublic == YES", "isPublic == NO AND title MATCHES %",
        "pages > 0 AND NOT title MATCHES % AND isPublic == YES AND _id == 2",
        "SUBQUERY({SELF, 2}, $x, $x.title MATCHES % AND $x.isPublic == YES).@count > 0",
        "title BEGINSWITH 'b' AND title LIKE TERNARY(title == 'b2', '?', '*')",
        "title MATCHES % OR isPublic == YES", "title == 'b2' AND title MATCHES %",
    ])
    func aConditionOnTheColumnsOfARuleFailsOnNothingHidden(_ condition: String) throws {
        let service = try RightsFixture(rights: Self.visitor)
        func status(_ title: String) -> Int {
            let pattern = condition.contains("$x") ? "$x.title" : "title"
            let text = condition.replacing(
                "%", with: "TERNARY(\(pattern) == '\(title)', '(((', 'x')")
            return service.ask("ann", "GET", "/Document?where=\(encoded(text))").status
        }
        #expect(status("b2") == 200)
        if !condition.contains("NO ") && !condition.contains("2") { #expect(status("b3") == 400) }
    }

    /// What ANY, ALL and NONE mean of what is seen is not changed by how errors are kept out.
    @Test(arguments: [false, true]) func membersAreComparedAsBefore(_ inMemory: Bool) throws {
        let service = try RightsFixture(inMemory: inMemory)
        // Tag 1 has documents 1, 2 (hidden) and 3, tag 2 has document 2 alone.
        for (condition, expected) in [
            ("ANY documents.title MATCHES 'b.*'", "[1]"),
            ("ALL documents.title MATCHES '..'", "[1 2]"),
            ("ALL documents.title MATCHES 'b.*'", "[2]"),
            ("NONE documents.title LIKE 'b*'", "[2]"),
            ("ANY documents.owner.login LIKE '*b'", "[1]"),
            ("ANY documents.comments.text LIKE 'c2'", "[]"),
            ("ANY documents.title.@distinctUnionOfObjects MATCHES 'b.*'", "[1]"),
            ("NONE documents.@unionOfObjects.title LIKE 'b*'", "[2]"),
        ] {
            let answer = service.ask("ann", "GET", "/Tag?select=_id&where=\(encoded(condition))")
            #expect(service.told(answer) == "200 \(expected)", "\(condition)")
        }
    }

    /// An object that a body makes and deletes may take others with it.
    @Test func whatIsMadeAndDeletedNeedsBothRights() throws {
        let body = """
            [{"op":"insert","entity":"Tag","as":"t","values":{"name":"x","documents":[1]}},
             {"op":"delete","object":{"_ref":"t"}}]
            """
        for (rights, status) in [
            (#""create": true, "delete": true"#, 200), (#""create": true"#, 403),
            (#""delete": true"#, 403), (#""read": true"#, 403),
        ] {
            let role = "{\"Tag\": {\(rights)}, \"Document\": {\"read\": true, \"update\": true}}"
            let service = try RightsFixture(rights: RightsModel.rights(role: role))
            let answer = service.ask("ann", "POST", "/transactions", body)
            #expect(answer.status == status, "\(rights): \(answer.text)")
        }
    }

    /// A link would change the hidden object that has a one-to-one relationship now.
    @Test(arguments: [false, true])
    func aOneToOneRelationshipIsNotTakenFromAHiddenObject(_ inMemory: Bool) throws {
        let json = """
            {"name": "Papers", "entities": [
                {"name": "Person", "attributes": [{"name": "isPublic", "type": "Boolean"}],
                 "relationships": [
                    {"name": "pass", "destination": "Pass", "inverse": "holder"}]},
                {"name": "Guest", "parent": "Person"},
                {"name": "Pass", "relationships": [
                    {"name": "holder", "destination": "Person", "inverse": "pass"}]}]}
            """
        let role = #"""
            {"Person": {"read": "isPublic == YES", "update": true},
             "Pass": {"read": true, "update": true}}
            """#
        let rights = try RightsFile(RightsModel.rights(role: role))
        let fixture = try ServiceFixture(RightsModel.model(json), inMemory: inMemory) {
            $0.rights = rights
        }
        func ask(_ who: String, _ method: String, _ target: String, _ body: String) -> Answer {
            fixture.ask(method, target, body, [("Authorization", "Bearer token-\(who)")])
        }
        // The second and the third pass have hidden holders.
        let made = ask("root", "POST", "/Person", #"[{"isPublic":true},{"isPublic":false}]"#)
        try #require(made.status == 201, "\(made.text)")
        try #require(ask("root", "POST", "/Pass", #"[{},{"holder":2}]"#).status == 201)
        try #require(ask("root", "POST", "/Guest", #"{"isPublic":false}"#).status == 201)
        try #require(ask("root", "POST", "/Pass", #"{"holder":3}"#).status == 201)
        #expect(ask("ann", "GET", "/Pass/2", "").text.contains(#""holder":null"#))
        for (method, target, body) in [
            ("PUT", "/Pass/2/holder", "1"), ("PATCH", "/Pass/2", #"{"holder":1}"#),
            ("PUT", "/Person/1/pass", "2"), ("PATCH", "/Person/1", #"{"pass":2}"#),
        ] {
            let answer = ask("ann", method, target, body)
            #expect(answer.code == "access.right", "\(target) \(body): \(answer.text)")
            #expect(!answer.text.contains("Person 2"), "\(answer.text)")
            // Nor is it told what the hidden object is.
            let (other, changed) = (
                target.replacing("Pass/2", with: "Pass/3"), body.replacing("2", with: "3")
            )
            #expect(ask("ann", method, other, changed).text == answer.text)
        }
        #expect(ask("root", "GET", "/Pass/2", "").text.contains(#""holder":2"#))
        #expect(ask("ann", "PUT", "/Person/1/pass", "1").status == 200)
    }

    /// A link must not give a right by a derived attribute that counts it.
    @Test func aDerivedAttributeGivesNoRight() throws {
        let json = """
            {"name": "Tags", "entities": [
                {"name": "Document", "attributes": [{"name": "title", "type": "String"},
                    {"name": "tagCount", "type": "Integer 32", "derivation": "tags.@count"}],
                 "relationships": [{"name": "tags", "destination": "Tag", "toMany": true,
                    "inverse": "documents"}]},
                {"name": "Tag", "relationships": [{"name": "documents", "toMany": true,
                    "destination": "Document", "inverse": "tags"}]}]}
            """
        for rule in ["tagCount > 0", "tags.@count > 0"] {
            let role = """
                {"Document": {"read": true, "update": "\(rule)"},
                 "Tag": {"read": true, "update": true}}
                """
            let rights = try RightsFile(RightsModel.rights(role: role))
            let fixture = try ServiceFixture(RightsModel.model(json)) { $0.rights = rights }
            func status(_ who: String, _ method: String, _ target: String, _ body: String) -> Int {
                let token = [(name: "Authorization", value: "Bearer token-\(who)")]
                return fixture.ask(method, target, body, token).status
            }
            #expect(status("root", "POST", "/Document", "{}") == 201)
            #expect(status("root", "POST", "/Tag", "{}") == 201)
            #expect(status("ann", "PATCH", "/Document/1", #"{"title":"x"}"#) == 403)
            #expect(status("ann", "POST", "/Tag/1/documents", "[1]") == 403, "\(rule)")
            #expect(status("root", "POST", "/Tag/1/documents", "[1]") == 200)
            #expect(status("ann", "PATCH", "/Document/1", #"{"title":"x"}"#) == 200)
        }
    }

    /// A token that has lost the role `all` cannot go on with its contexts.
    @Test func aContextIsNotUsedWithFewerRights() throws {
        let service = try RightsFixture()
        let made = service.ask("root", "POST", "/contexts")
        let context = try #require(made["Location"], "\(made.text)")
        #expect(service.ask("root", "GET", "\(context)/Document/2").status == 200)
        let fewer = RightsModel.rights.replacing(
            #""name": "root", "role": "all""#, with: #""name": "root", "role": "press""#)
        #expect(try service.fixture.service.replace(RightsFile(fewer)))
        for target in ["Document/2", "Document", "Account/count", "Document/2?include=owner"] {
            let answer = service.ask("root", "GET", "\(context)/\(target)")
            #expect(answer.status == 403, "\(target): \(answer.text)")
        }
    }
}
