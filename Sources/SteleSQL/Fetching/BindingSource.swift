/// Where a statement's bindings come from when it is used again for another request of its shape.

import SteleModel
import StelePredicates

/// One binding that each request of a shape has its own value for.
struct BindingSource: Sendable {
    enum Origin: Sendable {
        /// That parameter of the predicate.
        case parameter(Int)
        /// What is made of that parameter, which is a text.
        case text(Int, TextLiteral.Derivation)
        /// So many parameters, from that one on, as one text (`JSONList`).
        case list(from: Int, count: Int)
        case limit, offset
        /// That value of the position that the request goes on after.
        case position(Int)
    }

    /// Its index among the bindings.
    let place: Int
    let origin: Origin

    /// The value for a request; nil where it has none, so that its statement is another.
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

/// The beginnings under `[c]` of the text that was last asked for, each of which is bound.
struct CaseVariantsOfText {
    private var last: (text: String, beginnings: [String])?

    mutating func beginnings(of text: String) -> [String] {
        if let last, last.text == text { return last.beginnings }
        let beginnings = CaseVariants.beginnings(of: text)
        last = (text, beginnings)
        return beginnings
    }
}

/// A text that is known where the statement is made, and what it was made of.
struct TextLiteral {
    /// What is made of a parameter's text, the same for all requests of the shape.
    struct Derivation: Sendable {
        /// Whether only what stands before LIKE's first sign counts.
        var isFixed = false
        /// Which of how many beginnings under `[c]` it is.
        var variant: (index: Int, count: Int)?
        /// Whether it is the least text above all that begin so.
        var isNext = false

        /// Nil where it cannot be made of this text, or as many are not.
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

    /// Nil where the operand is no text that is known.
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

    /// Where another request of the shape has its own; nil where there is no other.
    var origin: BindingSource.Origin? { parameter.map { .text($0, derivation) } }

    /// What stands before LIKE's first sign.
    var fixed: TextLiteral {
        TextLiteral(Self.fixed(text), self) { $0.isFixed = true }
    }

    private static func fixed(_ pattern: String) -> String {
        let end = pattern.utf8.firstIndex {
            $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "\\")
        }
        return end.map { String(pattern[..<$0]) } ?? pattern
    }

    /// The least text above all that begin with it, or nil where there is none.
    var next: TextLiteral? {
        TextPrefix.next(after: text).map { TextLiteral($0, self) { $0.isNext = true } }
    }

    /// Its beginnings under `[c]` (`CaseVariants`).
    var caseVariants: [TextLiteral] {
        let all = CaseVariants.beginnings(of: text)
        return all.enumerated().map { index, text in
            TextLiteral(text, self) { $0.variant = (index, all.count) }
        }
    }
}
