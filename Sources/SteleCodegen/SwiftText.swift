/// Texts as literals of Swift.

enum SwiftText {
    /// A literal of one line.
    static func quoted(_ text: String) -> String {
        var literal = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": literal += "\\\(scalar)"
            case _ where scalar.properties.generalCategory == .control:
                literal += "\\u{\(String(scalar.value, radix: 16))}"
            default: literal.unicodeScalars.append(scalar)
            }
        }
        return literal + "\""
    }

    /// A literal of several lines, in which nothing is escaped.
    static func lines(_ text: String) -> [String] {
        let signs = String(repeating: "#", count: longestRun(of: "#", in: text) + 1)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        return ["\(signs)\"\"\""] + lines + ["\"\"\"\(signs)"]
    }

    /// The longest run of a sign. The compiler sees scalars, not characters.
    private static func longestRun(of sign: Unicode.Scalar, in text: String) -> Int {
        var (longest, run) = (0, 0)
        for scalar in text.unicodeScalars {
            run = scalar == sign ? run + 1 : 0
            longest = max(longest, run)
        }
        return longest
    }
}
