import SteleModel
import StelePersistence
import SteleSQL

/// The types of PostgreSQL that columns and parameters have, by their OID in pg_type.
enum PostgreSQLType {
    static let bool: UInt32 = 16
    static let bytea: UInt32 = 17
    static let int8: UInt32 = 20
    static let int2: UInt32 = 21
    static let int4: UInt32 = 23
    static let text: UInt32 = 25
    static let float4: UInt32 = 700
    static let float8: UInt32 = 701
    static let numeric: UInt32 = 1700
    static let uuid: UInt32 = 2950
}

/// The values of a statement's parameters in PostgreSQL's binary form; Decimals and nulls in that
/// of text.
struct Parameters {
    /// The type of each parameter; 0 for a null, whose type the server infers.
    private(set) var types: [UInt32] = []
    private var bytes: [UInt8] = []
    /// The range of each parameter's bytes; nil for a null.
    private var ranges: [Range<Int>?] = []
    private var formats: [Int32] = []

    /// The bytes of a message with them, about.
    var size: Int { bytes.count + 8 * types.count + 48 }

    /// - Throws: `.failed` for a value in a file that cannot be read.
    init(_ values: [Value]) throws(StoreError) {
        types.reserveCapacity(values.count)
        ranges.reserveCapacity(values.count)
        formats.reserveCapacity(values.count)
        for value in values { try append(value) }
    }

    private mutating func append(_ value: Value) throws(StoreError) {
        let start = bytes.count
        var format: Int32 = 1
        let type: UInt32
        switch value {
        case .null: type = 0
        case .bool(let it): type = integer(it ? 1 : 0)
        case .int(let it), .key(let it): type = integer(it)
        case .double(let it), .date(let it):
            type = PostgreSQLType.float8
            append(it.bitPattern)
        case .decimal(let it):
            type = PostgreSQLType.numeric
            format = 0
            DecimalText.write(it, to: &bytes)
            bytes.append(0)
        case .string(let it):
            type = PostgreSQLType.text
            bytes += it.utf8
        case .data(let it):
            type = PostgreSQLType.bytea
            bytes += it
        case .external(let it):
            // The bytes of a file beside a store of another type are in the row here.
            guard let contents = it.bytes else {
                throw .failed("the file \(it.identifier) of a value cannot be read")
            }
            type = PostgreSQLType.bytea
            bytes.append(ExternalMarker.inline)
            bytes += contents
        case .uuid(let it):
            type = PostgreSQLType.bytea
            withUnsafeBytes(of: it.uuid) { bytes += $0 }
        }
        types.append(type)
        formats.append(format)
        ranges.append(value.isNull ? nil : start..<bytes.count)
    }

    private mutating func integer(_ value: Int64) -> UInt32 {
        append(UInt64(bitPattern: value))
        return PostgreSQLType.int8
    }

    private mutating func append(_ bits: UInt64) {
        withUnsafeBytes(of: bits.bigEndian) { bytes += $0 }
    }

    /// Calls a closure with the addresses, lengths and formats of the parameters.
    func withAddresses<R>(
        _ body: (
            _ values: [UnsafePointer<CChar>?], _ lengths: [Int32], _ formats: [Int32]
        ) -> R
    ) -> R {
        // An empty value has an address, because a null one would be a null.
        let filled = bytes + [0]
        return filled.withUnsafeBytes { all in
            let start = all.bindMemory(to: CChar.self).baseAddress
            return body(
                ranges.map { range in range.flatMap { start?.advanced(by: $0.lowerBound) } },
                ranges.map { Int32(truncatingIfNeeded: $0?.count ?? 0) }, formats)
        }
    }
}
