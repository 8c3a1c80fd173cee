// The pages in Docs and the program say the same.

import FoundationEssentials
import SteleGraph
import SteleJSON
import SteleModel
import TestSupport
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct DocsTests {
    /// What stands in backquotes in a table's first column.
    static func firstColumn(_ page: String, after heading: String) throws -> [String] {
        try rows(page, after: heading).filter { $0.hasPrefix("| `") }
            .map { String($0.dropFirst(3).prefix { $0 != "`" }) }
    }

    /// The rows of the tables of a section.
    static func rows(_ page: String, after heading: String) throws -> [Substring] {
        let start = try #require(page.firstRange(of: heading + "\n")).upperBound
        return page[start...].split(separator: "\n").prefix { !$0.hasPrefix("## ") }
            .filter { $0.hasPrefix("| ") && !$0.hasPrefix("| ---") }
    }

    @Test func everyRouteIsDescribedAndEveryDescribedRouteIsThere() throws {
        let page = try packageText("Docs/HTTP.md")
        #expect(
            Set(try Self.firstColumn(page, after: "## Routes"))
                == Set(RoutePattern.allCases.map(\.rawValue)))
        for pattern in RoutePattern.allCases {
            let methods = pattern.methods.map(\.rawValue).joined(separator: ", ")
            #expect(page.contains("| `\(pattern.rawValue)` | \(methods) |"), "\(pattern)")
        }
    }

    @Test func everyParameterIsDescribedAndEveryDescribedOneIsThere() throws {
        let page = try packageText("Docs/HTTP.md")
        let listed = Set(try Self.firstColumn(page, after: "## Lists"))
        #expect(listed == Set(Parameter.list.map(\.name)).union(["var.NAME"]))
        // Those of other routes are shown with a value.
        for parameter in Set(Parameter.allCases).subtracting(Parameter.list + [.q]) {
            let shown = try Regex("[?&`' ]\(parameter.name)=")
            #expect(page.contains(shown), "\(parameter)")
        }
        #expect(page.contains("/live?q."))
    }

    @Test func everyErrorCodeIsDescribedAndEveryDescribedOneIsThere() throws {
        let page = try packageText("Docs/Errors.md")
        let words = try Self.firstColumn(page, after: "## Words of Stele's own")
        let numbers = try Self.firstColumn(page, after: "## Core Data's codes")
        #expect(Set(words) == Set(ErrorCode.words.map(\.text)))
        #expect(Set(numbers) == Set(ErrorCode.numbers.map(\.text)))
        for code in ErrorCode.all {
            #expect(
                page.contains("\(code.status) | \(code.title). \(code.explanation) |"),
                "\(code.text)")
        }
    }

    /// No answer has these codes: they are read from the sources.
    @Test func everyCodeOfStoresAndMigrationsIsDescribed() throws {
        let sources = packageRoot.appending(path: "Sources")
        let files = try #require(FileManager.default.enumerator(atPath: sources.path))
        var found: Set<String> = []
        for case let name as String in files where name.hasSuffix(".swift") {
            let text = try packageText("Sources/\(name)")
            found.formUnion(text.matches(of: /\bcode: (134\d{3})/).map { String($0.output.1) })
            if name.hasSuffix("MigrationError.swift") {
                found.formUnion(
                    text.matches(of: /case \w+ = (134\d{3})/).map { String($0.output.1) })
            }
        }
        let described = try Self.firstColumn(
            packageText("Docs/Errors.md"), after: "## Codes of stores and migrations")
        #expect(found.count >= 12 && described.sorted() == found.sorted())
    }

    /// The numbers of each row of the limits, in any order of the rows.
    @Test func everyLimitIsDescribed() throws {
        let rows = try Self.rows(packageText("Docs/HTTP.md"), after: "## Limits").dropFirst()
        let described = rows.map { row in
            row.matches(of: /\d[\d,]*/).compactMap { Int($0.output.replacing(",", with: "")) }
        }
        let limits = Limits()
        let expected = [
            [limits.defaultListLimit, limits.maximumListLimit],
            [
                limits.liveRows, limits.liveRowsInAll, limits.liveQueries,
                limits.liveQueriesPerStream, limits.liveStreams,
            ],
            Self.numbers(limits.liveJudging).dropLast() + Self.numbers(limits.slowLiveJudging),
            Self.numbers(limits.feedJudging).dropLast() + Self.numbers(limits.slowFeedJudging),
            [limits.wholeAnswerBytes >> 20],
            [limits.streams, limits.streamBatchRows],
            [limits.queryBytes >> 10, limits.parameters],
            [limits.columns],
            [
                limits.includePaths, limits.includeDepth, limits.includedObjects,
                limits.includedObjectsInAll,
            ],
            [limits.objectsPerBody, limits.bodyDepth, limits.valuesPerBody, 10],
            [100_000, 24, limits.keptAnswerBytes >> 10],
            [limits.objectsPerPart],
            [JSONDocument.depthLimit, JSONDocument.valueDepthLimit],
            [limits.contexts, Int(limits.contextSeconds) / 60, limits.contextDepth],
            [
                limits.contextObjects, limits.contextBytes >> 20, limits.allContextsBytes >> 20,
                limits.undoLevels, limits.maximumUndoLevels, UndoManager.deepest,
            ],
            [limits.contextEvaluation],
            [limits.writeAttempts],
        ]
        for numbers in expected { #expect(described.contains(numbers), "\(numbers)") }
        // Four rows are of the server, of SQLite and of settings.
        #expect(described.filter { !expected.contains($0) }.count == 4, "\(described)")
    }

    /// In milliseconds, microseconds and milliseconds.
    private static func numbers(_ limits: JudgingLimits) -> [Int] {
        [
            Int(limits.nanoseconds / 1_000_000), Int(limits.nanosecondsAChange / 1_000),
            Int(limits.matchNanoseconds / 1_000_000),
        ]
    }

    /// The League sample with its seed.
    static func league() throws -> ServiceFixture {
        let league = try ServiceFixture(sampleModel("League"))
        let teams = try packageText("Config/Seeds/League/Team.ndjson").split(separator: "\n")
        #expect(league.post("/Team", "[\(teams.joined(separator: ","))]").status == 201)
        var players = try packageText("Config/Seeds/League/Player.ndjson").split(separator: "\n")
            .joined(separator: ",")
        for (index, team) in teams.enumerated() {
            let name = try #require(JSONDocument(String(team)).root["name"]?.string)
            players = players.replacing("\"team\":\"\(name)\"", with: "\"team\":\(index + 1)")
        }
        #expect(league.post("/Player", "[\(players)]").status == 201)
        return league
    }

    /// An answer's dates have no fraction, or three digits, six, nine or more.
    @Test func everyDateIsPrintedAsItIsWritten() throws {
        let folder = packageRoot.appending(path: "Docs").path
        let date = /\d{4}-\d\d-\d\dT[\d:]+\.\d+Z/
        var count = 0
        for page in try FileManager.default.contentsOfDirectory(atPath: folder)
        where page.hasSuffix(".md") {
            for match in try packageText("Docs/\(page)").matches(of: date) {
                let seconds = try ISO8601.secondsSinceReferenceDate(String(match.output))
                let written = ISO8601.text(secondsSinceReferenceDate: seconds)
                #expect(written == String(match.output), "\(page)")
                count += 1
            }
        }
        #expect(count > 0)
    }

    @Test func everyExampleAnswersAsPrinted() throws {
        try Self.requests(of: "Docs/HTTP.md", atLeast: 12)
    }

    /// Asks a page's requests of a service, or of the League sample; what is printed below each is
    /// its answer.
    static func requests(
        of page: String, atLeast count: Int, _ service: ServiceFixture? = nil
    ) throws {
        let service = try service ?? league()
        let blocks = try packageText(page).split(separator: "```http\n").dropFirst()
        #expect(blocks.count >= count)
        for block in blocks {
            let example = String(block[..<(try #require(block.firstRange(of: "```")).lowerBound)])
            let halves = example.split(separator: "\n\n", maxSplits: 1)
            try #require(halves.count == 2, "\(example)")
            let asked = halves[0].split(separator: "\n", maxSplits: 1)
            let line = asked[0].split(separator: " ", maxSplits: 1)
            let answered = halves[1].split(separator: "\n", maxSplits: 1)
            let answer = service.ask(
                String(line[0]), target(String(line[1])),
                asked.count > 1 ? String(asked[1]) : nil)
            #expect(String(answer.status) == answered[0], "\(asked[0]): \(answer.text)")
            guard answered.count > 1 else { continue }
            let printed = JSONValue(try JSONDocument(String(answered[1])).root)
            #expect(try answer.json == printed, "\(asked[0]): \(answer.text)")
        }
    }

    /// The target as a client encodes what is printed.
    private static func target(_ printed: String) -> String {
        let parts = printed.split(separator: "?", maxSplits: 1)
        guard parts.count == 2 else { return printed }
        let query = parts[1].split(separator: "&").map { pair in
            let sides = pair.split(separator: "=", maxSplits: 1).map(String.init)
            return sides[0] + "=" + encoded(sides.count > 1 ? sides[1] : "")
        }
        return parts[0] + "?" + query.joined(separator: "&")
    }
}
