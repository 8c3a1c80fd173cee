/// A stretch of a parameter's text: what is wrong with it is told with its place in the whole.

import SteleJSON
import StelePredicates

/// A parameter's value, or an item of the list that it is.
package struct Excerpt: Sendable {
    package let parameter: Parameter
    package let text: String
    /// How many Unicode scalars of the parameter's value stand before it.
    package let position: Int

    package init(_ text: String, of parameter: Parameter, at position: Int = 0) {
        self.parameter = parameter
        self.text = text
        self.position = position
    }

    /// A part of it, without spaces at its ends.
    package func part(_ part: Substring) -> Excerpt {
        let start = part.firstIndex { !$0.isWhitespace } ?? part.endIndex
        let before = text.unicodeScalars.distance(from: text.startIndex, to: start)
        return Excerpt(
            String(part).trimmingSpaces(), of: parameter, at: position + before)
    }

    /// - Throws: `PredicateError` with its place in the parameter's value.
    package func expression() throws -> Expression {
        do { return try Expression(format: text) } catch { throw located(error) }
    }

    /// - Throws: `PredicateError` with its place in the parameter's value.
    package func predicate() throws -> Predicate {
        do { return try Predicate(format: text) } catch { throw located(error) }
    }

    /// The mistake with its parameter and its place there, and a hint where a plus sign was lost.
    package func located(_ error: PredicateError) -> PredicateError {
        var located = error.located(in: text)
        located.position += position
        located.message = "\(parameter.rawValue): \(located.message)"
        if hasSpaceForPlus(text) { located.hint = plusHint }
        return located
    }

    /// What is wrong with the list that it stands in, at the place of what it is about; without
    /// that at its beginning.
    package func problem(_ detail: String, near: String? = nil, hint: String? = nil) -> Problem {
        let error = PredicateError(.type, detail, near: near ?? "")
        let place = error.found(in: text)
        return problem(
            detail, at: place?.position ?? 0, near: place?.near ?? String(text.prefix(40)),
            hint: hint)
    }

    /// - Parameter place: in Unicode scalars from its own beginning.
    package func problem(_ detail: String, at place: Int, near: String, hint: String? = nil)
        -> Problem
    {
        Problem(
            .parameter, detail, hint: hint,
            members: [
                ("position", .integer(Int64(position + place))), ("near", .string(near)),
            ])
    }
}
