// What the change feed says of objects that become visible or hidden without being made or deleted.

import SteleJSON
import StelePersistence
import TestSupport
import Testing

@testable import SteleRequests
@testable import SteleService

@Suite struct RightsCrossingTests {
    /// Documents of accounts that are not called eve; all else is hidden.
    private static let rights = RightsModel.rights(
        role: #"{"Document": {"read": "owner.login != 'eve'"}}"#)

    /// Changes of a document that are not visible: of a column, of another one of its table, and of
    /// a join table.
    static let hiddenChanges = [
        #"{"op":"update","object":"Document/1","values":{"folder":null}}"#,
        #"{"op":"update","object":"Document/4","values":{"folder":1}}"#,
        #"{"op":"update","object":"Document/4","values":{"tags":[2]}}"#,
        #"{"op":"update","object":"Document/1","values":{"tags":[],"folder":null}}"#,
    ]

    /// The entries for ann of a save that gives account 1 a login, and changes something else.
    private func told(
        _ stage: RightsStage, login: String, _ other: String?
    ) throws -> [JSONValue] {
        let start = try stage.token
        let client = try stage.stream("ann", "/changes?values=true")
        let operations =
            [#"{"op":"update","object":"Account/1","values":{"login":"\#(login)"}}"#, other]
        try stage.write(
            "POST", "/transactions", "[\(operations.compactMap { $0 }.joined(separator: ","))]")
        let response = stage.ask("ann", "GET", "/changes?values=true&since=\(start)")
        let page = try entries(LiveStage.text(response))
        #expect(client.wait { $0.events.contains { $0.name == "save" } })
        let event = try #require(client.events.last { $0.name == "save" })
        let streamed = try entries("[\(event.data)]")
        #expect(streamed == page)
        return page
    }

    private func entries(_ text: String) throws -> [JSONValue] {
        guard case .array(let saves) = JSONValue(try JSONDocument(text).root) else { return [] }
        return saves.flatMap { save -> [JSONValue] in
            guard case .array(let changes)? = save["changes"] else { return [] }
            return changes
        }
    }

    /// An object that becomes visible or hidden through another one is reported in the same place
    /// and with the same values whether or not the save has changed something hidden of it.
    @Test(arguments: [StoreKind.sqlite, .memory], hiddenChanges)
    func hiddenChangesDoNotMoveTheEntry(_ kind: StoreKind, _ change: String) throws {
        let plain = try RightsStage(kind, rights: Self.rights)
        let changed = try RightsStage(kind, rights: Self.rights)
        let hidden = try told(plain, login: "eve", nil)
        #expect(hidden.map { $0["_id"]?.compact } == ["1", "4"])
        #expect(try told(changed, login: "eve", change) == hidden)
        let back = change.replacing("null", with: "1").replacing("[]", with: "[1]")
            .replacing("[2]", with: "[]")
        let shown = try told(plain, login: "ann", nil)
        #expect(shown.map { $0["_id"]?.compact } == ["1", "4"])
        // The version counts what is hidden (Docs/Rights.md).
        #expect(try told(changed, login: "ann", back).map(\.plain) == shown.map(\.plain))
    }

    /// A report has the values of the time of the save: a delete those before it, and an insert those
    /// after it. This is so whether or not the save has changed the object itself, and also later.
    @Test(arguments: [StoreKind.sqlite, .memory])
    func aReportHasTheValuesOfItsTime(_ kind: StoreKind) throws {
        let stage = try RightsStage(kind, rights: Self.rights)
        let start = try stage.token
        func told(_ login: String, _ title: String) throws -> [String] {
            let change = #"{"op":"update","object":"Document/4","values":{"title":"\#(title)"}}"#
            return Self.short(try self.told(stage, login: login, change))
        }
        #expect(try told("eve", "new") == ["delete 1 a1 1", "delete 4 a4 1"])
        #expect(try told("ann", "newest") == ["insert 1 a1 1", "insert 4 newest 3"])
        try stage.write("PATCH", "/Document/4", #"{"title":"later"}"#)
        try stage.write("PATCH", "/Account/1", #"{"login":"eve"}"#)
        let all = LiveStage.text(stage.ask("ann", "GET", "/changes?values=true&since=\(start)"))
        #expect(
            Self.short(try entries(all)) == [
                "delete 1 a1 1", "delete 4 a4 1", "insert 1 a1 1", "insert 4 newest 3",
                "update 4 later 4", "delete 1 a1 1", "delete 4 later 4",
            ])
    }

    private static func short(_ changes: [JSONValue]) -> [String] {
        changes.map { change in
            [
                change["change"], change["_id"], change["object"]?["title"], change["_version"],
            ].map { $0?.compact.filter { $0 != "\"" } ?? "-" }.joined(separator: " ")
        }
    }

    /// The condition of a stream is judged by these values.
    @Test(arguments: [StoreKind.sqlite, .memory])
    func aReportMatchesTheConditionOfAStream(_ kind: StoreKind) throws {
        let stage = try RightsStage(kind, rights: Self.rights)
        let start = try stage.token
        try stage.write("PATCH", "/Account/1", #"{"login":"eve"}"#)
        try stage.write("PATCH", "/Account/1", #"{"login":"ann"}"#)
        #expect(
            try stage.changes("ann", since: start, "&entity=Document&where=pages%20%3E%2020")
                == ["delete Document 4", "insert Document 4"])
    }

    /// Values lead to what was visible after the save, and to nothing that was hidden.
    @Test(arguments: [StoreKind.sqlite, .memory])
    func valuesLeadToWhatWasVisible(_ kind: StoreKind) throws {
        let role = """
            {"Document": {"read": "folder.name == 'open'"}, "Account": {"read": "login != 'eve'"}}
            """
        let stage = try RightsStage(kind, rights: RightsModel.rights(role: role))
        let start = try stage.token
        func owners() throws -> [String] {
            let told = try entries(
                LiveStage.text(stage.ask("ann", "GET", "/changes?values=true&since=\(start)")))
            return told.filter { $0["entity"]?.compact == #""Document""# }
                .map { $0["object"]?["owner"]?.compact ?? "none" }
        }
        try stage.write("PATCH", "/Account/1", #"{"login":"eve"}"#)
        try stage.write("PATCH", "/Folder/1", #"{"name":"open"}"#)
        #expect(try owners() == ["null", "2"])
        try stage.write("PATCH", "/Account/1", #"{"login":"amy"}"#)
        try stage.write("PATCH", "/Account/2", #"{"login":"eve"}"#)
        #expect(try owners() == ["null", "2"])
    }

    /// A rule that leads over other objects, and what a write of another object reports.
    struct FarRule: Sendable, CustomStringConvertible {
        let rule: String
        let write: (method: String, target: String, body: String)
        let told: [String]
        var description: String { "\(rule): \(write.method) \(write.target) \(write.body)" }

        init(
            _ rule: String, _ method: String, _ target: String, _ body: String = "",
            _ told: String...
        ) {
            self.rule = rule
            write = (method, target, body)
            self.told = told
        }
    }

    static let farRules: [FarRule] = [
        // Positions.
        FarRule(
            "comments[FIRST].text == 'c3'", "PATCH", "/Comment/3", #"{"text":"x"}"#,
            "delete Document 3"),
        FarRule(
            "comments[FIRST].text == 'c3'", "DELETE", "/Document/3/comments/3", "",
            "delete Document 3"),
        FarRule(
            "comments[FIRST].text == 'c3'", "DELETE", "/Comment/3", "", "delete Document 3"),
        FarRule(
            "comments[LAST].text == 'x'", "PATCH", "/Comment/4", #"{"text":"x"}"#,
            "insert Document 3"),
        FarRule(
            "comments[1].text == 'x'", "PATCH", "/Comment/4", #"{"text":"x"}"#,
            "insert Document 3"),
        FarRule(
            "source.comments[FIRST].author.login == 'amy'", "PATCH", "/Account/2",
            #"{"login":"amy"}"#, "insert Document 3"),
        // Set operations.
        FarRule(
            "(tags UNION source.tags).@count > 1", "PUT", "/Document/1/tags", "[1,2]",
            "insert Document 1", "insert Document 4"),
        FarRule(
            "(source.tags UNION tags).@count > 1", "PUT", "/Document/1/tags", "[1,2]",
            "insert Document 1", "insert Document 4"),
        FarRule(
            "(source.tags INTERSECT tags).@count > 0", "PUT", "/Document/2/tags", "[2]",
            "delete Document 3"),
        FarRule(
            "(tags MINUS source.tags).@count > 0", "PUT", "/Document/2/tags", "[2]",
            "insert Document 3"),
        FarRule(
            "ANY (copies UNION source.copies).pages > 35", "PATCH", "/Document/3",
            #"{"pages":36}"#, "insert Document 2", "insert Document 3"),
        FarRule(
            "SUBQUERY(tags UNION source.tags, $t, $t.name == 'x').@count > 0", "PATCH", "/Tag/2",
            #"{"name":"x"}"#, "insert Document 2", "insert Document 3"),
        // Lists and choices.
        FarRule(
            "ANY {owner, source.owner}.login == 'amy'", "PATCH", "/Account/2",
            #"{"login":"amy"}"#, "insert Document 2", "insert Document 3", "insert Report 5"),
        FarRule(
            "TERNARY(pages > 15, owner, source.owner).login == 'amy'", "PATCH", "/Account/2",
            #"{"login":"amy"}"#, "insert Document 2", "insert Document 3", "insert Report 5"),
        // Versions.
        FarRule(
            "owner._version > 1", "PATCH", "/Account/1", #"{"login":"amy"}"#,
            "insert Document 1", "insert Document 4"),
        FarRule(
            "tags.@max._version > 1", "PATCH", "/Tag/2", #"{"name":"x"}"#, "insert Document 2"),
        FarRule(
            "ANY source.tags._version > 1", "PATCH", "/Tag/2", #"{"name":"x"}"#,
            "insert Document 3"),
        // Aggregates of SUBQUERY.
        FarRule(
            "SUBQUERY(comments, $c, $c.author.login != 'x').@max._version > 1", "PATCH",
            "/Comment/1", #"{"text":"x"}"#, "insert Document 1"),
    ]

    /// Whatever a rule leads over, its objects are reported when another object makes them visible or
    /// hidden.
    @Test(arguments: [StoreKind.sqlite, .memory], farRules)
    func eachKindOfRuleIsFollowed(_ kind: StoreKind, _ it: FarRule) throws {
        let role = #"{"Document": {"read": "\#(it.rule)"}}"#
        let stage = try RightsStage(kind, rights: RightsModel.rights(role: role))
        let start = try stage.token
        try stage.write(it.write.method, it.write.target, it.write.body)
        #expect(try stage.changes("ann", since: start) == it.told)
    }

    /// A save in several pieces has each crossing once, after its other changes.
    @Test(arguments: [StoreKind.sqlite, .memory, .group], [true, false])
    func crossingsOfALargeSaveComeOnceAndLast(_ kind: StoreKind, isAscending: Bool) throws {
        let stage = try RightsStage(kind, rights: Self.rights)
        let titles = (0..<1_500).map {
            #"{"op":"insert","entity":"Document","values":{"title":"t\#($0)","owner":1}}"#
        }
        try stage.write("POST", "/transactions", "[\(titles.joined(separator: ","))]")
        let start = try stage.token
        let updates = (6..<1_506).map {
            let hidden = $0 % 3 == 0 ? #""folder":1"# : #""pages":\#($0)"#
            return #"{"op":"update","object":"Document/\#($0)","values":{\#(hidden)}}"#
        }
        let operations =
            (isAscending ? updates : updates.reversed()) + [
                #"{"op":"update","object":"Account/1","values":{"login":"eve"}}"#,
                #"{"op":"delete","object":"Document/2"}"#,
            ]
        try stage.write("POST", "/transactions", "[\(operations.joined(separator: ","))]")
        var target: String? = "/changes?since=\(start)"
        var found: [String] = []
        while let next = target {
            let response = stage.ask("ann", "GET", next)
            found += RightsStage.short(JSONValue(try JSONDocument(LiveStage.text(response)).root))
            target = response.headers.first { $0.name == "Link" }.map {
                String($0.value.dropFirst().dropLast(">; rel=\"next\"".count))
            }
        }
        // Document 2 was deleted, and stands with those that were hidden.
        let gone = ([1, 2, 4] + Array(6..<1_506)).map { "delete Document \($0)" }
        let isLast = Array(found.suffix(gone.count)) == gone
        #expect(isLast, "\(found.count) entries")
        #expect(Array(found.dropLast(gone.count)) == ["update Document 3 source"])
    }
}

extension JSONValue {
    /// Its text without versions.
    fileprivate var plain: String { compact.replacing(#/"_version":\d+,/#, with: "") }
}
