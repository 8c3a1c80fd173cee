// The ICU of the Swift toolchain, which NSRegularExpression uses too. A direct call reports why a
// match ended (no match, stopped, out of stack), needs no NSString for each text, and avoids a
// dependency on all of Foundation (Docs/Decisions/0014).
internal import _FoundationICU

import SteleSystem

/// A compiled regular expression. Not Sendable: ICU keeps the state of a match in it, so use it on
/// one thread at a time.
final class RegularExpression {
    /// The result of a match.
    enum Outcome {
        case matches, differs
        /// The time limit was reached.
        case stopped
        /// The backtracking stack exceeded its limit.
        case overflow
    }

    /// The error of an invalid pattern.
    struct Malformed: Error, Hashable {
        /// What is wrong, as a clause.
        var reason: String
        /// The number of UTF-16 units before the error.
        var position: Int
    }

    private let handle: OpaquePointer
    /// The deadline of the current match, which ICU's callback reads.
    private var end: UInt64 = 0
    private var limits = MatchLimits.standard
    /// Whether the pattern has a back reference. ICU does not count the steps of comparing one, so
    /// such a match reads the clock much less often.
    let refersBack: Bool

    /// The limit on ICU's backtracking stack, in bytes.
    private static let stackBytes: Int32 = 8_000_000

    /// Compiles a pattern.
    /// - Throws: `Malformed`.
    init(_ pattern: [UInt16], ignoresCase: Bool) throws(Malformed) {
        var status = U_ZERO_ERROR
        var place = UParseError()
        let flags = ignoresCase ? UInt32(UREGEX_CASE_INSENSITIVE.rawValue) : 0
        // ICU refuses an empty pattern; an empty group is equivalent.
        let written = pattern.isEmpty ? Array("(?:)".utf16) : pattern
        let opened = written.withUnsafeBufferPointer {
            swift_uregex_open($0.baseAddress, Int32($0.count), flags, &place, &status)
        }
        guard status.rawValue <= U_ZERO_ERROR.rawValue, let opened else {
            if let opened { swift_uregex_close(opened) }
            throw Malformed(
                reason: Self.reason(status), position: Self.position(place, in: pattern))
        }
        handle = opened
        refersBack = Self.refersBack(pattern)
        swift_uregex_setStackLimit(handle, Self.stackBytes, &status)
        // ICU calls it every ten thousand steps, which take some tenths of a millisecond.
        swift_uregex_setMatchCallback(
            handle,
            { context, _ in
                guard let context else { return 0 }
                let it = Unmanaged<RegularExpression>.fromOpaque(context).takeUnretainedValue()
                return it.limits.now < it.end ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque(), &status)
    }

    deinit { swift_uregex_close(handle) }

    /// Whether the whole text matches.
    ///
    /// - Parameters:
    ///   - text: UTF-16 that stays valid during the call.
    ///   - end: the deadline, in the time by which the limits are counted.
    func match(
        _ text: UnsafeBufferPointer<UInt16>, end: UInt64, of limits: MatchLimits
    ) -> Outcome {
        self.end = end
        self.limits = limits
        var status = U_ZERO_ERROR
        swift_uregex_setText(handle, text.baseAddress, Int32(clamping: text.count), &status)
        let holds = swift_uregex_matches(handle, -1, &status)
        if status.rawValue <= U_ZERO_ERROR.rawValue { return holds != 0 ? .matches : .differs }
        return status == U_REGEX_STOPPED_BY_CALLER || status == U_REGEX_TIME_OUT
            ? .stopped : .overflow
    }

    // MARK: What is wrong with a pattern

    private static func position(_ place: UParseError, in pattern: [UInt16]) -> Int {
        // ICU counts lines from 1 and units within a line.
        var start = 0
        var line = 1
        while line < place.line, let next = pattern[start...].firstIndex(of: 10) {
            start = next + 1
            line += 1
        }
        return min(max(start + Int(place.offset), 0), pattern.count)
    }

    private static func reason(_ status: UErrorCode) -> String {
        switch status {
        case U_REGEX_MISMATCHED_PAREN: "a parenthesis is unbalanced"
        case U_REGEX_MISSING_CLOSE_BRACKET: "a set opened by [ is not closed"
        case U_REGEX_BAD_ESCAPE_SEQUENCE: "an escape sequence is unknown"
        case U_REGEX_BAD_INTERVAL: "the count in braces cannot be read"
        case U_REGEX_MAX_LT_MIN: "the count in braces has its larger number first"
        case U_REGEX_NUMBER_TOO_BIG: "a number is too large"
        case U_REGEX_INVALID_BACK_REF: "a back reference has no group"
        case U_REGEX_INVALID_FLAG: "a flag is unknown"
        case U_REGEX_LOOK_BEHIND_LIMIT: "a look-behind has no maximum length"
        case U_REGEX_SET_CONTAINS_STRING: "a set contains a string"
        case U_REGEX_INVALID_RANGE: "a range in a set has its larger end first"
        case U_REGEX_INVALID_CAPTURE_GROUP_NAME: "the name of a group is invalid"
        case U_REGEX_PROPERTY_SYNTAX, U_ILLEGAL_ARGUMENT_ERROR:
            "a property is unknown"
        case U_REGEX_PATTERN_TOO_BIG: "it is too large"
        case U_REGEX_UNIMPLEMENTED: "it uses an unsupported feature"
        default: "it cannot be read"
        }
    }

    /// Whether the pattern contains `\1` to `\9` or `\k`. Quoted ones count too, which is harmless.
    private static func refersBack(_ pattern: [UInt16]) -> Bool {
        var index = 0
        while index + 1 < pattern.count {
            guard pattern[index] == 0x5C else {
                index += 1
                continue
            }
            let next = pattern[index + 1]
            if (0x31...0x39).contains(next) || next == 0x6B { return true }
            index += 2
        }
        return false
    }
}
