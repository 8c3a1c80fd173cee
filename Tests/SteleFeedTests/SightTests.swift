// What a role is told where its rules lead over relationships.

import Foundation
import SteleJSON
import TestSupport
import Testing

@testable import SteleHTTP

@Suite struct SightTests {
    /// Members do not see the accounts that their rules ask for.
    private static let withoutAccounts = RightsModel.rights.replacingOccurrences(
        of: #""Account": {"read": true},"#, with: "")

    /// A list that is followed is that which is seen, while objects enter and leave it.
    @Test(
        arguments: [StoreKind.sqlite, .memory],
        [
            ("/Document?sort=title", RightsModel.rights),
            ("/Document?sort=title", withoutAccounts), ("/Comment?sort=text", withoutAccounts),
        ])
    func aLiveQueryFollowsWhatIsSeen(_ kind: StoreKind, _ it: (target: String, rights: String))
        throws
    {
        let stage = try RightsStage(kind, rights: it.rights)
        let target = it.target
        let listeners = try ["ann", "bob", "", "root"].map {
            ($0, Listener(try stage.stream($0, target)))
        }
        let writes = [
            ("PATCH", "/Document/2", #"{"isPublic":true}"#),
            ("PATCH", "/Document/3", #"{"isPublic":false}"#),
            ("PATCH", "/Document/1", #"{"owner":2}"#),
            ("PATCH", "/Account/2", #"{"login":"eve"}"#),
            ("DELETE", "/Document/2", ""),
        ]
        for (method, path, body) in [("", "", "")] + writes {
            if !method.isEmpty { try stage.write(method, path, body) }
            for (who, listener) in listeners {
                let text = LiveStage.text(stage.ask(who, "GET", target))
                guard case .array(let wanted) = JSONValue(try JSONDocument(text).root) else {
                    Issue.record("\(who): \(text)")
                    continue
                }
                let ids = wanted.map { $0["_id"]?.compact ?? "" }
                var shown: [String] = []
                for _ in 0..<1_000 {
                    try listener.read()
                    shown = (listener.rows[""] ?? []).map {
                        ($0["object"] ?? $0)["_id"]?.compact ?? ""
                    }
                    if shown == ids { break }
                    usleep(5_000)
                }
                #expect(shown == ids, "\(who) after \(method) \(path)")
            }
        }
    }

    /// A rule over a relationship of many to many is judged by the links that a deleted object had.
    @Test(arguments: [StoreKind.sqlite, .memory])
    func aDeletedObjectIsJudgedByItsFormerLinks(_ kind: StoreKind) throws {
        for (rule, told) in [
            ("NONE tags.name == 'blue'", []), ("ANY tags.name == 'blue'", ["delete Document 2"]),
            ("tags.@count == 2", ["delete Document 2"]), ("tags.@count < 2", []),
        ] {
            let role = """
                {"Document": {"read": "\(rule)"},
                 "Comment": {"read": "document.tags.@count == 0"}}
                """
            let stage = try RightsStage(kind, rights: RightsModel.rights(role: role))
            let seen = stage.ask("ann", "GET", "/Document/2").status == 200
            #expect(seen == !told.isEmpty, "\(rule)")
            let start = try stage.token
            try stage.write("DELETE", "/Document/2")
            #expect(try stage.changes("ann", since: start) == told, "\(rule)")
        }
    }
}
