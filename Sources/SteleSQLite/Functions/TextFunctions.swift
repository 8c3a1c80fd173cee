import CSQLite
import StelePredicates

/// The text scalars. They compare bytes as SQLite stores them, without a copy where possible.
enum TextFunctions {
    /// The comparison of a text with a pattern.
    enum Question {
        case contains, beginsWith, endsWith, like
    }

    /// Returns 1 or 0, NULL where the text or the pattern is NULL, and an error where LIKE takes
    /// too long.
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

    /// Returns a text whose binary order is the order under the options; NULL for NULL.
    static func fold(_ context: OpaquePointer?, _ arguments: SQLArguments?) {
        guard let arguments, let text = bytes(arguments[0]) else {
            return sqlite3_result_null(context)
        }
        let options = options(arguments[1])
        if foldASCII(text, of: arguments[0], options: options, in: context) { return }
        var folded = TextComparison.fold(String(decoding: text, as: UTF8.self), options: options)
        folded.withUTF8 { result(context, $0) }
    }

    /// Sets a text as the result.
    static func result(_ context: OpaquePointer?, _ utf8: UnsafeBufferPointer<UInt8>) {
        // A null address would be NULL.
        guard let start = utf8.baseAddress else { return stele_result_text(context, "", 0) }
        start.withMemoryRebound(to: CChar.self, capacity: utf8.count) {
            stele_result_text(context, $0, Int64(utf8.count))
        }
    }

    /// Folds a short ASCII text. Returns false, without a result, for any other text.
    private static func foldASCII(
        _ text: UnsafeBufferPointer<UInt8>, of value: OpaquePointer?, options: ComparisonOptions,
        in context: OpaquePointer?
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

    /// Returns the text's UTF-8, which lives until the function returns; nil for NULL.
    static func bytes(_ value: OpaquePointer?) -> UnsafeBufferPointer<UInt8>? {
        guard let start = sqlite3_value_text(value) else { return nil }
        return UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
    }
}
