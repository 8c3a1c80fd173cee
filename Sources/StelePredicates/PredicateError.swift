/// What is wrong with a predicate, an expression or a list of them, and where.

/// A predicate that cannot be read, or that does not fit the model.
public struct PredicateError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The sort of mistake: `predicate.syntax`, `predicate.unknown-key`, `predicate.type`,
    /// `predicate.limit`, `predicate.unsupported`, `predicate.variable` or `feature.not-built`.
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
    /// The innermost comparison that the check found it in.
    var comparison: Comparison?

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
        /// What a later version reads.
        case notBuilt = "feature.not-built"
    }

    public var description: String {
        var text = message
        if !near.isEmpty { text += " (at \(position), near \(near))" }
        return hint.map { "\(text); \($0)" } ?? text
    }
}
