// The pages in Docs and the program say the same.

import FoundationEssentials
import SteleJSON
import SteleModel
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct DocsTests {
    static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// What stands in backquotes in a table's first column.
    static func firstColumn(_ page: String, after heading: String) throws -> [String] {
        let start = try #require(page.firstRange(of: heading)).upperBound
        let section = page[start...].prefix(while: { _ in true })
        var found: [String] = []
        for line in section.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("## ") { break }
            guard line.hasPrefix("| `") else { continue }
            found.append(String(line.dropFirst(3).prefix { $0 != "`" }))
        }
        return found
    }

    @Test func everyRouteIsDescribedAndEveryDescribedRouteIsThere() throws {
        let page = try Self.text("Docs/HTTP.md")
        #expect(
            Set(try Self.firstColumn(page, after: "## Routes"))
                == Set(RoutePattern.allCases.map(\.rawValue)))
        for pattern in RoutePattern.allCases {
            let methods = pattern.methods.map(\.rawValue).joined(separator: ", ")
            #expect(page.contains("| `\(pattern.rawValue)` | \(methods) |"), "\(pattern)")
        }
        let later = try #require(page.components(after: "## Not there yet"))
        for route in LaterRoute.allCases { #expect(later.contains("`\(route.rawValue)`")) }
    }

    @Test func everyParameterIsDescribedAndEveryDescribedOneIsThere() throws {
        let page = try Self.text("Docs/HTTP.md")
        let listed = Set(try Self.firstColumn(page, after: "## Lists"))
        #expect(listed == Set(Parameter.list.map(\.rawValue)).union(["var.NAME"]))
        for parameter in Parameter.allCases { #expect(page.contains("`\(parameter.rawValue)`")) }
    }

    @Test func everyErrorCodeIsDescribedAndEveryDescribedOneIsThere() throws {
        let page = try Self.text("Docs/Errors.md")
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

    @Test func everyLimitIsDescribed() throws {
        let page = try Self.text("Docs/HTTP.md")
        let limits = Limits()
        for text in [
            "\(limits.defaultListLimit), up to 10,000", "\(limits.queryBytes >> 10) KiB",
            "\(limits.parameters) parameters", "\(limits.columns) each",
            "\(limits.includePaths) paths of up to \(limits.includeDepth)",
            "up to \(limits.bodyDepth) deep", "\(JSONDocument.depthLimit) |",
            "\(limits.writeAttempts), the last",
        ] { #expect(page.contains(text), "\(text)") }
        #expect(limits.maximumListLimit == 10_000 && limits.objectsPerBody == 100_000)
        #expect(limits.wholeAnswerBytes == 1 << 20 && limits.compressionThreshold == 1 << 10)
    }

    /// The League sample with its seed.
    static func league() throws -> ServiceFixture {
        let model = root.appending(path: "Config/Models/League.xcdatamodeld").path
        let league = try ServiceFixture(ModelFile.read(model).model())
        let teams = try text("Config/Seeds/League/Team.ndjson").split(separator: "\n")
        #expect(league.post("/Team", "[\(teams.joined(separator: ","))]").status == 201)
        var players = try text("Config/Seeds/League/Player.ndjson").split(separator: "\n")
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
        let folder = Self.root.appending(path: "Docs").path
        let date = /\d{4}-\d\d-\d\dT[\d:]+\.\d+Z/
        for page in try FileManager.default.contentsOfDirectory(atPath: folder)
        where page.hasSuffix(".md") {
            for match in try Self.text("Docs/\(page)").matches(of: date) {
                let seconds = try ISO8601.secondsSinceReferenceDate(String(match.output))
                let written = ISO8601.text(secondsSinceReferenceDate: seconds)
                #expect(written == String(match.output), "\(page)")
            }
        }
    }

    @Test func everyExampleAnswersAsPrinted() throws {
        try Self.requests(of: "Docs/HTTP.md", atLeast: 12)
    }

    /// Asks a page's requests of the League sample; what is printed below each is its answer.
    static func requests(of page: String, atLeast count: Int) throws {
        let league = try league()
        let blocks = try text(page).split(separator: "```http\n").dropFirst()
        #expect(blocks.count >= count)
        for block in blocks {
            let example = String(block[..<(try #require(block.firstRange(of: "```")).lowerBound)])
            let halves = example.split(separator: "\n\n", maxSplits: 1)
            try #require(halves.count == 2, "\(example)")
            let asked = halves[0].split(separator: "\n", maxSplits: 1)
            let line = asked[0].split(separator: " ", maxSplits: 1)
            let answered = halves[1].split(separator: "\n", maxSplits: 1)
            let answer = league.ask(
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

extension String {
    fileprivate func components(after heading: String) -> String? {
        firstRange(of: heading).map { String(self[$0.upperBound...]) }
    }
}
