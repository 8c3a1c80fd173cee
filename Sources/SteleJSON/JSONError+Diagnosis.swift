// Errors of jansson as `JSONError`, with the position found again and hints for mistakes.

internal import CJansson

extension JSONError {
    /// Makes the error that jansson reported on these bytes.
    init(_ failure: json_error_t, in bytes: [UInt8]) {
        var failure = failure
        let text = String(cString: cjansson_error_text(&failure))
        let code = UInt32(truncatingIfNeeded: cjansson_error_code(&failure))
        let token = Token(bytes, before: Int(failure.position))
        switch code {
        case json_error_invalid_utf8.rawValue:
            self = Self.invalidUTF8(bytes, near: token.start)
        case json_error_duplicate_key.rawValue:
            self.init(
                .duplicateKey, "the key \(token.excerpt) stands twice in one object",
                at: token.start, of: bytes)
        case json_error_numeric_overflow.rawValue where text.contains("integer"):
            // Integers beyond 64 bits are read: this one has something after its digits.
            self.init(
                .syntax, "the number \(token.excerpt) is not written as JSON has it",
                at: token.start, of: bytes, hint: token.hint)
        case json_error_numeric_overflow.rawValue:
            self.init(
                .numberOutOfRange, "the number \(token.excerpt) goes beyond a Double",
                at: token.start, of: bytes, hint: "send it as a string")
        case json_error_null_character.rawValue, json_error_null_byte_in_key.rawValue:
            self = Self.nul(bytes, at: token.start)
        case json_error_out_of_memory.rawValue:
            self.init(.outOfMemory, "memory has run out", at: token.start, of: bytes)
        case json_error_stack_overflow.rawValue:
            self.init(.tooDeep, "arrays and objects nest too deep", at: token.start, of: bytes)
        default:
            self = Self.syntax(text, code: code, token: token, in: bytes, failure.position)
        }
    }

    private static func syntax(
        _ text: String, code: UInt32, token: Token, in bytes: [UInt8], _ position: Int32
    ) -> JSONError {
        if let nul = bytes[..<min(bytes.count, Int(max(position, 0)) + 1)].firstIndex(of: 0) {
            return Self.nul(bytes, at: nul)
        }
        if token.isEmpty {
            return JSONError(
                .empty, "there is no JSON: the text is empty", at: bytes.count, of: bytes)
        }
        if code == json_error_premature_end_of_input.rawValue {
            return JSONError(
                .syntax, "the JSON ends too early, within or after \(token.excerpt),",
                at: bytes.count, of: bytes)
        }
        if let name = token.notFinite {
            return JSONError(
                .numberOutOfRange, "\(name) is not a number in JSON", at: token.start, of: bytes,
                hint: "send null, or leave it out")
        }
        var what = text
        if let near = text.firstRange(of: " near ") { what = String(text[..<near.lowerBound]) }
        if code == json_error_end_of_input_expected.rawValue {
            what = "there is text after the end of the JSON"
        }
        let isInside = token.isString && !what.hasSuffix(" expected")
        return JSONError(
            .syntax, "\(what) in or near \(token.excerpt)",
            at: isInside ? token.firstBadByte : token.start, of: bytes, hint: token.hint)
    }

    private static func nul(_ bytes: [UInt8], at position: Int) -> JSONError {
        JSONError(
            .nulCharacter, "U+0000 is not allowed in text", at: position, of: bytes,
            hint: "a Binary attribute can hold it, as base64")
    }

    private static func invalidUTF8(_ bytes: [UInt8], near position: Int) -> JSONError {
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: bytes.span)
            return JSONError(.invalidUTF8, "bytes that are not UTF-8", at: position, of: bytes)
        } catch {
            let at = error.byteOffsets.lowerBound
            let value = at < bytes.count ? String(bytes[at], radix: 16, uppercase: true) : ""
            return JSONError(
                .invalidUTF8, "the byte 0x\(value) is not UTF-8", at: at, of: bytes,
                hint: "JSON is sent in UTF-8")
        }
    }
}

/// The token at which jansson stopped, found by reading the text again.
private struct Token {
    private(set) var start = 0
    private var text: ArraySlice<UInt8> = []
    private var previous: UInt8 = 0

    /// Finds the last token that begins before `position`.
    init(_ bytes: [UInt8], before position: Int) {
        let span = bytes.span
        var at = 0
        while at < max(position, 1), at < span.count {
            let byte = span[at]
            if Self.isSpace(byte) {
                at += 1
                continue
            }
            previous = text.first ?? 0
            start = at
            if byte == UInt8(ascii: "\"") {
                at = TextScan.endOfString(span, from: at)
            } else {
                at += 1
                if !Self.isPunctuation(byte) {
                    while at < span.count, !Self.isSpace(span[at]), !Self.isPunctuation(span[at]) {
                        at += 1
                    }
                }
            }
            text = bytes[start..<at]
        }
    }

    var isEmpty: Bool { text.isEmpty }

    var isString: Bool { text.first == UInt8(ascii: "\"") }

    /// The index of a control character or an invalid escape in a string; otherwise its start.
    var firstBadByte: Int {
        var afterBackslash = false
        for (index, byte) in zip(text.indices, text) {
            if byte < 0x20 { return index }
            if afterBackslash {
                if !Self.escapes.contains(byte) { return index - 1 }
                afterBackslash = false
            } else {
                afterBackslash = byte == UInt8(ascii: "\\")
            }
        }
        return start
    }

    /// The bytes that may follow a backslash.
    private static let escapes = Array("\"\\/bfnrtu".utf8)

    /// The token for a message, quoted and not too long.
    var excerpt: String {
        let shown = String(decoding: text.prefix(40), as: UTF8.self)
        let whole = text.count > 40 ? shown + "…" : shown
        return isString ? whole : "'\(whole)'"
    }

    /// NaN and the infinities, as other languages print them.
    var notFinite: String? {
        let word = String(decoding: text.prefix(16), as: UTF8.self)
        let bare = word.drop { $0 == "-" || $0 == "+" }.lowercased()
        return ["nan", "infinity", "inf"].contains(bare) ? word : nil
    }

    /// A correction of a common mistake.
    var hint: String? {
        switch text.first {
        case UInt8(ascii: "'"):
            return "strings and keys are written in double quotes"
        case 0xEF where text.starts(with: [0xEF, 0xBB, 0xBF]):
            return "send it without a byte order mark"
        case UInt8(ascii: "/"), UInt8(ascii: "#"):
            return "JSON has no comments"
        case UInt8(ascii: "}") where previous == UInt8(ascii: ","),
            UInt8(ascii: "]") where previous == UInt8(ascii: ","):
            return "remove the comma before the closing bracket"
        case .some(UInt8(ascii: "0")...UInt8(ascii: "9")), UInt8(ascii: "-"),
            UInt8(ascii: "+"), UInt8(ascii: "."):
            return "a number begins with a digit or a minus sign, and has no leading zeros"
        default:
            break
        }
        switch String(decoding: text.prefix(16), as: UTF8.self) {
        case "True", "TRUE", "False", "FALSE": return "write true and false in lower case"
        case "None", "undefined", "Null", "NULL", "nil": return "write null"
        default: return nil
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    private static func isPunctuation(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"),
            UInt8(ascii: ":"), UInt8(ascii: ","), UInt8(ascii: "\""):
            true
        default: false
        }
    }
}
