/// What can go wrong, each kind with its code, status and explanation: the rows of `/docs/errors`.

/// One kind of error: a number where Core Data has one, else a word of Stele's own.
public struct ErrorCode: Sendable, Hashable {
    /// What a problem's `code` holds.
    public enum Identifier: Sendable, Hashable {
        case number(Int)
        case word(StaticWord)
    }

    /// A word as the program spells it.
    public struct StaticWord: Sendable, Hashable {
        public let text: String
    }

    /// Core Data's number or Stele's word.
    public let identifier: Identifier
    /// Core Data's name, such as `NSValidationStringTooShortError`; nil for words.
    public let name: String?
    /// The HTTP status that it is answered with.
    public let status: Int
    /// A short sentence, the same for every occurrence (RFC 9457 `title`).
    public let title: String
    /// What it means and what to do about it, for people.
    public let explanation: String

    package init(_ word: String, _ status: Int, _ title: String, _ explanation: String) {
        identifier = .word(StaticWord(text: word))
        name = nil
        self.status = status
        self.title = title
        self.explanation = explanation
    }

    package init(
        _ number: Int, _ name: String, _ status: Int, _ title: String, _ explanation: String
    ) {
        identifier = .number(number)
        self.name = name
        self.status = status
        self.title = title
        self.explanation = explanation
    }

    /// The code as text: `1670`, `request.unknown-parameter`.
    public var text: String {
        switch identifier {
        case .number(let number): String(number)
        case .word(let word): word.text
        }
    }

    /// Every code that Stele answers with, words first, then numbers.
    public static let all: [ErrorCode] = words + numbers

    /// The code with that Core Data number; an unknown one reads as 1550.
    package static func number(_ number: Int) -> ErrorCode { byNumber[number] ?? validation }

    private static let byNumber: [Int: ErrorCode] = {
        var table: [Int: ErrorCode] = [:]
        for code in numbers {
            if case .number(let number) = code.identifier { table[number] = code }
        }
        return table
    }()
}
