// The grammar's tables: what a text is read as and prints as, and what is refused where.

import StelePredicates
import Testing

struct GrammarTests {
    @Test("each text is read as its tree, prints as it should, and the print reads as the same")
    func reads() throws {
        let cases = GrammarCase.read("Read")
        #expect(cases.count >= 400)
        for it in cases {
            try #require(it.lines.count == 2, "\(it)")
            do {
                let predicate = try Predicate(format: it.text)
                #expect(PredicateTree.text(predicate) == it.lines[0], "\(it)")
                #expect(predicate.predicateFormat == it.lines[1], "\(it)")
                let again = try Predicate(format: predicate.predicateFormat)
                #expect(again == predicate, "\(it)")
                #expect(again.predicateFormat == predicate.predicateFormat, "\(it)")
            } catch {
                Issue.record("\(it): \(error)")
            }
        }
    }

    @Test("a text of the second table is refused at its place, with its hint")
    func refuses() throws {
        let cases = GrammarCase.read("Refused")
        #expect(cases.count >= 80)
        for it in cases {
            let parts = (it.lines.first ?? "").split(separator: " ", maxSplits: 2)
            try #require(parts.count == 3, "\(it)")
            let near = parts[2] == "END" ? "" : GrammarCase.plain(parts[2])
            do {
                let predicate = try Predicate(format: it.text)
                Issue.record("\(it) was read as \(predicate)")
            } catch {
                #expect("\(error.position)" == parts[0], "\(it)")
                #expect(error.code == "predicate.\(parts[1])", "\(it)")
                #expect(error.near == near, "\(it)")
                #expect(error.hint == it.lines.dropFirst().first, "\(it)")
                #expect(!error.message.isEmpty)
                #expect(Self.stands(error, in: it.text), "\(it)")
                if near.isEmpty { #expect(error.expected != nil, "\(it) should say what follows") }
            }
        }
    }

    @Test("a text cut short anywhere is read or refused, with a place inside of it")
    func cuts() throws {
        var refused = 0
        for it in GrammarCase.read("Read") {
            let scalars = Array(it.text.unicodeScalars)
            for length in 0..<scalars.count {
                let cut = String(String.UnicodeScalarView(scalars[..<length]))
                do {
                    let predicate = try Predicate(format: cut)
                    let again = try? Predicate(format: predicate.predicateFormat)
                    #expect(again == predicate, "\(cut)")
                } catch {
                    refused += 1
                    #expect((0...length).contains(error.position), "\(cut)")
                    #expect(Self.stands(error, in: cut), "\(cut)")
                }
            }
        }
        #expect(refused > 1_000)
    }

    @Test("without its first scalars, or with one in the middle left out, a text ends as well")
    func holes() throws {
        for it in GrammarCase.read("Read") {
            let scalars = Array(it.text.unicodeScalars)
            for place in scalars.indices {
                let tail = String(String.UnicodeScalarView(scalars[place...]))
                let holed = String(
                    String.UnicodeScalarView(scalars[..<place] + scalars[(place + 1)...]))
                for text in [tail, holed] {
                    do { _ = try Predicate(format: text) } catch {
                        #expect(Self.stands(error, in: text), "\(text)")
                    }
                }
            }
        }
    }

    /// Whether what the error says stands there does.
    static func stands(_ error: PredicateError, in text: String) -> Bool {
        let scalars = text.unicodeScalars
        guard error.position <= scalars.count else { return false }
        let rest = scalars.dropFirst(error.position)
        // A list that is no two bounds is shown as it prints.
        if error.code == "predicate.type" { return !rest.isEmpty }
        return error.near.isEmpty ? rest.isEmpty : rest.starts(with: error.near.unicodeScalars)
    }
}
