/// A statement's text with its hash, made once, so that a connection finds its prepared statement.

/// The text of one SQL statement, with `?1`, `?2`, … for what is bound.
public final class SQLText: Sendable, Hashable, CustomStringConvertible {
    public let string: String
    private let hash: Int

    public init(_ string: String) {
        self.string = string
        hash = string.hashValue
    }

    public static func == (a: SQLText, b: SQLText) -> Bool {
        a === b || (a.hash == b.hash && a.string == b.string)
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    public var description: String { string }
}
