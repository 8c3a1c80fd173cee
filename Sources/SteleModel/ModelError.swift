/// What is wrong with a model, in one sentence that names the place and the way out.

/// A model that cannot be read, or that says what cannot be.
public struct ModelError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Where: `Person.team`, `Person`, a file's name; empty for the model as a whole.
    public var place: String
    /// What is wrong.
    public var message: String
    /// What to do about it, where that is known.
    public var hint: String?

    /// One with nothing but these.
    public init(_ place: String, _ message: String, hint: String? = nil) {
        self.place = place
        self.message = message
        self.hint = hint
    }

    /// The sentence as it is printed.
    public var description: String {
        let head = place.isEmpty ? message : "\(place): \(message)"
        return hint.map { "\(head) (\($0))" } ?? head
    }
}

/// All that is wrong with one model.
public struct ModelErrors: Error, Sendable, Hashable, CustomStringConvertible {
    /// The mistakes, in the order found.
    public var errors: [ModelError]

    /// One with nothing but these.
    public init(_ errors: [ModelError]) { self.errors = errors }

    /// The sentence as it is printed; several are a list.
    public var description: String {
        guard errors.count > 1 else { return errors.first?.description ?? "" }
        return "the model has \(errors.count) mistakes:\n"
            + errors.map { "  • \($0.description)" }.joined(separator: "\n")
    }
}
