import SteleModel

/// Reads tokens from UTF-8 bytes, one at a time, without allocating. The owner keeps the bytes
/// alive.
struct Lexer {
    let bytes: UnsafeBufferPointer<UInt8>
    private(set) var index: Int
    let end: Int

    init(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int) {
        self.bytes = bytes
        self.end = end
        index = start
    }

    @inline(__always)
    private func peek(_ ahead: Int = 0) -> UInt8 {
        index + ahead < end ? bytes[index + ahead] : 0
    }

    @inline(__always)
    private mutating func sign(_ kind: Token.Kind, _ length: Int) -> Token {
        let start = index
        index += length
        return Token(kind: kind, start: start, end: index, place: start)
    }

    mutating func next() -> Token {
        skipSpace()
        guard index < end else { return Token(kind: .end, start: end, end: end, place: end) }
        let byte = bytes[index]
        if Self.isLetter(byte) {
            guard byte >= 0x80 else { return word() }
            let (scalar, length) = scalar()
            return Identifier.canBegin(scalar) ? word() : sign(.invalid, length)
        }
        if Self.isDigit(byte) { return number() }
        if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") { return text(quote: byte) }
        return mark(byte)
    }

    @inline(__always)
    private static func each(_ byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }

    private mutating func skipSpace() {
        while index < end {
            let byte = bytes[index]
            if byte == 0x20 || byte &- 0x09 < 5 {
                index += 1
            } else if byte == 0xC2, peek(1) == 0xA0 {
                index += 2
            } else {
                return
            }
        }
    }

    @inline(__always)
    static func isLetter(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- 0x61 < 26 || byte == 0x5F || byte >= 0x80
    }

    /// Whether the byte is an ASCII letter or `_`.
    @inline(__always)
    private static func isPlain(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- 0x61 < 26 || byte == 0x5F
    }

    @inline(__always)
    static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    private mutating func skipWord() {
        var place = index
        while place < end {
            let byte = bytes[place]
            guard byte < 0x80 else {
                index = place
                let (scalar, length) = scalar()
                guard Identifier.canContinue(scalar) else { return }
                place += length
                continue
            }
            guard Self.isPlain(byte) || Self.isDigit(byte) else { break }
            place += 1
        }
        index = place
    }

    /// The multibyte scalar at `index`, and its length in bytes.
    private func scalar() -> (Unicode.Scalar, length: Int) {
        let first = bytes[index]
        let length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        var value = UInt32(first) & (0x7F >> UInt32(length))
        for ahead in 1..<length { value = value << 6 | UInt32(peek(ahead) & 0x3F) }
        return (Unicode.Scalar(value) ?? "\u{FFFD}", min(length, end - index))
    }

    private mutating func word() -> Token {
        let start = index
        skipWord()
        let kind = Keywords.kind(of: bytes, from: start, to: index)
        if kind == .identifier, index - start == 3, peek() == UInt8(ascii: "-"),
            let uti = identifierOperator(start)
        {
            return uti
        }
        return Token(kind: kind, start: start, end: index, place: start)
    }

    /// Reads UTI-CONFORMS-TO or UTI-EQUALS, the only words that contain signs.
    private mutating func identifierOperator(_ start: Int) -> Token? {
        let words: [(StaticString, Token.Kind)] = [
            ("uti-conforms-to", .utiConformsTo), ("uti-equals", .utiEquals),
        ]
        for (word, kind) in words where start + word.utf8CodeUnitCount <= end {
            let length = word.utf8CodeUnitCount
            let same = (0..<length).allSatisfy {
                bytes[start + $0] == word.utf8Start[$0]
                    || bytes[start + $0] | 0x20 == word.utf8Start[$0]
            }
            guard same else { continue }
            index = start + length
            return Token(kind: kind, start: start, end: index, place: start)
        }
        return nil
    }

    /// Reads `#word`, `$name` or `@name`. The sign alone is invalid; `#$name` is a key that begins
    /// with `$`.
    private mutating func prefixed(_ kind: Token.Kind) -> Token {
        let place = index
        index += kind == .identifier && peek(1) == UInt8(ascii: "$") ? 2 : 1
        guard index < end, Self.isLetter(bytes[index]),
            bytes[index] < 0x80 || Identifier.canBegin(scalar().0)
        else {
            return Token(kind: .invalid, start: place, end: index, place: place)
        }
        skipWord()
        let start = kind == .atName ? place : place + 1
        return Token(kind: kind, start: start, end: index, place: place)
    }

    private mutating func number() -> Token {
        let start = index
        skipDigits()
        // Most numbers contain only digits.
        let after = peek()
        if after != UInt8(ascii: "."), !Self.isLetter(after) {
            return Token(kind: .integer, start: start, end: index, place: start)
        }
        index = start
        var kind = Token.Kind.integer
        let second = peek(1) | 0x20
        if peek() == 0x30, second == 0x78 || second == 0x6F || second == 0x62 {
            kind = .radix
            index += 2
            skipWord()
            return Token(kind: kind, start: start, end: index, place: start)
        }
        skipDigits()
        if peek() == UInt8(ascii: "."), Self.isDigit(peek(1)) {
            kind = .fixedPoint
            index += 1
            skipDigits()
        }
        if peek() | 0x20 == UInt8(ascii: "e") {
            let signed = peek(1) == UInt8(ascii: "-") || peek(1) == UInt8(ascii: "+")
            if Self.isDigit(peek(signed ? 2 : 1)) {
                kind = .fixedPoint
                index += signed ? 2 : 1
                skipDigits()
            }
        }
        if index < end, Self.isLetter(bytes[index]),
            bytes[index] < 0x80 || Identifier.canContinue(scalar().0)
        {
            skipWord()
            kind = .invalidNumber
        }
        return Token(kind: kind, start: start, end: index, place: start)
    }

    private mutating func skipDigits() {
        var place = index
        while place < end, Self.isDigit(bytes[place]) { place += 1 }
        index = place
    }

    private mutating func text(quote: UInt8) -> Token {
        let place = index
        var kind = Token.Kind.text
        var next = quoteOrBackslash(quote, from: place + 1)
        while next < end {
            if bytes[next] == quote {
                index = next + 1
                return Token(kind: kind, start: place + 1, end: next, place: place)
            }
            kind = .escapedText
            next = quoteOrBackslash(quote, from: next + 2)
        }
        index = end
        return Token(kind: .unterminatedText, start: place, end: end, place: place)
    }

    /// The index of the next quote or backslash; `end` or greater if there is none.
    private func quoteOrBackslash(_ quote: UInt8, from start: Int) -> Int {
        var place = start
        while end - place >= 8 {
            let eight = UnsafeRawBufferPointer(bytes).loadUnaligned(
                fromByteOffset: place, as: UInt64.self)
            let word = UInt64(littleEndian: eight)
            let marks =
                Self.zeros(word ^ Self.each(quote))
                | Self.zeros(word ^ Self.each(UInt8(ascii: "\\")))
            if marks != 0 { return place + marks.trailingZeroBitCount / 8 }
            place += 8
        }
        while place < end, bytes[place] != quote, bytes[place] != UInt8(ascii: "\\") { place += 1 }
        return place
    }

    /// The highest bit of the first byte that is 0. Higher bits of the result are undefined.
    @inline(__always)
    private static func zeros(_ bytes: UInt64) -> UInt64 {
        (bytes &- 0x0101_0101_0101_0101) & ~bytes & 0x8080_8080_8080_8080
    }

    private mutating func mark(_ byte: UInt8) -> Token {
        let second = peek(1)
        switch byte {
        case UInt8(ascii: "("): return sign(.leftParenthesis, 1)
        case UInt8(ascii: ")"): return sign(.rightParenthesis, 1)
        case UInt8(ascii: "{"): return sign(.leftBrace, 1)
        case UInt8(ascii: "}"): return sign(.rightBrace, 1)
        case UInt8(ascii: "["): return sign(.leftBracket, 1)
        case UInt8(ascii: "]"): return sign(.rightBracket, 1)
        case UInt8(ascii: ","): return sign(.comma, 1)
        case UInt8(ascii: "+"): return sign(.plus, 1)
        case UInt8(ascii: "-"): return sign(.dash, 1)
        case UInt8(ascii: "/"): return sign(.slash, 1)
        case UInt8(ascii: "^"): return sign(.caret, 1)
        case UInt8(ascii: "~"): return sign(.tilde, 1)
        case UInt8(ascii: "%"): return specifier()
        case UInt8(ascii: "#"): return prefixed(.identifier)
        case UInt8(ascii: "$"): return prefixed(.variable)
        case UInt8(ascii: "@"): return prefixed(.atName)
        case UInt8(ascii: "."): return Self.isDigit(second) ? number() : sign(.dot, 1)
        default: return doubledMark(byte, second)
        }
    }

    /// Signs whose meaning depends on the following sign.
    private mutating func doubledMark(_ byte: UInt8, _ second: UInt8) -> Token {
        switch (byte, second) {
        case (UInt8(ascii: "="), UInt8(ascii: "=")): sign(.equal, 2)
        case (UInt8(ascii: "="), UInt8(ascii: "<")): sign(.lessOrEqual, 2)
        case (UInt8(ascii: "="), UInt8(ascii: ">")): sign(.greaterOrEqual, 2)
        case (UInt8(ascii: "="), _): sign(.equal, 1)
        case (UInt8(ascii: "!"), UInt8(ascii: "=")): sign(.notEqual, 2)
        case (UInt8(ascii: "!"), _): sign(.bang, 1)
        case (UInt8(ascii: "<"), UInt8(ascii: ">")): sign(.notEqual, 2)
        case (UInt8(ascii: "<"), UInt8(ascii: "=")): sign(.lessOrEqual, 2)
        case (UInt8(ascii: "<"), UInt8(ascii: "<")): sign(.shiftLeft, 2)
        case (UInt8(ascii: "<"), _): sign(.less, 1)
        case (UInt8(ascii: ">"), UInt8(ascii: "=")): sign(.greaterOrEqual, 2)
        case (UInt8(ascii: ">"), UInt8(ascii: ">")): sign(.shiftRight, 2)
        case (UInt8(ascii: ">"), _): sign(.greater, 1)
        case (UInt8(ascii: "&"), UInt8(ascii: "&")): sign(.and, 2)
        case (UInt8(ascii: "&"), _): sign(.ampersand, 1)
        case (UInt8(ascii: "|"), UInt8(ascii: "|")): sign(.or, 2)
        case (UInt8(ascii: "|"), _): sign(.bar, 1)
        case (UInt8(ascii: "*"), UInt8(ascii: "*")): sign(.power, 2)
        case (UInt8(ascii: "*"), _): sign(.star, 1)
        case (UInt8(ascii: ":"), UInt8(ascii: "=")): sign(.assign, 2)
        case (UInt8(ascii: ":"), _): sign(.colon, 1)
        default: sign(.invalid, 1)
        }
    }

    /// Reads `%@`, `%K` or a specifier of printf, with its length modifier.
    private mutating func specifier() -> Token {
        let start = index
        index += 1
        while index < end, "hlqz".utf8.contains(bytes[index]) { index += 1 }
        let last = index < end ? bytes[index] : 0
        if Self.isLetter(last) || last == UInt8(ascii: "@") || last == UInt8(ascii: "%") {
            index += 1
        }
        return Token(kind: .percent, start: start, end: index, place: start)
    }
}
