/// Text that is told apart by its bytes.

/// A text as a key, equal where its UTF-8 is the same, as stores take it; `String` takes composed
/// and decomposed letters for the same.
public struct ExactText: Hashable, Sendable {
    public let text: String

    public init(_ text: String) { self.text = text }

    public static func == (a: ExactText, b: ExactText) -> Bool { a.text.hasSameBytes(as: b.text) }

    public func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }
}

extension String {
    /// Whether the UTF-8 is the same, where `==` asks for the same characters.
    func hasSameBytes(as other: String) -> Bool {
        if utf8.count != other.utf8.count { return false }
        var (a, b) = (self, other)
        return a.withUTF8 { a in b.withUTF8 { b in a.elementsEqual(b) } }
    }

    /// Hashes the UTF-8.
    func hashBytes(into hasher: inout Hasher) {
        var text = self
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // No UTF-8 has it, so that what is hashed next does not go on with the text.
        hasher.combine(0xFF as UInt8)
    }
}
