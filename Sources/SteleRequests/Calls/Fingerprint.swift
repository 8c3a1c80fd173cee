/// A hash of a query, the same in every process, for cursors and entity tags.

/// FNV-1a with 64 bits. It tells queries apart and is not a security measure.
package struct Fingerprint: Sendable {
    package private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    package init() {}

    /// Adds a text and its end.
    package mutating func add(_ text: String) {
        for byte in text.utf8 { add(byte) }
        add(0xFF)
    }

    /// Adds bytes as they are.
    package mutating func add(_ bytes: [UInt8]) { for byte in bytes { add(byte) } }

    private mutating func add(_ byte: UInt8) {
        value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
    }
}
