/// Why a JSON text cannot be read, and where.
public struct JSONError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The rules that a text can break.
    public enum Kind: String, Sendable, Equatable {
        /// The grammar of JSON (RFC 8259); also for a text that is cut short.
        case syntax
        /// An object has a key twice.
        case duplicateKey
        /// Bytes that are not UTF-8.
        case invalidUTF8
        /// Arrays and objects nest deeper than they may.
        case tooDeep
        /// A number beyond a Double, NaN or an infinity.
        case numberOutOfRange
        /// U+0000, as a byte or as `\u0000`, which stores cannot keep in text.
        case nulCharacter
        /// The text has no value.
        case empty
        /// Memory is exhausted.
        case outOfMemory
    }

    /// The rule that the text breaks.
    public var kind: Kind
    /// A sentence that says what is wrong and where.
    public var message: String
    /// The line, from 1.
    public var line: Int
    /// The column, from 1, counted in Unicode scalars.
    public var column: Int
    /// The byte, from 0.
    public var position: Int
    /// How to correct it, if that is known.
    public var hint: String?

}

extension JSONError {
    /// Makes an error at a byte of a text. The message ends with the line and column.
    init(_ kind: Kind, _ what: String, at position: Int, of bytes: [UInt8], hint: String? = nil) {
        let position = min(max(position, 0), bytes.count)
        var line = 1
        var column = 1
        for byte in bytes[..<position] {
            if byte == UInt8(ascii: "\n") {
                line += 1
                column = 1
            } else if byte & 0b1100_0000 != 0b1000_0000 {
                column += 1
            }
        }
        self.init(
            kind: kind, message: "\(what) at line \(line), column \(column)", line: line,
            column: column, position: position, hint: hint)
    }

    /// The message, followed by the hint.
    public var description: String {
        guard let hint else { return message }
        return "\(message) (\(hint))"
    }
}
