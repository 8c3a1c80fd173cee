// Importing random texts: each form of a table gives them back.

import Foundation
import SteleModel
import StelePersistence
import SteleService
import TestSupport
import Testing

@Suite struct RandomTableTests {
    /// A way to write a table, and the options that read it.
    private struct Form {
        let ending: String
        let separator: String
        let isEscaped: Bool
        let null: String
        let isQuotedWhole: Bool

        init(_ numbers: inout SeededNumbers) {
            isEscaped = numbers.one(in: 3)
            ending = isEscaped || numbers.one(in: 3) ? "tsv" : "csv"
            separator =
                isEscaped || ending == "tsv" ? "\t" : numbers.pick(",", ";", "\t", "|")
            null = numbers.pick("", "NA", "\\N")
            isQuotedWhole = !isEscaped && numbers.one(in: 3)
        }

        func options(_ options: inout ImportOptions) {
            options.separator = separator == "|" ? UInt8(ascii: "|") : nil
            // A file of tabs with backslashes needs one of the two.
            options.escapes = isEscaped ? .backslash : .quotes
            if !null.isEmpty { options.nulls = [(nil, null)] }
        }

        func cell(_ text: String?) -> String {
            guard let text else { return isEscaped && null == "\\N" ? "\\N" : null }
            let scalars = text.unicodeScalars
            if isEscaped {
                let escapes: [Unicode.Scalar: String] = [
                    "\\": "\\\\", "\t": "\\t", "\r": "\\r", "\n": "\\n",
                ]
                return scalars.map { escapes[$0] ?? String($0) }.joined()
            }
            let isPlain =
                text != null && !isQuotedWhole
                && scalars.allSatisfy { !"\",;\t|\r\n".unicodeScalars.contains($0) }
            return isPlain
                ? text : "\"" + scalars.map { $0 == "\"" ? "\"\"" : String($0) }.joined() + "\""
        }
    }

    private static let parts = [
        "a", "NA", "\\N", "\\", "\\t", "\"", "\"\"", ",", ";", "\t", "|", "\n", "\r", "\r\n", " ",
        "é",
        "😀", "null", "0", "\u{1}", "\u{FEFF}",
    ]

    private static func text(_ numbers: inout SeededNumbers, _ form: Form) -> String? {
        if numbers.one(in: 6) { return nil }
        var text = ""
        for _ in 0..<numbers.below(5) { text += numbers.pick(parts, or: "") }
        // Nothing but the text for null is without a form where cells are not quoted.
        if form.isEscaped, text == form.null { return nil }
        return text
    }

    @Test func randomTextsAreReadBack() throws {
        let seed = drawSeed("randomTextsAreReadBack")
        var numbers = SeededNumbers(seed: seed)
        let names = ["one", "two", "three"]
        for round in 0..<120 {
            let form = Form(&numbers)
            let columns = Array(names.prefix(1 + numbers.below(3)))
            let rows = (0..<8).map { _ in columns.map { _ in Self.text(&numbers, form) } }
            let end = form.isEscaped ? "\n" : numbers.pick("\n", "\r\n")
            let lines =
                [columns.joined(separator: form.separator)]
                + rows.map { $0.map(form.cell).joined(separator: form.separator) }
            let file = lines.map { $0 + end }.joined()
            let house = try House(
                try makeModel([
                    names.reduce(EntityMaker("Row")) { $0.attribute($1, .string) }
                ]))
            let place = "seed \(seed), round \(round), \(form): \(file.debugDescription)"
            do {
                _ = try house.load([("Row.\(form.ending)", file)], form.options)
            } catch {
                Issue.record("\(error): \(place)")
                return
            }
            for (index, name) in columns.enumerated() {
                let expected = rows.map { $0[index].map(Value.string) ?? .null }
                let found = try house.values("Row.\(name)")
                if found != expected {
                    Issue.record("\(name) is \(found) and not \(expected): \(place)")
                    return
                }
            }
        }
    }

    @Test func anyBytesAreRowsOrAnError() throws {
        let seed = drawSeed("anyBytesAreRowsOrAnError")
        var numbers = SeededNumbers(seed: seed)
        let model = try ImportToolFilesTests.model()
        let words =
            ToolFile.columns + Self.parts + ["\u{0}", "1.0", "2024-05-01 09:00:00", "[", "{"]
        for _ in 0..<300 {
            var text = numbers.pick("name,age\n", "name\n", "_id\tborn\n", "")
            for _ in 0..<numbers.below(40) { text += numbers.pick(words, or: "") }
            let house = try House(model)
            let name = numbers.pick("person.csv", "person.tsv", "person.json", "person.ndjson")
            do {
                _ = try house.load([(name, text)]) {
                    $0.escapes = numbers.pick([nil, .quotes, .backslash], or: nil)
                    $0.separator = numbers.one(in: 4) ? UInt8(ascii: ";") : nil
                    $0.dates = numbers.one(in: 2) ? .seconds : nil
                }
            } catch let error as ImportError {
                #expect(error.file != nil, "seed \(seed): \(error) of \(text.debugDescription)")
                #expect(try house.all("Person").isEmpty, "seed \(seed)")
            }
        }
    }
}
