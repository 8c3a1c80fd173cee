import SteleModel
import StelePredicates

/// A binding with another value for each request of a shape, and the source of this value.
struct BindingSource: Sendable {
    enum Origin: Sendable {
        /// A parameter of the predicate.
        case parameter(Int)
        /// A text derived from a parameter.
        case text(Int, TextLiteral.Derivation)
        /// Consecutive parameters as one text (`JSONList`).
        case list(from: Int, count: Int)
        case limit, offset
        /// A value of the request's position (`FetchRequest.after`).
        case position(Int)
    }

    /// The index of the binding.
    let place: Int
    let origin: Origin

    /// Returns the value for a request; nil where it cannot be derived, so that the request needs
    /// another statement.
    func value(
        _ parameters: [Value], _ request: FetchRequest, _ variants: inout CaseVariantsOfText
    ) -> Value? {
        switch origin {
        case .parameter(let number): return parameters[number]
        case .text(let number, let derivation):
            guard case .string(let text) = parameters[number] else { return nil }
            return derivation.text(of: text, &variants).map { .string($0) }
        case .list(let first, let count):
            return JSONList.text(Array(parameters[first..<(first + count)])).map { .string($0.0) }
        case .limit: return request.fetchLimit.map { .int(Int64(max($0, 0))) }
        case .offset: return .int(Int64(request.fetchOffset))
        case .position(let index):
            guard let after = request.after, after.indices.contains(index) else { return nil }
            return after[index]
        }
    }
}

/// The prefixes under `[c]` of the last text; each of them is a binding.
struct CaseVariantsOfText {
    private var last: (text: String, beginnings: [String])?

    mutating func beginnings(of text: String) -> [String] {
        if let last, last.text == text { return last.beginnings }
        let beginnings = CaseVariants.beginnings(of: text)
        last = (text, beginnings)
        return beginnings
    }
}

/// A text that is known when the statement is made, and its derivation from a parameter.
struct TextLiteral {
    /// A derivation from a parameter's text, the same for all requests of the shape.
    struct Derivation: Sendable {
        /// Whether only the text before LIKE's first wildcard is used.
        var isFixed = false
        /// The index of the prefix under `[c]`, and the number of prefixes.
        var variant: (index: Int, count: Int)?
        /// Whether it is the lowest text above all texts with the prefix.
        var isNext = false

        /// Returns the derived text; nil where it cannot be derived, or the number of prefixes
        /// differs.
        func text(of whole: String, _ variants: inout CaseVariantsOfText) -> String? {
            var text = isFixed ? TextLiteral.fixed(whole) : whole
            if let variant {
                let all = variants.beginnings(of: text)
                guard all.count == variant.count else { return nil }
                text = all[variant.index]
            }
            return isNext ? TextPrefix.next(after: text) : text
        }
    }

    let text: String
    private let parameter: Int?
    private var derivation = Derivation()

    /// Nil where the operand is not a known text.
    init?(_ operand: Operand) {
        switch operand.content {
        case .constant(.string(let text)): (self.text, parameter) = (text, nil)
        case .parameter(let number, .string(let text)): (self.text, parameter) = (text, number)
        default: return nil
        }
    }

    private init(_ text: String, _ other: TextLiteral, _ change: (inout Derivation) -> Void) {
        self.text = text
        parameter = other.parameter
        derivation = other.derivation
        change(&derivation)
    }

    var isEmpty: Bool { text.isEmpty }

    /// The source in another request of the shape; nil where the text does not change.
    var origin: BindingSource.Origin? { parameter.map { .text($0, derivation) } }

    /// The text before LIKE's first wildcard.
    var fixed: TextLiteral {
        TextLiteral(Self.fixed(text), self) { $0.isFixed = true }
    }

    private static func fixed(_ pattern: String) -> String {
        let end = pattern.utf8.firstIndex {
            $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "\\")
        }
        return end.map { String(pattern[..<$0]) } ?? pattern
    }

    /// The lowest text above all texts that begin with it; nil where there is none.
    var next: TextLiteral? {
        TextPrefix.next(after: text).map { TextLiteral($0, self) { $0.isNext = true } }
    }

    /// The prefixes under `[c]` (`CaseVariants`).
    var caseVariants: [TextLiteral] {
        let all = CaseVariants.beginnings(of: text)
        return all.enumerated().map { index, text in
            TextLiteral(text, self) { $0.variant = (index, all.count) }
        }
    }
}
