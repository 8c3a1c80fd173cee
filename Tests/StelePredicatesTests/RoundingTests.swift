import SteleModel
import Testing

@testable import StelePredicates

@Suite("What a number is compared with rounds it, each time for itself")
struct RoundingTests {
    private static let exact = Value.int(9_007_199_254_740_993)
    private static let nearest = Value.double(9_007_199_254_740_992)
    private static let float = Value.double(Double(Float(0.1)))

    /// A comparison of a number: with what, and as which number.
    private struct Pair: Equatable {
        let keys: String
        let number: Value
    }

    private func pairs(_ text: String, _ variable: Value = RoundingTests.exact) throws -> [Pair] {
        let predicate = try League.checked(text, "Person", ["X": .value(variable)])
        #expect(try League.check().check(predicate) == predicate, "checked again it is the same")
        return pairs(predicate)
    }

    private func pairs(_ predicate: Predicate) -> [Pair] {
        switch predicate {
        case .and(let parts), .or(let parts): return parts.flatMap { pairs($0) }
        case .comparison(let it):
            if case .constant(let value) = it.left {
                return [Pair(keys: it.right.description, number: value)]
            }
            if case .constant(let value) = it.right {
                return [Pair(keys: it.left.description, number: value)]
            }
            return []
        default: return []
        }
    }

    @Test("a variable in a list is the nearest Double for the Doubles alone, in any order")
    func variables() throws {
        let (a, b) = (
            Pair(keys: "{height}", number: Self.nearest), Pair(keys: "{big}", number: Self.exact)
        )
        for text in [
            "$X IN {height, big}", "$X IN {big, height}", "{height, big} CONTAINS $X",
            "{big, height} CONTAINS $X",
        ] {
            #expect(try pairs(text) == [a, b], "\(text)")
        }
        #expect(
            try pairs("$X IN {height, nil, big}") == [
                a, Pair(keys: "{nil, big}", number: Self.exact),
            ]
        )
        #expect(
            try pairs("$X BETWEEN {height, big}")
                == [
                    Pair(keys: "height", number: Self.nearest),
                    Pair(keys: "big", number: Self.exact),
                ])
    }

    @Test("a literal in a list is the nearest Float for the Floats alone")
    func literals() throws {
        for text in ["0.1 IN {weight, height}", "0.1 IN {height, weight}"] {
            let found = try pairs(text)
            #expect(found.map(\.keys) == ["{height}", "{weight}"])
            #expect(found.map(\.number) == [.double(0.1), Self.float])
        }
    }

    @Test("a number that all items of a list hold is searched in the whole list")
    func undivided() throws {
        for text in ["5 IN {height, big, weight, price}", "$X IN {height, big}"] {
            #expect(try pairs(text, .int(5)).count == 1, "\(text)")
        }
        #expect(throws: PredicateError.self) { _ = try pairs("$X IN {height, \"a\"}") }
    }

    @Test("a variable in a TERNARY is the nearest Double beside a Double")
    func conditions() throws {
        func branches(_ text: String) throws -> [Expression] {
            guard
                case .comparison(let it) =
                    try League.checked(text, "Person", ["X": .value(Self.exact)]),
                case .conditional(_, let yes, let no) = it.right
            else { return [] }
            return [yes, no]
        }
        #expect(
            try branches("height == TERNARY(active == 1, $X, 0)")
                == [.constant(Self.nearest), .constant(.double(0))])
        #expect(
            try branches("big == TERNARY(active == 1, $X, 0)")
                == [.constant(Self.exact), .constant(.int(0))])
    }
}
