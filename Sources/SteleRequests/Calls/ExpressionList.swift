/// The lists of `select`, `sort` and `groupBy`: split, named and parsed.

import StelePredicates

struct ListPiece {
    let excerpt: Excerpt

    var text: String { excerpt.text }

    /// Splits a list at commas outside quotes, brackets, braces and parentheses.
    /// - Throws: `Problem` for an empty piece or too many pieces.
    static func split(_ text: String, of parameter: Parameter, limits: Limits) throws
        -> [ListPiece]
    {
        var text = text
        let pieces = text.withUTF8 { excerpts(in: $0, of: parameter) }
        guard pieces.count <= limits.columns else {
            throw Problem(
                .parameter, "\(parameter.name) has more than \(limits.columns) items")
        }
        return try pieces.map { piece in
            let trimmed = piece.part(piece.text[...])
            guard !trimmed.text.isEmpty else {
                throw piece.problem(
                    "\(parameter.name) has nothing between two commas, or is empty")
            }
            return ListPiece(excerpt: trimmed)
        }
    }

    /// The pieces of a list, with the spaces around them.
    private static func excerpts(
        in text: UnsafeBufferPointer<UInt8>, of parameter: Parameter
    ) -> [Excerpt] {
        var pieces: [Excerpt] = []
        var start = 0
        // Unicode scalars before the piece, and before the current byte.
        var (before, passed) = (0, 0)
        var depth = 0
        var quote: UInt8?
        var isEscaped = false
        func append(to end: Int) {
            let piece = String(decoding: text[start..<end], as: UTF8.self)
            pieces.append(Excerpt(piece, of: parameter, at: before))
        }
        // By bytes: the separators are ASCII, and no other character contains their bytes.
        for (at, byte) in text.enumerated() {
            if byte & 0xC0 != 0x80 { passed += 1 }
            if let open = quote {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == open {
                    quote = nil
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
            case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            case UInt8(ascii: ",") where depth == 0:
                append(to: at)
                start = at + 1
                before = passed
            default: break
            }
        }
        append(to: text.count)
        return pieces
    }

    /// The alias and the expression of `pay:average(salary)`. Without an alias, the name is the
    /// expression as written, without spaces beside punctuation.
    var named: (name: String, expression: Excerpt) {
        let head = text.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        let rest = text.dropFirst(head.count)
        if !head.isEmpty, rest.first == ":", let first = head.first, !first.isNumber {
            return (String(head), excerpt.part(rest.dropFirst()))
        }
        return (Self.withoutSpaces(text), excerpt)
    }

    /// A sort key: a leading `-` is descending, a trailing `[c]`, `[d]`, `[l]` an option.
    var sortKey: (expression: Excerpt, ascending: Bool, options: ComparisonOptions) {
        var text = Substring(text)
        let ascending = text.utf8.first != UInt8(ascii: "-")
        if !ascending { text = text.dropFirst() }
        var options: ComparisonOptions = []
        if text.utf8.last == UInt8(ascii: "]"), let open = text.lastIndex(of: "[") {
            let letters = text[text.index(after: open)...].dropLast()
            let known = letters.lowercased()
            if !known.isEmpty, known.allSatisfy({ "cdl".contains($0) }) {
                if known.contains("c") { options.insert(.caseInsensitive) }
                if known.contains("d") { options.insert(.diacriticInsensitive) }
                if known.contains("l") { options.insert(.localeSensitive) }
                text = text[..<open]
            }
        }
        return (excerpt.part(text), ascending, options)
    }

    /// A correction of a sort key with a sign or a word for its direction; nil for any other.
    var sortHint: String? {
        if text.first == "+" {
            let key = String(text.dropFirst()).trimmingSpaces()
            return "ascending is sort=\(key), descending is sort=-\(key)"
        }
        if text.last == "]", let open = text.lastIndex(of: "[") {
            let letters = text[text.index(after: open)...].dropLast()
            if letters.allSatisfy(\.isLetter) {
                return "the options of a key are the letters c, d and l: \(text[..<open])[cd]"
            }
        }
        let words = text.split { " :.".contains($0) }
        guard let last = words.last else { return nil }
        let key = words.count > 1 ? words.dropLast().joined(separator: ".") : "KEY"
        switch last.lowercased() {
        case "desc", "descending": return "descending is sort=-\(key)"
        case "asc", "ascending": return "ascending is sort=\(key)"
        default: return nil
        }
    }

    /// A correction of a column written as in SQL or another service; nil for any other.
    var selectHint: String? {
        if text == "*" { return "leave select out to get every attribute" }
        let words = text.split(separator: " ")
        if words.count > 2, words[words.count - 2].lowercased() == "as", let alias = words.last {
            return "write an alias before a colon: "
                + "\(alias):\(words.dropLast(2).joined(separator: " "))"
        }
        return nil
    }

    /// A correction of `team(name)`, which embeds a relationship in other services.
    var embeddingHint: String? {
        let name = text.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        let rest = text.dropFirst(name.count)
        guard !name.isEmpty, rest.first == "(", rest.last == ")" else { return nil }
        return "write a key of the destination as \(name).key, and include=\(name) embeds it"
    }

    private static func withoutSpaces(_ text: String) -> String {
        if text.utf8.allSatisfy({ (0x21..<0x7F).contains($0) }) { return text }
        var out = ""
        var quote: Character?
        var space = false
        for character in text {
            if quote == nil, character.isWhitespace {
                space = true
                continue
            }
            if space {
                if let last = out.last, isWord(last), isWord(character) { out.append(" ") }
                space = false
            }
            out.append(character)
            if let open = quote {
                if character == open { quote = nil }
            } else if character == "\"" || character == "'" {
                quote = character
            }
        }
        return out
    }

    private static func isWord(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || "_$@\"'".contains(character)
    }
}

extension String {
    func trimmingSpaces() -> String {
        // A text with visible ASCII at both ends has no white space to trim.
        if let first = utf8.first, let last = utf8.last, (0x21..<0x7F).contains(first),
            (0x21..<0x7F).contains(last)
        {
            return self
        }
        let start = drop { $0.isWhitespace }
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...end])
    }
}
