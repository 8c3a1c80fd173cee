/// Parses literals and the arguments of format specifiers.

import SteleModel

/// An argument of `Predicate(format:arguments:)`.
public enum FormatArgument: Sendable, Hashable {
    /// A value for `%@`, `%d` and similar specifiers.
    case value(Value)
    /// A list of values for `%@`.
    case values([Value])
    /// A key path for `%K`, such as `team.name`.
    case keyPath(String)
}

extension PredicateParser {
    // MARK: Numbers

    /// The value of the number token, as `NumberLiteral.value` gives it.
    mutating func number(negative: Bool) throws(PredicateError) -> Value {
        let place = token
        guard let value = NumberLiteral(lexer.bytes, place, negative).value else {
            throw error(
                .syntax, "\(near(place)) is out of the range of numbers", expected: "a number")
        }
        advance()
        return value
    }

    // MARK: Text

    mutating func string() throws(PredicateError) -> String {
        let place = token
        let value: String
        if place.kind == .text {
            value = text(of: place)
            if lexer.bytes[place.start..<place.end].contains(0) { throw nullCharacter(place) }
        } else {
            value = try unescaped(place)
        }
        advance()
        return value
    }

    private func nullCharacter(_ place: Token) -> PredicateError {
        error(.syntax, "text cannot hold U+0000", at: place)
    }

    private func unescaped(_ place: Token) throws(PredicateError) -> String {
        // Bytes: appending to a view of scalars counts those that it has.
        var text: [UInt8] = []
        text.reserveCapacity(place.end - place.start)
        var plain = place.start
        var index = place.start
        while index < place.end {
            let byte = lexer.bytes[index]
            if byte == 0 { throw nullCharacter(place) }
            guard byte == UInt8(ascii: "\\") else {
                index += 1
                continue
            }
            text.append(contentsOf: lexer.bytes[plain..<index])
            index += 1
            if let scalar = try escape(&index, place), let bytes = UTF8.encode(scalar) {
                text.append(contentsOf: bytes)
            }
            plain = index
        }
        text.append(contentsOf: lexer.bytes[plain..<place.end])
        return String(decoding: text, as: UTF8.self)
    }

    /// The scalar that an escape sequence represents; nil if the character after `\` stands for
    /// itself and is not ASCII.
    private func escape(
        _ index: inout Int, _ place: Token
    ) throws(PredicateError) -> Unicode.Scalar? {
        guard index < place.end else { return nil }
        let byte = lexer.bytes[index]
        if byte >= 0x80 { return nil }
        index += 1
        switch byte {
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "a"): return "\u{07}"
        case UInt8(ascii: "b"): return "\u{08}"
        case UInt8(ascii: "f"): return "\u{0C}"
        case UInt8(ascii: "v"): return "\u{0B}"
        case 0x30...0x37:
            index -= 1
            return try scalar(digits(&index, place, most: 3, radix: 8), place)
        case UInt8(ascii: "x"), UInt8(ascii: "X"):
            return try scalar(digits(&index, place, most: 2, radix: 16), place)
        case UInt8(ascii: "u"), UInt8(ascii: "U"):
            return try fourDigits(&index, place)
        default: return try scalar(UInt32(byte), place)
        }
    }

    /// Parses `\uHHHH`, or two of them for a surrogate pair.
    private func fourDigits(
        _ index: inout Int, _ place: Token
    ) throws(PredicateError) -> Unicode.Scalar {
        let first = digits(&index, place, most: 4, radix: 16)
        guard let first, first & 0xFC00 == 0xD800, index + 1 < place.end,
            lexer.bytes[index] == UInt8(ascii: "\\"),
            lexer.bytes[index + 1] | 0x20 == UInt8(ascii: "u")
        else { return try scalar(first, place) }
        index += 2
        guard let second = digits(&index, place, most: 4, radix: 16), second & 0xFC00 == 0xDC00
        else { return try scalar(first, place) }
        return try scalar(0x10000 + (first & 0x3FF) << 10 + second & 0x3FF, place)
    }

    private func digits(_ index: inout Int, _ place: Token, most: Int, radix: Int) -> UInt32? {
        let start = index
        var value: UInt32 = 0
        while index < place.end, index - start < most,
            let digit = Character(Unicode.Scalar(lexer.bytes[index])).hexDigitValue, digit < radix
        {
            value = value * UInt32(radix) + UInt32(digit)
            index += 1
        }
        return index == start ? nil : value
    }

    private func scalar(_ value: UInt32?, _ place: Token) throws(PredicateError) -> Unicode.Scalar {
        guard let value else {
            throw error(
                .syntax, "an escape sequence has no digits", hint: "write \\\\ for a backslash",
                at: place)
        }
        if value == 0 { throw nullCharacter(place) }
        guard let scalar = Unicode.Scalar(value) else {
            throw error(.syntax, "an escape sequence is half of a surrogate pair", at: place)
        }
        return scalar
    }

    // MARK: Arguments

    mutating func argument() throws(PredicateError) -> Node {
        let written = near(token)
        guard let given = arguments.first else {
            throw error(
                .syntax, "there is no argument for \(written)",
                hint: "write the value itself, or $NAME and its value as var.NAME")
        }
        let isKey = written == "%K"
        switch (given, isKey) {
        case (.keyPath(let path), true), (.value(.string(let path)), true):
            let keys = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard keys.allSatisfy(Self.isKey), keys.count <= PredicateLimits.keyPathLength else {
                throw error(
                    .syntax, "\(path.prefix(60)) is not a key path",
                    hint: "keys are letters, digits and _, separated by dots")
            }
            arguments.removeFirst()
            advance()
            return Node(.keyPath(.evaluatedObject, keys))
        case (.value(let value), false) where written != "%%":
            arguments.removeFirst()
            return literal(value)
        case (.values(let values), false) where written == "%@":
            arguments.removeFirst()
            advance()
            return Node(.aggregate(values.map { .constant($0) }), depth: 2)
        default:
            throw error(.syntax, "the argument given does not go with \(written)")
        }
    }

    /// Whether a key path can contain the key: an identifier, or an identifier after `@` or `$`.
    private static func isKey(_ key: String) -> Bool {
        let signs: [Unicode.Scalar] = ["@", "$"]
        let scalars = key.unicodeScalars
        let name = scalars.first.map(signs.contains) ?? false ? scalars.dropFirst() : scalars[...]
        return (name.first.map(Identifier.canBegin) ?? false)
            && name.dropFirst().allSatisfy(Identifier.canContinue)
    }
}
