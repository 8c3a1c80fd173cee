/// Numbers in texts.

import FoundationEssentials

/// Reads numbers in texts, in one grammar for bodies, cells of files and variables.
public enum NumberText {
    /// A number in the notation of JSON: digits with a sign, a point and an exponent, where `+5`, `.5`
    /// and `1.` are read as `5`, `0.5` and `1`.
    /// - Returns: nil for any other text, such as `0x10`, `1,5`, `nan` and one with blanks.
    public static func plain(_ text: some Sequence<UInt8>) -> [UInt8]? {
        let bytes = Array(text)
        var at = 0
        var plain: [UInt8] = []
        func digits() -> Bool {
            let run = bytes[at...].prefix { (0x30...0x39).contains($0) }
            plain += run
            at = run.endIndex
            return !run.isEmpty
        }
        func take(_ allowed: String) -> UInt8? {
            guard at < bytes.count, allowed.utf8.contains(bytes[at]) else { return nil }
            at += 1
            return bytes[at - 1]
        }
        if take("+-") == UInt8(ascii: "-") { plain.append(UInt8(ascii: "-")) }
        var hasDigits = digits()
        if !hasDigits { plain.append(UInt8(ascii: "0")) }
        if take(".") != nil {
            let end = plain.count
            plain.append(UInt8(ascii: "."))
            if digits() { hasDigits = true } else { plain.removeSubrange(end...) }
        }
        guard hasDigits else { return nil }
        if let letter = take("eE") {
            plain.append(letter)
            if let sign = take("+-") { plain.append(sign) }
            guard digits() else { return nil }
        }
        return at == bytes.count ? plain : nil
    }

    /// The Decimal of a number; nil as for `plain`, and for one that a Decimal cannot hold in full.
    public static func decimal(_ text: some Collection<UInt8>) -> Decimal? {
        DecimalText.parse(text) ?? plain(text).flatMap { DecimalText.parse($0) }
    }
}
