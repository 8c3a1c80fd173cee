/// A prepared statement: bound, stepped, read column by column.

import CSQLite
import SteleModel
import StelePersistence
import SteleSQL

/// One prepared statement of one connection; finalised with its owner.
final class Statement {
    private let handle: OpaquePointer
    private let connection: OpaquePointer
    /// Where external values lie.
    private let folder: String
    private let parameters: Int32
    /// When it was last used, by the connection's own count.
    var lastUse = 0
    /// How often in a row it is not begun under a budget after it was broken off, and how often
    /// that is still to be.
    private var refusals = 0
    private var refusalsLeft = 0
    /// Whether a value is bound that is too large to keep for nothing.
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
    }

    deinit { sqlite3_finalize(handle) }

    /// Whether it is worth a try under a budget: no, for a while, after it was broken off; longer
    /// each time, and shorter with each try that ends in time.
    func mayBeBrief() -> Bool {
        if refusalsLeft > 0 {
            refusalsLeft -= 1
            return false
        }
        refusals = max(refusals - 1, 0)
        return true
    }

    private func wasBrokenOff() {
        refusals = min(max(2 * refusals, 16), 4_096)
        refusalsLeft = refusals
    }

    func reset() {
        sqlite3_reset(handle)
        guard holdsMuch else { return }
        // A kept statement would keep its copy of a large value until its next use.
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
                // An empty text has no address, and a null address would bind NULL.
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

    /// Goes to the next row.
    /// - Returns: whether there is one.
    @inline(__always)
    func step() throws(StoreError) -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        if code & 0xFF == SQLITE_INTERRUPT { wasBrokenOff() }
        let error = SQLiteFailure.error(code, connection, String(cString: sqlite3_sql(handle)))
        sqlite3_reset(handle)
        throw error
    }

    /// An integer column of the current row.
    @inline(__always)
    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    /// The current row as a snapshot; nil for a row whose entity the model does not know.
    @inline(__always)
    func snapshot(_ shape: RowShape, from first: Int32) -> Snapshot? {
        let place = Int(sqlite3_column_int64(handle, first + 1)) &- shape.firstNumber
        guard shape.sources.indices.contains(place) else { return nil }
        // Through a pointer: no retain and no bounds for each value of each row.
        let values = shape.sources[place].withUnsafeBufferPointer { sources in
            [Value](unsafeUninitializedCapacity: sources.count) { buffer, count in
                guard let start = buffer.baseAddress else { return }
                for (index, source) in sources.enumerated() {
                    let read: Value =
                        source.column < 0 ? .null : value(first + 3 + source.column, source.kind)
                    (start + index).initialize(to: read)
                }
                count = sources.count
            }
        }
        return Snapshot(
            entity: shape.entities[place], key: sqlite3_column_int64(handle, first),
            version: sqlite3_column_int64(handle, first + 2), values: values)
    }

    /// A column of the current row, read as its kind says; a content of another type is
    /// converted as SQLite does.
    @inline(__always)
    func value(_ column: Int32, _ kind: ColumnKind) -> Value {
        let type = sqlite3_column_type(handle, column)
        if type == SQLITE_NULL { return .null }
        switch kind {
        case .integer: return .int(sqlite3_column_int64(handle, column))
        case .key: return .key(sqlite3_column_int64(handle, column))
        case .boolean: return .bool(sqlite3_column_int64(handle, column) != 0)
        case .double: return .double(sqlite3_column_double(handle, column))
        case .float: return .double(sqlite3_column_double(handle, column))
        case .date: return .date(sqlite3_column_double(handle, column))
        case .text: return .string(text(column))
        case .data: return .data(bytes(column))
        case .external: return external(column)
        case .decimal: return decimal(column, type)
        case .uuid: return uuid(column)
        }
    }

    /// The same of an expression: an integer that 64 bits do not hold is a Double.
    func computed(_ column: Int32, _ kind: ColumnKind) -> Value {
        if kind == .integer, sqlite3_column_type(handle, column) == SQLITE_FLOAT {
            return .double(sqlite3_column_double(handle, column))
        }
        if kind == .double, sqlite3_column_type(handle, column) == SQLITE_INTEGER {
            let whole = sqlite3_column_int64(handle, column)
            return whole.magnitude > 1 << 53 ? .int(whole) : .double(Double(whole))
        }
        let result = value(column, kind)
        if kind == .decimal, result.isNull,
            sqlite3_column_type(handle, column) == SQLITE_FLOAT
        {
            // A Double among Decimals that no Decimal can hold.
            return .double(sqlite3_column_double(handle, column))
        }
        return result
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

    /// 16 raw bytes; a blob of another length is no UUID, and reads as none.
    private func uuid(_ column: Int32) -> Value {
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
