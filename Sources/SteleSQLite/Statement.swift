import CSQLite
import SteleModel
import StelePersistence
import SteleSQL
import SteleSystem

/// One prepared statement of a connection: bound, stepped and read by column.
final class Statement {
    private let handle: OpaquePointer
    private let connection: OpaquePointer
    /// The folder of external files.
    private let folder: String
    private let parameters: Int32
    /// The memory that it has after its preparing.
    let bytes: Int
    /// The connection's statement count at the last use.
    var lastUse = 0
    /// The pace of the present use.
    private var pace = ReadingPace.unhurried
    /// The thread's processor time when the use began, at a short pace.
    private var beganAt: UInt64 = 0
    /// The uses that are not allowed because it was too slow for a pace.
    private var brief = Refusals()
    private var short = Refusals()
    /// Whether a bound value is too large to keep after the use.
    private var holdsMuch = false

    init(_ sql: SQLText, on connection: OpaquePointer, folder: String) throws(StoreError) {
        var made: OpaquePointer?
        let code = sqlite3_prepare_v3(
            connection, sql.string, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &made, nil)
        guard code == SQLITE_OK, let made else {
            throw SQLiteFailure.error(code, connection, sql.string)
        }
        handle = made
        self.connection = connection
        self.folder = folder
        parameters = sqlite3_bind_parameter_count(made)
        bytes = Int(sqlite3_stmt_status(made, SQLITE_STMTSTATUS_MEMUSED, 0))
    }

    deinit { sqlite3_finalize(handle) }

    /// Begins a use at a pace.
    /// - Returns: false for a while after an interruption at that pace.
    func begin(at pace: ReadingPace) -> Bool {
        self.pace = pace
        switch pace {
        case .brief: return brief.allowUse()
        case .short:
            beganAt = ThreadClock.now
            return short.allowUse()
        case .unhurried: return true
        }
    }

    /// What is too slow for a pace is too slow for a faster one.
    private func wasInterrupted() {
        switch pace {
        case .brief: brief.noteInterruption()
        case .short:
            // The budget is that of all statements of a view, and the time may be other threads'.
            guard ThreadClock.now &- beganAt > Self.slowNanoseconds else { return }
            brief.noteInterruption()
            short.noteInterruption()
        case .unhurried: break
        }
    }

    /// The processor time from which on a statement is to blame for an interruption.
    private static let slowNanoseconds: UInt64 = 1_000_000

    func reset() {
        sqlite3_reset(handle)
        guard holdsMuch else { return }
        // Without this an idle statement keeps its copy of a large value.
        sqlite3_clear_bindings(handle)
        holdsMuch = false
    }

    /// Binds the values to ?1, ?2, …
    func bind(_ values: [Value]) throws(StoreError) {
        precondition(values.count == Int(parameters), "as many values as the statement has places")
        for (index, value) in values.enumerated() {
            let code = bind(value, at: Int32(index + 1))
            if code != SQLITE_OK { throw SQLiteFailure.error(code, connection, "binding a value") }
        }
    }

    private func bind(_ value: Value, at index: Int32) -> Int32 {
        switch value {
        case .null: return sqlite3_bind_null(handle, index)
        case .bool(let it): return sqlite3_bind_int64(handle, index, it ? 1 : 0)
        case .int(let it), .key(let it): return sqlite3_bind_int64(handle, index, it)
        case .double(let it), .date(let it): return sqlite3_bind_double(handle, index, it)
        case .decimal(let it): return bind(DecimalColumn(it), at: index)
        case .string(let it):
            var text = it
            return text.withUTF8 { utf8 in
                if utf8.count > Limits.boundBytesKept { holdsMuch = true }
                // The buffer of an empty text has no address, and a null address would bind NULL.
                guard let start = utf8.baseAddress else {
                    return stele_bind_text(handle, index, "", 0)
                }
                return start.withMemoryRebound(to: CChar.self, capacity: utf8.count) {
                    stele_bind_text(handle, index, $0, Int64(utf8.count))
                }
            }
        case .external(let it): return bind(.data(ExternalMarker.bytes(it)), at: index)
        case .data(let it):
            if it.isEmpty { return sqlite3_bind_zeroblob(handle, index, 0) }
            if it.count > Limits.boundBytesKept { holdsMuch = true }
            return it.withUnsafeBytes {
                stele_bind_blob(handle, index, $0.baseAddress, Int64($0.count))
            }
        case .uuid(let it):
            return withUnsafeBytes(of: it.uuid) {
                stele_bind_blob(handle, index, $0.baseAddress, 16)
            }
        }
    }

    private func bind(_ column: DecimalColumn, at index: Int32) -> Int32 {
        switch column {
        case .integer(let it): return sqlite3_bind_int64(handle, index, it)
        case .real(let it): return sqlite3_bind_double(handle, index, it)
        case .digits(let it):
            return it.withUnsafeBytes {
                stele_bind_blob(handle, index, $0.baseAddress, Int64($0.count))
            }
        }
    }

    /// Steps to the next row. Returns false at the end.
    @inline(__always)
    func step() throws(StoreError) -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        if code & 0xFF == SQLITE_INTERRUPT { wasInterrupted() }
        let error = SQLiteFailure.error(code, connection, String(cString: sqlite3_sql(handle)))
        sqlite3_reset(handle)
        throw error
    }

    /// Returns an integer column of the current row.
    @inline(__always)
    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    /// Returns the current row as a snapshot.
    @inline(__always)
    func snapshot(_ shape: RowShape, from first: Int32) -> Snapshot {
        let place = shape.place(of: sqlite3_column_int64(handle, first + 1))
        let entity = shape.entities[place]
        var values: [Value] = []
        // A pointer avoids a retain and a bounds check for each value.
        shape.sources[place].withUnsafeBufferPointer { sources in
            values.reserveCapacity(sources.count)
            for source in sources {
                values.append(
                    source.column < 0 ? .null : value(first + 3 + source.column, source.kind))
            }
        }
        return Snapshot(
            entity: entity, key: sqlite3_column_int64(handle, first),
            version: sqlite3_column_int64(handle, first + 2), values: values)
    }

    /// Returns a column of the current row as a value of its kind. SQLite converts a content of
    /// another type.
    @inline(__always)
    func value(_ column: Int32, _ kind: ColumnKind) -> Value {
        let type = sqlite3_column_type(handle, column)
        if type == SQLITE_NULL { return .null }
        switch kind {
        case .integer: return .int(sqlite3_column_int64(handle, column))
        case .key:
            // No row has a key below 1, and a negative one would be that of an unsaved object.
            let key = sqlite3_column_int64(handle, column)
            return key > 0 ? .key(key) : .null
        case .boolean: return .bool(sqlite3_column_int64(handle, column) != 0)
        case .double: return finite(column).map(Value.double) ?? .null
        case .float:
            let number = sqlite3_column_double(handle, column)
            return StoredContents.isFloat(number) ? .double(number) : .null
        case .date:
            let seconds = sqlite3_column_double(handle, column)
            return Value.isDate(seconds) ? .date(seconds) : .null
        case .text: return .string(text(column))
        case .data: return .data(bytes(column))
        case .external: return external(column)
        case .marked: return marked(column)
        case .decimal: return decimal(column, type)
        case .uuid: return uuid(column)
        }
    }

    /// Returns a column with the result of an expression: an integer beyond 64 bits is a Double, and
    /// a number that is not finite is null.
    func computed(_ column: Int32, _ kind: ColumnKind) -> Value {
        if kind == .integer, sqlite3_column_type(handle, column) == SQLITE_FLOAT {
            return finite(column).map(Value.double) ?? .null
        }
        if kind == .double {
            switch sqlite3_column_type(handle, column) {
            case SQLITE_INTEGER:
                let whole = sqlite3_column_int64(handle, column)
                return whole.magnitude > 1 << 53 ? .int(whole) : .double(Double(whole))
            case SQLITE_FLOAT: return finite(column).map(Value.double) ?? .null
            default: break
            }
        }
        let result = value(column, kind)
        if kind == .decimal, result.isNull,
            sqlite3_column_type(handle, column) == SQLITE_FLOAT
        {
            // A Double among Decimals that is out of the range of Decimal.
            return finite(column).map(Value.double) ?? .null
        }
        return result
    }

    /// Returns a number; nil for an infinite one, which is no value.
    @inline(__always)
    private func finite(_ column: Int32) -> Double? {
        let number = sqlite3_column_double(handle, column)
        return number.isFinite ? number : nil
    }

    /// Returns the bytes of a value in the row or in a file; the file where it cannot be read.
    private func marked(_ column: Int32) -> Value {
        let value = external(column)
        guard case .external(let file) = value, let bytes = file.bytes else { return value }
        return .data(bytes)
    }

    private func text(_ column: Int32) -> String {
        guard let start = sqlite3_column_text(handle, column) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    private func bytes(_ column: Int32) -> [UInt8] {
        guard let start = sqlite3_column_blob(handle, column) else { return [] }
        let count = Int(sqlite3_column_bytes(handle, column))
        return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }

    private func external(_ column: Int32) -> Value {
        let start = sqlite3_column_blob(handle, column)
        let count = Int(sqlite3_column_bytes(handle, column))
        return ExternalMarker.value(
            UnsafeRawBufferPointer(start: start, count: count), folder: folder)
    }

    private func decimal(_ column: Int32, _ type: Int32) -> Value {
        switch type {
        case SQLITE_INTEGER: .decimal(Decimal(sqlite3_column_int64(handle, column)))
        case SQLITE_FLOAT:
            DecimalColumn.decimal(sqlite3_column_double(handle, column)).map(Value.decimal) ?? .null
        default: DecimalColumn.decimal(digits: bytes(column)).map(Value.decimal) ?? .null
        }
    }

    /// Reads 16 raw bytes, or a UUID as text. Anything else is not a UUID and reads as null.
    private func uuid(_ column: Int32) -> Value {
        if sqlite3_column_type(handle, column) == SQLITE_TEXT {
            return UUID(uuidString: text(column)).map(Value.uuid) ?? .null
        }
        guard sqlite3_column_bytes(handle, column) == 16,
            let start = sqlite3_column_blob(handle, column)
        else { return .null }
        let raw = UnsafeRawBufferPointer(start: start, count: 16)
        return .uuid(UUID(uuid: raw.loadUnaligned(as: UUIDBytes.self)))
    }

    private typealias UUIDBytes = (
        UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8,
        UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8
    )
}
