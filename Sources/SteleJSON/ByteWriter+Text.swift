// Text as a JSON string. Runs of bytes that need no escape are copied.

extension ByteWriter {
    /// Appends a text as a JSON string, quoted and escaped.
    public mutating func string(_ text: String) {
        // withUTF8 needs a copy, which would be retained and released.
        if text.utf8.withContiguousStorageIfAvailable({ quoted($0) }) == nil {
            var text = text
            text.withUTF8 { quoted($0) }
        }
    }

    /// Appends UTF-8 as a JSON string, quoted and escaped. Invalid UTF-8, which only another
    /// program can have stored, becomes U+FFFD.
    public mutating func string(utf8: UnsafeBufferPointer<UInt8>) {
        if Self.isASCII(utf8) || (try? UTF8Span(validating: utf8.span)) != nil {
            quoted(utf8)
        } else {
            string(String(decoding: utf8, as: UTF8.self))
        }
    }

    private mutating func quoted(_ utf8: UnsafeBufferPointer<UInt8>) {
        bytes.append(UInt8(ascii: "\""))
        var start = 0
        while true {
            let end = Self.endOfPlainRun(utf8, from: start)
            if end > start {
                bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[start..<end]))
            }
            guard end < utf8.count else { break }
            escape(utf8[end])
            start = end + 1
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func escape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): raw("\\\"")
        case UInt8(ascii: "\\"): raw("\\\\")
        case 0x0A: raw("\\n")
        case 0x0D: raw("\\r")
        case 0x09: raw("\\t")
        case 0x08: raw("\\b")
        case 0x0C: raw("\\f")
        default:
            raw("\\u00")
            hex(byte)
        }
    }

    /// The index of the next byte that needs an escape, or the end. It tests eight bytes at a time.
    private static func endOfPlainRun(_ utf8: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs = ones &* 0x80
        let raw = UnsafeRawBufferPointer(utf8)
        var at = start
        while at &+ 8 <= raw.count {
            let word = raw.loadUnaligned(fromByteOffset: at, as: UInt64.self)
            // A byte's high bit comes out set when it is below 0x20, or zero after the xor;
            // bytes above 0x7F are masked out by ~word.
            let controls = word &- ones &* 0x20
            let quotes = (word ^ (ones &* 0x22)) &- ones
            let slashes = (word ^ (ones &* 0x5C)) &- ones
            if (controls | quotes | slashes) & ~word & highs != 0 { break }
            at &+= 8
        }
        while at < utf8.count, !needsEscape(utf8[at]) { at &+= 1 }
        return at
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private static func isASCII(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
        let raw = UnsafeRawBufferPointer(utf8)
        var at = 0
        while at &+ 8 <= raw.count {
            let word = raw.loadUnaligned(fromByteOffset: at, as: UInt64.self)
            if word & 0x8080_8080_8080_8080 != 0 { return false }
            at &+= 8
        }
        while at < raw.count {
            if raw[at] >= 0x80 { return false }
            at &+= 1
        }
        return true
    }

    /// Appends a byte as two upper-case hexadecimal digits.
    public mutating func hex(_ byte: UInt8) {
        bytes.append(Self.hexDigit(byte >> 4))
        bytes.append(Self.hexDigit(byte & 0xF))
    }

    static func hexDigit(_ nibble: UInt8) -> UInt8 {
        nibble < 10 ? nibble &+ UInt8(ascii: "0") : nibble &- 10 &+ UInt8(ascii: "A")
    }
}
