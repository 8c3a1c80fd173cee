// Predicates too deep, too long or too many: an answer in bounded time, on a small stack.

import StelePredicates
import Testing

// The time is for what has no bound; it begins with all tests, and most of it is others'.
@Suite(.timeLimit(.minutes(30)))
struct BoundsTests {
    /// Reads, prints, reads again, compares and hashes; a predicate or the error.
    static func read(_ text: String) throws -> Result<Predicate, PredicateError> {
        nonisolated(unsafe) var result: Result<Predicate, PredicateError>?
        try SmallStack.run {
            do throws(PredicateError) {
                let predicate = try Predicate(format: text)
                let printed = predicate.predicateFormat
                // What is printed has spaces and quotes that its text may do without.
                if printed.utf8.count <= PredicateLimits.textLength {
                    let again = try Predicate(format: printed)
                    #expect(again == predicate)
                    #expect(again.hashValue == predicate.hashValue)
                }
                result = .success(predicate)
            } catch {
                result = .failure(error)
            }
        }
        return try #require(result)
    }

    /// What can stand within itself, with what closes it.
    static let nested: [(open: String, close: String)] = [
        ("(", ")"), ("NOT ", ""), ("!", ""), ("- ", ""), ("-(", ")"), ("~", ""), ("{", "}"),
        ("sum(", ")"), ("a[", "]"), ("$x := ", ""), ("CAST(", ", \"NSString\")"),
        ("TERNARY(a == 1, 2, ", ")"), ("FUNCTION(", ", \"length\")"), ("1 + (", ")"),
        ("multiply:by:(1, ", ")"), ("SUBQUERY(", ", $x, TRUEPREDICATE)"), ("a UNION (", ")"),
    ]

    /// Conditions that can stand within one another.
    static let conditions: [(open: String, close: String)] = [
        ("(", ")"), ("NOT (", ")"), ("a == 1 AND (b == 2 OR (", "))"),
        ("SUBQUERY(a, $x, ", ").@count > 0"), ("TERNARY(", ", 1, 2) == 1"),
        ("NONE SUBQUERY(a, $x, ANY $x.b == 1 AND ", ") == 2"),
    ]

    static func text(
        _ form: (open: String, close: String), _ count: Int, around core: String
    ) -> String {
        String(repeating: form.open, count: count) + core
            + String(repeating: form.close, count: count)
    }

    @Test("ten thousand of anything within one another end at a limit, with a place")
    func nesting() throws {
        let operands = Self.nested.map { Self.text($0, 10_000, around: "a") + " == 1" }
        let predicates = Self.conditions.map { Self.text($0, 10_000, around: "a == 1") }
        let open = (Self.nested + Self.conditions).map { String(repeating: $0.open, count: 10_000) }
        for text in operands + predicates + open {
            let result = try Self.read(text)
            guard case .failure(let error) = result else {
                Issue.record("\(text.prefix(40)) was read")
                continue
            }
            #expect(error.code == "predicate.limit", "\(text.prefix(40))")
            #expect(error.position > 0, "\(text.prefix(40))")
            #expect(error.position < text.unicodeScalars.count, "\(text.prefix(40))")
        }
    }

    /// Whatever the build: the limit is what the stack holds, where that is less than the language's.
    @Test("half a MiB of stack is enough for an answer or an error")
    func halfAMegabyte() throws {
        for form in Self.nested + Self.conditions {
            for count in [20, 60, PredicateLimits.nesting, 10_000] {
                let isCondition = Self.conditions.contains { $0 == form }
                let text = Self.text(form, count, around: isCondition ? "name == nil" : "age")
                let whole = isCondition ? text : text + " == 1"
                try SmallStack.run(bytes: 512 << 10) {
                    do throws(PredicateError) {
                        let predicate = try Predicate(format: whole)
                        #expect(count < 10_000, "\(form.open)")
                        #expect(!predicate.predicateFormat.isEmpty)
                        // An answer, or an error: what follows goes no deeper than there is room.
                        do throws(PredicateError) {
                            _ = try League.check("Team").check(predicate)
                        } catch {
                            let located = error.located(in: whole)
                            #expect(
                                located.code != "predicate.limit" || located.position > 0,
                                "\(form.open) \(count): \(located)")
                        }
                    } catch {
                        #expect(error.code == "predicate.limit", "\(form.open) \(count): \(error)")
                        #expect(error.position > 0 && count > 20, "\(form.open) \(count): \(error)")
                    }
                }
            }
        }
        // A main thread's or a worker's stack holds all that the language allows.
        let deepest = Self.text(("(", ")"), PredicateLimits.nesting, around: "a == 1")
        #expect(try Self.read(deepest).get().predicateFormat == "a == 1")
    }

    /// What has an index within an index, and each with a path behind it, is looked at once.
    @Test("indexes within one another cost as much as they are long")
    func indexes() throws {
        let check = League.check("Team")
        let chain = "ranking[0]" + String(repeating: ".team.ranking[0]", count: 60)
        _ = try check.check(Predicate(format: chain + ".age == 1"))
        var nested = "ranking[0].age"
        for _ in 0..<40 { nested = "ranking[\(nested)].age" }
        _ = try check.check(Predicate(format: nested + " == 1"))
    }

    @Test("each item of a list under ANY or ALL, or compared with another's, is a comparison")
    func listsAsComparisons() throws {
        func list(_ count: Int) -> String {
            "{\(Array(repeating: "1", count: count).joined(separator: ","))}"
        }
        let most = PredicateLimits.comparisons
        for form in ["ANY # == goals", "ALL # > 3", "NONE # IN {1, 2}", "# == #", "# != {1}"] {
            func text(_ count: Int) -> String {
                "a == 1 OR " + form.replacing("#", with: list(count))
            }
            #expect(throws: Never.self, "\(form)") { try Self.read(text(most - 1)).get() }
            guard case .failure(let error) = try Self.read(text(most)) else {
                Issue.record("\(form) was read")
                continue
            }
            #expect(error.code == "predicate.limit" && error.position == 10, "\(form)")
        }
        #expect(throws: Never.self) { try Self.read("a IN \(list(50_000))").get() }
    }

    @Test("a chain of a hundred thousand operators is refused or read, never overflown")
    func chains() throws {
        let many = 100_000
        for link in [" + a", " ** a", " | a", " UNION a", "[0]", ".a", "[a].b", " - -1"] {
            let text = "a" + String(repeating: link, count: many) + " == 1"
            guard case .failure(let error) = try Self.read(text) else {
                Issue.record("\(link) was read")
                continue
            }
            #expect(error.code == "predicate.limit", "\(link)")
            #expect(error.position > 0, "\(link)")
        }
        for link in ["a == 1 AND ", "a == 1 OR ", "a == 1 AND b == 1 OR ", "!a == 1 && "] {
            let comparisons = link.count { $0 == "=" } / 2
            let most = (PredicateLimits.comparisons - 1) / comparisons
            let whole = String(repeating: link, count: most) + "a == 1"
            #expect(throws: Never.self) { try Self.read(whole).get() }
            let text = String(repeating: link, count: 40_000) + "a == 1"
            guard case .failure(let error) = try Self.read(text) else {
                Issue.record("40,000 times \(link) was read")
                continue
            }
            #expect(error.code == "predicate.limit", "\(link)")
            // At the operator of the first that is too many.
            #expect(error.position > most * link.count - link.count, "\(link)")
            #expect(error.position < (most + 2) * link.count, "\(link)")
        }
        let short = "a" + String(repeating: " + a", count: 200) + " == 1"
        #expect(try Self.read(short).get().predicateFormat == short)
    }

    @Test("as deep as the limits allow, a predicate is read, printed, compared and checked")
    func deepest() throws {
        for form in Self.nested {
            for count in [10, 40, PredicateLimits.nesting] {
                let text = Self.text(form, count, around: "age") + " == 1"
                guard case .success(let predicate) = try Self.read(text) else { continue }
                try SmallStack.run { _ = try? League.check("Team").check(predicate) }
            }
        }
        let count = PredicateLimits.nesting
        let parentheses = Self.text(("(", ")"), count, around: "a") + " == 1"
        #expect(try Self.read(parentheses).get().predicateFormat == "a == 1")
        let nots = Self.text(("NOT ", ""), count, around: "name == nil")
        let predicate = try Self.read(nots).get()
        try SmallStack.run { _ = try League.check("Person").check(predicate) }
        // In each parenthesis a chain, so that the tree is as high as it can be.
        let chain = String(repeating: " + 1", count: 100)
        let high = Self.text(("-(", chain + ")"), 3, around: "age") + " == 1"
        guard case .failure(let error) = try Self.read(high) else {
            Issue.record("the tree is higher than the limit")
            return
        }
        #expect(error.code == "predicate.limit")
    }

    @Test("a megabyte of anything is read or refused with a place")
    func length() throws {
        let most = PredicateLimits.textLength
        func fill(_ part: String, _ head: String = "", _ tail: String = "") -> String {
            let count = (most - head.utf8.count - tail.utf8.count) / part.utf8.count
            return head + String(repeating: part, count: count) + tail
        }
        let readable = [
            fill("1, ", "a IN {", "1}"),
            fill("x", "a == '", "'"), fill("\\\"", "a == \"", "\""), fill("\\x41", "a == '", "'"),
            fill("a", "", " == 1"), fill(" ", "a ==", "1"), fill("9", "a == 0.", ""),
            fill("0", "a == 0.", "1"), fill("ä", "", " == 1"), fill("x", "$", " == 1"),
            fill("'',", "a IN {", "''}"), fill("{},", "a IN {", "{}}"),
        ]
        for text in readable {
            guard case .failure(let error) = try Self.read(text) else { continue }
            Issue.record("\(text.prefix(20)): \(error.message)")
        }
        let refused = [
            fill("9", "a == "), fill("\\", "a == '"), fill("a "), fill("== "), fill("("),
            fill("a("), fill("sum(a) "), fill("😀"), fill("\u{0}"), fill("%@"), fill("$"),
            fill("a:", "", "(b) == 1"), fill("a.", "", "b == 1"), fill("'"), fill("0x"),
            fill("x", "uppercas", "(a) == 1"), fill("a == 1 OR ", "", "a == 1"),
        ]
        for text in refused {
            guard case .failure(let error) = try Self.read(text) else {
                Issue.record("\(text.prefix(20)) was read")
                continue
            }
            #expect(GrammarTests.stands(error, in: text), "\(text.prefix(20))")
            #expect(error.message.utf8.count < 400, "\(text.prefix(20))")
        }
        guard case .failure(let error) = try Self.read(fill("a == 1 OR ") + "a == 1     ") else {
            Issue.record("a text over the limit was read")
            return
        }
        #expect(error.code == "predicate.limit")
        #expect(error.position == most)
    }

    @Test("a mistake at the end of a megabyte is placed as soon as one at its beginning")
    func places() throws {
        let count = PredicateLimits.comparisons - 1
        let length = (PredicateLimits.textLength - 100) / count
        let (head, tail) = ("name == '", "' AND ")
        let term = head + String(repeating: "x", count: length - head.count - tail.count) + tail
        let text = String(repeating: term, count: count) + "nmae == 1"
        try SmallStack.run {
            let predicate = try Predicate(format: text)
            do throws(PredicateError) {
                _ = try League.check("Person").check(predicate)
                Issue.record("nmae is no key")
            } catch {
                let located = error.located(in: text)
                #expect(located.position == count * term.utf8.count)
                #expect(located.hint == "did you mean name?")
            }
        }
    }
}
