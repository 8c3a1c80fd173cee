import CSQLite
import SteleModel
import SteleSQL

/// The contents of columns that other programs wrote.
enum StoredContents {
    /// `STELE_STORED`.
    static func stored(_ context: OpaquePointer?, _ arguments: SQLArguments?) {
        guard let arguments, sqlite3_value_type(arguments[1]) != SQLITE_NULL else {
            return sqlite3_result_null(context)
        }
        let content = arguments[1]
        let kind = ValueFunctions.kind(arguments[0])
        switch kind {
        case .integer: sqlite3_result_int64(context, sqlite3_value_int64(content))
        case .double, .float, .date:
            let number = sqlite3_value_double(content)
            let isValue =
                switch kind {
                case .float: isFloat(number)
                case .date: Value.isDate(number)
                default: number.isFinite
                }
            if isValue {
                sqlite3_result_double(context, number)
            } else {
                sqlite3_result_null(context)
            }
        case .data, .external, .marked:
            stele_result_blob(
                context, sqlite3_value_blob(content), Int64(sqlite3_value_bytes(content)))
        case .boolean, .decimal, .text, .uuid, .key:
            ValueFunctions.result(context, ValueFunctions.value(content, kind))
        }
    }

    /// `STELE_IS_FOREIGN`.
    static func isForeign(_ context: OpaquePointer?, _ arguments: SQLArguments?) {
        guard let arguments else { return sqlite3_result_null(context) }
        let isForeign = isForeign(arguments[1], ValueFunctions.kind(arguments[0]))
        sqlite3_result_int(context, isForeign ? 1 : 0)
    }

    /// A step of `STELE_FOREIGN_COLUMNS`.
    static func addForeign(
        _ context: OpaquePointer?, _ count: Int32, _ arguments: SQLArguments?
    ) {
        guard let arguments, let kinds = sqlite3_value_text(arguments[0]),
            let bits = sqlite3_aggregate_context(context, Int32(MemoryLayout<Int64>.size))
        else { return }
        var found = bits.load(as: Int64.self)
        for place in 1..<Int(count) {
            let bit: Int64 = 1 << Int64(place - 1)
            if found & bit != 0 { continue }
            let content = arguments[place]
            let isFound =
                if let kind = SQLFunctions.kind(kinds[place - 1]) {
                    isForeign(content, kind)
                } else {
                    sqlite3_value_int(content) != 0
                }
            if isFound { found |= bit }
        }
        bits.storeBytes(of: found, as: Int64.self)
    }

    /// The end of `STELE_FOREIGN_COLUMNS`. SQLite's memory is 0 at first, and null without rows.
    static func foreignColumns(_ context: OpaquePointer?) {
        let bits = sqlite3_aggregate_context(context, 0)
        sqlite3_result_int64(context, bits?.load(as: Int64.self) ?? 0)
    }

    private static func isForeign(_ content: OpaquePointer?, _ kind: ColumnKind) -> Bool {
        let type = sqlite3_value_type(content)
        if type == SQLITE_NULL { return false }
        switch kind {
        case .integer, .key: return type != SQLITE_INTEGER
        case .boolean:
            return type != SQLITE_INTEGER || !(0...1).contains(sqlite3_value_int64(content))
        case .float: return !isNumber(type) || !isFloat(sqlite3_value_double(content))
        case .date: return !isNumber(type) || !Value.isDate(sqlite3_value_double(content))
        case .double:
            return type != SQLITE_INTEGER
                && (type != SQLITE_FLOAT || !sqlite3_value_double(content).isFinite)
        case .decimal:
            return type == SQLITE_TEXT
                || type != SQLITE_INTEGER && DecimalFunctions.decimal(content) == nil
        case .text: return type != SQLITE_TEXT || !isUTF8(content)
        case .uuid: return type != SQLITE_BLOB || sqlite3_value_bytes(content) != 16
        case .data: return type != SQLITE_BLOB
        case .external, .marked:
            guard type == SQLITE_BLOB else { return true }
            let start = sqlite3_value_blob(content)
            return ExternalMarker.isNoName(
                UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(content))))
        }
    }

    private static func isNumber(_ type: Int32) -> Bool {
        type == SQLITE_INTEGER || type == SQLITE_FLOAT
    }

    /// Whether a number is finite as a Float.
    @inline(__always)
    static func isFloat(_ number: Double) -> Bool { Float(number).isFinite }

    private static func isUTF8(_ content: OpaquePointer?) -> Bool {
        guard let start = sqlite3_value_text(content) else { return true }
        let bytes = UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(content)))
        if isASCII(bytes) { return true }
        return String(validating: bytes, as: UTF8.self) != nil
    }

    /// Whether all bytes are below 0x80, eight at a time.
    private static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let words = bytes.count / 8
        var all: UInt64 = 0
        for word in 0..<words {
            all |= bytes.loadUnaligned(fromByteOffset: word * 8, as: UInt64.self)
        }
        for place in (words * 8)..<bytes.count { all |= UInt64(bytes[place]) }
        return all & 0x8080_8080_8080_8080 == 0
    }
}
