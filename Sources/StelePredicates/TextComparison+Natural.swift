/// `[l]`: the natural order of names, and sort keys with that order.

extension TextComparison {
    /// Compares letters and numbers, then accents, then case, then everything else.
    func naturalOrder(_ a: Bytes, _ b: Bytes) -> Int {
        let first = Self.lettersAndNumbers(a, b)
        if first != 0 { return first }
        let marks = folding?.stripsMarks ?? false
        if !marks {
            let accents = Self.order(FoldedScalars(a, .caseOnly), FoldedScalars(b, .caseOnly))
            if accents != 0 { return accents }
        }
        if !(folding?.foldsCase ?? false) {
            let kept: CaseFolding? = marks ? .marksOnly : nil
            let cases = Self.order(
                FoldedScalars(a, kept), FoldedScalars(b, kept), CaseFolding.toggled)
            if cases != 0 { return cases }
        }
        return plainOrFoldedOrder(a, b)
    }

    private static func lettersAndNumbers(_ a: Bytes, _ b: Bytes) -> Int {
        var (x, y) = (Cursor(a), Cursor(b))
        while true {
            guard let left = x.scalar else { return y.scalar == nil ? 0 : -1 }
            guard let right = y.scalar else { return 1 }
            if isDigit(left), isDigit(right) {
                let order = numbers(&x, &y)
                if order != 0 { return order }
                continue
            }
            if left != right { return left < right ? -1 : 1 }
            x.advance()
            y.advance()
        }
    }

    private static func isDigit(_ scalar: UInt32) -> Bool { scalar &- 0x30 < 10 }

    /// Compares two runs of digits by value and skips them.
    private static func numbers(_ x: inout Cursor, _ y: inout Cursor) -> Int {
        while x.scalar == 0x30 { x.advance() }
        while y.scalar == 0x30 { y.advance() }
        var first = 0
        while true {
            switch (x.digit, y.digit) {
            case (nil, nil): return first
            case (nil, _): return -1
            case (_, nil): return 1
            case (let l?, let r?):
                if first == 0, l != r { first = l < r ? -1 : 1 }
                x.advance()
                y.advance()
            }
        }
    }

    /// The current scalar of a text, folded, and those that follow.
    private struct Cursor {
        private var rest: FoldedScalars
        private(set) var scalar: UInt32?

        init(_ text: Bytes) {
            rest = FoldedScalars(text, .both)
            scalar = rest.next()
        }

        mutating func advance() { scalar = rest.next() }

        var digit: UInt32? { scalar.flatMap { isDigit($0) ? $0 : nil } }
    }

    /// A text whose order by scalar is the order of these options.
    ///
    /// For `[c]` and `[d]` it is the folded text; for `[l]` it is a key with several parts.
    public static func fold(_ text: String, options: ComparisonOptions) -> String {
        let comparison = TextComparison(options)
        guard comparison.isNatural else { return folded(text, comparison.folding) }
        var key = escaped(numberKey(text))
        let marks = comparison.folding?.stripsMarks ?? false
        if !marks { key += "\u{1}" + escaped(folded(text, .caseOnly)) }
        if !(comparison.folding?.foldsCase ?? false) {
            key += "\u{1}" + escaped(folded(text, marks ? .marksOnly : nil, CaseFolding.toggled))
        }
        return key + "\u{1}" + folded(text, comparison.folding)
    }

    /// A part of a key, in which all scalars are above U+0001, which ends it.
    private static func escaped(_ part: String) -> String {
        guard part.utf8.contains(where: { $0 < 3 }) else { return part }
        var result = String.UnicodeScalarView()
        for scalar in part.unicodeScalars {
            guard scalar.value < 3 else {
                result.append(scalar)
                continue
            }
            result.append("\u{2}")
            result.append(Unicode.Scalar(UInt8(scalar.value + 1)))
        }
        return String(result)
    }

    private static func folded(
        _ text: String, _ folding: CaseFolding?, _ map: ((UInt32) -> UInt32)? = nil
    ) -> String {
        if folding == nil, map == nil { return text }
        return withText(text) { bytes in
            var scalars = FoldedScalars(bytes, folding)
            var result = String.UnicodeScalarView()
            while let next = scalars.next() {
                let value = map?(next) ?? next
                result.append(Unicode.Scalar(value) ?? "\u{FFFD}")
            }
            return String(result)
        }
    }

    /// Replaces a run of digits by 0, its length and the digits, so that longer runs sort later.
    private static func numberKey(_ text: String) -> String {
        withText(text) { bytes in
            var scalars = FoldedScalars(bytes, .both)
            var result = String.UnicodeScalarView()
            var run: [Unicode.Scalar]?
            func close() {
                guard let digits = run else { return }
                result.append("0")
                var left = digits.count
                while left >= 0xC000 {
                    result.append("\u{D000}")
                    left -= 0xC000
                }
                result.append(Unicode.Scalar(UInt32(0x100 + left)) ?? "\u{100}")
                for digit in digits { result.append(digit) }
                run = nil
            }
            while let value = scalars.next() {
                let scalar = Unicode.Scalar(value) ?? "\u{FFFD}"
                if isDigit(value) {
                    if run == nil { run = [] }
                    if value != 0x30 || run?.isEmpty == false { run?.append(scalar) }
                } else {
                    close()
                    result.append(scalar)
                }
            }
            close()
            return String(result)
        }
    }
}

/// Calls `body` with the text's UTF-8 bytes, without copying contiguous text.
@inline(__always)
func withText<T>(_ text: String, _ body: (UnsafeBufferPointer<UInt8>) -> T) -> T {
    if let result = text.utf8.withContiguousStorageIfAvailable(body) { return result }
    var copy = text
    return copy.withUTF8(body)
}

extension TextComparison {
    /// Whether two texts are equal under the options.
    public func equal(_ a: String, _ b: String) -> Bool {
        withText(a) { x in withText(b) { y in equal(x, y) } }
    }

    /// The order of two texts: negative, 0 or positive.
    public func order(_ a: String, _ b: String) -> Int {
        withText(a) { x in withText(b) { y in order(x, y) } }
    }

    /// Whether the text begins with the prefix; false for an empty prefix.
    public func beginsWith(_ text: String, _ prefix: String) -> Bool {
        withText(text) { x in withText(prefix) { y in beginsWith(x, y) } }
    }

    /// Whether the text ends with the suffix; false for an empty suffix.
    public func endsWith(_ text: String, _ suffix: String) -> Bool {
        withText(text) { x in withText(suffix) { y in endsWith(x, y) } }
    }

    /// Whether the text contains the part; false for an empty part.
    public func contains(_ text: String, _ part: String) -> Bool {
        withText(text) { x in withText(part) { y in contains(x, y) } }
    }

    /// Whether the whole text matches a pattern of LIKE.
    ///
    /// - Throws: `PredicateError` as for bytes.
    public func like(_ text: String, _ pattern: String) throws(PredicateError) -> Bool {
        try withBytes(of: text) { x throws(PredicateError) in
            try withBytes(of: pattern) { y throws(PredicateError) in try like(x, y) }
        }
    }
}
