// Bytes that many streams send, in one allocation.

/// Immutable bytes for the queues of any number of event streams.
public final class SharedBuffer: Sendable {
    /// The bytes.
    public let bytes: [UInt8]

    /// How many bytes there are.
    public var count: Int { bytes.count }

    /// A buffer of these bytes.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }
}
