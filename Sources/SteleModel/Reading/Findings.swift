/// The findings about a model: errors, which make it invalid, and notes, which do not.
package final class Findings {
    /// The errors, in the order found.
    package private(set) var errors: [ModelError] = []
    /// The notes, in the order found.
    package private(set) var notes: [ModelError] = []

    /// Creates findings without errors and notes.
    package init() {}

    /// Adds an error.
    package func error(_ place: String, _ message: String, hint: String? = nil) {
        errors.append(ModelError(place, message, hint: hint))
    }

    /// Adds a note.
    package func note(_ place: String, _ message: String, hint: String? = nil) {
        notes.append(ModelError(place, message, hint: hint))
    }

    /// Throws the errors, if there are any.
    package func throwErrors() throws(ModelErrors) {
        if !errors.isEmpty { throw ModelErrors(errors) }
    }

    /// The value with that name; nil, with an error, if there is none.
    func choice<Choice>(
        _ name: String, of key: String, at place: String, in choices: [(String, Choice)]
    ) -> Choice? {
        if let found = choices.first(where: { $0.0 == name }) { return found.1 }
        let names = choices.map(\.0)
        error(
            place, "its \(key) \(quoted(name)) is not known",
            hint: Nearest.hint(to: name, among: names)
                ?? "it is one of \(names.joined(separator: ", "))")
        return nil
    }
}

/// A text in a message: in quotes, truncated to 60 characters.
package func quoted(_ text: String) -> String { "\"\(excerpt(text, 60))\"" }

/// The beginning of a text in a message. What a damaged file has in place of a name can be as long
/// as the file.
package func excerpt(_ text: some StringProtocol, _ length: Int = 80) -> String {
    let start = text.prefix(length + 1)
    return start.count > length ? start.dropLast() + "…" : String(start)
}
