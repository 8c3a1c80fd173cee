// What no table can hold: empty texts, arguments, and noise.

import StelePredicates
import TestSupport
import Testing

struct RefusalTests {
    @Test("the empty text, and text with a null character, are refused with their places")
    func empty() throws {
        for (text, position, near) in [
            ("", 0, ""), ("a == '\u{0}'", 5, "'\u{0}'"), ("a == '\\\u{0}'", 5, "'\\\u{0}'"),
        ] {
            let error = try #require(throws: PredicateError.self) { try Predicate(format: text) }
            #expect(error.code == "predicate.syntax")
            #expect(error.position == position)
            #expect(error.near == near)
        }
    }

    @Test("arguments stand where the format names them, and their number is checked")
    func arguments() throws {
        let made = try Predicate(
            format: "%K == %@ AND age > %d AND x IN %@",
            arguments: [
                .keyPath("team.name"), .value(.string("A \"b\"")), .value(.int(3)),
                .values([.int(1), .int(2)]),
            ])
        #expect(
            made.predicateFormat
                == "team.name == \"A \\\"b\\\"\" AND age > 3 AND x IN {1, 2}")
        #expect(throws: PredicateError.self) {
            try Predicate(format: "a == %@", arguments: [.value(.int(1)), .value(.int(2))])
        }
    }

    @Test("a key path that %K stands for reads again as it prints, or is refused")
    func keyPathArguments() throws {
        for (path, printed) in [
            ("$x", "#$x"), ("team.$x.name", "team.#$x.name"), ("in", "#in"), ("a.SIZE", "a.#SIZE"),
            ("größe", "größe"), ("a.@count", "a.@count"), ("_id", "_id"), ("$and", "#$and"),
        ] {
            let made = try Predicate(format: "%K == 1", arguments: [.keyPath(path)])
            #expect(made.predicateFormat == printed + " == 1")
            #expect(try Predicate(format: made.predicateFormat) == made)
        }
        for path in ["a..b", "", ".", "a b", "a-b", "1a", "$", "@", "a.$$b", "#a", "'a'", "a()"] {
            let error = try #require(throws: PredicateError.self) {
                try Predicate(format: "b == %K", arguments: [.keyPath(path)])
            }
            #expect(error.code == "predicate.syntax" && error.position == 5 && error.hint != nil)
        }
    }

    @Test("random bytes are read or refused, and never more")
    func noise() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededNumbers(seed: seed)
        let pieces = [
            "a", "b.c", " ", "AND", "OR", "NOT", "(", ")", "{", "}", "[", "]", "==", "<", "'x'",
            "\"",
            "'", "\\", "1", "0.5", "1e5", "$x", "#", "@count", ".", ",", "ANY", "SUBQUERY(",
            "CAST(",
            "sum(", "IN", "BETWEEN", ":", ":=", "-", "*", "**", "é", "%@", "FUNCTION(", "TERNARY(",
        ]
        for _ in 0..<10_000 {
            let count = Int.random(in: 1...14, using: &random)
            let text = (0..<count).map { _ in
                pieces[Int.random(in: 0..<pieces.count, using: &random)]
            }
            .joined(separator: Bool.random(using: &random) ? " " : "")
            if let predicate = try? Predicate(format: text) {
                let printed = predicate.predicateFormat
                let again = try? Predicate(format: printed)
                #expect(again == predicate, "seed \(seed): \(text) prints as \(printed)")
            }
        }
    }
}
