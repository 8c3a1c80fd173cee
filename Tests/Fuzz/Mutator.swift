/// New inputs from those there are.

import SteleDifferential
import TestSupport

/// Makes inputs of seeds: words and numbers are exchanged, left out, repeated, moved, and bytes
/// changed. The same seed makes the same inputs.
struct Mutator {
    private var numbers: SeededNumbers
    private let seeds: [[UInt8]]
    private let words: [[UInt8]]
    /// The longest input that is made, in bytes.
    private static let longest = 4_096

    init(seed: UInt64, seeds: [[UInt8]], words: [String]) {
        numbers = SeededNumbers(seed: seed)
        self.seeds = seeds.isEmpty ? [[]] : seeds
        self.words = FuzzText.bytes(words)
    }

    /// The next input.
    mutating func input() -> [UInt8] {
        var bytes = numbers.pick(seeds, or: [])
        let count = 1 + numbers.below(numbers.below(8) + 1)
        for _ in 0..<count { change(&bytes) }
        return bytes.count > Self.longest ? Array(bytes[..<Self.longest]) : bytes
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        switch numbers.below(12) {
        case 0, 1, 2: replaceNumber(&bytes)
        case 3: replaceToken(&bytes)
        case 4: bytes.insert(contentsOf: word(), at: boundary(bytes))
        case 5:
            let part = range(bytes, longest: 16)
            bytes.removeSubrange(part)
        case 6:
            let part = Array(bytes[range(bytes, longest: 32)])
            bytes.insert(contentsOf: part, at: boundary(bytes))
        case 7: splice(&bytes)
        case 8: changeByte(&bytes)
        case 9:
            bytes.insert(Self.interesting[numbers.below(Self.interesting.count)], at: place(bytes))
        case 10: nest(&bytes)
        default:
            let (a, b) = (token(bytes), token(bytes))
            let (first, second) = a.lowerBound <= b.lowerBound ? (a, b) : (b, a)
            guard first.upperBound <= second.lowerBound else { return }
            let (x, y) = (Array(bytes[first]), Array(bytes[second]))
            bytes.replaceSubrange(second, with: x)
            bytes.replaceSubrange(first, with: y)
        }
    }

    // MARK: Changes

    /// Puts another number where one stands, or at any place where none does.
    private mutating func replaceNumber(_ bytes: inout [UInt8]) {
        let starts = bytes.indices.filter {
            Self.isDigit(bytes[$0]) && ($0 == 0 || !Self.isDigit(bytes[$0 - 1]))
        }
        let number = Array(numbers.pick(ExtremeNumbers.all, or: "0").utf8)
        guard !starts.isEmpty else { return bytes.insert(contentsOf: number, at: boundary(bytes)) }
        let start = starts[numbers.below(starts.count)]
        var end = start
        // Sometimes the digits alone, sometimes with point and exponent.
        let isWhole = numbers.one(in: 2)
        while end < bytes.count, Self.isDigit(bytes[end]) || isWhole && Self.isPart(bytes[end]) {
            end += 1
        }
        bytes.replaceSubrange(start..<end, with: number)
    }

    private mutating func replaceToken(_ bytes: inout [UInt8]) {
        let part = token(bytes)
        bytes.replaceSubrange(part, with: word())
    }

    /// The beginning of this input and the end of another, or the other in its middle.
    private mutating func splice(_ bytes: inout [UInt8]) {
        let other = numbers.pick(seeds, or: [])
        if numbers.one(in: 2) {
            bytes = Array(bytes[..<boundary(bytes)] + other[boundary(other)...])
        } else {
            bytes.insert(contentsOf: other, at: boundary(bytes))
        }
    }

    private mutating func changeByte(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else { return }
        let at = numbers.below(bytes.count)
        switch numbers.below(3) {
        case 0: bytes[at] ^= 1 << UInt8(numbers.below(8))
        case 1: bytes[at] = UInt8(truncatingIfNeeded: numbers.next())
        default: bytes[at] = Self.interesting[numbers.below(Self.interesting.count)]
        }
    }

    /// A token many times over.
    private mutating func nest(_ bytes: inout [UInt8]) {
        let part = Array(bytes[token(bytes)])
        let count = 1 << numbers.below(9)
        guard part.count * count <= Self.longest else { return }
        let many = Array(repeatElement(part, count: count).joined())
        bytes.insert(contentsOf: many, at: boundary(bytes))
    }

    // MARK: Places

    private mutating func word() -> [UInt8] {
        if words.isEmpty || numbers.one(in: 4) {
            return Array(numbers.pick(ExtremeNumbers.all, or: "0").utf8)
        }
        let word = numbers.pick(words, or: [])
        return numbers.one(in: 2) ? word : [0x20] + word + [0x20]
    }

    private mutating func place(_ bytes: [UInt8]) -> Int { numbers.below(bytes.count + 1) }

    private mutating func range(_ bytes: [UInt8], longest: Int) -> Range<Int> {
        let start = place(bytes)
        return start..<min(bytes.count, start + 1 + numbers.below(longest))
    }

    /// A place between two tokens.
    private mutating func boundary(_ bytes: [UInt8]) -> Int { token(bytes).lowerBound }

    /// A word, a number, or a sign.
    private mutating func token(_ bytes: [UInt8]) -> Range<Int> {
        guard !bytes.isEmpty else { return 0..<0 }
        var start = numbers.below(bytes.count)
        let kind = Self.kind(bytes[start])
        var end = start + 1
        guard kind > 0 else { return start..<end }
        while start > 0, Self.kind(bytes[start - 1]) == kind { start -= 1 }
        while end < bytes.count, Self.kind(bytes[end]) == kind { end += 1 }
        return start..<end
    }

    /// 0 for signs, which stand alone.
    private static func kind(_ byte: UInt8) -> Int {
        if (byte | 0x20) &- 0x61 < 26 || byte == 0x5F { return 1 }
        return isDigit(byte) ? 2 : byte >= 0x80 ? 3 : byte <= 0x20 ? 4 : 0
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    private static func isPart(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ".") || byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E")
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
    }

    private static let interesting: [UInt8] =
        Array("\0\t\n\r \"'\\%$@#&()*+,-./:;<=>?[]^{|}~".utf8)
        + [0x7F, 0x80, 0xA0, 0xC2, 0xC3, 0xED, 0xEF, 0xF0, 0xFF]
}

/// Numbers at the ends of what a type holds, and beyond.
enum ExtremeNumbers {
    static let all: [String] = {
        var all = [
            "0", "1", "-1", "00", "007", "-0", "0.0", "1.0", "0.5", "1.5", "5.", ".5", "255", "256",
            "32767", "32768", "-32768", "-32769", "65535", "65536", "2147483647", "2147483648",
            "-2147483648", "-2147483649", "4294967295", "4294967296", "9007199254740991",
            "9007199254740993", "9223372036854775806", "9223372036854775807",
            "9223372036854775808", "-9223372036854775807", "-9223372036854775808",
            "-9223372036854775809", "18446744073709551615", "18446744073709551616",
            "9223372036854775807.5", "9223372036854775808.5", "140737488355327", "140737488355328",
            "99999999999999999999999999999999999999", "170141183460469231731687303715884105727",
            "340282366920938463463374607431768211455", "340282366920938463463374607431768211456",
            "1.2345678901234567890123456789012345678", "0.30000000000000004",
            "123456789012345678901234567890123456789012345", "1e0", "1e10", "1e-10", "1e38",
            "1e39", "1e100", "1e-100", "1e127", "1e128", "1e-127", "1e-128", "1e-129", "1e165",
            "3.4e38", "3.5e38", "1e308", "1e309", "1.7976931348623157e308", "5e-324", "2e-324",
            "1e400", "1e-400", "1e999999", "1e-999999", "0e99999", "3e18", "-3e18", "4e18", "1e19",
            "0x0", "0x7FFFFFFFFFFFFFFF", "0xFFFFFFFFFFFFFFFF", "0x10000000000000000", "0b1",
            "0o17", "0x", "1_000", "Infinity", "-Infinity", "NaN", "nan", "inf", "1e", "1e+",
        ]
        for exponent in [
            "9223372036854775807", "9223372036854775808", "-9223372036854775807",
            "-9223372036854775808", "-9223372036854775809", "2147483648", "-2147483649", "32768",
        ] {
            for digits in ["1", "10", "0.01", "1.5", "0", "123456789012345678901234567890.5"] {
                all.append("\(digits)e\(exponent)")
            }
        }
        all.append(String(repeating: "9", count: 400))
        all.append("0." + String(repeating: "0", count: 400) + "1")
        all.append("1" + String(repeating: "0", count: 400) + "e-400")
        return all
    }()
}
