import struct FoundationEssentials.Data

/// A mapping model in the source of a program, as generated code has it.
public struct EmbeddedMapping: Sendable, Hashable {
    /// The name of its file, for messages.
    public let name: String
    /// The bytes of its file.
    public let bytes: [UInt8]

    /// A file in XML or JSON.
    public init(_ name: String, _ text: String) { self.init(name, bytes: Array(text.utf8)) }

    /// A file that is no text, in base 64. What is not base 64 is no mapping model either.
    public init(_ name: String, base64: String) {
        self.init(name, bytes: Data(base64Encoded: base64).map(Array.init) ?? [])
    }

    package init(_ name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }
}
