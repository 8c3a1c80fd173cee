/// What is wrong with a predicate, an expression or a list of them, and where.

/// A predicate that cannot be read, or that does not fit the model.
public struct PredicateError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The sort of mistake: `predicate.syntax`, `predicate.unknown-key`, `predicate.type`,
    /// `predicate.limit`, `predicate.unsupported`, `predicate.variable`, `predicate.pattern` or
    /// `feature.not-built`.
    public var code: String
    /// What is wrong, in one sentence.
    public var message: String
    /// Where it is, in Unicode scalars from the start of the text; 0 where the text was not at
    /// hand (`located(in:)` finds it then).
    public var position: Int
    /// The text at that place; empty at the end of the text.
    public var near: String
    /// What would have been right there, where that is known.
    public var expected: String?
    /// The way out, such as `did you mean BEGINSWITH?`.
    public var hint: String?

    public init(
        _ code: Code, _ message: String, position: Int = 0, near: String = "",
        expected: String? = nil, hint: String? = nil
    ) {
        self.code = code.rawValue
        self.message = message
        self.position = position
        self.near = near
        self.expected = expected
        self.hint = hint
    }

    /// The codes there are.
    public enum Code: String, Sendable, CaseIterable {
        case syntax = "predicate.syntax"
        case unknownKey = "predicate.unknown-key"
        case type = "predicate.type"
        case limit = "predicate.limit"
        case unsupported = "predicate.unsupported"
        case variable = "predicate.variable"
        /// A pattern of MATCHES that is no regular expression.
        case pattern = "predicate.pattern"
        /// What a later version reads.
        case notBuilt = "feature.not-built"
    }

    public var description: String {
        var text = message
        if !near.isEmpty { text += " (at \(position), near \(near))" }
        return hint.map { "\(text); \($0)" } ?? text
    }

    /// The same with its position in the text it came from: where `near` stands there first as a
    /// word of its own. For mistakes that the check of a parsed predicate finds.
    public func located(in text: String) -> PredicateError {
        guard position == 0, !near.isEmpty else { return self }
        let part = Array(near.unicodeScalars)
        let all = Array(text.unicodeScalars)
        guard all.count >= part.count else { return self }
        var located = self
        for start in 0...(all.count - part.count) where all[start] == part[0] {
            let end = start + part.count
            guard all[start..<end].elementsEqual(part) else { continue }
            let opens = start == 0 || !Self.isWord(all[start - 1]) || !Self.isWord(part[0])
            let closes = end == all.count || !Self.isWord(all[end])
            guard opens && closes else { continue }
            located.position = start
            return located
        }
        return self
    }

    private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_": true
        default: scalar.value >= 0x80
        }
    }
}
