import CSQLite
import SteleMigration
import SteleModel
import StelePredicates
import SteleSQL

/// The predicate language's functions as scalars, on values of any kind.
enum ValueFunctions {
    private static let functions = PredicateFunction.allCases
    private static let casts = CastType.allCases

    /// `STELE_CALL` and `STELE_CALL2`.
    static func call(_ context: OpaquePointer?, _ count: Int32, _ arguments: SQLArguments?) {
        guard let arguments else { return sqlite3_result_null(context) }
        let number = Int(sqlite3_value_int(arguments[0]))
        guard functions.indices.contains(number) else { return sqlite3_result_null(context) }
        let a = value(arguments[2], kind(arguments[1]))
        let b = count > 3 ? value(arguments[4], kind(arguments[3])) : nil
        result(context, PredicateCalls.apply(functions[number], a, b))
    }

    /// `STELE_RANDOM`.
    static func randomBelow(_ context: OpaquePointer?, _ arguments: SQLArguments?) {
        guard let arguments else { return sqlite3_result_null(context) }
        result(context, PredicateCalls.random(below: value(arguments[1], kind(arguments[0]))))
    }

    /// `STELE_CAST`.
    static func cast(_ context: OpaquePointer?, _ arguments: SQLArguments?) {
        guard let arguments else { return sqlite3_result_null(context) }
        let place = Int(sqlite3_value_int(arguments[0]))
        guard casts.indices.contains(place) else { return sqlite3_result_null(context) }
        let value = value(arguments[2], kind(arguments[1]))
        result(context, PredicateCalls.cast(value, to: casts[place]))
    }

    /// `STELE_NUMBER`.
    static func number(_ context: OpaquePointer?, _ arguments: SQLArguments?) {
        guard let arguments, let from = type(arguments[0]), let to = type(arguments[1]),
            let change = NumericChange(from: from, to: to)
        else { return sqlite3_result_null(context) }
        result(context, change.value(value(arguments[2], ColumnKind(from))) ?? .null)
    }

    private static func type(_ value: OpaquePointer?) -> AttributeType? {
        AttributeType(rawValue: Int(sqlite3_value_int(value)))
    }

    /// `STELE_DISTANCE`.
    static func distance(_ context: OpaquePointer?, _ arguments: SQLArguments?) {
        guard let arguments else { return sqlite3_result_null(context) }
        let values = (0..<4).map { number(arguments[$0]) }
        result(context, PredicateCalls.distance((values[0], values[1]), (values[2], values[3])))
    }

    /// `STELE_LITERAL`.
    static func literal(_ context: OpaquePointer?, _ arguments: SQLArguments?) {
        guard let text = sqlite3_value_text(arguments?[0]) else {
            return sqlite3_result_null(context)
        }
        let count = Int(sqlite3_value_bytes(arguments?[0]))
        let bytes = UnsafeBufferPointer(start: text, count: count)
        result(context, ListLiteral.value(bytes) ?? .null)
    }

    static func kind(_ value: OpaquePointer?) -> ColumnKind {
        ColumnKind(rawValue: Int(sqlite3_value_int(value))) ?? .integer
    }

    /// Returns a number of the type that SQLite has stored.
    static func number(_ value: OpaquePointer?) -> Value {
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER: .int(sqlite3_value_int64(value))
        case SQLITE_FLOAT: .double(sqlite3_value_double(value))
        case SQLITE_BLOB: DecimalFunctions.decimal(value).map(Value.decimal) ?? .null
        default: .null
        }
    }

    static func value(_ value: OpaquePointer?, _ kind: ColumnKind) -> Value {
        if sqlite3_value_type(value) == SQLITE_NULL { return .null }
        switch kind {
        case .integer: return number(value)
        case .double, .float: return .double(sqlite3_value_double(value))
        case .key: return .key(sqlite3_value_int64(value))
        case .boolean: return .bool(sqlite3_value_int64(value) != 0)
        case .date: return .date(sqlite3_value_double(value))
        case .decimal: return DecimalFunctions.decimal(value).map(Value.decimal) ?? .null
        case .text:
            guard let start = sqlite3_value_text(value) else { return .null }
            let count = Int(sqlite3_value_bytes(value))
            return .string(
                String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self))
        case .uuid where sqlite3_value_type(value) == SQLITE_TEXT:
            guard case .string(let text) = self.value(value, .text) else { return .null }
            return UUID(uuidString: text).map(Value.uuid) ?? .null
        case .uuid:
            guard sqlite3_value_bytes(value) == 16, let start = sqlite3_value_blob(value) else {
                return .null
            }
            var uuid = UUID()
            withUnsafeMutableBytes(of: &uuid) {
                $0.copyMemory(from: UnsafeRawBufferPointer(start: start, count: 16))
            }
            return .uuid(uuid)
        case .data, .external, .marked: return .null
        }
    }

    static func result(_ context: OpaquePointer?, _ value: Value) {
        switch value {
        case .null, .data, .external: sqlite3_result_null(context)
        case .bool(let it): sqlite3_result_int64(context, it ? 1 : 0)
        case .int(let it), .key(let it): sqlite3_result_int64(context, it)
        case .double(let it), .date(let it): sqlite3_result_double(context, it)
        case .decimal(let it): DecimalFunctions.result(context, it)
        case .string(var it):
            it.withUTF8 { TextFunctions.result(context, $0) }
        case .uuid(let it):
            withUnsafeBytes(of: it.uuid) { stele_result_blob(context, $0.baseAddress, 16) }
        }
    }
}
