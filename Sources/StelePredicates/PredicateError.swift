/// The error of a predicate that cannot be parsed or does not fit the model.
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

    /// A reference, so that functions that throw the error need little stack.
    private final class Storage: Sendable {
        let fields: Fields
        init(_ fields: Fields) { self.fields = fields }
    }

    private var storage: Storage

    private var fields: Fields {
        get { storage.fields }
        set { storage = Storage(newValue) }
    }

    /// The kind of error: the raw value of a `Code`.
    public var code: String { fields.code }
    /// What is wrong, in one sentence.
    public var message: String {
        get { fields.message }
        set { fields.message = newValue }
    }
    /// The position in Unicode scalars from the start of the text; 0 if the text was not available,
    /// in which case `located(in:)` finds it.
    public var position: Int {
        get { fields.position }
        set { fields.position = newValue }
    }
    /// The text at the position; empty at the end of the text.
    public var near: String {
        get { fields.near }
        set { fields.near = newValue }
    }
    /// What was expected at the position; nil if that is not known.
    public var expected: String? { fields.expected }
    /// How to correct the error, such as `did you mean BEGINSWITH?`; nil if that is not known.
    public var hint: String? {
        get { fields.hint ?? fields.known }
        set { fields.hint = newValue }
    }
    /// Whether the hint is more than a list of valid names.
    var isHinted: Bool { fields.hint != nil }
    /// The valid names, which are the hint if there is no better one.
    var known: String? {
        get { fields.known }
        set { fields.known = newValue }
    }
    /// The innermost comparison that contains the error.
    var comparison: Comparison? {
        get { fields.comparison }
        set { fields.comparison = newValue }
    }

    /// The printed key path up to the key in `near`; nil if the error is not about a key.
    var keyPath: String? {
        get { fields.keyPath }
        set { fields.keyPath = newValue }
    }

    /// Whether the predicate is nested too deeply. The position is then that of the deepest token.
    package internal(set) var isOfDepth: Bool {
        get { fields.isOfDepth }
        set { fields.isOfDepth = newValue }
    }

    /// The error of a predicate that is nested more deeply than a store supports.
    package static func tooDeep(_ message: String, hint: String) -> PredicateError {
        var error = PredicateError(.limit, message, hint: hint)
        error.isOfDepth = true
        return error
    }

    /// Creates an error.
    public init(
        _ code: Code, _ message: String, position: Int = 0, near: String = "",
        expected: String? = nil, hint: String? = nil
    ) {
        storage = Storage(
            Fields(
                code: code.rawValue, message: message, position: position, near: near,
                expected: expected, hint: hint))
    }

    /// The error of an operation on encrypted values. Equal values have different bytes, so they
    /// cannot be compared, sorted, grouped or made distinct.
    package static func encrypted(_ expression: Expression) -> PredicateError {
        let text = expression.description
        return PredicateError(
            .type, "\(text) is encrypted: it can only be read and compared with nil", near: text,
            hint: "compare or sort the values after reading them")
    }

    /// Whether the evaluation was given up because it took too long, or would.
    package var isOfLimit: Bool { code == Code.limit.rawValue }

    /// Whether all fields are equal.
    public static func == (a: PredicateError, b: PredicateError) -> Bool { a.fields == b.fields }

    /// Hashes all fields.
    public func hash(into hasher: inout Hasher) { hasher.combine(fields) }

    /// The kinds of errors.
    public enum Code: String, Sendable, CaseIterable {
        case syntax = "predicate.syntax"
        case unknownKey = "predicate.unknown-key"
        case type = "predicate.type"
        case limit = "predicate.limit"
        case unsupported = "predicate.unsupported"
        case variable = "predicate.variable"
        /// A pattern of MATCHES that is not a valid regular expression.
        case pattern = "predicate.pattern"
        /// A feature that is not supported yet.
        case notBuilt = "feature.not-built"
    }

    /// The error as a sentence with its position and hint.
    public var description: String {
        var text = message
        if !near.isEmpty { text += " (at \(position), near \(near))" }
        return hint.map { "\(text); \($0)" } ?? text
    }
}
