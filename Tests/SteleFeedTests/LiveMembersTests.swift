// Live queries of the objects that belong to one: members of a relationship, and the objects of a
// fetched property.

import SteleJSON
import StelePersistence
import TestSupport
import Testing

@testable import SteleFeed
@testable import SteleHTTP
@testable import SteleRequests
@testable import SteleService

@Suite struct LiveMembersTests {
    static let targets = [
        "/Document/3/comments", "/Document/3/comments?sort=-text&limit=2",
        "/Document/3/comments?select=text,author.login", "/Document/3/tags?include=documents",
        "/Document/3/longer?sort=title", "/Document/3/tags?select=n:count()",
        "/Account/2/documents?sort=-pages",
    ]

    /// The writes reach the members, their order, their values, and the owner.
    static let writes = [
        ("POST", "/Document/3/comments", #"{"text":"new"}"#),
        ("PUT", "/Document/3/comments", #"[4,{"text":"x"},3]"#),
        ("POST", "/Document/3/comments?at=0", #"{"text":"first"}"#),
        ("PATCH", "/Comment/4", #"{"text":"zz"}"#), ("POST", "/Document/3/tags", "[2]"),
        ("PATCH", "/Tag/1", #"{"name":"crimson"}"#), ("DELETE", "/Tag/2", ""),
        ("PATCH", "/Document/3", #"{"pages":45}"#), ("PATCH", "/Document/1", #"{"pages":90}"#),
        ("PATCH", "/Document/4", #"{"owner":2}"#), ("DELETE", "/Comment/3", ""),
    ]

    @Test(arguments: StoreKind.allCases)
    func whatIsToldLeadsToWhatTheListGives(_ kind: StoreKind) throws {
        let stage = try RightsStage(kind)
        let listeners = try Self.targets.map { ($0, try Listener(stage.stream("root", $0))) }
        for (method, target, body) in [("GET", "/healthz", "")] + Self.writes {
            if method != "GET" { try stage.write(method, target, body) }
            for (list, listener) in listeners {
                let response = stage.ask("root", "GET", list)
                let expected = JSONValue(try JSONDocument(LiveStage.text(response)).root)
                #expect(
                    try listener.wait { listener.objects() == expected },
                    "\(list) after \(method) \(target): \(listener.objects().compact)")
            }
        }
        for (list, listener) in listeners {
            #expect(listener.names.count > 2, "\(list): \(listener.names)")
            #expect(!listener.names.dropFirst().contains("snapshot"), "\(list)")
        }
    }

    /// A list of values has those of the objects that the reader sees, after each change.
    @Test(
        arguments: [StoreKind.memory, .sqlite],
        [
            "/Account?select=login,documents.title&sort=login",
            "/Account?select=login,documents&sort=login",
            "/Document?select=title,tags.documents.title&sort=title",
            "/Account/2/documents?select=title,comments.text&sort=title",
        ])
    func columnsOfManyValuesShowWhatIsSeen(_ kind: StoreKind, _ target: String) throws {
        let stage = try RightsStage(kind)
        let listener = try Listener(stage.stream("ann", target))
        for (method, path, body) in [
            ("GET", "/healthz", ""), ("PATCH", "/Document/3", #"{"isPublic":false}"#),
            ("PATCH", "/Document/2", #"{"isPublic":true}"#),
            ("PATCH", "/Document/2", #"{"pages":7}"#), ("PATCH", "/Document/3", #"{"owner":1}"#),
            ("PATCH", "/Account/1", #"{"login":"anna"}"#),
        ] {
            if method != "GET" { try stage.write(method, path, body) }
            let response = stage.ask("ann", "GET", target)
            let expected = JSONValue(try JSONDocument(LiveStage.text(response)).root)
            #expect(
                try listener.wait { listener.objects() == expected },
                "\(method) \(path) \(body): \(listener.objects().compact)")
        }
        let again = try Listener(stage.stream("ann", target))
        #expect(try again.wait { again.rows[""] != nil })
        #expect(again.objects() == listener.objects())
    }

    /// A stream ends with the error of a request when its object is deleted, and for the readers
    /// that do not see it any more.
    @Test(arguments: StoreKind.allCases)
    func aStreamEndsWithItsObject(_ kind: StoreKind) throws {
        let stage = try RightsStage(kind)
        let targets = [
            "/Document/3/comments", "/Document/3/tags", "/Document/3/longer",
            "/Document/3/copies", "/Document/3/tags?select=n:count()",
        ]
        let ann = try targets.map { try Listener(stage.stream("ann", $0)) }
        let root = try targets.map { try Listener(stage.stream("root", $0)) }
        for it in ann + root { #expect(try it.wait { it.names == ["snapshot"] }) }
        try stage.write("PATCH", "/Document/3", #"{"isPublic":false}"#)
        for (target, it) in zip(targets, ann) {
            #expect(try it.wait { it.names.last == "error" }, "\(target): \(it.names)")
            #expect(it.client.text.contains(#""status":404"#), "\(it.client.text)")
        }
        for it in root {
            try it.read()
            #expect(!it.names.contains("error"))
        }
        try stage.write("DELETE", "/Document/3")
        for (target, it) in zip(targets, root) {
            #expect(try it.wait { it.names.last == "error" }, "\(target): \(it.names)")
            #expect(it.client.text.contains("there is no Document 3"), "\(it.client.text)")
        }
        for target in targets {
            let response = stage.ask("root", "GET", target, accept: "text/event-stream")
            #expect(response.status == 404, "\(target)")
        }
    }
}
