/// Writes output: bytes appended to one growing buffer.
///
/// The caller writes commas, colons and brackets. A row is written with keys that are prepared once
/// (``preparedKey(_:comma:)``) and ``raw(_:)-([UInt8])``.
@frozen
public struct ByteWriter: Sendable {
    /// The bytes written so far.
    public var bytes: [UInt8]

    /// The first value that could not be written. It is checked before the bytes are sent.
    public var failure: (any Error)?

    /// Makes a writer with room for `capacity` bytes.
    @inlinable
    public init(capacity: Int = 256) {
        bytes = []
        failure = nil
        bytes.reserveCapacity(capacity)
    }

    /// The number of bytes written so far.
    @inlinable public var count: Int { bytes.count }

    /// Returns the bytes written, without a copy. The writer is then empty and has no capacity.
    @inlinable
    public mutating func take() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &bytes)
        return taken
    }

    /// Records that a value cannot be written. The caller writes something in its place.
    public mutating func fail(_ error: any Error) { if failure == nil { failure = error } }

    /// Appends one byte.
    @inlinable public mutating func byte(_ byte: UInt8) { bytes.append(byte) }

    /// Appends a static text as it is, without quotes and escapes.
    @inlinable
    public mutating func raw(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Appends bytes as they are.
    @inlinable
    public mutating func raw(_ prepared: [UInt8]) {
        // Appending the array itself would retain and release it.
        prepared.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    }

    /// Appends bytes as they are.
    @inlinable
    public mutating func raw(_ buffer: UnsafeBufferPointer<UInt8>) {
        bytes.append(contentsOf: buffer)
    }

    /// Appends `null`.
    @inlinable public mutating func null() { raw("null") }

    /// Appends `true` or `false`.
    @inlinable
    public mutating func bool(_ value: Bool) {
        if value { raw("true") } else { raw("false") }
    }

    /// Appends a key, quoted and escaped, and a colon.
    public mutating func key(_ name: String) {
        string(name)
        byte(UInt8(ascii: ":"))
    }

    /// The bytes of `"name":`, optionally after a comma: made once, and written with each row.
    public static func preparedKey(_ name: String, comma: Bool = false) -> [UInt8] {
        var writer = ByteWriter(capacity: name.utf8.count + 4)
        if comma { writer.byte(UInt8(ascii: ",")) }
        writer.key(name)
        return writer.bytes
    }
}

extension ByteWriter: TextOutputStream {
    /// Appends a text as it is, without quotes and escapes.
    public mutating func write(_ text: String) {
        var text = text
        text.withUTF8 { bytes.append(contentsOf: $0) }
    }

    /// Called by the standard library's numbers to print themselves without making a String.
    /// Without this method they call `write`.
    public mutating func _writeASCII(_ buffer: UnsafeBufferPointer<UInt8>) {
        bytes.append(contentsOf: buffer)
    }
}
