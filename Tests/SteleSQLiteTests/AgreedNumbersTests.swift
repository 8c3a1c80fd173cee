/// Numbers that two stores once compared or computed differently.

import SteleDifferential
import SteleGraph
import SteleModel
import StelePersistence
import StelePredicates
import SteleSQLite
import TestSupport
import Testing

@Suite struct AgreedNumbersTests {
    @Test func aDoubleIsNotEqualToAnIntegerThatNoDoubleIs() throws {
        let pair = try StorePair(isFilled: false)
        try pair.fill([
            ["real": .double(9_007_199_254_740_992)], ["real": .double(0x1p63)],
        ])
        let rest = (0...20).map(String.init).joined(separator: ", ")
        for (text, expected) in [
            ("real == 9007199254740993", []), ("real != 9007199254740993", [1, 2]),
            ("real == 9007199254740992", [1]), ("real IN {9007199254740993, 1}", []),
            ("real IN {9007199254740993, \(rest)}", []),
            ("real IN {9223372036854775807, \(rest)}", []),
            ("real IN {9223372036854775808, 9007199254740992, \(rest)}", [1, 2]),
            ("NOT (real IN {9223372036854775807, \(rest)})", [1, 2]),
        ] as [(String, [Int64])] {
            try pair.expect(text, finds: expected)
        }
    }

    /// Whether or not an object has a Decimal of more digits than a Double.
    @Test(arguments: [false, true])
    func aDoubleBesideADecimalHasAllItsDigits(_ hasLong: Bool) throws {
        let pair = try StorePair(isFilled: false)
        let great = try #require(Decimal(string: "1e23"))
        try pair.fill([["real": .double(1e23), "price": .decimal(great)]])
        let long = try #require(Decimal(string: "0.12345678901234567890"))
        if hasLong { try pair.fill([["price": .decimal(long)]]) }
        for (text, expected) in [
            ("price == real", []), ("price > real", [1]), ("real < price", [1]),
            ("price IN {real, 7}", []), ("price BETWEEN {real, 1e24}", [1]),
            ("max({price, 1}) > real", [1]),
        ] as [(String, [Int64])] {
            try pair.expect(text, finds: expected)
        }
    }

    /// A row with a key and a computed integer, which SQLite would round to compare it with Doubles.
    @Test func anIntegerOfAnotherObjectsDoublesIsNotRounded() throws {
        let pair = try StorePair(isFilled: false)
        try pair.fill([["real": .double(0x1p63), "large": .int(.max)]])
        for store in pair.stores {
            let context = ManagedObjectContext(PersistentStoreCoordinator(store: store))
            defer { context.close() }
            let all = try context.fetch(FetchRequest(entity: pair.request().0.entity))
            let object = try #require(all.first)
            try object.add("parts", object)
            try context.save()
        }
        for text in ["large + 0 IN whole.parts.real", "real IN whole.parts.large"] {
            try pair.expect(text, finds: [])
        }
    }

    @Test func anIntegerBeyond64BitsIsTheSameNumberBesideADecimal() throws {
        let pair = try StorePair(isFilled: false)
        try pair.fill([
            [
                "large": .int(.min), "real": .double(-0x1p63),
                "price": .decimal(-Decimal(Int64.min)),
            ]
        ])
        for (text, expected) in [
            ("price == -large AND price == 0 - large AND NOT (0 - large > price)", [1]),
            ("price IN {-large, 1} AND price BETWEEN {-large, -large}", [1]),
            ("TERNARY(FALSEPREDICATE, price, -9223372036854775808) == real", [1]),
            ("TERNARY(FALSEPREDICATE, price, -9223372036854775808) == large", [1]),
            (
                "TERNARY(FALSEPREDICATE, price, TERNARY(FALSEPREDICATE, 0.5, "
                    + "-9223372036854775808)) == real", [1]
            ),
            ("TERNARY(FALSEPREDICATE, price, TERNARY(name == 'x', real, real)) == real", [1]),
            // An integer beside a Decimal is cast, and a cast takes the shortest digits.
            ("TERNARY(FALSEPREDICATE, price, -large) == price", []),
            ("TERNARY(FALSEPREDICATE, price, -large) == CAST(-large, 'NSDecimalNumber')", [1]),
            ("TERNARY(FALSEPREDICATE, price, real) IN {real} AND -real == price", [1]),
            ("price IN ({1.5} UNION {-large}) AND ANY ({1.5} UNION {-large}) == price", [1]),
            ("price IN ({1.5, -real} UNION {-large})", [1]),
            (
                "({price} INTERSECT {-large})[SIZE] == 1 AND ({price} MINUS {-large})[SIZE] == 0",
                [1]
            ),
            ("({-large, price, -real} UNION {price})[SIZE] == 1", [1]),
            ("({9223372036854776000.5, price} UNION {-large})[SIZE] == 2", [1]),
            ("min({price, -large}) == price AND price == max({-real, price})", [1]),
        ] as [(String, [Int64])] {
            try pair.expect(text, finds: expected)
        }
        var (request, check) = try pair.request()
        check.variables = ["half": .value(.decimal(0.5))]
        request.propertiesToFetch = try check.columns(["c:TERNARY(FALSEPREDICATE, $half, large)"])
        #expect(try pair.answer(request) == [[.double(-0x1p63)]])
    }

    @Test func sumsBeyond64BitsAreDoubles() throws {
        let pair = try StorePair()
        var (request, check) = try pair.request()
        request.propertiesToFetch = try check.columns(["total:sum(large)", "most:max(large + 1)"])
        #expect(try pair.answer(request) == [[.double(0x1p63), .double(0x1p63)]])
    }

    @Test func meansAndSumsOfWideIntegersAreTheNearestNumbers() throws {
        let seed = drawSeed("meansAndSumsOfWideIntegersAreTheNearestNumbers")
        var numbers = SeededNumbers(seed: seed)
        for round in 0..<40 {
            let pair = try StorePair(isFilled: false)
            let width = Int.random(in: 0..<64, using: &numbers)
            let values = (0..<Int.random(in: 1...9, using: &numbers)).map { _ in
                Int64.random(in: .min ... .max, using: &numbers) >> Int64(width)
            }
            try pair.fill(large: values)
            var (request, check) = try pair.request()
            request.propertiesToFetch = try check.columns([
                "a:sum(large)", "b:average(large)", "c:sum(large + 0)",
                "d:average(distinct large)",
            ])
            let exact = values.reduce(Int128(0)) { $0 + Int128($1) }
            let sum = try Int64(exactly: exact).map(Value.int) ?? .double(nearest(exact, over: 1))
            let once = Set(values)
            let distinct = once.reduce(Int128(0)) { $0 + Int128($1) }
            let expected: [Value] = [
                sum, .double(try nearest(exact, over: values.count)), sum,
                .double(try nearest(distinct, over: once.count)),
            ]
            #expect(try pair.answer(request) == [expected], "round \(round): \(values)")
        }
    }

    /// By the digits of the quotient.
    private func nearest(_ dividend: Int128, over divisor: Int) throws -> Double {
        var (whole, rest) = dividend.magnitude.quotientAndRemainder(dividingBy: UInt128(divisor))
        var text = (dividend < 0 ? "-" : "") + "\(whole)."
        for _ in 0..<400 {
            (whole, rest) = (rest * 10).quotientAndRemainder(dividingBy: UInt128(divisor))
            text += "\(whole)"
        }
        return try #require(Double(text))
    }

    @Test func aSumThatIsAnIntegerIsOneWhateverComesBetween() throws {
        let pair = try StorePair(isFilled: false)
        try pair.fill(large: [.min, -5, 3, .max, 9_007_199_254_740_993])
        var (request, check) = try pair.request()
        request.propertiesToFetch = try check.columns([
            "all:sum(large)", "n:sum(large) - 9007199254740993",
        ])
        #expect(try pair.answer(request) == [[.int(9_007_199_254_740_990), .int(-3)]])
    }

    @Test func aDecimalOf39DigitsIsComputedAndSorted() throws {
        let pair = try StorePair()
        var (request, check) = try pair.request()
        request.sortDescriptors = try SortList("10 - price").checked(by: check)
        #expect(try pair.answer(request) == [[.int(2)], [.int(3)], [.int(1)]])
    }
}
