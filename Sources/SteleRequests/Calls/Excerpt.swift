/// A part of a parameter's text, which locates errors in the whole.

import SteleJSON
import StelePredicates

/// A parameter's value, or an item of the list in it.
package struct Excerpt: Sendable {
    let parameter: Parameter
    let text: String
    /// The number of Unicode scalars before it in the parameter's value.
    let position: Int

    package init(_ text: String, of parameter: Parameter, at position: Int = 0) {
        self.parameter = parameter
        self.text = text
        self.position = position
    }

    /// A part of the excerpt, without spaces at its ends.
    func part(_ part: Substring) -> Excerpt {
        // A plain letter begins no character that is a space.
        let isPlain = part.utf8.first.map { (0x21..<0x7F).contains($0) } ?? false
        if isPlain, part.utf8.count == text.utf8.count {
            return Excerpt(text.trimmingSpaces(), of: parameter, at: position)
        }
        let start =
            isPlain ? part.startIndex : part.firstIndex { !$0.isWhitespace } ?? part.endIndex
        let before = text.unicodeScalars.distance(from: text.startIndex, to: start)
        return Excerpt(
            String(part).trimmingSpaces(), of: parameter, at: position + before)
    }

    /// Parses the expression.
    /// - Throws: `PredicateError` with its place in the parameter's value.
    func expression() throws -> Expression {
        do { return try Expression(format: text) } catch { throw located(error) }
    }

    /// Parses the predicate.
    /// - Throws: `PredicateError` with its place in the parameter's value.
    package func predicate() throws -> Predicate {
        do { return try Predicate(format: text) } catch { throw located(error) }
    }

    /// The error with its parameter and its place there, and with a hint if a plus sign was lost.
    func located(_ error: PredicateError) -> PredicateError {
        var located = error.located(in: text)
        located.position += position
        located.message = "\(parameter.name): \(located.message)"
        if hasSpaceForPlus(text) { located.hint = plusHint }
        return located
    }

    /// A problem with the parameter, at the place of `near`, by default at the excerpt's start.
    func problem(_ detail: String, near: String? = nil, hint: String? = nil) -> Problem {
        let error = PredicateError(.type, detail, near: near ?? "")
        let place = error.found(in: text)
        return problem(
            detail, at: place?.position ?? 0, near: place?.near ?? String(text.prefix(40)),
            hint: hint)
    }

    /// A problem with the parameter.
    /// - Parameter place: the place in Unicode scalars from the start of the excerpt.
    func problem(_ detail: String, at place: Int, near: String, hint: String? = nil)
        -> Problem
    {
        Problem(
            .parameter, detail, hint: hint,
            members: [
                ("position", .integer(Int64(position + place))), ("near", .string(near)),
            ])
    }
}
