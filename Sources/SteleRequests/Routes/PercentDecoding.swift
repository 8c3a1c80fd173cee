// Percent-decoding (RFC 3986, 2.1), done once and strictly.

enum PercentDecoding {
    /// Decodes a part of the request target.
    ///
    /// - Parameters:
    ///   - plusIsSpace: whether `+` means a space, as in query strings.
    ///   - what: the name of the text in messages.
    /// - Throws: `Problem` for an escape that is incomplete or not hexadecimal, for U+0000, and for
    ///   bytes that are not UTF-8.
    static func decode(_ text: Substring, plusIsSpace: Bool, what: String) throws -> String {
        let utf8 = text.utf8
        if !utf8.contains(where: { $0 == 0x25 || $0 == 0x2B || $0 >= 0x80 }) { return String(text) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(utf8.count)
        var at = utf8.startIndex
        while at < utf8.endIndex {
            let byte = utf8[at]
            at = utf8.index(after: at)
            if byte == UInt8(ascii: "+"), plusIsSpace {
                bytes.append(UInt8(ascii: " "))
            } else if byte == UInt8(ascii: "%") {
                let rest = utf8[at...].prefix(2)
                guard rest.count == 2, let high = digit(rest.first), let low = digit(rest.last)
                else {
                    throw Problem(
                        .target, "\(what) has a % without two hexadecimal digits after it",
                        hint: "a percent sign itself is written %25")
                }
                at = utf8.index(at, offsetBy: 2)
                bytes.append(high << 4 | low)
            } else {
                bytes.append(byte)
            }
        }
        if bytes.contains(0) { throw Problem(.target, "\(what) contains U+0000") }
        guard let decoded = String(validating: bytes, as: UTF8.self) else {
            throw Problem(
                .target, "\(what) is not UTF-8 once its percent escapes are decoded",
                hint: "encode the UTF-8 bytes of each character")
        }
        return decoded
    }

    private static func digit(_ byte: UInt8?) -> UInt8? {
        switch byte {
        case let byte? where (0x30...0x39).contains(byte): byte - 0x30
        case let byte? where (0x41...0x46).contains(byte): byte - 0x41 + 10
        case let byte? where (0x61...0x66).contains(byte): byte - 0x61 + 10
        default: nil
        }
    }
}
