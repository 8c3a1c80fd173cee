// The page of Core Data's symbols names what the library has.

import Foundation
import TestSupport
import Testing

@Suite struct CoreDataPageTests {
    /// A row of a class's table: the symbols of Core Data, and what Stele has for them.
    private struct Row {
        let symbols: Int
        let names: [String]
    }

    /// The rows of the tables by class.
    private static func tables() throws -> [(title: String, rows: [Row])] {
        let page = try packageText("Docs/ComingFromCoreData.md")
        return page.components(separatedBy: "\n### ").dropFirst().map { part in
            let lines = part.split(separator: "\n").map(String.init)
            let rows = lines.filter { $0.hasPrefix("| `") }.map { line in
                let columns = line.components(separatedBy: " | ")
                return Row(symbols: code(in: columns[0]).count, names: code(in: columns[1]))
            }
            return (lines[0], rows)
        }
    }

    private static func code(in text: String) -> [String] {
        text.matches(of: /`([^`]+)`/).map { String($0.1) }
    }

    @Test func theSumsAreThoseOfTheTables() throws {
        let tables = try Self.tables()
        let page = try packageText("Docs/ComingFromCoreData.md")
        let sums = page.split(separator: "\n").filter { $0.hasPrefix("| [") }
        #expect(sums.count == tables.count && tables.count > 30)
        var (all, columns) = (0, [0, 0, 0, 0])
        for (sum, table) in zip(sums, tables) {
            let figures = sum.split(separator: "|").dropFirst().compactMap {
                Int($0.trimmingCharacters(in: .whitespaces))
            }
            let absent = table.rows.filter(\.names.isEmpty).reduce(0) { $0 + $1.symbols }
            let symbols = table.rows.reduce(0) { $0 + $1.symbols }
            #expect(figures.suffix(2) == [absent, symbols], "\(table.title)")
            all += symbols
            columns = zip(columns, figures).map(+)
        }
        #expect(columns[0] + columns[1] + columns[2] == columns[3] && columns[3] == all)
        #expect(page.contains("\n| **sum** |\(columns.map { " **\($0)** |" }.joined())\n"))
        #expect(page.contains("The tables below have \(all) public symbols of Core Data"))
    }

    /// Each name is one of a public declaration, or of a case.
    @Test func theLibraryHasEachName() throws {
        let folder = packageRoot.appending(path: "Sources")
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        var known: Set<String> = ["init"]
        let word = /\b(?:var|let|func|class|struct|enum|protocol|typealias) `?(\w+)/
        while let url = files?.nextObject() as? URL {
            guard url.pathExtension == "swift" else { continue }
            let source = try String(contentsOf: url, encoding: .utf8)
            // What a protocol asks for is as public as the protocol.
            let isProtocol = source.contains("public protocol")
            for line in source.split(separator: "\n") {
                if line.contains("public ") || line.contains("open ") || isProtocol,
                    let match = line.firstMatch(of: word)
                {
                    known.insert(String(match.1))
                }
                known.formUnion(line.matches(of: /\bcase `?(\w+)/).map { String($0.1) })
            }
        }
        for table in try Self.tables() {
            for name in table.rows.flatMap(\.names) {
                let base = name.prefix { $0 != "(" && $0 != "<" }
                let last = base.split(separator: ".").last.map(String.init) ?? ""
                guard last.first?.isLetter == true else { continue }
                #expect(known.contains(last), "\(table.title): \(name)")
            }
        }
    }
}
