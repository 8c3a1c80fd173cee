// Who may do what, by which road: a table.

import SteleHTTP
import TestSupport
import Testing

@Suite struct RightsTests {
    @Test(arguments: [false, true]) func whatIsReadIsWhatIsSeen(_ inMemory: Bool) throws {
        let service = try RightsFixture(inMemory: inMemory)
        var lines = ["who | what | body | expected | got"]
        for row in RightsRow.reads {
            let got = service.told(service.ask(row.who, row.method, row.target, row.body))
            lines.append(
                "\(row.who) | \(row.method) \(row.target) | \(row.body ?? "") | "
                    + "\(row.expected) | \(got.prefix(100))")
            #expect(Self.fits(got, row.expected), "\(row): \(got), not \(row.expected)")
        }
        if !inMemory { print(lines.joined(separator: "\n")) }
    }

    @Test(arguments: [false, true]) func whatIsWrittenIsWhatIsAllowed(_ inMemory: Bool) throws {
        var lines: [String] = []
        for row in RightsRow.writes {
            let service = try RightsFixture(inMemory: inMemory)
            let before = service.told(service.ask("root", "GET", "/changes"))
            let got = service.told(service.ask(row.who, row.method, row.target, row.body))
            lines.append(
                "\(row.who) | \(row.method) \(row.target) | \(row.body ?? "") | "
                    + "\(row.expected) | \(got.prefix(100))")
            #expect(Self.fits(got, row.expected), "\(row): \(got), not \(row.expected)")
            // What is refused changes nothing.
            if got.hasPrefix("4") {
                let after = service.told(service.ask("root", "GET", "/changes"))
                #expect(after == before, "\(row)")
            }
        }
        if !inMemory { print(lines.joined(separator: "\n")) }
    }

    /// A conflict of unique values tells that the value is taken, and nothing of the object.
    @Test(arguments: [false, true]) func aConflictDoesNotNameWhatIsNotSeen(
        _ inMemory: Bool
    ) throws {
        let service = try RightsFixture(inMemory: inMemory)
        let body = #"{"title":"b2","owner":1}"#
        let hidden = service.ask("ann", "POST", "/Document", body)
        #expect(hidden.code == "133021" && !hidden.text.contains("Document/2"), "\(hidden.text)")
        #expect(!hidden.text.contains("Document 2"), "\(hidden.text)")
        let seen = service.ask("ann", "POST", "/Document", #"{"title":"b3","owner":1}"#)
        #expect(seen.text.contains("/Document/3"), "\(seen.text)")
        // A merge policy does not reach it either.
        let merged = service.ask("ann", "POST", "/Document?mergePolicy=objectTrump", body)
        #expect(merged.status == 409, "\(merged.text)")
        #expect(service.ask("bob", "GET", "/Document/2").text.contains(#""pages":20"#))
    }

    /// Members that are not seen stay when the others are set.
    @Test func membersThatAreNotSeenStay() throws {
        let service = try RightsFixture()
        let put = service.ask("ann", "PUT", "/Document/1/copies", "[]")
        #expect(service.told(put) == "200 []")
        #expect(service.ask("ann", "PATCH", "/Document/4", #"{"source":1}"#).status == 200)
        // Bob makes a private copy of a public document.
        let copy = #"{"title":"copy","owner":2,"source":4}"#
        #expect(service.ask("bob", "POST", "/Document", copy).status == 201)
        let set = service.ask("ann", "PUT", "/Document/4/copies", "[1]")
        #expect(service.told(set) == "200 [1]")
        #expect(
            service.told(service.ask("root", "GET", "/Document/4/copies?select=_id"))
                == "200 [1 6]")
    }

    /// A place in an ordered relationship is one among the members that are seen.
    @Test func aPlaceTellsNothingOfHiddenMembers() throws {
        let role = """
            {"Document": {"read": true, "update": true},
             "Comment": {"read": "text != 'hidden'", "update": true}}
            """
        let service = try RightsFixture(rights: RightsModel.rights(role: role))
        let comments = ["hidden", "a", "b", "hidden", "n"].map { "{\"text\":\"\($0)\"}" }
        let made = service.ask("root", "POST", "/Comment", "[\(comments.joined(separator: ","))]")
        #expect(service.told(made) == "201 [5 6 7 8 9]")
        let path = "/Document/1/comments"
        #expect(service.ask("root", "PUT", path, "[5,6,7,8]").status == 200)
        for (place, seen, stored) in [
            (1, "[6 9 7]", "[5 6 9 7 8]"), (0, "[9 6 7]", "[5 9 6 7 8]"),
            (5, "[6 7 9]", "[5 6 7 8 9]"),
        ] {
            #expect(service.ask("ann", "POST", "\(path)?at=\(place)", "[9]").status == 200)
            for (who, expected) in [("ann", seen), ("root", stored)] {
                let all = service.ask(who, "GET", "\(path)?select=_id")
                #expect(service.told(all) == "200 \(expected)", "\(who) \(place)")
            }
        }
    }

    /// A role is refused what is nested less deeply, because its rules are part of the statement. The
    /// answer names them.
    @Test func rulesCountForTheNestingOfAStatement() throws {
        let role = """
            {"Document": {"read": "isPublic == YES"}, "Comment": {"read": "text != 'hidden'"}}
            """
        let service = try RightsFixture(rights: RightsModel.rights(role: role))
        var text = "$v10.text == 'a'"
        for level in (1...10).reversed() {
            let path = level == 1 ? "comments" : "$v\(level - 1).document.comments"
            text = "SUBQUERY(\(path), $v\(level), \(text)).@count > 0"
        }
        let body = "{\"where\":\"\(text)\"}"
        #expect(service.told(service.ask("root", "POST", "/Document/query", body)) == "200 []")
        let refused = service.ask("ann", "POST", "/Document/query", body)
        #expect(service.told(refused) == "400 predicate.limit")
        #expect(refused.text.contains("fewer for a role, whose rules count as well"))
    }

    /// Tags of one role and user are not those of others.
    @Test func entityTagsAreOfOneSight() throws {
        let service = try RightsFixture()
        for target in ["/Document", "/Document/3", "/Document/count", "/Document/3/source"] {
            var tags = Set<String>()
            for who in ["ann", "bob", "", "root"] {
                guard let tag = service.ask(who, "GET", target)["ETag"] else { continue }
                tags.insert(tag)
                let known = service.ask(who, "GET", target, nil, [("If-None-Match", tag)])
                #expect(known.status == 304, "\(who) \(target)")
            }
            #expect(tags.count == 4, "\(target)")
        }
        // The version in it guards a write all the same.
        let tag = try #require(service.ask("ann", "GET", "/Document/1")["ETag"])
        let body = #"{"pages":12}"#
        #expect(service.ask("ann", "PATCH", "/Document/1", body, [("If-Match", tag)]).status == 200)
        #expect(service.ask("ann", "PATCH", "/Document/1", body, [("If-Match", tag)]).status == 412)
    }

    /// A kept answer is that of the token that asked.
    @Test func aKeptAnswerIsThatOfItsToken() throws {
        let service = try RightsFixture()
        let key = [(name: "Idempotency-Key", value: "k1")]
        let first = service.ask("ann", "PATCH", "/Document/1", #"{"pages":12}"#, key)
        #expect(service.told(first) == "200 1")
        let again = service.ask("ann", "PATCH", "/Document/1", #"{"pages":12}"#, key)
        #expect(service.told(again) == "200 1")
        let other = service.ask("bob", "PATCH", "/Document/1", #"{"pages":12}"#, key)
        #expect(service.told(other) == "404 object.unknown")
    }

    /// What a conflict of versions tells leads to nothing that is not seen.
    @Test func aConflictOfVersionsTellsNothingHidden() throws {
        let service = try RightsFixture()
        // A write that is not allowed is told nothing of versions.
        let foreign = service.ask("ann", "PATCH", "/Document/3", #"{"_version":9,"source":4}"#)
        #expect(service.told(foreign) == "403 access.right")
        let match = [(name: "If-Match", value: #""9-x""#)]
        let tagged = service.ask("ann", "PATCH", "/Document/3", #"{"source":4}"#, match)
        #expect(service.told(tagged) == "403 access.right")
        // Her own has a folder, which she does not see.
        for body in [#"{"_version":9,"folder":null}"#, #"{"_version":9,"title":"x","folder":7}"#] {
            let own = service.ask("ann", "PATCH", "/Document/1", body)
            #expect(own.status == 409 && !own.text.contains(#""stored":1"#), "\(own.text)")
        }
        let old = service.ask(
            "ann", "PATCH", "/Document/1?mergePolicy=overwrite", #"{"_version":9,"pages":1}"#)
        #expect(old.status == 409)
    }

    /// A to-one relationship to what is not seen is null for the sender, and stays when it is set
    /// to null.
    @Test func aDestinationThatIsNotSeenStays() throws {
        let service = try RightsFixture()
        for (method, target, body) in [
            ("PATCH", "/Document/1", #"{"folder":null}"#),
            ("PUT", "/Document/1", #"{"title":"a1","owner":1}"#),
        ] {
            #expect(service.ask("ann", method, target, body).status == 200)
            let now = service.ask("root", "GET", "/Document/1")
            #expect(now.text.contains(#""folder":1"#), "\(method): \(now.text)")
        }
        // The tag of nothing is that of nothing.
        let tag = try #require(service.ask("ann", "GET", "/Document/3/source")["ETag"])
        let put = service.ask("ann", "PUT", "/Document/3/source", "4", [("If-Match", tag)])
        #expect(service.told(put) == "403 access.right")
    }

    /// The variables of a rule are not those of a request.
    @Test(arguments: [false, true]) func aRuleKeepsItsVariables(_ inMemory: Bool) throws {
        let rule =
            "SUBQUERY(owner.documents, $d, $d.isPublic == YES AND $d.pages > pages).@count > 0"
        let service = try RightsFixture(
            inMemory: inMemory,
            rights: RightsModel.rights(
                role: #"{"Document": {"read": "\#(rule)"}, "*": {"read": true}}"#))
        // Document 2 has a longer public one, and document 3 has none.
        #expect(service.told(service.ask("ann", "GET", "/Document?select=_id")) == "200 [1 2]")
        for name in ["d", "z"] {
            let hidden = "SUBQUERY(documents, $\(name), $\(name).source.title == 'b3').@count > 0"
            let seen = "SUBQUERY(documents, $\(name), $\(name).title == 'b2').@count > 0"
            for (predicate, expected) in [(hidden, "200 []"), (seen, "200 [2]")] {
                let answer = service.ask("ann", "GET", "/Account?where=\(encoded(predicate))")
                #expect(service.told(answer) == expected, "\(predicate)")
            }
        }
    }

    @Test func aRoleMayHaveTheMetricsOrBackupsAlone() throws {
        let requests = [
            ("GET", "/metrics"), ("POST", "/backup"), ("GET", "/metadata"), ("GET", "/Document"),
        ]
        for (role, expected) in [
            (#"{"/metrics": true}"#, [200, 403, 403, 403]),
            // The service of the test has no folder for backups.
            (#"{"/backup": true, "/metrics": false}"#, [403, 409, 403, 403]),
        ] {
            let service = try RightsFixture(rights: RightsModel.rights(role: role))
            #expect(requests.map { service.ask("ann", $0.0, $0.1).status } == expected, "\(role)")
        }
    }

    /// An expected text without a value is about the status alone.
    private static func fits(_ got: String, _ expected: String) -> Bool {
        expected.contains(" ") || got.count == 3
            ? got == expected : got.hasPrefix(expected)
    }
}
