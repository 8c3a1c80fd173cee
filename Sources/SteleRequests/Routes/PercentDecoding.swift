// Percent-decoding (RFC 3986, 2.1), done once and strictly.

enum PercentDecoding {
    /// Decodes a part of the request target.
    ///
    /// - Parameters:
    ///   - plusIsSpace: whether `+` means a space, as in query strings.
    ///   - what: the name of the text in messages.
    /// - Throws: `Problem` for an escape that is incomplete or not hexadecimal, for U+0000, and for
    ///   bytes that are not UTF-8.
    static func decode(
        _ text: UnsafeBufferPointer<UInt8>, plusIsSpace: Bool, what: String
    ) throws -> String {
        guard text.contains(where: { $0 == 0x25 || $0 == 0x2B || $0 >= 0x80 }) else {
            return String(decoding: text, as: UTF8.self)
        }
        return try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: text.count) { bytes in
            var count = 0
            var at = 0
            while at < text.count {
                var byte = text[at]
                at += 1
                if byte == UInt8(ascii: "+"), plusIsSpace {
                    byte = UInt8(ascii: " ")
                } else if byte == UInt8(ascii: "%") {
                    guard at + 1 < text.count, let high = digit(text[at]),
                        let low = digit(text[at + 1])
                    else {
                        throw Problem(
                            .target, "\(what) has a % without two hexadecimal digits after it",
                            hint: "a percent sign itself is written %25")
                    }
                    at += 2
                    byte = high << 4 | low
                }
                bytes.initializeElement(at: count, to: byte)
                count += 1
            }
            let decoded = UnsafeBufferPointer(rebasing: bytes[..<count])
            if decoded.contains(0) { throw Problem(.target, "\(what) contains U+0000") }
            guard let text = String(validating: decoded, as: UTF8.self) else {
                throw Problem(
                    .target, "\(what) is not UTF-8 once its percent escapes are decoded",
                    hint: "encode the UTF-8 bytes of each character")
            }
            return text
        }
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}
