/// An error in a model.
public struct ModelError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The place of the error: `Person.team`, `Person` or a file name; empty for the whole model.
    public var place: String
    /// What is wrong.
    public var message: String
    /// How to correct it; nil if that is not known.
    public var hint: String?

    /// Creates an error.
    public init(_ place: String, _ message: String, hint: String? = nil) {
        self.place = place
        self.message = message
        self.hint = hint
    }

    /// The error as a sentence.
    public var description: String {
        let head = place.isEmpty ? message : "\(place): \(message)"
        return hint.map { "\(head) (\($0))" } ?? head
    }
}

/// All errors in a model, or in a file about models.
public struct ModelErrors: Error, Sendable, Hashable, CustomStringConvertible {
    /// The errors, in the order found.
    public var errors: [ModelError]
    /// What has the errors, in the list that describes several.
    public var subject = "the model"

    /// Wraps a list of errors.
    public init(_ errors: [ModelError]) { self.errors = errors }

    package init(_ place: String, _ message: String, hint: String? = nil) {
        errors = [ModelError(place, message, hint: hint)]
    }

    /// The error as a sentence; several errors as a list.
    public var description: String {
        guard errors.count > 1 else { return errors.first?.description ?? "" }
        return "\(subject) has \(errors.count) errors:\n"
            + errors.map { "  • \($0.description)" }.joined(separator: "\n")
    }
}
