/// A text that is compared and hashed by its UTF-8 bytes, as stores compare it. `String` treats
/// composed and decomposed characters as equal.
public struct ExactText: Hashable, Sendable {
    /// The text.
    public let text: String

    /// Wraps a text.
    public init(_ text: String) { self.text = text }

    /// Whether both texts have the same UTF-8 bytes.
    public static func == (a: ExactText, b: ExactText) -> Bool { a.text.hasSameBytes(as: b.text) }

    /// Hashes the UTF-8 bytes.
    public func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }
}

extension String {
    /// Whether the UTF-8 bytes are the same. `==` compares characters.
    func hasSameBytes(as other: String) -> Bool {
        if utf8.count != other.utf8.count { return false }
        var (a, b) = (self, other)
        return a.withUTF8 { a in b.withUTF8 { b in a.elementsEqual(b) } }
    }

    /// Hashes the UTF-8 bytes.
    func hashBytes(into hasher: inout Hasher) {
        var text = self
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // No UTF-8 text contains this byte, so it separates the text from what is hashed next.
        hasher.combine(0xFF as UInt8)
    }
}
