/// Base64 (RFC 4648), decoded strictly.

/// Decodes both alphabets and encodes the URL-safe one; `ByteWriter.base64` encodes the plain one.
public enum Base64 {
    /// Decodes a text. The result is nil for a character outside the alphabet, padding in the wrong
    /// place, and unused bits that are not zero. With `urlSafe`, the text is that of section 5,
    /// unpadded.
    public static func decode(
        _ text: UnsafeBufferPointer<UInt8>, urlSafe: Bool = false
    ) -> [UInt8]? {
        let table = urlSafe ? urlSafeDigits : plainDigits
        var out: [UInt8] = []
        out.reserveCapacity(text.count / 4 * 3 + 3)
        var bits: UInt32 = 0
        var digits = 0
        var padding = 0
        for byte in text {
            if byte == UInt8(ascii: "="), !urlSafe {
                padding += 1
                continue
            }
            let digit = table[Int(byte)]
            guard digit < 64, padding == 0 else { return nil }
            bits = bits << 6 | UInt32(digit)
            digits += 1
            guard digits & 3 == 0 else { continue }
            out.append(UInt8(truncatingIfNeeded: bits >> 16))
            out.append(UInt8(truncatingIfNeeded: bits >> 8))
            out.append(UInt8(truncatingIfNeeded: bits))
            bits = 0
        }
        guard urlSafe || (digits + padding) & 3 == 0 && padding < 3 else { return nil }
        switch digits & 3 {
        case 0: return out
        case 2 where bits & 0xF == 0: out.append(UInt8(truncatingIfNeeded: bits >> 4))
        case 3 where bits & 0x3 == 0:
            out.append(UInt8(truncatingIfNeeded: bits >> 10))
            out.append(UInt8(truncatingIfNeeded: bits >> 2))
        default: return nil
        }
        return out
    }

    /// Decodes a string, as above.
    public static func decode(_ text: String, urlSafe: Bool = false) -> [UInt8]? {
        var text = text
        return text.withUTF8 { decode($0, urlSafe: urlSafe) }
    }

    /// Encodes bytes in the alphabet of section 5, without padding.
    public static func encodeURLSafe(_ bytes: [UInt8]) -> String {
        var out: [UInt8] = []
        out.reserveCapacity(bytes.count * 4 / 3 + 4)
        var at = 0
        while at < bytes.count {
            let count = min(3, bytes.count - at)
            var group: UInt32 = 0
            for offset in 0..<3 {
                group = group << 8 | (offset < count ? UInt32(bytes[at + offset]) : 0)
            }
            for digit in 0...count {
                out.append(alphabet[Int(group >> UInt32(18 - 6 * digit)) & 63])
            }
            at += 3
        }
        return String(decoding: out, as: UTF8.self)
    }

    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let urlSafeDigits = table(of: alphabet)
    private static let plainDigits = table(of: Array(alphabet.dropLast(2)) + Array("+/".utf8))

    private static func table(of alphabet: [UInt8]) -> [UInt8] {
        var table = [UInt8](repeating: 255, count: 256)
        for (digit, byte) in alphabet.enumerated() { table[Int(byte)] = UInt8(digit) }
        return table
    }
}
