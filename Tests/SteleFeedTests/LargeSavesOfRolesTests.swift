// Large saves as roles see them, against what their lists gain and lose by them.

import SteleJSON
import TestSupport
import Testing

@testable import SteleAnswers
@testable import SteleHTTP
@testable import SteleRequests
@testable import SteleService

@Suite struct LargeSavesOfRolesTests {
    /// Rules of an object alone, along to-one and to-many relationships, one to many, many to many
    /// and ordered.
    static let roles = [
        #"{"Folder":{"read":true},"Document":{"read":"isPublic == YES"},"Comment":{"read":true}}"#,
        #"{"Folder":{"read":true},"Document":{"read":"owner.login == \"ann\""},"Comment":{"read":"document.owner.login == \"ann\""}}"#,
        #"{"Folder":{"read":true},"Document":{"read":"ANY tags.name == \"red\""},"Tag":{"read":true}}"#,
        #"{"Folder":{"read":true},"Document":{"read":"SUBQUERY(comments, $c, $c.text == \"x\").@count > 1"},"Account":{"read":true}}"#,
        #"{"Folder":{"read":true},"Account":{"read":"documents.@count > 50"},"Comment":{"read":"document.comments[FIRST].text == \"x\""}}"#,
        #"{"Folder":{"read":true},"Tag":{"read":"ANY documents.owner.login == \"ann\""},"Document":{"read":"ANY tags.name == \"green\""}}"#,
    ]
    private static let entities = ["Account", "Document", "Comment", "Tag"]

    @Test(arguments: [StoreKind.sqlite, .group], roles)
    func theFeedTellsWhatTheListsGainAndLose(_ kind: StoreKind, _ role: String) throws {
        let seed = drawSeed("large saves of roles")
        var numbers = SeededNumbers(seed: seed)
        let stage = try stage(kind, role, &numbers)
        for step in 0..<2 {
            try compare(stage, "step \(step), seed \(seed)") {
                if step == 1 { return try stage.write("POST", "/transactions", large(&numbers)) }
                // Few changes, which bring many objects into sight or take them out of it.
                try stage.write(
                    "POST", "/transactions",
                    """
                    [{"op":"update","object":"Account/1","values":{"login":"nobody"}},
                     {"op":"update","object":"Account/2","values":{"login":"ann"}},
                     {"op":"update","object":"Tag/1","values":{"name":"green"}}]
                    """)
            }
        }
    }

    /// An import changes objects again in the next parts of its save. What they are between is in no
    /// answer.
    @Test(arguments: [StoreKind.memory, .sqlite, .group], roles)
    func aSaveThatChangesObjectsSeveralTimes(_ kind: StoreKind, _ role: String) throws {
        let seed = drawSeed("imports of roles")
        var numbers = SeededNumbers(seed: seed)
        let stage = try stage(kind, role, &numbers)
        for count in [60, 1_200, 1_200] {
            let records = (0..<count).map { record($0, &numbers) }
            try compare(stage, "\(count) records, seed \(seed)") {
                try stage.load(
                    records, keys: ["Account": "login", "Document": "title", "Tag": "name"],
                    batch: count / 6)
            }
        }
    }

    /// A secret that an object has only within a save is in no answer.
    @Test(arguments: [60, 1_200])
    func valuesWithinASaveAreNotInTheFeedOfARole(_ count: Int) throws {
        let role = #"{"Document":{"read":"owner.login == \"ann\" AND pages != 7"}}"#
        let stage = try RightsStage(.sqlite, rights: RightsModel.rights(role: role))
        func document(_ title: String, _ owner: String, _ pages: Int) -> String {
            #"{"_entity":"Document","title":"\#(title)","owner":"\#(owner)","pages":\#(pages)}"#
        }
        let keys = ["Account": "login", "Document": "title"]
        try stage.load(
            [document("seen", "ann", 1), document("hidden", "bob", 1)], keys: keys, batch: 9)
        let token = try stage.token
        let others = (0..<count).map { document("other \($0)", "bob", 1) }
        try stage.load(
            [document("hidden", "ann", 1), document("seen", "ann", 7)] + others
                + [document("hidden", "bob", 2), document("seen", "ann", 2)],
            keys: keys, batch: count / 6)
        let answer = stage.ask("ann", "GET", "/changes?values=true&since=\(token)")
        let text = LiveStage.text(answer)
        let changes = try stage.changes("ann", since: token, "&values=true")
        #expect(changes.count == 1)
        #expect(changes.first?.hasSuffix(" was {pages:1}") == true, "\(changes)")
        #expect(!text.contains("other") && !text.contains("hidden") && !text.contains(":7"))
    }

    /// Compares what all roads tell of a save with what the lists gain and lose.
    private func compare(
        _ stage: RightsStage, _ what: String, _ save: () throws -> Void
    ) throws {
        let before = try shown(stage)
        let token = try stage.token
        let live = try stage.stream("ann", "/changes?values=true")
        let short = try stage.stream("ann", "/changes?changeLimit=30")
        try save()
        let expected = Self.difference(before, try shown(stage))
        // All streams get an event of this save.
        try stage.write("POST", "/Folder", "{}")
        let end = try stage.token
        let late = try stage.stream("ann", "/changes?values=true&since=\(token)")
        let roads: [(String, [String])] = [
            ("pages", try pages(stage, "/changes?values=true&since=\(token)")),
            ("entries", try pages(stage, "/changes?changeLimit=30&since=\(token)")),
            ("live", try told(live, through: end)), ("late", try told(late, through: end)),
            ("short", try told(short, through: end, stage)),
        ]
        for (road, changes) in roads {
            let crossed = Set(changes.filter { !$0.hasPrefix("update") })
            #expect(crossed == expected, "\(road), \(what)")
            #expect(Set(changes).count == changes.count, "\(road), \(what)")
        }
        #expect(Set(roads.map { $0.1.sorted() }).count == 1, "\(what)")
    }

    /// The `rest` of a save has the same changes after one of its objects is deleted.
    @Test(arguments: [StoreKind.memory, .sqlite])
    func aDeletionBetweenTwoPagesLosesNoChange(_ kind: StoreKind) throws {
        let role = #"{"Document":{"read":"owner.login == \"ann\""}}"#
        let stage = try RightsStage(kind, rights: RightsModel.rights(role: role))
        let documents = (0..<8).map {
            #"{"op":"insert","entity":"Document","values":{"title":"n\#($0)","owner":2}}"#
        }
        try stage.write("POST", "/transactions", "[\(documents.joined(separator: ","))]")
        let token = try stage.token
        try stage.write("PATCH", "/Account/2", #"{"login":"x"}"#)
        try stage.write("PATCH", "/Account/1", #"{"login":"y"}"#)
        try stage.write("PATCH", "/Account/2", #"{"login":"ann"}"#)
        let first = stage.ask("ann", "GET", "/changes?changeLimit=3&since=\(token)")
        let saves = JSONValue(try JSONDocument(LiveStage.text(first)).root)
        guard case .array(let all) = saves, let last = all.last,
            case .string(let rest)? = last["rest"]
        else {
            Issue.record("\(LiveStage.text(first))")
            return
        }
        let told = RightsStage.short(.array([last]))
        let before = try stage.changes("ann", since: rest)
        try #require(told.count == 3 && before.count > 3)
        let key = try #require(told.first?.split(separator: " ").last)
        try stage.write("DELETE", "/Document/\(key)")
        #expect(try stage.changes("ann", since: rest).prefix(before.count) == before[...])
    }

    // MARK: What is told

    private func json(_ response: Response) throws -> JSONValue {
        try #require(response.status == 200, "\(LiveStage.text(response))")
        return JSONValue(try JSONDocument(LiveStage.text(response)).root)
    }

    private static func next(_ response: Response) -> String? {
        response.headers.first { $0.name == "Link" && $0.value.hasSuffix("rel=\"next\"") }.map {
            String($0.value.dropFirst().prefix { $0 != ">" })
        }
    }

    /// The objects that the role's lists have, as `Document 3`.
    private func shown(_ stage: RightsStage) throws -> Set<String> {
        var found: Set<String> = []
        for entity in Self.entities {
            var target: String? = "/\(entity)?limit=500"
            while let one = target {
                let response = stage.ask("ann", "GET", one)
                if response.status == 403 { break }
                guard case .array(let objects) = try json(response) else { break }
                for object in objects { found.insert("\(entity) \(object["_id"]?.compact ?? "?")") }
                target = Self.next(response)
            }
        }
        return found
    }

    private static func difference(_ before: Set<String>, _ after: Set<String>) -> Set<String> {
        Set(
            after.subtracting(before).map { "insert \($0)" }
                + before.subtracting(after).map { "delete \($0)" })
    }

    /// The changes without their properties, and by the names of root entities.
    private func words(_ changes: [String]) -> [String] {
        changes.filter { !$0.contains(" Folder ") }.map {
            $0.split(separator: " ").prefix(3).joined(separator: " ")
                .replacing("Report", with: "Document")
        }
    }

    /// All changes of some saves, with the rests of those that are cut.
    private func changes(_ saves: JSONValue, _ stage: RightsStage) throws -> [String] {
        guard case .array(let all) = saves else { return [] }
        var found: [String] = []
        for save in all {
            found += words(RightsStage.short(.array([save])))
            var rest = save["rest"]
            while case .string(let token)? = rest {
                let response = stage.ask(
                    "ann", "GET", "/changes?changeLimit=30&limit=1&since=\(token)")
                guard case .array(let more) = try json(response), let one = more.first,
                    one["transaction"]?.compact == save["transaction"]?.compact
                else { break }
                found += words(RightsStage.short(.array([one])))
                rest = one["rest"]
            }
        }
        return found
    }

    private func pages(_ stage: RightsStage, _ first: String) throws -> [String] {
        var found: [String] = []
        var target: String? = first
        while let one = target {
            let response = stage.ask("ann", "GET", one)
            let saves = try json(response)
            found +=
                first.contains("changeLimit")
                ? try changes(saves, stage) : words(RightsStage.short(saves))
            target = Self.next(response)
        }
        return found
    }

    private func told(
        _ client: Client, through end: String, _ stage: RightsStage? = nil
    ) throws -> [String] {
        #expect(client.wait { $0.lastEventID == end })
        return try client.events.flatMap { event -> [String] in
            let save = JSONValue(try JSONDocument(event.data).root)
            if let stage { return try changes(.array([save]), stage) }
            return words(RightsStage.short(.array([save])))
        }
    }

    // MARK: Saves

    /// A store with a hundred and fifty documents.
    private func stage(
        _ kind: StoreKind, _ role: String, _ numbers: inout SeededNumbers
    ) throws -> RightsStage {
        let stage = try RightsStage(kind, rights: RightsModel.rights(role: role))
        try stage.write("POST", "/Account", #"{"login":"cy"}"#)
        try stage.write("POST", "/transactions", beginning(&numbers))
        return stage
    }

    private func beginning(_ numbers: inout SeededNumbers) -> String {
        var all: [String] = []
        for index in 0..<150 {
            all.append(document(index, "first", &numbers))
            if index % 2 == 0 { all.append(comment(of: "{\"_ref\":\"first\(index)\"}", &numbers)) }
        }
        return "[\(all.joined(separator: ","))]"
    }

    private func document(_ index: Int, _ name: String, _ numbers: inout SeededNumbers) -> String {
        let tags = (1...2).filter { _ in numbers.below(3) == 0 }.map(String.init)
        return """
            {"op":"insert","entity":"Document","as":"\(name)\(index)","values":{
             "title":"\(name) \(index)","isPublic":\(numbers.below(3) == 0),
             "owner":\(numbers.pick("1", "2", "3", "null")),"tags":[\(tags.joined(separator: ","))]}}
            """
    }

    private func comment(of document: String, _ numbers: inout SeededNumbers) -> String {
        """
        {"op":"insert","entity":"Comment","values":{
         "text":"\(numbers.pick("x", "y"))","document":\(document)}}
        """
    }

    /// A record of an import, of an object that others are of, too.
    private func record(_ index: Int, _ numbers: inout SeededNumbers) -> String {
        let document = "first \(numbers.below(30))"
        switch numbers.below(4) {
        case 0:
            return """
                {"_entity":"Comment","text":"\(numbers.pick("x", "y"))","document":"\(document)"}
                """
        case 1:
            return """
                {"_entity":"Document","title":"\(document)","tags":\
                [\(numbers.pick("", "\"red\"", "\"blue\"", "\"red\",\"blue\""))]}
                """
        case 2:
            return """
                {"_entity":"Document","title":"\(document)","isPublic":\(numbers.below(2) == 0)}
                """
        default:
            let owner = numbers.pick("\"ann\"", "\"bob\"", "\"cy\"", "null")
            return #"{"_entity":"Document","title":"\#(document)","owner":\#(owner)}"#
        }
    }

    /// A save of more changes than are read at once: objects that are inserted, deleted, changed
    /// and linked to others.
    private func large(_ numbers: inout SeededNumbers) -> String {
        var all: [String] = []
        for key in 6...155 {
            switch numbers.below(5) {
            case 0: all.append(#"{"op":"delete","object":"Document/\#(key)"}"#)
            case 1:
                let owner = numbers.pick("1", "2", "3", "null")
                all.append(
                    #"{"op":"update","object":"Document/\#(key)","values":{"owner":\#(owner)}}"#)
            case 2:
                let tags = numbers.pick("", "1", "2", "1,2")
                all.append(
                    #"{"op":"update","object":"Document/\#(key)","values":{"tags":[\#(tags)]}}"#)
            case 3:
                let isPublic = numbers.below(2) == 0
                all.append(
                    """
                    {"op":"update","object":"Document/\(key)","values":{"isPublic":\(isPublic)}}
                    """)
            default: break
            }
        }
        for index in 0..<150 {
            all.append(document(index, "second", &numbers))
            all.append(comment(of: "{\"_ref\":\"second\(index)\"}", &numbers))
        }
        for _ in 0..<800 { all.append(comment(of: "null", &numbers)) }
        all.append(#"{"op":"update","object":"Account/3","values":{"login":"ann"}}"#)
        all.append(#"{"op":"update","object":"Account/2","values":{"login":"bob"}}"#)
        all.append(#"{"op":"update","object":"Tag/1","values":{"name":"red"}}"#)
        all.append(#"{"op":"update","object":"Tag/2","values":{"name":"green"}}"#)
        return "[\(all.joined(separator: ","))]"
    }
}
