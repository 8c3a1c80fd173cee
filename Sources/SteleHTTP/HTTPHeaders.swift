// The header fields of a request in one buffer, which costs one allocation.

/// The header fields of a request, in the order in which they came. Names compare without case
/// (RFC 9110, 5.1).
public struct HTTPHeaders: Sendable {
    // Each field is two bytes of name length, four of value length, the name, the value.
    var packed: [UInt8]

    /// No fields.
    public init() { packed = [] }

    /// Fields with these names and values.
    public init(_ fields: [(name: String, value: String)]) {
        packed = []
        for field in fields {
            var name = field.name
            var value = field.value
            name.withUTF8 { name in value.withUTF8 { append(name: name, value: $0) } }
        }
    }

    mutating func append(name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) {
        // White space around the value is not part of it (RFC 9110, 5.5).
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        let end = value.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? 0
        let start = value[..<end].firstIndex { !isSpace($0) } ?? end
        let value = UnsafeBufferPointer(rebasing: value[start..<end])
        guard name.count <= 0xFFFF, value.count <= 0x7FFF_FFFF else { return }
        let value32 = UInt32(value.count)
        packed.append(UInt8(truncatingIfNeeded: name.count))
        packed.append(UInt8(truncatingIfNeeded: name.count >> 8))
        packed.append(UInt8(truncatingIfNeeded: value32))
        packed.append(UInt8(truncatingIfNeeded: value32 >> 8))
        packed.append(UInt8(truncatingIfNeeded: value32 >> 16))
        packed.append(UInt8(truncatingIfNeeded: value32 >> 24))
        packed.append(contentsOf: name)
        packed.append(contentsOf: value)
    }

    /// The first value of the field, or nil. Bytes that are not UTF-8 read as U+FFFD.
    public subscript(name: String) -> String? {
        var found: String?
        search(name) { value in
            found = String(decoding: value, as: UTF8.self)
            return false
        }
        return found
    }

    /// All values of the field, in the order in which they came.
    public func values(named name: String) -> [String] {
        var all: [String] = []
        search(name) { value in
            all.append(String(decoding: value, as: UTF8.self))
            return true
        }
        return all
    }

    /// Whether there is a field of that name.
    public func contains(_ name: String) -> Bool {
        var found = false
        search(name) { _ in
            found = true
            return false
        }
        return found
    }

    private func search(_ name: String, _ visit: (UnsafeRawBufferPointer) -> Bool) {
        var name = name
        name.withUTF8 { wanted in
            packed.withUnsafeBytes { bytes in
                var position = 0
                while let field = Field(in: bytes, at: position) {
                    position = field.end
                    guard field.name.count == wanted.count else { continue }
                    let given = UnsafeRawBufferPointer(rebasing: bytes[field.name])
                    guard equalIgnoringCase(given, UnsafeRawBufferPointer(wanted)) else { continue }
                    guard visit(UnsafeRawBufferPointer(rebasing: bytes[field.value])) else {
                        return
                    }
                }
            }
        }
    }
}

extension HTTPHeaders: Sequence {
    /// Iterates over the fields in the order in which they came.
    public struct Iterator: IteratorProtocol {
        let packed: [UInt8]
        var position = 0

        /// The next name, in the client's spelling, and value.
        public mutating func next() -> (name: String, value: String)? {
            packed.withUnsafeBytes { bytes in
                guard let field = Field(in: bytes, at: position) else { return nil }
                position = field.end
                return (
                    String(decoding: bytes[field.name], as: UTF8.self),
                    String(decoding: bytes[field.value], as: UTF8.self)
                )
            }
        }
    }

    /// An iterator over the names and values.
    public func makeIterator() -> Iterator { Iterator(packed: packed) }
}

private struct Field {
    let name: Range<Int>
    let value: Range<Int>
    var end: Int { value.upperBound }

    init?(in bytes: UnsafeRawBufferPointer, at position: Int) {
        guard position + 6 <= bytes.count else { return nil }
        let nameLength = Int(bytes[position]) | Int(bytes[position + 1]) << 8
        let valueLength =
            Int(bytes[position + 2]) | Int(bytes[position + 3]) << 8
            | Int(bytes[position + 4]) << 16 | Int(bytes[position + 5]) << 24
        name = position + 6..<position + 6 + nameLength
        value = name.upperBound..<name.upperBound + valueLength
        guard value.upperBound <= bytes.count else { return nil }
    }
}

/// Whether the bytes are equal, ASCII letters without case.
func equalIgnoringCase(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard left.count == right.count else { return false }
    for index in left.indices where left[index] != right[index] {
        let lower = left[index] | 0x20
        guard lower == right[index] | 0x20, lower >= 0x61, lower <= 0x7A else { return false }
    }
    return true
}

/// Whether the bytes are equal, ASCII letters without case; for collections that are not
/// contiguous.
func equalIgnoringCase(
    _ left: some Collection<UInt8>, _ right: some Collection<UInt8>
) -> Bool {
    Array(left).withUnsafeBytes { left in
        Array(right).withUnsafeBytes { equalIgnoringCase(left, $0) }
    }
}

extension StaticString {
    /// Whether this is that name, ASCII letters without case.
    func isName(_ bytes: UnsafeRawBufferPointer) -> Bool {
        withUTF8Buffer { equalIgnoringCase(UnsafeRawBufferPointer($0), bytes) }
    }
}
