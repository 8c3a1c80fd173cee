import Glibc
import SteleModel

/// Compares text by Unicode scalar, or as the options `[c]`, `[d]` and `[l]` define. Predicates,
/// sorting and SQL functions all use it.
///
/// All functions accept UTF-8 bytes, for SQL functions; ASCII is compared without allocation. `[c]`
/// is Unicode case folding, `[d]` removes nonspacing marks after canonical decomposition, `[n]`
/// overrides both. `[l]` affects only `order`: numbers by value, then letters, accents and case
/// (lowercase first), each if the previous are equal.
public struct TextComparison: Sendable {
    let folding: CaseFolding?
    let isNatural: Bool
    private let options: ComparisonOptions

    /// Creates a comparison with the given options.
    public init(_ options: ComparisonOptions = []) {
        var options = options
        if options.contains(.normalized) { options = [] }
        self.options = options
        isNatural = options.contains(.localeSensitive)
        switch (options.contains(.caseInsensitive), options.contains(.diacriticInsensitive)) {
        case (false, false): folding = nil
        case (true, false): folding = .caseOnly
        case (false, true): folding = .marksOnly
        case (true, true): folding = .both
        }
    }

    /// UTF-8 bytes.
    public typealias Bytes = UnsafeBufferPointer<UInt8>

    // MARK: Equality and order

    /// Whether two texts are equal under the options.
    public func equal(_ a: Bytes, _ b: Bytes) -> Bool {
        guard folding != nil else { return a.count == b.count && Self.same(a, b, a.count) }
        return foldedOrder(a, b) == 0
    }

    /// The order of two texts: negative if `a` precedes `b`, positive if it follows, 0 if they are
    /// equal.
    public func order(_ a: Bytes, _ b: Bytes) -> Int {
        if isNatural { return naturalOrder(a, b) }
        return plainOrFoldedOrder(a, b)
    }

    func plainOrFoldedOrder(_ a: Bytes, _ b: Bytes) -> Int {
        folding == nil ? Self.plainOrder(a, b) : foldedOrder(a, b)
    }

    static func plainOrder(_ a: Bytes, _ b: Bytes) -> Int {
        let common = min(a.count, b.count)
        if common > 0, let x = a.baseAddress, let y = b.baseAddress {
            let difference = memcmp(x, y, common)
            if difference != 0 { return Int(difference) }
        }
        return a.count - b.count
    }

    private static func same(_ a: Bytes, _ b: Bytes, _ count: Int, from start: Int = 0) -> Bool {
        guard count > 0, let x = a.baseAddress, let y = b.baseAddress else { return true }
        return memcmp(x + start, y, count) == 0
    }

    private func foldedOrder(_ a: Bytes, _ b: Bytes) -> Int {
        var start = 0
        let common = min(a.count, b.count)
        let foldsCase = folding?.foldsCase ?? false
        // ASCII bytes are scalars of their own.
        while start < common {
            var (x, y) = (a[start], b[start])
            if (x | y) >= 0x80 { break }
            if foldsCase {
                (x, y) = (Self.lower(x), Self.lower(y))
            }
            if x != y {
                // A following mark may fold to nothing, but this scalar differs already.
                return Int(x) - Int(y)
            }
            start += 1
        }
        return Self.order(
            FoldedScalars(a, from: start, folding), FoldedScalars(b, from: start, folding))
    }

    static func order(
        _ a: FoldedScalars, _ b: FoldedScalars, _ map: (UInt32) -> UInt32 = { $0 }
    ) -> Int {
        var (a, b) = (a, b)
        while true {
            switch (a.next(), b.next()) {
            case (nil, nil): return 0
            case (nil, _): return -1
            case (_, nil): return 1
            case (let x?, let y?):
                if x == y { continue }
                // The map may make them equal, such as K and the Kelvin sign.
                let (left, right) = (map(x), map(y))
                if left != right { return left < right ? -1 : 1 }
            }
        }
    }

    // MARK: Parts

    /// Whether the text begins with the prefix; false for an empty prefix.
    public func beginsWith(_ text: Bytes, _ prefix: Bytes) -> Bool {
        if prefix.isEmpty { return false }
        guard folding != nil else {
            return text.count >= prefix.count && Self.same(text, prefix, prefix.count)
        }
        if let quick = asciiBegins(text, prefix, folding?.foldsCase ?? false) { return quick }
        let wanted = FoldedScalars(prefix, folding)
        return !wanted.isEmpty && FoldedScalars(text, folding).continues(with: wanted)
    }

    /// Whether the text ends with the suffix; false for an empty suffix.
    public func endsWith(_ text: Bytes, _ suffix: Bytes) -> Bool {
        if suffix.isEmpty { return false }
        guard folding != nil else {
            return text.count >= suffix.count
                && Self.same(text, suffix, suffix.count, from: text.count - suffix.count)
        }
        if let quick = asciiEnds(text, suffix, folding?.foldsCase ?? false) { return quick }
        var wanted = FoldedScalars(suffix, folding)
        let length = FoldedScalars.count(wanted)
        let total = FoldedScalars.count(FoldedScalars(text, folding))
        guard length > 0, total >= length else { return false }
        var rest = FoldedScalars(text, folding)
        for _ in 0..<(total - length) { _ = rest.next() }
        while let scalar = wanted.next() {
            if rest.next() != scalar { return false }
        }
        return true
    }

    /// Whether the text contains the part; false for an empty part.
    public func contains(_ text: Bytes, _ part: Bytes) -> Bool {
        if part.isEmpty { return false }
        let wanted = FoldedScalars(part, folding)
        if part.count > 48 { return containsLong(text, wanted) }
        guard let folding else { return Self.containsBytes(text, part) }
        if let quick = asciiContains(text, part, folding) { return quick }
        var others = wanted
        guard let first = others.next() else { return false }
        var place = FoldedScalars(text, folding)
        while let scalar = place.next() {
            if scalar == first, place.continues(with: others) { return true }
        }
        return false
    }

    private static func containsBytes(_ text: Bytes, _ part: Bytes) -> Bool {
        guard let start = text.baseAddress, text.count >= part.count else { return false }
        var index = 0
        let last = text.count - part.count
        while index <= last {
            guard let found = memchr(start + index, Int32(part[0]), last - index + 1) else {
                return false
            }
            index = UnsafeRawPointer(start).distance(to: UnsafeRawPointer(found))
            if same(text, part, part.count, from: index) { return true }
            index += 1
        }
        return false
    }

    /// The Knuth–Morris–Pratt algorithm, whose time is linear.
    private func containsLong(_ text: Bytes, _ part: FoldedScalars) -> Bool {
        var part = part
        var wanted: [UInt32] = []
        while let scalar = part.next() { wanted.append(scalar) }
        guard !wanted.isEmpty else { return false }
        var fallback = [Int](repeating: 0, count: wanted.count)
        var length = 0
        for index in 1..<max(1, wanted.count) {
            while length > 0, wanted[index] != wanted[length] { length = fallback[length - 1] }
            if wanted[index] == wanted[length] { length += 1 }
            fallback[index] = length
        }
        var place = FoldedScalars(text, folding)
        var matched = 0
        while let scalar = place.next() {
            while matched > 0, wanted[matched] != scalar { matched = fallback[matched - 1] }
            if wanted[matched] == scalar { matched += 1 }
            if matched == wanted.count { return true }
        }
        return false
    }
}

extension FoldedScalars {
    /// Whether there are no more scalars.
    var isEmpty: Bool {
        var rest = self
        return rest.next() == nil
    }

    /// Whether the next scalars are all of `others`.
    func continues(with others: FoldedScalars) -> Bool {
        var (rest, others) = (self, others)
        while let wanted = others.next() {
            if rest.next() != wanted { return false }
        }
        return true
    }

    static func count(_ scalars: FoldedScalars) -> Int {
        var scalars = scalars
        var count = 0
        while scalars.next() != nil { count += 1 }
        return count
    }
}
