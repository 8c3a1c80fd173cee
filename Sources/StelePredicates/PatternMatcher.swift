import SteleSystem

/// Matches whole texts against regular expressions in bounded time. Not Sendable: use it on one
/// thread at a time.
///
/// The syntax is ICU's. `.` does not match a line end; `^` and `$` match only at the ends of the
/// text. `[c]` is ICU's case-insensitive matching; `[d]` removes nonspacing marks from the text and
/// the pattern after canonical decomposition.
public final class PatternMatcher {
    /// The limits; they may change between statements.
    public var limits: MatchLimits
    private var spent: UInt64 = 0

    private struct Kept {
        let key: PatternPool.Key
        let expression: RegularExpression
    }

    /// The most recently used pattern is first.
    private var kept: [Kept] = []
    private static let keptAtMost = 8

    private var units: UnsafeMutablePointer<UInt16>?
    private var room = 0
    /// The largest buffer that is kept for the next text, in UTF-16 units.
    private static let roomKept = 1 << 16

    /// Creates a matcher.
    public init(_ limits: MatchLimits = .standard) { self.limits = limits }

    deinit {
        for it in kept { PatternPool.shared.give(it.expression, it.key) }
        units?.deallocate()
    }

    /// Begins a statement: resets the time that has been used.
    @inlinable
    public func begin() { restart() }

    @usableFromInline
    func restart() { spent = 0 }

    /// Whether the whole text matches the pattern.
    ///
    /// - Throws: `PredicateError` with code `predicate.pattern` if the pattern is invalid, or
    ///   `predicate.limit` if the match takes too long, or the text or the pattern is too long.
    public func matches(
        _ text: UnsafeBufferPointer<UInt8>, _ pattern: UnsafeBufferPointer<UInt8>,
        _ options: ComparisonOptions = []
    ) throws(PredicateError) -> Bool {
        let start = limits.now
        let flags = Self.flags(options)
        let expression = try expression(pattern, flags)
        let most = expression.refersBack ? limits.referringTextLength : limits.textLength
        guard text.count <= most else { throw tooLong(text.count, most, expression.refersBack) }
        let buffer = reserve(flags & 2 != 0 ? 4 * text.count + 1 : text.count + 1)
        let count = UTF16Units.write(text, flags & 2 != 0 ? .marksOnly : nil, to: buffer)
        let left = limits.statementNanoseconds - min(spent, limits.statementNanoseconds)
        let outcome = expression.match(
            UnsafeBufferPointer(start: buffer, count: count),
            end: start &+ min(limits.matchNanoseconds, left), of: limits)
        spent &+= limits.now &- start
        if room > Self.roomKept { release() }
        switch outcome {
        case .matches, .differs:
            guard spent <= limits.statementNanoseconds else { throw tooSlow(nil) }
            return outcome == .matches
        case .stopped: throw tooSlow(left > limits.matchNanoseconds ? count : nil)
        case .overflow:
            throw PredicateError(
                .limit,
                "MATCHES exceeds its backtracking limit on a text of \(count) characters",
                near: "MATCHES",
                hint: "write a set, [ab]*, instead of a repeated choice, (a|b)*, or use a "
                    + "possessive quantifier, *+")
        }
    }

    /// Whether the whole text matches the pattern.
    ///
    /// - Throws: `PredicateError` as for bytes.
    public func matches(
        _ text: String, _ pattern: String, _ options: ComparisonOptions = []
    ) throws(PredicateError) -> Bool {
        try withBytes(of: text) { text throws(PredicateError) in
            try withBytes(of: pattern) { pattern throws(PredicateError) in
                try matches(text, pattern, options)
            }
        }
    }

    static func flags(_ options: ComparisonOptions) -> UInt8 {
        if options.contains(.normalized) { return 0 }
        return (options.contains(.caseInsensitive) ? 1 : 0)
            | (options.contains(.diacriticInsensitive) ? 2 : 0)
    }

    // MARK: Patterns

    private func expression(
        _ pattern: UnsafeBufferPointer<UInt8>, _ flags: UInt8
    ) throws(PredicateError) -> RegularExpression {
        for index in kept.indices where kept[index].key.flags == flags {
            guard kept[index].key.pattern.elementsEqual(pattern) else { continue }
            if index > 0 { kept.swapAt(0, index) }
            return kept[0].expression
        }
        guard pattern.count <= limits.patternLength else {
            throw Self.patternTooLong(pattern.count, limits.patternLength)
        }
        guard spent < limits.statementNanoseconds else { throw tooSlow(nil) }
        let start = limits.now
        let key = PatternPool.Key(pattern: Array(pattern), flags: flags)
        defer { spent &+= limits.now &- start }
        let made = try Self.compiled(key)
        if kept.count >= Self.keptAtMost, let last = kept.popLast() {
            PatternPool.shared.give(last.expression, last.key)
        }
        kept.insert(Kept(key: key, expression: made), at: 0)
        return made
    }

    private static func compiled(
        _ key: PatternPool.Key
    ) throws(PredicateError) -> RegularExpression {
        do { return try PatternPool.shared.take(key) } catch {
            let text = String(decoding: key.pattern, as: UTF8.self)
            throw PredicateError(
                .pattern,
                "\"\(text)\" is not a valid regular expression: \(error.reason), after "
                    + "\(error.position) character\(error.position == 1 ? "" : "s")", near: text,
                hint: "in quotes a backslash is written twice, as in \"\\\\d+\"; \\Q…\\E quotes "
                    + "all characters between")
        }
    }

    /// Compiles a pattern and keeps it for its first use.
    ///
    /// - Throws: `PredicateError` as `matches` for its pattern.
    static func check(_ pattern: String, _ options: ComparisonOptions) throws(PredicateError) {
        let bytes = Array(pattern.utf8)
        let most = MatchLimits.standard.patternLength
        guard bytes.count <= most else { throw patternTooLong(bytes.count, most) }
        let key = PatternPool.Key(pattern: bytes, flags: flags(options))
        PatternPool.shared.give(try compiled(key), key)
    }

    // MARK: Refusals

    static func patternTooLong(_ length: Int, _ most: Int) -> PredicateError {
        PredicateError(
            .limit, "a pattern of MATCHES has \(length) bytes, and the limit is \(most)",
            near: "MATCHES", hint: "split it, and join the parts with OR")
    }

    private func tooLong(_ length: Int, _ most: Int, _ refersBack: Bool) -> PredicateError {
        PredicateError(
            .limit,
            "MATCHES accepts texts of up to \(most) bytes"
                + (refersBack ? " if the pattern has a back reference" : "")
                + ", and a text has \(length)", near: "MATCHES",
            hint: refersBack
                ? "write the pattern without a back reference"
                : "write a condition before it, joined with AND, that matches fewer objects")
    }

    /// - Parameter count: the length of the text if it alone took too long, otherwise nil.
    private func tooSlow(_ count: Int?) -> PredicateError {
        let message =
            if let count {
                "MATCHES took longer than \(limits.matchNanoseconds / 1_000_000) ms on a text of "
                    + "\(count) characters"
            } else {
                "MATCHES took longer than \(limits.statementNanoseconds / 1_000_000) ms on all "
                    + "texts together"
            }
        return PredicateError(
            .limit, message, near: "MATCHES",
            hint: "avoid nested repetitions, such as (a+)+; CONTAINS and BEGINSWITH "
                + "are always fast")
    }

    // MARK: The text's place

    private func reserve(_ count: Int) -> UnsafeMutablePointer<UInt16> {
        if let units, room >= count { return units }
        release()
        let size = max(count, 256)
        let made = UnsafeMutablePointer<UInt16>.allocate(capacity: size)
        units = made
        room = size
        return made
    }

    private func release() {
        units?.deallocate()
        units = nil
        room = 0
    }
}
