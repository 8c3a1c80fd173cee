/// The same condition with other constants: what a store that keeps what it made of the first is
/// asked next.

import SteleModel
import TestSupport

/// Replaces the numbers and quoted texts of a predicate by others of their kind.
struct OtherLiterals {
    var numbers: SeededNumbers

    private static let integers = [
        "0", "1", "2", "3", "4", "5", "7", "10", "32767", "2147483648", "9223372036854775807",
        "9223372036854775808", "9007199254740993",
    ]
    private static let fractions = [
        "0.5", "1.5", "0.1", "2.50", "1.25", "0.3", "99.99", "1e308", "5e-324", "0.0", "1.0",
        "0.30000000000000001", "1e16", "86400.0",
    ]
    private static let types: Set<String> = [
        "NSDate", "NSNumber", "NSDecimalNumber", "NSString", "NSUUID",
    ]

    mutating func changed(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            let start = index
            if bytes[index] == UInt8(ascii: "\"") {
                index += 1
                while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
                    index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
                }
                index += 1
                result += self.text(String(decoding: bytes[start..<index], as: UTF8.self)).utf8
            } else if Self.isDigit(bytes[index]) {
                while index < bytes.count, Self.isOfNumber(bytes, index) { index += 1 }
                result += number(String(decoding: bytes[start..<index], as: UTF8.self)).utf8
            } else {
                // A word with its digits, or one sign.
                let isWord = Self.isWord(bytes[index])
                index += 1
                while isWord, index < bytes.count,
                    Self.isWord(bytes[index]) || Self.isDigit(bytes[index])
                { index += 1 }
                result += bytes[start..<index]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    private static func isWord(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- 0x61 < 26 || byte == UInt8(ascii: "_") || byte >= 0x80
    }

    private static func isOfNumber(_ bytes: [UInt8], _ index: Int) -> Bool {
        let byte = bytes[index]
        if isDigit(byte) || isWord(byte) { return true }
        if byte == UInt8(ascii: ".") {
            return bytes.indices.contains(index + 1) && isDigit(bytes[index + 1])
        }
        return (byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+"))
            && bytes[index - 1] | 0x20 == UInt8(ascii: "e") && isDigit(bytes[index - 2])
    }

    /// Another number, and now and then the same.
    private mutating func number(_ old: String) -> String {
        if numbers.one(in: 4) || old.hasPrefix("0x") || old.hasPrefix("0o") || old.hasPrefix("0b") {
            return old
        }
        return old.contains { $0 == "." || $0 == "e" }
            ? numbers.pick(Self.fractions, or: old) : numbers.pick(Self.integers, or: old)
    }

    private mutating func text(_ old: String) -> String {
        let inner = String(old.dropFirst().dropLast())
        if numbers.one(in: 4) || Self.types.contains(inner) || inner.hasPrefix("/") { return old }
        if SampleValues.uuids.contains(inner) {
            return "\"\(numbers.pick(SampleValues.uuids, or: inner))\""
        }
        if SampleValues.isoDates.contains(inner) {
            // A day that does not exist is to be refused, the second time, too.
            return "\"\(numbers.pick(SampleValues.isoDates + ["2001-02-30"], or: inner))\""
        }
        let isPattern =
            SampleValues.patterns.contains(inner) && inner.contains { "*?".contains($0) }
        return PredicateMaker.quoted(
            numbers.pick(isPattern ? SampleValues.patterns : SampleValues.texts, or: inner))
    }
}
