// Limits: one table in code and documentation, and what a client meets at them.

import Foundation
import SteleHTTP
import SteleRequests
import TestSupport
import Testing

@testable import SteleCommand

@Suite struct LimitTests {
    @Test func theDocumentationHasEveryLimitWithItsDefaultAndMeaning() throws {
        let rows = try packageText("Docs/Limits.md").split(separator: "\n").map(String.init)
            .drop { $0 != "## By name" }.dropFirst().prefix { !$0.hasPrefix("## ") }
            .filter { $0.hasPrefix("| `") }
        let defaults = LimitSet()
        // The defaults that depend on the machine.
        let cores = max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1)
        #expect(defaults.server.readers == max(8, 4 * cores))
        #expect(defaults.server.slowReaders == max(1, cores / 2))
        let rules = [
            "readers": "4 a core, at least 8", "slow-readers": "half the cores, at least 1",
        ]
        #expect(
            Array(rows)
                == NamedLimit.all.map {
                    "| `\($0.name)` | \(rules[$0.name] ?? $0.text(in: defaults)) | \($0.meaning) |"
                })
    }

    /// A limit that is added in code is settable, or it is one of these.
    @Test func everyLimitCanBeSet() throws {
        let ofServer = Mirror(reflecting: HTTPServer.Configuration()).children.compactMap(\.label)
        let ofService = Mirror(reflecting: Limits()).children.compactMap(\.label)
        let others: Set<String> = ["host", "port", "isTLS", "workerStackBytes"]
        for name in ofServer + ofService where !others.contains(name) {
            if NamedLimit.ofSettings[name] != nil { continue }
            let before = LimitSet()
            let isSet = NamedLimit.all.contains { limit in
                var after = before
                let value = Double(limit.text(in: before)) ?? 0
                let other = limit.range.contains(value + 1) ? value + 1 : value - 1
                guard
                    (try? NamedLimit.apply(["\(limit.name)=\(Int(other))"], to: &after)) != nil
                else { return false }
                return Self.text(of: name, in: before) != Self.text(of: name, in: after)
            }
            #expect(isSet, "\(name)")
        }
    }

    private static func text(of name: String, in set: LimitSet) -> String {
        let children =
            Array(Mirror(reflecting: set.service).children)
            + Array(Mirror(reflecting: set.server).children)
        return children.first { $0.label == name }.map { "\($0.value)" } ?? "none"
    }

    @Test(arguments: [
        ("include-dept=4", "there is no limit include-dept (did you mean include-depth?)"),
        ("x", "there is no limit x"), ("columns", "columns must be a whole number from 1 to 1900"),
        ("columns=0", "not 0"), ("columns=2.5", "not 2.5"), ("columns=many", "not many"),
        ("columns=5 include-depth=2", "not 5 include-depth=2"),
        ("columns=5,columns=6", "columns is given twice"),
        ("stall-seconds=0", "stall-seconds must be a number from 0.1 to 86400, not 0"),
    ])
    func aLimitThatIsWrongIsNamed(_ text: String, _ message: String) throws {
        let source = try SettingSource(flags: ["limit": text], file: nil, environment: [:])
        let error = #expect(throws: Failure.self) { try Settings(source) }
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }

    @Test func limitsComeFromFlagsVariablesAndFiles() throws {
        let file = try temporaryFile("limit: [columns=7, stall-seconds=1.5]\n")
        let source = try SettingSource(flags: [:], file: file, environment: [:])
        let settings = try Settings(source)
        #expect(settings.service.limits.columns == 7 && settings.http.stallLimit == 1.5)
        let flags = try SettingFlags.parse(["--limit", "columns=8", "--limit", "head-seconds=3"])
        let given = try Settings(
            SettingSource(flags: flags.given, file: file, environment: [:]))
        #expect(given.service.limits.columns == 8 && given.http.headSeconds == 3)
        #expect(given.http.stallLimit == 30)
    }

    @Test func aClientThatSendsTooMuchIsToldWhenToComeBack() throws {
        let folder = try TemporaryFolder()
        let program = try Program(
            ["serve", "--port", "0", "--limit", "requests-per-second=5"],
            folder: folder.path)
        let caller = try Caller(program.lines(3))
        let answers = try (0..<8).map { _ in try caller.call("GET", "/Team?limit=1") }
        #expect(answers.prefix(5).allSatisfy { $0.contains(" 200 ") })
        let refused = try #require(answers.last)
        #expect(refused.contains(" 429 ") && refused.contains("request.rate"), "\(refused)")
        #expect(refused.contains("Retry-After: 1"), "\(refused)")
        for path in ["/healthz", "/readyz"] {
            #expect(try caller.call("GET", path).contains(" 200 "))
        }
        sleep(1)
        #expect(try caller.call("GET", "/Team?limit=1").contains(" 200 "))
        program.signal(SIGTERM)
        #expect(program.end().status == 0)
    }

    /// A client with a wrong token does not use up the requests of the right one.
    @Test func theSettingTokenIsAClientOfItsOwn() throws {
        let folder = try TemporaryFolder()
        let program = try Program(
            [
                "serve", "--port", "0", "--token", "right", "--limit", "requests-per-second=5",
            ], folder: folder.path)
        let caller = try Caller(program.lines(3))
        func ask(_ token: String) throws -> String {
            try caller.call(
                "GET", "/Team?limit=1", headers: ["Authorization: Bearer \(token)"])
        }
        let wrong = try (0..<8).map { _ in try ask("wrong") }
        #expect(wrong.last?.contains(" 429 ") == true)
        #expect(try ask("right").contains(" 200 "))
        program.signal(SIGTERM)
        #expect(program.end().status == 0)
    }

    @Test func aStatementEndsAtItsTime() throws {
        let folder = try TemporaryFolder()
        let program = try Program(
            [
                "serve", samplePath("League"), "--store", "s.sqlite", "--port", "0",
                "--limit", "statement-seconds=0.2",
            ], folder: folder.path)
        let caller = try Caller(program.lines(3))
        let team = (0..<400).map { "{\"name\":\"Team \($0)\"}" }.joined(separator: ",")
        #expect(try caller.call("POST", "/Team", "[\(team)]").contains(" 201 "))
        let players = (0..<2_000).map { "{\"name\":\"p\($0)\",\"team\":\($0 % 20 + 1)}" }
            .joined(separator: ",")
        #expect(try caller.call("POST", "/Player", "[\(players)]").contains(" 201 "))
        let path = Array(repeating: "players.team", count: 5).joined(separator: ".")
        let answer = try caller.call(
            "GET", "/Team/count?where=ANY%20\(path).name%20CONTAINS%20%22x%22")
        #expect(answer.contains(" 503 ") && answer.contains("service.deadline"), "\(answer)")
        program.signal(SIGTERM)
        #expect(program.end().status == 0)
    }
}
