// The page of Core Data's behaviours is a promise: each line names the tests that hold it.

import Foundation
import TestSupport
import Testing

@Suite struct BehaviourPageTests {
    /// A line of the page: what Core Data does, where that is tested, where Stele differs.
    private struct Line {
        var behaviour: String
        var tests: [(file: String, name: String)]
        var difference: String
        var text: String
    }

    private func page() throws -> String {
        try packageText("Docs/CoreDataBehaviour.md")
    }

    /// The rows of the page's tables; those that name no test have none.
    private func lines(of page: String) -> [Line] {
        page.split(separator: "\n").filter { $0.hasPrefix("| ") && !$0.hasPrefix("| ---") }
            .map(String.init).filter { !$0.hasPrefix("| Core Data |") }
            .map { row in
                let cells = row.split(separator: "|", omittingEmptySubsequences: false)
                    .map { $0.trimmingCharacters(in: .whitespaces) }
                let tests = cells.count > 2 ? cells[2] : ""
                let quoted = tests.split(separator: "`", omittingEmptySubsequences: false)
                let names = quoted.enumerated().filter { $0.offset % 2 == 1 }.compactMap {
                    (_, text) -> (file: String, name: String)? in
                    let parts = text.split(separator: ":").map {
                        $0.trimmingCharacters(in: .whitespaces)
                    }
                    return parts.count == 2 ? (parts[0], parts[1]) : nil
                }
                return Line(
                    behaviour: cells.count > 1 ? cells[1] : "", tests: names,
                    difference: cells.count > 3 ? cells[3] : "", text: row)
            }
    }

    /// The tests of each file that expect something, by the file's name.
    private func allTests() throws -> [String: Set<String>] {
        let folder = packageRoot.appendingPathComponent("Tests")
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        var found: [String: Set<String>] = [:]
        for case let file as URL in try #require(files) where file.pathExtension == "swift" {
            let source = try String(contentsOf: file, encoding: .utf8)
            found[file.lastPathComponent, default: []].formUnion(tests(in: source))
        }
        return found
    }

    /// The functions that follow `@Test` and hold an expectation, before the next of them.
    private func tests(in source: String) -> Set<String> {
        var found: Set<String> = []
        for part in source.components(separatedBy: "@Test").dropFirst() {
            guard part.contains("#expect") || part.contains("#require"),
                let start = part.range(of: "func ")
            else { continue }
            found.insert(String(part[start.upperBound...].prefix { $0.isLetter || $0.isNumber }))
        }
        return found
    }

    @Test func everyLineNamesTestsThatAreThere() throws {
        let all = try allTests()
        let lines = lines(of: try page())
        #expect(lines.count >= 150, "there are \(lines.count) lines")
        for line in lines {
            #expect(!line.behaviour.isEmpty && !line.tests.isEmpty, "no test: \(line.text)")
            for test in line.tests {
                #expect(
                    all[test.file]?.contains(test.name) == true,
                    "no such test: \(test.file): \(test.name)")
            }
        }
        // A behaviour stands once.
        let twice = Dictionary(grouping: lines, by: \.behaviour).filter { $0.value.count > 1 }
        #expect(twice.isEmpty, "\(twice.keys.sorted())")
    }

    @Test func whatIsWrongWithAPageIsSeen() throws {
        let page = """
            | Core Data | held by | where Stele differs, and why |
            | --- | --- | --- |
            | a | `X.swift: one`, `Y.swift: two` | |
            | b | | because |
            | c | `nothing` | |
            """
        let lines = lines(of: page)
        #expect(lines.map(\.behaviour) == ["a", "b", "c"])
        #expect(lines.map(\.tests.count) == [2, 0, 0])
        #expect(lines[0].tests[1] == ("Y.swift", "two") && lines[1].difference == "because")
        let source = """
            @Test func one() { #expect(names.isEmpty) }
            @Test(arguments: [
                1,
            ])
            func two(_ it: Int) throws { try #require(it) }
            func three() { #expect(names.count == 1) }
            @Test func four() {}
            """
        #expect(tests(in: source) == ["one", "two"])
    }
}
