// Bytes that many streams send: one allocation for all of them.

/// Immutable bytes that any number of event streams may have in their queues at once.
public final class SharedBuffer: Sendable {
    /// The bytes.
    public let bytes: [UInt8]

    /// How many bytes there are.
    public var count: Int { bytes.count }

    public init(_ bytes: [UInt8]) { self.bytes = bytes }
}
