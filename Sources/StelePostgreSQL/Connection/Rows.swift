import CPostgreSQL
import SteleModel
import StelePersistence
import SteleSQL

/// The rows of a statement in PostgreSQL's binary form. They are freed with the object.
final class Rows {
    private let handle: OpaquePointer
    /// The number of rows.
    let count: Int
    /// The type of each column.
    private let types: [UInt32]

    /// - Parameter handle: a result, which the object frees.
    init(_ handle: OpaquePointer) {
        self.handle = handle
        count = Int(PQntuples(handle))
        types = (0..<PQnfields(handle)).map { PQftype(handle, $0) }
    }

    deinit { PQclear(handle) }

    /// The place of the last column.
    var lastColumn: Int32 { Int32(types.count) - 1 }

    /// The number of rows that the statement has inserted, changed or deleted.
    var changed: Int { Int(String(cString: PQcmdTuples(handle))) ?? 0 }

    /// Returns the type of a column.
    func type(of column: Int32) -> UInt32 { types[Int(column)] }

    /// Whether a row has a null.
    func isNull(_ row: Int, _ column: Int32) -> Bool {
        PQgetisnull(handle, Int32(truncatingIfNeeded: row), column) != 0
    }

    /// Returns a row as a snapshot.
    func snapshot(_ row: Int, _ shape: RowShape, from first: Int32) -> Snapshot {
        let place = shape.place(of: integer(row, first + 1))
        let entity = shape.entities[place]
        let sources = shape.sources[place]
        var values: [Value] = []
        values.reserveCapacity(sources.count)
        for source in sources {
            values.append(
                source.column < 0 ? .null : value(row, first + 3 + source.column, source.kind))
        }
        return Snapshot(
            entity: entity, key: integer(row, first), version: integer(row, first + 2),
            values: values)
    }

    /// Returns a column of integers; 0 for a null.
    func integer(_ row: Int, _ column: Int32) -> Int64 {
        if case .int(let it) = value(row, column, .integer) { it } else { 0 }
    }

    /// Returns a column as a value of its kind. A content of another type is converted.
    func value(_ row: Int, _ column: Int32, _ kind: ColumnKind) -> Value {
        let row = Int32(truncatingIfNeeded: row)
        if PQgetisnull(handle, row, column) != 0 { return .null }
        let bytes = UnsafeRawBufferPointer(
            start: PQgetvalue(handle, row, column), count: Int(PQgetlength(handle, row, column)))
        switch types[Int(column)] {
        case PostgreSQLType.int8, PostgreSQLType.int4, PostgreSQLType.int2, PostgreSQLType.bool:
            return Self.integer(Self.number(bytes), kind)
        case PostgreSQLType.float8:
            return Self.real(Double(bitPattern: UInt64(bitPattern: Self.number(bytes))), kind)
        case PostgreSQLType.float4:
            let bits = UInt32(truncatingIfNeeded: Self.number(bytes))
            return Self.real(Double(Float(bitPattern: bits)), kind)
        case PostgreSQLType.numeric:
            return Self.decimal(bytes, kind)
        case PostgreSQLType.bytea, PostgreSQLType.uuid: return Self.data(bytes, kind)
        default: return .string(String(decoding: bytes, as: UTF8.self))
        }
    }

    /// Returns all values, each column read as its kind.
    func values(_ kinds: [ColumnKind]) -> [[Value]] {
        (0..<count).map { row in
            kinds.enumerated().map { value(row, Int32($0.offset), $0.element) }
        }
    }

    /// Returns an integer of up to eight bytes, the highest first.
    private static func number(_ bytes: UnsafeRawBufferPointer) -> Int64 {
        var bits: UInt64 = 0
        for byte in bytes { bits = bits << 8 | UInt64(byte) }
        let unused = max(0, 64 - 8 * bytes.count)
        return Int64(bitPattern: bits << unused) >> Int64(unused)
    }

    private static func integer(_ number: Int64, _ kind: ColumnKind) -> Value {
        switch kind {
        case .key: number > 0 ? .key(number) : .null
        case .boolean: .bool(number != 0)
        case .double, .float:
            number.magnitude > 1 << 53 ? .int(number) : .double(Double(number))
        case .date: real(Double(number), kind)
        case .decimal: .decimal(Decimal(number))
        case .integer, .text, .data, .uuid, .external, .marked: .int(number)
        }
    }

    private static func real(_ number: Double, _ kind: ColumnKind) -> Value {
        switch kind {
        case .date: Value.isDate(number) ? .date(number) : .null
        case .decimal: DecimalColumn.decimal(number).map(Value.decimal) ?? .double(number)
        default: .double(number)
        }
    }

    /// Returns a numeric, whose digits are numbers below 10,000.
    private static func decimal(_ bytes: UnsafeRawBufferPointer, _ kind: ColumnKind) -> Value {
        func word(_ place: Int) -> Int {
            Int(number(UnsafeRawBufferPointer(rebasing: bytes[2 * place..<2 * place + 2])))
        }
        guard bytes.count >= 8 else { return .null }
        let (count, weight, sign, scale) = (word(0), word(1), word(2) & 0xFFFF, word(3))
        // Other signs are those of NaN and of the infinities.
        guard sign == 0 || sign == 0x4000, bytes.count >= 8 + 2 * count else { return .null }
        var text: [UInt8] = sign == 0 ? [] : [UInt8(ascii: "-")]
        func add(_ place: Int) {
            let digits = place >= 0 && place < count ? word(4 + place) : 0
            let four = String(digits + 10_000).utf8.dropFirst()
            text += four
        }
        if weight < 0 { text.append(UInt8(ascii: "0")) } else { (0...weight).forEach(add) }
        if scale > 0 {
            text.append(UInt8(ascii: "."))
            let start = text.count
            var place = weight + 1
            while text.count - start < scale {
                // Zeros between the point and the first digit.
                add(place)
                place += 1
            }
            text.removeLast(text.count - start - scale)
        }
        switch kind {
        case .integer:
            if scale == 0, let whole = Int64(String(decoding: text, as: UTF8.self)) {
                return .int(whole)
            }
            return Double(String(decoding: text, as: UTF8.self)).map(Value.double) ?? .null
        case .double, .float:
            return Double(String(decoding: text, as: UTF8.self)).map(Value.double) ?? .null
        default:
            return DecimalText.parse(stored: text).map(Value.decimal) ?? .null
        }
    }

    private static func data(_ bytes: UnsafeRawBufferPointer, _ kind: ColumnKind) -> Value {
        switch kind {
        case .uuid:
            bytes.count == 16
                ? .uuid(UUID(uuid: bytes.loadUnaligned(as: UUIDBytes.self))) : .null
        case .external, .marked: ExternalMarker.value(bytes, folder: "")
        default: .data([UInt8](bytes))
        }
    }

    private typealias UUIDBytes = (
        UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8,
        UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8
    )
}
