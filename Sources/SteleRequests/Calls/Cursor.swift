/// The end of a page as opaque text: the exact values, and the query that they belong to.

import SteleJSON
import SteleModel

/// The cursor of `after`: a query's fingerprint and the last row's keys, as base64url.
package struct Cursor: Sendable {
    let fingerprint: UInt64
    package let position: [Value]

    private static let version: UInt8 = 1

    package init(fingerprint: UInt64, position: [Value]) {
        self.fingerprint = fingerprint
        self.position = position
    }

    /// Reads the text of a cursor.
    /// - Throws: `Problem`, 400, for text that is not a cursor.
    init(_ text: String) throws {
        guard let bytes = Base64.decode(text, urlSafe: true) else { throw Self.broken }
        var reader = CursorReader(bytes)
        guard reader.byte() == Self.version, let fingerprint = reader.fixed() else {
            throw Self.broken
        }
        var position: [Value] = []
        while !reader.isAtEnd {
            guard let value = reader.value() else { throw Self.broken }
            position.append(value)
        }
        self.fingerprint = fingerprint
        self.position = position
    }

    package var text: String {
        var bytes: [UInt8] = [Self.version]
        CursorReader.append(fingerprint, to: &bytes)
        for value in position { CursorReader.append(value, to: &bytes) }
        return Base64.encodeURLSafe(bytes)
    }

    /// Whether it is too long for the head of an answer and for the address of the next request.
    package var isLong: Bool {
        position.count > 256 || position.reduce(0) { $0 + $1.bytesBeside } > 2 << 10
    }

    private static let broken = Problem(
        .cursor, "the value of after is not a cursor, or is incomplete",
        hint: "take it from the Link header of the previous page")
}

/// Reads and writes the bytes of a cursor: a tag and a payload for each value.
struct CursorReader {
    private let bytes: [UInt8]
    private var at = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { at >= bytes.count }

    mutating func byte() -> UInt8? {
        guard at < bytes.count else { return nil }
        at += 1
        return bytes[at - 1]
    }

    mutating func fixed() -> UInt64? {
        guard bytes.count - at >= 8 else { return nil }
        var value: UInt64 = 0
        for _ in 0..<8 {
            value = value << 8 | UInt64(bytes[at])
            at += 1
        }
        return value
    }

    private mutating func block() -> ArraySlice<UInt8>? {
        guard let count = fixed(), count <= UInt64(bytes.count - at) else { return nil }
        defer { at += Int(count) }
        return bytes[at..<at + Int(count)]
    }

    mutating func value() -> Value? {
        guard let tag = byte() else { return nil }
        switch tag {
        case 0: return .null
        case 1: return .bool(false)
        case 2: return .bool(true)
        case 3: return fixed().map { .int(Int64(bitPattern: $0)) }
        case 4: return finite().map { .double($0) }
        case 5:
            return block().flatMap { DecimalText.parse(stored: Array($0)) }.map { .decimal($0) }
        case 6: return block().flatMap { String(validating: $0, as: UTF8.self) }.map { .string($0) }
        case 7: return finite().map { .date($0) }
        case 8: return block().map { .data(Array($0)) }
        case 9:
            let text = block().map { String(decoding: $0, as: UTF8.self) }
            return text.flatMap { UUID(uuidString: $0) }.map { .uuid($0) }
        case 10: return fixed().map { .key(Int64(bitPattern: $0)) }
        default: return nil
        }
    }

    private mutating func finite() -> Double? {
        guard let bits = fixed() else { return nil }
        let value = Double(bitPattern: bits)
        return value.isFinite ? value : nil
    }

    static func append(_ value: Value, to bytes: inout [UInt8]) {
        switch value {
        case .null: bytes.append(0)
        case .bool(let it): bytes.append(it ? 2 : 1)
        case .int(let it):
            bytes.append(3)
            append(UInt64(bitPattern: it), to: &bytes)
        case .double(let it):
            bytes.append(4)
            append(it.bitPattern, to: &bytes)
        case .decimal(let it): append(5, Array(DecimalText.text(it).utf8), to: &bytes)
        case .string(let it): append(6, Array(it.utf8), to: &bytes)
        case .date(let it):
            bytes.append(7)
            append(it.bitPattern, to: &bytes)
        case .data(let it): append(8, it, to: &bytes)
        // No page ends at an external value: Binary attributes have no order.
        case .external: bytes.append(0)
        case .uuid(let it): append(9, Array(it.uuidString.utf8), to: &bytes)
        case .key(let it):
            bytes.append(10)
            append(UInt64(bitPattern: it), to: &bytes)
        }
    }

    private static func append(_ tag: UInt8, _ block: [UInt8], to bytes: inout [UInt8]) {
        bytes.append(tag)
        append(UInt64(block.count), to: &bytes)
        bytes += block
    }

    static func append(_ value: UInt64, to bytes: inout [UInt8]) {
        for shift in stride(from: 56, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
        }
    }
}
