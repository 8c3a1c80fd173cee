/// The kinds of error: the rows of `/docs/errors`.

import SteleJSON

/// A kind of error. Its code is Core Data's number if there is one, otherwise a word of Stele's.
package struct ErrorCode: Sendable {
    /// The code as text: `1670`, `request.unknown-parameter`.
    package let text: String
    /// Core Data's number; nil for a word.
    private let number: Int?
    /// Core Data's name, such as `NSValidationStringTooShortError`; nil for a word.
    package let name: String?
    /// The HTTP status of the answer.
    package let status: Int
    /// A short sentence, the same for each occurrence (RFC 9457 `title`).
    package let title: String
    /// What the error means and how to correct it.
    package let explanation: String

    init(_ word: String, status: Int, _ title: String, _ explanation: String) {
        text = word
        number = nil
        name = nil
        self.status = status
        self.title = title
        self.explanation = explanation
    }

    init(_ number: Int, name: String, status: Int, _ title: String, _ explanation: String) {
        text = String(number)
        self.number = number
        self.name = name
        self.status = status
        self.title = title
        self.explanation = explanation
    }

    /// The `code` of a problem.
    package var json: JSONValue { number.map { .integer(Int64($0)) } ?? .string(text) }

    /// All kinds: words first, then numbers.
    package static let all: [ErrorCode] = words + numbers

    /// The kind with a number of Core Data; 1550 for a number that is not known.
    package static func number(_ number: Int) -> ErrorCode {
        numbers.first { $0.number == number } ?? validation
    }
}
