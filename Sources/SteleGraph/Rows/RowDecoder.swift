import FoundationEssentials
import SteleModel

/// Decodes a row of values into a type, whose coding keys are the names of the columns.
struct RowDecoder: Decoder {
    let columns: [String: Int]
    let row: [Value]
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    /// - Throws: `DecodingError`.
    func decode<Row: Decodable>(_ type: Row.Type) throws -> Row {
        // These decode themselves by other means than a single value, such as a list of bytes.
        if type is any AttributeValue.Type || type is any FixedWidthInteger.Type {
            return try singleValueContainer().decode(type)
        }
        return try Row(from: self)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(RowContainer<Key>(columns: columns, row: row))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw Self.mismatch("a row has named columns, and no list of values", at: [])
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        guard row.count == 1 else {
            throw Self.mismatch("a row of \(row.count) columns is no single value", at: [])
        }
        return ValueContainer(value: row[0], codingPath: [])
    }

    static func mismatch(_ text: String, at path: [any CodingKey]) -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: path, debugDescription: text))
    }
}

/// The columns of a row, by name.
private struct RowContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let columns: [String: Int]
    let row: [Value]
    let codingPath: [any CodingKey] = []

    var allKeys: [Key] { columns.keys.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { columns[key.stringValue] != nil }

    private func value(_ key: Key) throws -> ValueContainer {
        guard let place = columns[key.stringValue], row.indices.contains(place) else {
            let names = columns.keys.sorted().joined(separator: ", ")
            throw DecodingError.keyNotFound(
                key,
                DecodingError.Context(
                    codingPath: [],
                    debugDescription: "the rows have no column \(key.stringValue), but \(names)"))
        }
        return ValueContainer(value: row[place], codingPath: [key])
    }

    func decodeNil(forKey key: Key) throws -> Bool { try value(key).decodeNil() }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try value(key).decode(type)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        throw RowDecoder.mismatch("a column has a single value", at: [key])
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        throw RowDecoder.mismatch("a column has a single value", at: [key])
    }

    func superDecoder() throws -> any Decoder {
        throw RowDecoder.mismatch("a row has no superclass", at: [])
    }

    func superDecoder(forKey key: Key) throws -> any Decoder { try value(key) }
}

/// A value of a column.
private struct ValueContainer: Decoder, SingleValueDecodingContainer {
    let value: Value
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func decodeNil() -> Bool { value.isNull }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let decoded: Any?
        if let whole = type as? any FixedWidthInteger.Type {
            decoded = Self.integer(value, as: whole)
        } else if let known = type as? any AttributeValue.Type {
            decoded = Self.read(value, as: known)
        } else {
            // Such as an optional or an enumeration, which ask for one of the others.
            return try T(from: self)
        }
        if let decoded = decoded as? T { return decoded }
        if value.isNull {
            throw DecodingError.valueNotFound(
                type,
                DecodingError.Context(
                    codingPath: codingPath, debugDescription: "the value is null"))
        }
        throw DecodingError.typeMismatch(
            type,
            DecodingError.Context(
                codingPath: codingPath, debugDescription: "the value is another type: \(value)"))
    }

    /// The value as an integer; nil for one of another type or outside its range.
    private static func integer<I: FixedWidthInteger>(_ value: Value, as type: I.Type) -> I? {
        switch value {
        case .int(let number), .key(let number): I(exactly: number)
        // An average may be whole.
        case .double(let number): I(exactly: number)
        default: nil
        }
    }

    /// The value as a Swift type; nil for one of another type.
    private static func read<V: AttributeValue>(_ value: Value, as type: V.Type) -> V? {
        switch value {
        // Sums and averages are of other types than their attributes; numbers convert where they are
        // exact.
        case .int(let number) where type is any BinaryFloatingPoint.Type:
            return V(attributeValue: .double(Double(number)))
        case .int(let number) where type == Decimal.self:
            return V(attributeValue: .decimal(Decimal(number)))
        default: return V(attributeValue: value)
        }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        throw RowDecoder.mismatch("a column has a single value", at: codingPath)
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw RowDecoder.mismatch("a column has a single value", at: codingPath)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }
}
