// Every example of Docs/Predicates.md, asked of the sample that the page uses.

import SteleJSON
import SteleModel
import TestSupport
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct PredicateDocsTests {
    /// A predicate of the page with the entity that it is of and what the page says it finds.
    struct Example {
        let entity: String
        let predicate: String
        let answer: String
    }

    /// The lines `predicate → answer` of all blocks that open with an entity's name.
    static func examples() throws -> [Example] {
        var found: [Example] = []
        var entity: String?
        for line in try packageText("Docs/Predicates.md").split(separator: "\n") {
            if line.hasPrefix("```") {
                entity = line.hasPrefix("```text ") ? String(line.dropFirst(8)) : nil
                continue
            }
            guard let entity else { continue }
            let sides = line.split(separator: " → ", maxSplits: 1).map(String.init)
            try #require(sides.count == 2, "\(line) has no answer")
            found.append(
                Example(
                    entity: entity, predicate: sides[0].trimmed, answer: sides[1].trimmed))
        }
        return found
    }

    /// What the page should say: names in the order of their ids, a number, or an error's code.
    private static func answer(
        of example: Example, _ league: ServiceFixture
    ) throws -> String {
        func items(_ query: String) throws -> [JSONValue] {
            let answer = league.get("/\(example.entity)?select=name&sort=_id\(query)")
            guard case .array(let items) = try answer.json else {
                throw Refusal(code: answer.code)
            }
            return items
        }
        do {
            let found = try items("&where=\(encoded(example.predicate))")
            if example.answer.contains(" of ") {
                return "\(found.count) of \(try items("").count)"
            }
            let names = found.map { item in
                if case .string(let name)? = item["name"] { name } else { "?" }
            }
            return names.isEmpty ? "none" : names.joined(separator: ", ")
        } catch let refusal as Refusal {
            return refusal.code
        }
    }

    private struct Refusal: Error { let code: String }

    @Test func everyPredicateFindsWhatThePageSays() throws {
        let league = try DocsTests.league()
        let examples = try Self.examples()
        #expect(examples.count >= 50)
        for example in examples {
            let answer = try Self.answer(of: example, league)
            #expect(answer == example.answer, "\(example.entity): \(example.predicate)")
        }
    }

    @Test func everyRequestAnswersAsPrinted() throws {
        try DocsTests.requests(of: "Docs/Predicates.md", atLeast: 3)
    }
}

extension String {
    fileprivate var trimmed: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
