/// A token of the format language, as ranges of bytes in the text.
struct Token {
    var kind: Kind
    /// The first byte of the content, without `#`, `$` or the opening quote.
    var start: Int
    /// The byte after the content, without the closing quote.
    var end: Int
    /// The first byte of the token as written.
    var place: Int

    enum Kind: UInt8 {
        case end, invalid, unterminatedText
        case identifier, variable, atName
        case integer, fixedPoint, radix, invalidNumber
        case text, escapedText
        // Words.
        case and, or, not, any, some, all, none
        case like, matches, contains, beginsWith, endsWith, between, `in`
        case utiConformsTo, utiEquals, caseInsensitive
        case null, `self`, yes, no, first, last, size, anyKey
        case subquery, cast, fetch, function, ternary, truePredicate, falsePredicate
        case union, intersect, minus
        // Signs.
        case leftParenthesis, rightParenthesis, leftBrace, rightBrace, leftBracket, rightBracket
        case comma, dot, colon, assign, percent
        case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
        case bang, ampersand, bar, caret, shiftLeft, shiftRight, tilde
        case plus, dash, star, power, slash

        /// Whether it is a reserved word.
        @inline(__always)
        var isWord: Bool { rawValue >= Kind.and.rawValue && rawValue <= Kind.minus.rawValue }
    }
}

/// The reserved words by length and first letter, so that most identifiers are compared with none.
enum Keywords {
    private static let table: [[(word: StaticString, kind: Token.Kind)]] = {
        var table = [[(word: StaticString, kind: Token.Kind)]](repeating: [], count: 16 * 32)
        for entry in all {
            table[place(entry.word.utf8CodeUnitCount, entry.word.utf8Start[0])].append(entry)
        }
        return table
    }()

    /// The index of words with a length below 16 and a first letter.
    private static func place(_ length: Int, _ initial: UInt8) -> Int {
        length * 32 + Int(initial & 31)
    }

    static let all: [(word: StaticString, kind: Token.Kind)] = [
        ("and", .and), ("or", .or), ("not", .not), ("any", .any), ("some", .some), ("all", .all),
        ("none", .none), ("like", .like), ("matches", .matches), ("contains", .contains),
        ("beginswith", .beginsWith), ("endswith", .endsWith), ("between", .between), ("in", .in),
        ("caseinsensitive", .caseInsensitive), ("ci", .caseInsensitive), ("null", .null),
        ("nil", .null), ("self", .self), ("true", .yes), ("yes", .yes), ("false", .no), ("no", .no),
        ("first", .first), ("last", .last), ("size", .size), ("anykey", .anyKey),
        ("subquery", .subquery), ("cast", .cast), ("fetch", .fetch), ("function", .function),
        ("ternary", .ternary), ("truepredicate", .truePredicate),
        ("falsepredicate", .falsePredicate), ("union", .union), ("intersect", .intersect),
        ("minus", .minus),
    ]

    /// The reserved word in a range of bytes, ignoring case; otherwise `identifier`.
    static func kind(of bytes: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int)
        -> Token.Kind
    {
        let length = end - start
        guard length >= 2, length < 16 else { return .identifier }
        let initial = bytes[start] | 0x20
        for entry in table[place(length, initial)] where entry.word.utf8Start[0] == initial {
            var offset = 1
            while offset < length, bytes[start + offset] | 0x20 == entry.word.utf8Start[offset] {
                offset += 1
            }
            if offset == length { return entry.kind }
        }
        return .identifier
    }

    /// Whether the key must be written as `#key`.
    static func isReserved(_ key: String) -> Bool {
        var key = key
        return key.withUTF8 { kind(of: $0, from: 0, to: $0.count) != .identifier }
    }
}
