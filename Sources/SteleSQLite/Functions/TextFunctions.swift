/// Text compared inside statements, by the very code that compares it in memory.

import CSQLite
import StelePredicates

/// The text scalars: bytes as SQLite holds them, no copy where plain bytes serve.
enum TextFunctions {
    /// What is asked of a text and a pattern.
    enum Question {
        case contains, beginsWith, endsWith, like
    }

    /// 1 or 0; NULL where the text or the pattern is.
    static func compare(
        _ context: OpaquePointer?, _ arguments: SQLArguments?, _ question: Question
    ) {
        guard let arguments, let text = bytes(arguments[0]), let pattern = bytes(arguments[1])
        else { return sqlite3_result_null(context) }
        let comparison = TextComparison(options(arguments[2]))
        let holds =
            switch question {
            case .contains: comparison.contains(text, pattern)
            case .beginsWith: comparison.beginsWith(text, pattern)
            case .endsWith: comparison.endsWith(text, pattern)
            case .like: comparison.like(text, pattern)
            }
        sqlite3_result_int(context, holds ? 1 : 0)
    }

    /// Text whose binary order is that of the text under the options; NULL of NULL.
    static func fold(_ context: OpaquePointer?, _ arguments: SQLArguments?) {
        guard let arguments, let text = bytes(arguments[0]) else {
            return sqlite3_result_null(context)
        }
        var folded = TextComparison.fold(
            String(decoding: text, as: UTF8.self), options: options(arguments[1]))
        folded.withUTF8 { utf8 in
            guard let start = utf8.baseAddress else { return stele_result_text(context, "", 0) }
            start.withMemoryRebound(to: CChar.self, capacity: utf8.count) {
                stele_result_text(context, $0, Int64(utf8.count))
            }
        }
    }

    private static func options(_ value: OpaquePointer?) -> ComparisonOptions {
        ComparisonOptions(rawValue: Int(sqlite3_value_int(value)))
    }

    /// The text's UTF-8, which lives until the function returns; nil for NULL.
    private static func bytes(_ value: OpaquePointer?) -> UnsafeBufferPointer<UInt8>? {
        guard let start = sqlite3_value_text(value) else { return nil }
        return UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
    }
}
