import SteleModel

/// What an attribute has of its column.

extension CatalogColumn {
    /// The default, where it is a constant that the attribute's type can have; nil for any other.
    var constantDefault: Value? {
        guard !isGenerated, let defaultExpression else { return nil }
        let type = ColumnForm(self).type
        switch type {
        case .integer16, .integer32, .integer64, .decimal, .double, .float:
            return Self.constant(defaultExpression).flatMap { ValueText.value($0, type) }
        case .boolean:
            return Self.constant(defaultExpression).flatMap(Self.boolean)
        case .string:
            guard let text = Self.quoted(defaultExpression), text.isInXML else { return nil }
            return .string(text)
        default: return nil
        }
    }

    /// The regular expression of an enum's labels; nil for other types.
    var labelPattern: String? {
        guard !labels.isEmpty, labels.allSatisfy(\.isInXML) else { return nil }
        return labels.map { label in
            label.unicodeScalars.map { scalar in
                (#"\^$.|?*+()[]{}"#.unicodeScalars.contains(scalar) ? "\\" : "") + String(scalar)
            }.joined()
        }.joined(separator: "|")
    }

    private static func boolean(_ text: String) -> Value? {
        switch text {
        case "true", "t": .bool(true)
        case "false", "f": .bool(false)
        default: nil
        }
    }

    /// The text of a number or a boolean, with or without quotes, casts and parentheses.
    private static func constant(_ expression: String) -> String? {
        var rest = expression
        // Each turn takes a pair of parentheses or a cast.
        for _ in 0..<8 {
            if let text = quoted(rest) { return text }
            if let cast = rest.ranges(of: "::").last, isType(rest[cast.upperBound...]) {
                rest = String(rest[..<cast.lowerBound])
            } else if rest.hasPrefix("("), rest.hasSuffix(")") {
                rest = String(rest.dropFirst().dropLast())
            } else {
                break
            }
        }
        return rest.filter { $0 != " " }
    }

    /// The text between quotes that are the whole expression, or have a cast after them.
    private static func quoted(_ expression: String) -> String? {
        guard expression.hasPrefix("'") else { return nil }
        var text = ""
        var rest = expression.dropFirst()
        while let quote = rest.firstIndex(of: "'") {
            text += rest[..<quote]
            rest = rest[rest.index(after: quote)...]
            guard rest.hasPrefix("'") else {
                let isWhole = rest.isEmpty || rest.hasPrefix("::") && isType(rest.dropFirst(2))
                return isWhole ? text : nil
            }
            text += "'"
            rest = rest.dropFirst()
        }
        return nil
    }

    /// Whether a text can be the name of a type with its modifier.
    private static func isType(_ text: Substring) -> Bool {
        !text.isEmpty
            && text.allSatisfy {
                $0.isLetter || $0.isNumber || " _.,()\"[]-$".contains($0)
            }
    }
}
