import struct FoundationEssentials.Data

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

    /// The bytes of a file as the last argument of `EmbeddedMapping`: their text, or base 64 where a
    /// literal could not have them as they are.
    static func content(_ bytes: [UInt8]) -> [String] {
        let text = String(decoding: bytes, as: UTF8.self)
        let isPlain = text.unicodeScalars.allSatisfy {
            $0 == "\n" || $0 == "\t" || $0.properties.generalCategory != .control
        }
        // The decoder replaces what is no UTF-8.
        guard isPlain, Array(text.utf8) == bytes, !text.contains("\"\"\"") else {
            return ["base64: \"\(Data(bytes).base64EncodedString())\""]
        }
        return lines(text)
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
