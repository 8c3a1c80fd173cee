/// Text compared inside statements, by the very code that compares it in memory.

import CSQLite
import StelePredicates

/// The text scalars: bytes as SQLite holds them, no copy where plain bytes serve.
enum TextFunctions {
    /// What is asked of a text and a pattern.
    enum Question {
        case contains, beginsWith, endsWith, like
    }

    /// 1 or 0; NULL where the text or the pattern is; an error where LIKE would take too long.
    static func compare(
        _ context: OpaquePointer?, _ arguments: SQLArguments?, _ question: Question
    ) {
        guard let arguments, let text = bytes(arguments[0]), let pattern = bytes(arguments[1])
        else { return sqlite3_result_null(context) }
        let comparison = TextComparison(options(arguments[2]))
        do {
            let holds =
                switch question {
                case .contains: comparison.contains(text, pattern)
                case .beginsWith: comparison.beginsWith(text, pattern)
                case .endsWith: comparison.endsWith(text, pattern)
                case .like: try comparison.like(text, pattern)
                }
            sqlite3_result_int(context, holds ? 1 : 0)
        } catch {
            sqlite3_result_error(context, FunctionError.text(error), -1)
        }
    }

    /// Text whose binary order is that of the text under the options; NULL of NULL.
    static func fold(_ context: OpaquePointer?, _ arguments: SQLArguments?) {
        guard let arguments, let text = bytes(arguments[0]) else {
            return sqlite3_result_null(context)
        }
        let options = options(arguments[1])
        if foldASCII(context, arguments[0], text, options) { return }
        var folded = TextComparison.fold(String(decoding: text, as: UTF8.self), options: options)
        folded.withUTF8 { utf8 in
            guard let start = utf8.baseAddress else { return stele_result_text(context, "", 0) }
            start.withMemoryRebound(to: CChar.self, capacity: utf8.count) {
                stele_result_text(context, $0, Int64(utf8.count))
            }
        }
    }

    /// Gives ASCII text back in small letters, or as it is; false where that is not all.
    private static func foldASCII(
        _ context: OpaquePointer?, _ value: OpaquePointer?, _ text: UnsafeBufferPointer<UInt8>,
        _ options: ComparisonOptions
    ) -> Bool {
        guard options.isDisjoint(with: [.localeSensitive, .normalized]), text.count <= 256,
            sqlite3_value_type(value) == SQLITE_TEXT
        else { return false }
        let foldsCase = options.contains(.caseInsensitive)
        var (seen, changes) = (UInt8(0), false)
        for byte in text {
            seen |= byte
            if byte &- 0x41 < 26 { changes = true }
        }
        guard seen < 0x80 else { return false }
        guard foldsCase, changes else {
            sqlite3_result_value(context, value)
            return true
        }
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: text.count) { small in
            for (index, byte) in text.enumerated() {
                small[index] = CChar(bitPattern: byte &- 0x41 < 26 ? byte | 0x20 : byte)
            }
            stele_result_text(context, small.baseAddress, Int64(text.count))
        }
        return true
    }

    private static func options(_ value: OpaquePointer?) -> ComparisonOptions {
        ComparisonOptions(rawValue: Int(sqlite3_value_int(value)))
    }

    /// The text's UTF-8, which lives until the function returns; nil for NULL.
    static func bytes(_ value: OpaquePointer?) -> UnsafeBufferPointer<UInt8>? {
        guard let start = sqlite3_value_text(value) else { return nil }
        return UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
    }
}
