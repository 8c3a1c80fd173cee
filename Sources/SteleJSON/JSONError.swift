/// What could not be read of a JSON text, and where.
public struct JSONError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The ways in which a text can be unreadable.
    public enum Kind: String, Sendable, Equatable {
        /// Not JSON by its grammar (RFC 8259), or cut short.
        case syntax
        /// One object names a key twice.
        case duplicateKey
        /// Bytes that are not UTF-8.
        case invalidUTF8
        /// More than ``JSONDocument/depthLimit`` arrays and objects inside one another.
        case tooDeep
        /// An integer beyond 64 bits, a real beyond a Double, NaN or an infinity.
        case numberOutOfRange
        /// U+0000, as a byte or as `\u0000`: no store keeps it in text.
        case nulCharacter
        /// No value at all.
        case empty
        /// Memory has run out.
        case outOfMemory
    }

    /// Which rule the text broke.
    public var kind: Kind
    /// One sentence that names what is wrong and where.
    public var message: String
    /// The line, from 1.
    public var line: Int
    /// The character in the line, from 1, counted in Unicode scalars.
    public var column: Int
    /// The byte, from 0.
    public var position: Int
    /// The way out, where there is one to name.
    public var hint: String?

    /// An error made of its parts.
    public init(
        kind: Kind, message: String, line: Int, column: Int, position: Int, hint: String? = nil
    ) {
        self.kind = kind
        self.message = message
        self.line = line
        self.column = column
        self.position = position
        self.hint = hint
    }

    /// An error at a byte of a text; line and column are counted, and named at the message's end.
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

    /// The message, and the hint after it.
    public var description: String {
        guard let hint else { return message }
        return "\(message) (\(hint))"
    }
}
