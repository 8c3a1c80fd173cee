/// The text of one SQL statement, with `?1`, `?2`, … for its bindings. Its hash is computed once,
/// for fast lookup of the prepared statement.
public final class SQLText: Sendable, Hashable {
    /// The text.
    public let string: String
    private let hash: Int

    /// Creates a text and computes its hash.
    public init(_ string: String) {
        self.string = string
        hash = string.hashValue
    }

    /// Compares the texts.
    public static func == (a: SQLText, b: SQLText) -> Bool {
        a === b || (a.hash == b.hash && a.string == b.string)
    }

    /// Hashes the text by its stored hash.
    public func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
