/// The names of a model as Swift identifiers.

/// Makes Swift identifiers.
enum SwiftIdentifier {
    /// The name, with `_` for what Swift does not allow, and before what cannot begin a name.
    static func make(_ name: String) -> String {
        var made = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            made.append(canContinue(scalar) ? scalar : "_")
        }
        // A lone underscore is a pattern and not a name, even between backticks.
        guard let first = made.first, String(made) != "_" else { return "__" }
        return (canBegin(first) ? "" : "_") + String(made)
    }

    /// The name as code: reserved words are between backticks.
    static func code(_ name: String) -> String { reserved.contains(name) ? "`\(name)`" : name }

    /// The name as in `addToPlayers`.
    static func capitalized(_ name: String) -> String {
        name.prefix(1).uppercased() + name.dropFirst()
    }

    // Swift's grammar of identifiers, limited to letters, marks and digits.
    private static func canBegin(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar == "_" || scalar.properties.isAlphabetic }
        return scalar.properties.isAlphabetic && !isCombining(scalar)
    }

    private static func canContinue(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return canBegin(scalar) || ("0"..."9").contains(scalar) }
        return scalar.properties.isAlphabetic || isCombining(scalar)
            || scalar.properties.numericType == .decimal
    }

    private static func isCombining(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: false
        }
    }

    /// The words that cannot be names, or have another meaning as the name of a member or type.
    private static let reserved: Set = [
        "Any", "Protocol", "Self", "Type", "actor", "as", "associatedtype", "async", "await",
        "break", "case", "catch", "class", "continue", "default", "defer", "deinit", "do", "else",
        "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if",
        "import", "in", "init", "inout", "internal", "is", "let", "nil", "open", "operator",
        "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return", "self",
        "set", "get", "static", "struct", "subscript", "super", "switch", "throw", "throws", "true",
        "try", "typealias", "var", "where", "while",
    ]
}
