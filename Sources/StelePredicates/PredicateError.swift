/// What is wrong with a predicate, an expression or a list of them, and where.

/// A predicate that cannot be read, or that does not fit the model.
public struct PredicateError: Error, Sendable, Hashable, CustomStringConvertible {
    private struct Fields: Sendable, Hashable {
        var code: String
        var message: String
        var position: Int
        var near: String
        var expected: String?
        var hint: String?
        var known: String?
        var comparison: Comparison?
        var keyPath: String?
        var isOfDepth = false
    }

    /// One word wide, so that a function that can throw it needs little stack.
    private final class Storage: Sendable {
        let fields: Fields
        init(_ fields: Fields) { self.fields = fields }
    }

    private var storage: Storage

    private var fields: Fields {
        get { storage.fields }
        set { storage = Storage(newValue) }
    }

    /// The sort of mistake: `predicate.syntax`, `predicate.unknown-key`, `predicate.type`,
    /// `predicate.limit`, `predicate.unsupported`, `predicate.variable`, `predicate.pattern` or
    /// `feature.not-built`.
    public var code: String {
        get { fields.code }
        set { fields.code = newValue }
    }
    /// What is wrong, in one sentence.
    public var message: String {
        get { fields.message }
        set { fields.message = newValue }
    }
    /// Where it is, in Unicode scalars from the start of the text; 0 where the text was not at
    /// hand (`located(in:)` finds it then).
    public var position: Int {
        get { fields.position }
        set { fields.position = newValue }
    }
    /// The text at that place; empty at the end of the text.
    public var near: String {
        get { fields.near }
        set { fields.near = newValue }
    }
    /// What would have been right there, where that is known.
    public var expected: String? {
        get { fields.expected }
        set { fields.expected = newValue }
    }
    /// The way out, such as `did you mean BEGINSWITH?`.
    public var hint: String? {
        get { fields.hint ?? fields.known }
        set { fields.hint = newValue }
    }
    /// Whether the way out is more than a list of what there is.
    var isHinted: Bool { fields.hint != nil }
    /// What there is, where nothing better is known to say.
    var known: String? {
        get { fields.known }
        set { fields.known = newValue }
    }
    /// The innermost comparison that the check found it in.
    var comparison: Comparison? {
        get { fields.comparison }
        set { fields.comparison = newValue }
    }

    /// The key path up to the key that `near` is, as it prints; nil where it is no key's mistake.
    var keyPath: String? {
        get { fields.keyPath }
        set { fields.keyPath = newValue }
    }

    /// Whether it is nested too deeply, so that it stands where the text is nested most.
    public internal(set) var isOfDepth: Bool {
        get { fields.isOfDepth }
        set { fields.isOfDepth = newValue }
    }

    /// What is nested more deeply than a store's own language takes.
    public static func tooDeep(_ message: String, hint: String) -> PredicateError {
        var error = PredicateError(.limit, message, hint: hint)
        error.isOfDepth = true
        return error
    }

    public init(
        _ code: Code, _ message: String, position: Int = 0, near: String = "",
        expected: String? = nil, hint: String? = nil
    ) {
        storage = Storage(
            Fields(
                code: code.rawValue, message: message, position: position, near: near,
                expected: expected, hint: hint))
    }

    /// That an expression's values are encrypted, and equal ones have other bytes each time: they
    /// cannot be compared, ordered, grouped or told apart.
    public static func encrypted(_ expression: Expression) -> PredicateError {
        let text = expression.description
        return PredicateError(
            .type, "\(text) is encrypted: it can only be read, and compared with nil", near: text,
            hint: "what is equal, or comes first, can be told of the values that are read")
    }

    public static func == (a: PredicateError, b: PredicateError) -> Bool { a.fields == b.fields }

    public func hash(into hasher: inout Hasher) { hasher.combine(fields) }

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
}
