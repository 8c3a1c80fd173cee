// Arithmetic on decimals, compared with arithmetic on paper: digit by digit.

import FoundationEssentials
import SteleModel
import TestSupport
import Testing

@Suite struct DecimalArithmeticTests {
    /// A random number of up to 38 digits: often at the ends, and with an exponent that is near to
    /// or far from others.
    private func number(_ numbers: inout SeededNumbers) -> Paper {
        let count = 1 + numbers.below(38)
        let kind = numbers.below(5)
        var digits = (0..<count).map { _ in kind == 0 ? 9 : kind == 1 ? 0 : numbers.below(10) }
        if numbers.one(in: 3) { digits[count - 1] = 5 }
        if !numbers.one(in: 10) { digits[0] = max(digits[0], 1) }
        let reach = numbers.pick([3, 40, 80, 127], or: 0)
        return Paper(
            digits: digits, exponent: numbers.below(2 * reach + 1) - reach,
            isNegative: numbers.one(in: 2))
    }

    @Test func resultsAreTheExactOnesRoundedOnce() throws {
        let seed = drawSeed("resultsAreTheExactOnesRoundedOnce")
        var numbers = SeededNumbers(seed: seed)
        for _ in 0..<2_000 {
            let (a, b) = (number(&numbers), number(&numbers))
            guard let x = a.decimal, let y = b.decimal else { continue }
            var results = [
                ("+", DecimalText.sum(x, y), Paper.sum(a, b).rounded()),
                ("-", DecimalText.difference(x, y), Paper.sum(a, b.negated).rounded()),
                (
                    "*", DecimalText.product(x, y),
                    Paper.product(a, b).rounded(roundsPlaces: false)
                ),
            ]
            let quotient = b.isZero ? nil : Paper.quotient(a, b).rounded()
            results.append(("/", DecimalText.quotient(x, y), quotient))
            let rest = b.isZero ? nil : Paper.remainder(a, b).rounded()
            results.append(("%", DecimalText.remainder(x, y), rest))
            for (sign, made, expected) in results {
                let isSame = DecimalText.text(made) == DecimalText.text(expected ?? .nan)
                try #require(isSame, "seed \(seed): \(x) \(sign) \(y): \(made)")
            }
        }
    }

    @Test func aTotalIsExactInAnyOrderAndRoundedOnce() throws {
        let seed = drawSeed("aTotalIsExactInAnyOrderAndRoundedOnce")
        var numbers = SeededNumbers(seed: seed)
        for _ in 0..<300 {
            var papers = (0..<(1 + numbers.below(9))).map { _ in number(&numbers) }
            // What nearly cancels out leaves the last digits.
            if numbers.one(in: 2) { papers += papers.dropFirst().map(\.negated) }
            papers = papers.filter { $0.decimal != nil }
            let exact = papers.reduce(Paper(digits: [0], exponent: 0)) { Paper.sum($0, $1) }
            let count = Paper(digits: [papers.count / 10, papers.count % 10], exponent: 0)
            let sum = exact.rounded()
            let mean = sum == nil || count.isZero ? nil : Paper.quotient(exact, count).rounded()
            var (total, first, second) = (DecimalTotal(), DecimalTotal(), DecimalTotal())
            for (index, paper) in papers.shuffled(using: &numbers).enumerated() {
                let value = try #require(paper.decimal)
                total.add(value)
                if index % 2 == 0 { first.add(value) } else { second.add(value) }
            }
            let copy = second.bytes.withUnsafeBytes { DecimalTotal(bytes: $0) }
            first.add(try #require(copy))
            for it in [total, first] {
                let isSum = DecimalText.text(it.sum) == DecimalText.text(sum ?? .nan)
                try #require(isSum, "seed \(seed): \(papers.compactMap(\.decimal)): \(it.sum)")
                let isMean = DecimalText.text(it.mean) == DecimalText.text(mean ?? .nan)
                try #require(isMean, "seed \(seed): \(papers.compactMap(\.decimal)): \(it.mean)")
            }
        }
    }
}

/// A number as its digits, the highest first.
private struct Paper {
    var digits: [Int]
    var exponent: Int
    var isNegative = false

    var isZero: Bool { digits.allSatisfy { $0 == 0 } }

    var negated: Paper {
        Paper(digits: digits, exponent: exponent, isNegative: !isNegative)
    }

    /// The number itself, which has up to 38 digits; nil if it is out of range.
    var decimal: Decimal? {
        let sign = isNegative ? "-" : ""
        let text = sign + digits.map(String.init).joined() + "e\(exponent)"
        return DecimalText.parse(text.utf8)
    }

    /// Half is rounded away from 0; nil if it is out of range.
    func rounded(roundsPlaces: Bool = true) -> Decimal? {
        guard let first = digits.firstIndex(where: { $0 != 0 }) else { return Decimal(0) }
        let significant = Array(digits[first...])
        let places = roundsPlaces ? significant.count + exponent + 128 : 38
        let kept = min(38, places, significant.count)
        guard kept >= 0 else { return nil }
        var number: [Int] = [0] + significant.prefix(kept)
        if kept < significant.count, significant[kept] >= 5 {
            number = Self.combined(number, Self.zeros(kept) + [1], 1)
        }
        let made = Paper(
            digits: number, exponent: exponent + significant.count - kept,
            isNegative: isNegative)
        return made.isZero ? nil : made.decimal
    }

    private static func zeros(_ count: Int) -> [Int] { Array(repeating: 0, count: count) }

    /// x + sign · y, of numbers of equally many digits.
    private static func combined(_ x: [Int], _ y: [Int], _ sign: Int) -> [Int] {
        var made = x
        var carry = 0
        for place in x.indices.reversed() {
            let digit = x[place] + sign * y[place] + carry
            carry = digit < 0 ? -1 : digit / 10
            made[place] = digit - carry * 10
        }
        return made
    }

    static func sum(_ a: Paper, _ b: Paper) -> Paper {
        let exponent = min(a.exponent, b.exponent)
        var x = a.digits + zeros(a.exponent - exponent)
        var y = b.digits + zeros(b.exponent - exponent)
        let width = max(x.count, y.count) + 1
        x = zeros(width - x.count) + x
        y = zeros(width - y.count) + y
        if a.isNegative == b.isNegative {
            return Paper(
                digits: combined(x, y, 1), exponent: exponent, isNegative: a.isNegative)
        }
        let isLess = x.lexicographicallyPrecedes(y)
        return Paper(
            digits: isLess ? combined(y, x, -1) : combined(x, y, -1), exponent: exponent,
            isNegative: isLess ? b.isNegative : a.isNegative)
    }

    static func product(_ a: Paper, _ b: Paper) -> Paper {
        var made = zeros(a.digits.count + b.digits.count)
        for (i, x) in a.digits.enumerated() {
            for (j, y) in b.digits.enumerated() { made[i + j + 1] += x * y }
        }
        for place in (1..<made.count).reversed() {
            made[place - 1] += made[place] / 10
            made[place] %= 10
        }
        return Paper(
            digits: made, exponent: a.exponent + b.exponent,
            isNegative: a.isNegative != b.isNegative)
    }

    /// The digits of a quotient and its rest, as in a long division.
    private static func divided(
        _ digits: [Int], _ divisor: [Int]
    ) -> (quotient: [Int], rest: [Int]) {
        let divisor = [0] + divisor
        var rest = zeros(divisor.count)
        var quotient: [Int] = []
        for digit in digits {
            rest.removeFirst()
            rest.append(digit)
            var times = 0
            while !rest.lexicographicallyPrecedes(divisor) {
                rest = combined(rest, divisor, -1)
                times += 1
            }
            quotient.append(times)
        }
        return (quotient, rest)
    }

    /// With 80 digits more than the dividend, of which the first that is dropped decides.
    static func quotient(_ a: Paper, _ b: Paper) -> Paper {
        let made = divided(a.digits + zeros(80), b.digits).quotient
        return Paper(
            digits: made, exponent: a.exponent - b.exponent - 80,
            isNegative: a.isNegative != b.isNegative)
    }

    static func remainder(_ a: Paper, _ b: Paper) -> Paper {
        let exponent = min(a.exponent, b.exponent)
        let rest = divided(
            a.digits + zeros(a.exponent - exponent), b.digits + zeros(b.exponent - exponent)
        ).rest
        return Paper(digits: rest, exponent: exponent, isNegative: a.isNegative)
    }
}
