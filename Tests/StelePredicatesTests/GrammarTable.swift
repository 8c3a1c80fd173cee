// The grammar's tables as files: `Grammar/Read.txt` and `Grammar/Refused.txt`.

import Foundation
import Testing

/// A text with the indented lines below it. `#` begins a heading, and `␉ ␤ ␠` stand for a tab, a
/// line's end, and a space at a text's end.
struct GrammarCase: Sendable, CustomTestStringConvertible {
    var text: String
    var lines: [String]
    var number: Int

    var testDescription: String { "line \(number): \(text)" }

    static func read(_ name: String) -> [GrammarCase] {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Grammar/\(name).txt")
        guard let whole = try? String(contentsOf: file, encoding: .utf8) else { return [] }
        var cases: [GrammarCase] = []
        for (index, line) in whole.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            if line.isEmpty || line.hasPrefix("## ") { continue }
            if line.hasPrefix("    ") {
                guard !cases.isEmpty else { continue }
                cases[cases.count - 1].lines.append(String(line.dropFirst(4)))
            } else {
                cases.append(GrammarCase(text: plain(line), lines: [], number: index + 1))
            }
        }
        return cases
    }

    static func plain(_ line: Substring) -> String {
        String(
            String.UnicodeScalarView(
                line.unicodeScalars.map { scalar in
                    switch scalar {
                    case "␉": "\t"
                    case "␤": "\n"
                    case "␠": " "
                    default: scalar
                    }
                }))
    }
}
