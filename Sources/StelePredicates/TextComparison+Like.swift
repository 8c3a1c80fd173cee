/// LIKE: `*` matches any number of scalars, `?` matches one, `\` escapes the next.

/// The step limit of a LIKE comparison. A `*` makes it go back in text and pattern, so the number
/// of steps is the product of their lengths in the worst case.
struct LikeSteps {
    private var left: Int

    init(_ text: TextComparison.Bytes, _ pattern: TextComparison.Bytes) {
        left = PredicateLimits.likeSteps + 8 * (text.count + pattern.count)
    }

    @inline(__always)
    mutating func take() throws(PredicateError) {
        left -= 1
        if left < 0 { throw Self.tooMany }
    }

    private static var tooMany: PredicateError {
        PredicateError(
            .limit, "LIKE would take too long on a text and a pattern of these lengths",
            near: "LIKE",
            hint: "shorten the pattern after a *; CONTAINS and BEGINSWITH accept texts "
                + "of any length")
    }
}

extension TextComparison {
    /// Whether the whole text matches a pattern of `*` and `?`. An empty text matches only an empty
    /// pattern or one of `*` alone.
    ///
    /// - Throws: `PredicateError` with code `predicate.limit` if the comparison takes too many
    ///   steps.
    public func like(_ text: Bytes, _ pattern: Bytes) throws(PredicateError) -> Bool {
        if let (shape, part) = Self.likeShape(pattern) {
            switch shape {
            case .contains: return contains(text, part)
            case .begins: return beginsWith(text, part)
            case .ends: return endsWith(text, part)
            }
        }
        if let quick = try asciiLike(text, pattern, folding?.foldsCase ?? false) { return quick }
        var steps = LikeSteps(text, pattern)
        var place = FoldedScalars(text, folding)
        var wanted = LikePattern(pattern, folding)
        // The pattern after the last `*`, and the text that it has not consumed.
        var retry: (pattern: LikePattern, text: FoldedScalars)?
        while true {
            try steps.take()
            switch wanted.next() {
            case .any:
                retry = (wanted, place)
                continue
            case .one:
                if place.skipSource() { continue }
                return false
            case .scalar(let scalar):
                guard let next = place.next() else { return false }
                if next == scalar { continue }
            case .end:
                if place.next() == nil { return true }
            }
            guard var again = retry else { return false }
            guard again.text.next() != nil else { return false }
            retry = again
            wanted = again.pattern
            place = again.text
        }
    }
}

/// Iterates over a pattern.
private struct LikePattern {
    enum Element {
        case any, one, end
        case scalar(UInt32)
    }

    private var scalars: FoldedScalars
    private let bytes: UnsafeBufferPointer<UInt8>
    private let folding: CaseFolding?

    init(_ bytes: UnsafeBufferPointer<UInt8>, _ folding: CaseFolding?) {
        self.bytes = bytes
        self.folding = folding
        scalars = FoldedScalars(bytes, folding)
    }

    mutating func next() -> Element {
        guard scalars.isAtBoundary else { return plain() }
        let index = scalars.index
        guard index < bytes.count else { return .end }
        switch bytes[index] {
        case UInt8(ascii: "*"):
            skip(to: index + 1)
            return .any
        case UInt8(ascii: "?"):
            skip(to: index + 1)
            return .one
        case UInt8(ascii: "\\") where index + 1 < bytes.count:
            skip(to: index + 1)
            return plain()
        case 0x80...:
            // If a scalar folds to nothing, the following `*` must stay a wildcard.
            var one = FoldedScalars(bytes[index...].prefix(4).rebasedScalar, folding)
            guard one.next() == nil else { return plain() }
            skip(to: index + one.index)
            return next()
        default: return plain()
        }
    }

    private mutating func skip(to index: Int) {
        scalars = FoldedScalars(bytes, from: index, folding)
    }

    private mutating func plain() -> Element {
        scalars.next().map { .scalar($0) } ?? .end
    }
}

extension Slice<UnsafeBufferPointer<UInt8>> {
    /// The bytes of the first scalar.
    fileprivate var rebasedScalar: UnsafeBufferPointer<UInt8> {
        var end = startIndex + 1
        while end < endIndex, self[end] & 0xC0 == 0x80 { end += 1 }
        return UnsafeBufferPointer(rebasing: self[startIndex..<end])
    }
}
