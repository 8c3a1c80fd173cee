// Rules that cannot be evaluated: their errors have texts of rules and of hidden objects.

import Logging
import SteleHTTP
import StelePersistence
import SteleSystem
import TestSupport
import Testing

@testable import SteleFeed

@Suite struct RuleFailureTests {
    /// A rule that fails where ann does not see why.
    struct Failing: Sendable, CustomTestStringConvertible {
        let rule: String
        let data: String
        var testDescription: String { rule }

        /// The pattern is the name of a folder, which the role does not see.
        static let pattern = Failing(
            rule: "folder == nil OR title MATCHES folder.name", data: #""name":"SECRET((""#)
        /// The title of a hidden document takes too long.
        static let time = Failing(
            rule: "pages < 0 OR title MATCHES '(a|b|ab)*c|[ab]..?'", data: #""name":"SECRET""#)

        /// Some of all, where each takes its time.
        func some<T>(_ all: [T]) -> [T] { data.contains("((") ? all : Array(all.prefix(2)) }
    }

    private static let kinds = StoreKind.allCases.filter {
        [.memory, .sqlite, .postgresql].contains($0)
    }

    private func stage(
        _ kind: StoreKind, _ role: String, _ failing: Failing, _ log: LogRecorder = LogRecorder()
    ) throws -> RightsStage {
        let stage = try RightsStage(
            kind, rights: RightsModel.rights(role: role),
            logger: Logger(label: "rules") { _ in log })
        try stage.write("PATCH", "/Folder/1", "{\(failing.data)}")
        let long = String(repeating: "ab", count: 20_000)
        try stage.write("PATCH", "/Document/2", #"{"title":"\#(long)"}"#)
        return stage
    }

    /// What no answer has: words of the rules, the folder's name, and the length of the title.
    private static let secrets = ["SECRET", "MATCHES", "folder.name", "a|b", "40000", "regular"]

    /// A response without the id of its error, whose random digits may be those of a secret.
    private func told(_ response: Response) -> String {
        let fields = response.headers.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
        let text = LiveStage.text(response).replacing(/[0-9a-f]{16}/, with: "ID")
        return "\(response.status)\n\(fields)\n\(text)"
    }

    /// Checks that an answer is the one answer for a rule that fails.
    private func expectNothing(_ response: Response, _ what: String) {
        let told = told(response)
        #expect(response.status == 500, "\(what): \(told)")
        if !LiveStage.text(response).isEmpty { #expect(told.contains("internal"), "\(what)") }
        for secret in Self.secrets { #expect(!told.contains(secret), "\(what): \(told)") }
    }

    private static let reads = [
        "/Document?limit=9", "/Document/count", "/Document?select=title&sort=title",
        "/Document?select=n:count(),s:sum(pages)", "/Document?groupBy=isPublic&select=isPublic",
        "/Document?where=pages%3E10", "/Document?format=csv&limit=9",
        "/Document?format=ndjson&limit=9", "/Document?limit=2&count=true", "/Document/2",
        "/Document/2/scan", "/Document/2/comments", "/Document/2/longer", "/Document/2/owner",
        "/Document/3/source", "/Document/3?include=source", "/Document/3", "/fetch/long",
        "/Tag?include=documents", "/Tag?select=name,documents.title",
        "/Tag?limit=9&where="
            + "ANY%20documents.pages%3E10", "/Tag?sort=documents.@count", "/Tag/1/documents",
        "/Tag/1/documents/count", "/Tag/1/documents/2", "/Comment?select=document.title",
    ]

    @Test(arguments: kinds, [Failing.pattern, .time])
    func readsTellNothingOfARuleThatFails(_ kind: StoreKind, _ failing: Failing) throws {
        let role = """
            {"Document": {"read": "\(failing.rule)"}, "Tag": {"read": true},
             "Account": {"read": true}, "Comment": {"read": true}}
            """
        let log = LogRecorder()
        let stage = try stage(kind, role, failing, log)
        for target in failing.some(Self.reads) {
            // Some meet no document on which the rule fails.
            let seen = stage.ask("ann", "GET", target)
            if seen.status == 200 || seen.status == 404 {
                for secret in Self.secrets { #expect(!told(seen).contains(secret), "\(target)") }
                continue
            }
            expectNothing(seen, target)
            expectNothing(stage.ask("ann", "HEAD", target), "HEAD \(target)")
        }
        for target in failing.some(["/Document?limit=9", "/Document/count", "/Document/2"]) {
            expectNothing(stage.ask("ann", "GET", target), target)
        }
        let json = [(name: "Content-Type", value: "application/json")]
        expectNothing(
            stage.ask("ann", "POST", "/Document/query", #"{"where":"pages > 1"}"#, json), "query")
        let streams = ["/Document", "/Tag?include=documents", "/live?q.a=%2FDocument"]
        for target in failing.some(streams) {
            expectNothing(
                stage.ask("ann", "GET", target, accept: "text/event-stream"), "live \(target)")
        }
        // The operator finds the reason under the id in the answer.
        let answer = LiveStage.text(stage.ask("ann", "GET", "/Document?limit=9"))
        let line = log.lines.last { $0.contains("MATCHES") || $0.contains("regular") }
        let id = try #require(answer.split(separator: "under ").last?.prefix { $0 != "\"" })
        #expect(line?.contains(id) == true, "\(answer): \(log.lines)")
    }

    @Test(arguments: kinds, [Failing.pattern, .time])
    func writesTellNothingOfARuleThatFails(_ kind: StoreKind, _ failing: Failing) throws {
        let role = """
            {"Document": {"read": true, "create": "\(failing.rule)", "update": "\(failing.rule)",
                "delete": "\(failing.rule)"},
             "Account": {"read": true, "update": true},
             "Folder": {"read": true, "update": true}}
            """
        let stage = try stage(kind, role, failing)
        let writes: [(String, String, String)] = [
            ("PATCH", "/Document/2", #"{"pages":1}"#), ("DELETE", "/Document/2", ""),
            ("PUT", "/Document/2", #"{"pages":1}"#), ("PUT", "/Document/2/owner", "1"),
            ("PATCH", "/Document?where=pages%3E10", #"{"pages":1}"#),
            ("DELETE", "/Document?where=pages%3E10", ""), ("PUT", "/Folder/1/documents", "[1]"),
            ("POST", "/transactions", #"[{"op":"delete","object":"Document/2"}]"#),
            (
                "POST", "/transactions",
                #"[{"op":"update","object":"Document/2","values":{"pages":7}}]"#
            ),
        ]
        for (method, target, body) in failing.some(writes) {
            expectNothing(
                stage.ask("ann", method, target, body), "\(method) \(target) \(body)")
        }
        let long = String(repeating: "ab", count: 20_000) + "b"
        let title = failing.data.contains("((") ? "x" : long
        expectNothing(
            stage.ask("ann", "POST", "/Document", #"{"title":"\#(title)","folder":1}"#), "POST")
        let kept = LiveStage.text(stage.ask("root", "GET", "/Document?select=pages,owner&sort=_id"))
        #expect(kept.contains(#"{"pages":20,"owner":2}"#), "\(kept)")
    }

    /// What has been visible ends with a generic error, or is told as deleted.
    @Test(arguments: kinds) func streamsTellNothingOfARuleThatFails(_ kind: StoreKind) throws {
        let role = #"{"Document": {"read": "\#(Failing.pattern.rule)"}}"#
        let log = LogRecorder()
        let stage = try RightsStage(
            kind, rights: RightsModel.rights(role: role),
            logger: Logger(label: "rules") { _ in log })
        try stage.write("PATCH", "/Folder/1", #"{"name":"a1|b2"}"#)
        let live = try stage.stream("ann", "/Document?select=title")
        let feed = try stage.stream("ann", "/changes?values=true")
        #expect(live.wait(for: 1))
        let start = try stage.token
        try stage.write("PATCH", "/Folder/1", #"{"name":"SECRET(("}"#)
        #expect(live.wait(for: 2))
        #expect(live.events.last?.name == "error" && live.text.contains("internal"))
        #expect(feed.wait(for: 1))
        #expect(
            try stage.changes("ann", since: start) == ["delete Document 1", "delete Document 2"])
        let page = LiveStage.text(stage.ask("ann", "GET", "/changes?values=true&since=\(start)"))
        for secret in Self.secrets {
            for text in [live.text, feed.text, page] { #expect(!text.contains(secret), "\(text)") }
        }
        #expect(log.lines.contains { $0.contains("SECRET((") })
    }

    /// Without rules that may fail, an error is the sender's own, and has the words of the request.
    @Test(arguments: kinds) func errorsOfTheRequestKeepTheirWords(_ kind: StoreKind) throws {
        let role = #"{"Document": {"read": "isPublic == YES"}, "Tag": {"read": true}}"#
        let stage = try stage(kind, role, .pattern)
        try stage.write("PATCH", "/Document/3", #"{"title":"OWN(("}"#)
        let text = LiveStage.text(
            stage.ask("ann", "GET", "/Document?where=title%20MATCHES%20title"))
        #expect(text.contains("predicate.pattern") && text.contains("OWN(("), "\(text)")
        let failing = try self.stage(
            kind, #"{"Document": {"read": "\#(Failing.pattern.rule)"}}"#, .pattern)
        let known = LiveStage.text(
            failing.ask("ann", "GET", "/Document?where=title%20MATCHES%20'(('"))
        #expect(known.contains("predicate.pattern"), "\(known)")
    }
}

/// Keeps the lines of a log.
final class LogRecorder: LogHandler, @unchecked Sendable {
    private let kept = Mutex<[String]>([])
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .trace

    var lines: [String] { kept.withLock { $0 } }

    func log(event: LogEvent) {
        kept.withLock { $0.append("\(event.message) \(event.metadata ?? [:])") }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }
}
