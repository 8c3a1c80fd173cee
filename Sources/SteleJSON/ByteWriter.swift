/// The one writer of everything that goes out: bytes appended to one growing buffer.
///
/// Commas, colons and brackets are the caller's: a row is written with keys prepared once
/// (``preparedKey(_:comma:)``) and ``raw(_:)-([UInt8])``.
@frozen
public struct ByteWriter: Sendable {
    /// What has been written.
    public var bytes: [UInt8]

    /// Why what has been written is no answer: the first value that could not be written. Who sends
    /// the bytes looks at it before.
    public var failure: (any Error)?

    /// A writer with room for `capacity` bytes before it has to grow.
    @inlinable
    public init(capacity: Int = 256) {
        bytes = []
        failure = nil
        bytes.reserveCapacity(capacity)
    }

    /// How many bytes have been written.
    @inlinable public var count: Int { bytes.count }

    /// What has been written, handed over without a copy; the writer begins anew, without room.
    @inlinable
    public mutating func take() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &bytes)
        return taken
    }

    /// Notes that a value cannot be written; something has to stand in its place.
    public mutating func fail(_ error: any Error) {
        if failure == nil { failure = error }
    }

    /// Appends one byte.
    @inlinable
    public mutating func byte(_ byte: UInt8) {
        bytes.append(byte)
    }

    /// Appends a text of the program as it stands, without quotes and escapes.
    @inlinable
    public mutating func raw(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Appends bytes as they stand.
    @inlinable
    public mutating func raw(_ prepared: [UInt8]) {
        bytes.append(contentsOf: prepared)
    }

    /// Appends bytes as they stand.
    @inlinable
    public mutating func raw(_ buffer: UnsafeBufferPointer<UInt8>) {
        bytes.append(contentsOf: buffer)
    }

    /// Appends `null`.
    @inlinable
    public mutating func null() {
        raw("null")
    }

    /// Appends `true` or `false`.
    @inlinable
    public mutating func bool(_ value: Bool) {
        if value { raw("true") } else { raw("false") }
    }

    /// Appends a name, quoted and escaped, and the colon after it.
    public mutating func key(_ name: String) {
        string(name)
        byte(UInt8(ascii: ":"))
    }

    /// The bytes of `"name":`, with a comma before them if asked for: made once, written per row.
    public static func preparedKey(_ name: String, comma: Bool = false) -> [UInt8] {
        var writer = ByteWriter(capacity: name.utf8.count + 4)
        if comma { writer.byte(UInt8(ascii: ",")) }
        writer.key(name)
        return writer.bytes
    }
}

extension ByteWriter: TextOutputStream {
    /// Appends a text as it stands, without quotes and escapes.
    public mutating func write(_ text: String) {
        var text = text
        text.withUTF8 { bytes.append(contentsOf: $0) }
    }

    /// What the standard library's numbers call to print themselves without making a String;
    /// were it to go, they would call `write` instead.
    public mutating func _writeASCII(_ buffer: UnsafeBufferPointer<UInt8>) {
        bytes.append(contentsOf: buffer)
    }
}
