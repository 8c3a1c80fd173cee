/// Fast paths for ASCII, without decoding, tables or allocation.

extension TextComparison {
    @inline(__always)
    static func lower(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

    static func isASCII(_ bytes: Bytes) -> Bool {
        var seen: UInt8 = 0
        for byte in bytes { seen |= byte }
        return seen < 0x80
    }

    /// Whether an ASCII part occurs in the text; nil if that takes a comparison of scalars. A match
    /// among ASCII bytes is always a match, because each folds to one scalar.
    func asciiContains(_ text: Bytes, _ part: Bytes, _ folding: CaseFolding) -> Bool? {
        let foldsCase = folding.foldsCase
        guard let start = text.baseAddress, let wanted = part.baseAddress, Self.isASCII(part)
        else { return nil }
        let first = foldsCase ? Self.lower(wanted[0]) : wanted[0]
        let mask: UInt8 = foldsCase && first &- 0x61 < 26 ? 0x20 : 0
        let places = text.count - part.count
        var seen: UInt8 = 0
        var index = 0
        while index <= places {
            let byte = start[index]
            seen |= byte
            if byte | mask == first {
                var length = 1
                while length < part.count {
                    let (a, b) = (start[index + length], wanted[length])
                    guard a == b || foldsCase && Self.lower(a) == Self.lower(b) else { break }
                    length += 1
                }
                if length == part.count { return true }
            }
            index += 1
        }
        while index < text.count {
            seen |= start[index]
            index += 1
        }
        if seen < 0x80 { return false }
        return folding == .caseOnly && !Self.mayFoldToASCII(text) ? false : nil
    }

    /// Whether the text may contain a non-ASCII scalar whose case folding contains ASCII: ß, ŉ, ſ,
    /// ǰ, İ, and whole blocks that contain others.
    static func mayFoldToASCII(_ text: Bytes) -> Bool {
        for index in text.indices where text[index] >= 0xC3 {
            let next = index + 1 < text.count ? text[index + 1] : 0
            switch text[index] {
            case 0xC3: if next == 0x9F { return true }
            case 0xC4: if next == 0xB0 { return true }
            case 0xC5: if next == 0x89 || next == 0xBF { return true }
            case 0xC7: if next == 0xB0 { return true }
            case 0xE1: if next == 0xBA { return true }
            case 0xE2: if next == 0x84 { return true }
            case 0xEF: if next == 0xAC { return true }
            default: break
            }
        }
        return false
    }

    /// The kind of a LIKE pattern with ASCII text and no wildcards but `*` at its ends.
    package enum LikeShape { case contains, begins, ends }

    package static func likeShape(_ pattern: Bytes) -> (LikeShape, Bytes)? {
        guard let first = pattern.first, let last = pattern.last, pattern.count > 1 else {
            return nil
        }
        let star = UInt8(ascii: "*")
        let inner = pattern[(first == star ? 1 : 0)..<(pattern.count - (last == star ? 1 : 0))]
        guard !inner.isEmpty, first == star || last == star else { return nil }
        for byte in inner {
            if byte >= 0x80 || byte == star || byte == UInt8(ascii: "?")
                || byte == UInt8(ascii: "\\")
            {
                return nil
            }
        }
        let shape: LikeShape = first != star ? .begins : last != star ? .ends : .contains
        return (shape, Bytes(rebasing: inner))
    }

    /// Whether the text begins with an ASCII prefix; nil as for `asciiContains`.
    func asciiBegins(_ text: Bytes, _ prefix: Bytes, _ foldsCase: Bool) -> Bool? {
        for index in 0..<prefix.count {
            let wanted = prefix[index]
            guard wanted < 0x80 else { return nil }
            guard index < text.count else { return false }
            let byte = text[index]
            guard byte < 0x80 else { return nil }
            if byte != wanted, !foldsCase || Self.lower(byte) != Self.lower(wanted) {
                // The rest of the prefix does not matter.
                return false
            }
        }
        return true
    }

    /// Whether the text ends with an ASCII suffix; nil as for `asciiContains`.
    func asciiEnds(_ text: Bytes, _ suffix: Bytes, _ foldsCase: Bool) -> Bool? {
        var differs = false
        for offset in 1...max(1, suffix.count) {
            guard offset <= text.count else { return differs || Self.isASCII(suffix) ? false : nil }
            let (byte, wanted) = (text[text.count - offset], suffix[suffix.count - offset])
            guard (byte | wanted) < 0x80 else { return nil }
            if byte != wanted, !foldsCase || Self.lower(byte) != Self.lower(wanted) {
                differs = true
                break
            }
        }
        // Other scalars in the rest of the suffix may fold to nothing.
        return differs ? (Self.isASCII(suffix) ? false : nil) : true
    }

    /// Whether an ASCII text matches an ASCII pattern of LIKE; nil if one of them is not ASCII.
    func asciiLike(
        _ text: Bytes, _ pattern: Bytes, _ foldsCase: Bool
    ) throws(PredicateError) -> Bool? {
        guard Self.isASCII(text), Self.isASCII(pattern) else { return nil }
        var steps = LikeSteps(text, pattern)
        var (index, place) = (0, 0)
        // The place after the last `*`, and the text that it has not consumed.
        var retry: (place: Int, index: Int)?
        while true {
            try steps.take()
            var isTaken = false
            if place < pattern.count {
                var wanted = pattern[place]
                var width = 1
                if wanted == UInt8(ascii: "*") {
                    place += 1
                    if place == pattern.count { return true }
                    retry = (place, index)
                    continue
                }
                let isAny = wanted == UInt8(ascii: "?")
                if wanted == UInt8(ascii: "\\"), place + 1 < pattern.count {
                    wanted = pattern[place + 1]
                    width = 2
                }
                if index < text.count {
                    let byte = text[index]
                    isTaken =
                        isAny || byte == wanted
                        || foldsCase && Self.lower(byte) == Self.lower(wanted)
                    if isTaken {
                        index += 1
                        place += width
                    }
                }
            } else if index == text.count {
                return true
            }
            if isTaken { continue }
            guard let last = retry, last.index < text.count else { return false }
            index = last.index + 1
            place = last.place
            retry = (place, index)
        }
    }
}
